// The frame that Wireshark has dissected: its octets, what it brought of iWARP, and whose it is.
//
// All types are trivially destructible: epan may leave any function that has one by longjmp.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <optional>
#include <type_traits>

#include "bridge/capture_bridge.hpp"
#include "compat/epan.hpp"

namespace iwarp::dissector {

// The frame being dissected.
struct Frame {
  tvbuff_t* tvb = nullptr;  // all of its octets
  packet_info* pinfo = nullptr;
  CaptureBridge* bridge = nullptr;
  const FrameFacts* facts = nullptr;  // of a TCP segment
  const SctpFacts* sctp = nullptr;    // of an SCTP packet
  FrameNumber number = 0;             // in the file, as of all events
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

// Where in the frame its TCP payload or its SCTP packet begins, which Slice::payload_offset counts from;
// nothing: it does not lie in the frame.
[[nodiscard]] std::optional<std::uint32_t> slices_begin(const Frame& frame) noexcept;

// The stream and session of a connection that is carried by SCTP; nullptr: TCP carries it.
[[nodiscard]] inline const SctpStream* sctp_stream_of(const Frame& frame, const Event& event) noexcept {
  return frame.bridge->sctp_streams().find(event.connection);
}
// A message over SCTP: a DDP segment, or session control, of which the Terminate is a `fin`.
[[nodiscard]] bool is_sctp_message(const Frame& frame, const Event& event) noexcept;
// In a later pass: the frame with the rest of a message over SCTP that this one has a part of; 0: there is
// none.
[[nodiscard]] FrameNumber sctp_rest_in(const Frame& frame) noexcept;

[[nodiscard]] bool is_first_of_session(const Frame& frame, const Event& event) noexcept;
// Calls visit(event) with the first message of each session over SCTP that has messages in the frame.
template <typename Visit>
void for_each_session(const Frame& frame, Visit visit) {
  for (const Event& event : frame.events) {
    if (is_first_of_session(frame, event)) visit(event);
  }
}

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
