// SPDX-License-Identifier: GPL-2.0-or-later
#include "host/frame.hpp"

#include <algorithm>
#include <functional>

namespace iwarp::dissector {
namespace {

// The start-up is over, though the first FPDU of the side may not be complete yet (RFC 5044 §7.1.2).
bool is_sending_fpdus(const ConnectionState& state, Side side) noexcept {
  const Phase phase = state.side(side).phase;
  const std::optional<StartupFact>& reply = state.mpa.frames[1];
  return phase == Phase::fpdu || (phase == Phase::startup && reply && !reply->rejected);
}

bool is_among(Events events, const Event& event) noexcept {
  const std::less<const Event*> before;
  return !before(&event, events.data()) && before(&event, events.data() + events.size());
}

}  // namespace

std::optional<std::uint32_t> slices_begin(const Frame& frame) noexcept {
  if (frame.facts != nullptr && frame.facts->in_frame) return frame.facts->payload_offset;
  if (frame.sctp != nullptr && frame.sctp->in_frame) return frame.sctp->packet_offset;
  return std::nullopt;
}

bool is_sctp_message(const Frame& frame, const Event& event) noexcept {
  const bool is_message =
      event.kind == EventKind::fpdu || event.kind == EventKind::startup || event.kind == EventKind::fin;
  return is_message && sctp_stream_of(frame, event) != nullptr;
}

bool is_first_of_session(const Frame& frame, const Event& event) noexcept {
  if (frame.sctp == nullptr || !is_sctp_message(frame, event)) return false;
  for (const Event& each : frame.events) {
    if (each.connection == event.connection && is_sctp_message(frame, each)) return &each == &event;
  }
  return false;
}

FrameNumber sctp_rest_in(const Frame& frame) noexcept {
  return frame.later_pass && frame.sctp != nullptr ? frame.sctp->reassembled_in : 0;
}

std::uint32_t octets_used(const Frame& frame) noexcept {
  std::uint32_t used = 0;
  for (const Event& event : frame.events) {
    if (event.kind != EventKind::fpdu) continue;
    for (const Slice& slice : frame.bridge->analysis().slices(event)) {
      if (slice.frame == frame.number) used = slice.payload_offset + slice.length;
    }
  }
  return used;
}

bool has_part(const Frame& frame, std::uint32_t used) noexcept {
  if (frame.facts == nullptr || !frame.facts->iwarp || used >= frame.facts->payload_length) return false;
  for (const Event& event : frame.events) {
    if (event.kind == EventKind::startup || (event.kind == EventKind::retransmitted && used == 0))
      return false;
  }
  const ConnectionState* const state = frame.bridge->state_after(frame.facts->connection, frame.number);
  return state != nullptr && is_sending_fpdus(*state, frame.facts->side);
}

const StartupPieces* startup_of_part(const Frame& frame) noexcept {
  if (!frame.later_pass || frame.facts == nullptr || !frame.facts->startup_part) return nullptr;
  return frame.bridge->startup_pieces(frame.facts->reassembled_in, frame.facts->connection,
                                      frame.facts->side);
}

bool is_skipped(const Frame& frame, std::uint32_t used) noexcept {
  return frame.later_pass && frame.facts != nullptr && frame.facts->skipped &&
         used < frame.facts->payload_length;
}

FrameNumber told_by(const Frame& frame, const Event& event) noexcept {
  return std::max(frame.number, event.frame);
}

Role role_of(const Frame& frame, const Event& event) noexcept {
  const bool is_at_end = is_among(frame.events_at_end, event) ||
                         (frame.bridge->finished() && event.frame == frame.bridge->last_segment_frame());
  // The end of the capture may tell for the first time who is who.
  const ConnectionState* const state =
      is_at_end ? frame.bridge->analysis().connection(event.connection)
                : frame.bridge->state_after(event.connection, told_by(frame, event));
  return state == nullptr ? Role::initiator : state->role_of(event.side);
}

}  // namespace iwarp::dissector
