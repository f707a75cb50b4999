// Rendering: what one frame brought, from the event log into epan's tree and columns.
//
// Nothing is parsed and no state is kept here. All types are trivially destructible: epan may leave any of
// these functions by longjmp.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <type_traits>

#include "capture_bridge.hpp"
#include "epan.hpp"

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

// The protocol's item alone. Protocol Hierarchy Statistics count those of trees that nobody looks at, too.
proto_item* render_protocol(const Frame& frame, proto_tree* tree);
// The whole subtree of a frame. `tree` is the frame's own.
void render_tree(const Frame& frame, proto_tree* tree);
// The FPDUs that were put together from several frames, for those who look at octets only (tshark -x).
void add_data_sources(const Frame& frame);
// Protocol and Info.
void render_columns(const Frame& frame);
// The IDs of findings, behind what stands in Info.
void render_findings_column(const Frame& frame);
// Hands payloads to the dissectors of ULPs, which go on with columns and tree. `tree` is the frame's own.
void call_ulps(const Frame& frame, proto_tree* tree);

// One event each; `behind` are the conclusions that follow it in the log.
void render_startup(const Frame& frame, proto_tree* tree, const Event& event, Events behind);
void render_fpdu(const Frame& frame, proto_tree* tree, const Event& event, Events behind);
void render_conclusions(const Frame& frame, proto_tree* tree, Events conclusions);
void render_state(const Frame& frame, proto_tree* tree, const ConnectionState& state);

}  // namespace iwarp::dissector
