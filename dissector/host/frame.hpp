// The frame that Wireshark has dissected: its octets, what it brought of iWARP, and whose it is.
//
// All types are trivially destructible: epan may leave any function that has one by longjmp.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <type_traits>

#include "bridge/capture_bridge.hpp"
#include "compat/epan.hpp"

namespace iwarp::dissector {

// The frame being dissected.
struct Frame {
  tvbuff_t* tvb = nullptr;  // all of its octets
  packet_info* pinfo = nullptr;
  CaptureBridge* bridge = nullptr;
  const FrameFacts* facts = nullptr;
  FrameNumber number = 0;  // in the file, as of all events
  Events events;
  Events events_at_end;
  int protocol = -1;  // the plugin's, as epan knows it
  // All frames were read once: what later frames brought may be linked to.
  bool later_pass = false;
};
static_assert(std::is_trivially_destructible_v<Frame>);

// Some octets of a tvb, to be highlighted.
struct Range {
  tvbuff_t* tvb = nullptr;
  int start = 0;
  int length = 0;
};

// The frame after which an event that stands in this one was known: the frame itself, or a later one that
// delivered or decided it.
[[nodiscard]] FrameNumber told_by(const Frame& frame, const Event& event) noexcept;

// The role of an event's side as of that frame.
[[nodiscard]] Role role_of(const Frame& frame, const Event& event) noexcept;

// Where in the frame's TCP payload the last FPDU ends that is complete with this frame; 0 when there is none.
[[nodiscard]] std::uint32_t octets_used(const Frame& frame) noexcept;
// Whether the octets behind that belong to an FPDU that is not complete yet.
[[nodiscard]] bool has_part(const Frame& frame, std::uint32_t used) noexcept;

// In a later pass: the start-up frame that octets of this frame were a part of. nullptr: none.
[[nodiscard]] const StartupPieces* startup_of_part(const Frame& frame) noexcept;
// In a later pass: the octets behind `used` turned out to be no FPDU.
[[nodiscard]] bool is_skipped(const Frame& frame, std::uint32_t used) noexcept;

// In milliseconds, as people read durations.
[[nodiscard]] constexpr double in_ms(TimeNs duration) noexcept {
  return static_cast<double>(duration) / 1e6;
}

}  // namespace iwarp::dissector
