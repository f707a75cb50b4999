// SPDX-License-Identifier: GPL-2.0-or-later
#include "segments.hpp"

#include <functional>

#include <iwarp/export/names.hpp>

#include "fields.hpp"
#include "tree_items.hpp"

namespace iwarp::dissector {
namespace {

constexpr std::size_t max_shown = 64;

struct Answered {
  FrameNumber request = 0;  // 0: not known
  OperationStatus status = OperationStatus::complete;
};

// What ends with this frame, an event tells; what goes on behind it, the state.
Answered request_of(const Frame& frame, const Event& segment) noexcept {
  const Side requester = other(segment.side);
  const Event* const end = frame.events.data() + frame.events.size();
  for (const Event* event = &segment + 1; event < end; ++event) {
    if (event->connection != segment.connection) continue;
    if (event->kind == EventKind::operation && event->side == requester &&
        event->operation.kind == OperationKind::read && event->operation.first_response.frame != 0)
      return {event->operation.request.frame, event->operation.status};
    // It ended, and answered nothing that is known. Where the capture ended first, the state tells.
    if (event->kind == EventKind::message && event->side == segment.side &&
        event->message.end != MessageEnd::unknown && event->message.opcode == wire::Opcode::read_response)
      return {};
  }
  const ConnectionState* const state = frame.bridge->state_after(segment.connection, told_by(frame, segment));
  if (state == nullptr || !state->side(segment.side).read_response->active) return {};
  const auto& requests = state->side(requester).requests;
  if (requests.empty()) return {};
  const Request& oldest = requests.front();
  if (!oldest.response_begun || oldest.kind != RequestKind::read) return {};
  return {oldest.placed.frame, oldest.ambiguous ? OperationStatus::unknown : OperationStatus::complete};
}

bool is_response(const FpduFact& fpdu) noexcept {
  return fpdu.header_octets >= fpdu.ddp.size() && fpdu.ddp.tagged() && !fpdu.unfinished &&
         fpdu.crc != CrcStatus::bad && fpdu.ddp.opcode() == wire::Opcode::read_response;
}

bool is_among(Events events, const Event& event) noexcept {
  const std::less<const Event*> before;
  return !before(&event, events.data()) && before(&event, events.data() + events.size());
}

// The FPDU that a conclusion of this frame stands behind.
const Event* fpdu_before(Events events, const Event& conclusion) noexcept {
  if (!is_among(events, conclusion)) return nullptr;
  for (const Event* event = &conclusion; event != events.data();) {
    if ((--event)->kind == EventKind::fpdu) return event;
  }
  return nullptr;
}

}  // namespace

void render_segment_links(const Frame& frame, proto_tree* tree, const Event& fpdu) {
  const bool is_last = fpdu.fpdu.ddp.last();
  if (is_last && fpdu.fpdu.ddp.tagged()) return;  // the message ends here, or is not known to
  if (is_last && fpdu.fpdu.ddp.mo == 0) return;   // alone
  if (frame.later_pass) {
    const SegmentLink link = frame.bridge->segment_link(fpdu);
    if (!link.completes && link.completed_in > frame.number)
      put_frame_number(tree, hf.reassembled_in, frame, link.completed_in);
  }
  if (is_last || !is_response(fpdu.fpdu) || !is_among(frame.events, fpdu)) return;
  const Answered answered = request_of(frame, fpdu);
  if (answered.request == 0) return;
  proto_item* const item = put_frame_number(tree, hf.request_in, frame, answered.request);
  if (answered.status != OperationStatus::complete)
    proto_item_append_text(item, " (%s)", operation_status_name(answered.status));
}

void render_segment_frames(const Frame& frame, proto_tree* tree, const Event& message) {
  if (message.message.segments < 2 || message.message.end != MessageEnd::complete) return;
  const Event* fpdu = fpdu_before(frame.events, message);
  if (fpdu == nullptr) fpdu = fpdu_before(frame.events_at_end, message);
  if (fpdu == nullptr) return;
  const SegmentLink link = frame.bridge->segment_link(*fpdu);
  if (!link.completes || link.frames.front() == link.frames.back()) return;
  std::size_t shown = 0;
  for (std::size_t at = 0; at < link.frames.size();) {
    std::size_t end = at + 1;
    while (end < link.frames.size() && link.frames[end] == link.frames[at]) ++end;
    if (++shown > max_shown) {
      generated(put(tree, hf.message_more_segments, {frame.tvb, 0, 0},
                    static_cast<std::uint32_t>(link.frames.size() - at)));
      return;
    }
    proto_item* const item = put_frame_number(tree, hf.message_segment_frame, frame, link.frames[at]);
    if (end - at > 1) proto_item_append_text(item, ", %u of them", static_cast<unsigned>(end - at));
    at = end;
  }
}

}  // namespace iwarp::dissector
