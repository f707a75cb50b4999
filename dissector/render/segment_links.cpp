// SPDX-License-Identifier: GPL-2.0-or-later
#include "render/segment_links.hpp"

#include <functional>

#include <iwarp/export/names.hpp>

#include "render/fields.hpp"
#include "render/tree_items.hpp"

namespace iwarp::dissector {
namespace {

constexpr std::size_t max_shown = 64;

// Of what is over the answers tell, of what goes on the state.
std::optional<Answers::Answered> request_of(const Frame& frame, const Event& segment) noexcept {
  const auto over = frame.bridge->answers().answered_by(segment.connection, segment.fpdu.message);
  if (over || frame.bridge->finished()) return over;
  const ConnectionState* const state = frame.bridge->state_after(segment.connection, told_by(frame, segment));
  if (state == nullptr) return std::nullopt;
  // A segment that cannot be delivered yet goes on with the response that is open.
  const OpenMessage& open = *state->side(segment.side).read_response;
  const std::uint32_t response = segment.fpdu.message != 0 ? segment.fpdu.message : open.number;
  for (const Request& request : state->side(other(segment.side)).requests) {
    if (request.response_message != response || !open.active) break;
    return Answers::Answered{request.placed.frame,
                             request.ambiguous ? OperationStatus::unknown : OperationStatus::complete};
  }
  return std::nullopt;
}

bool is_response(const FpduFact& fpdu) noexcept {
  return fpdu.header_octets >= fpdu.ddp.size() && fpdu.ddp.tagged() && !fpdu.unfinished &&
         fpdu.crc != CrcStatus::bad && fpdu.ddp.opcode() == wire::Opcode::read_response;
}

bool is_among(Events events, const Event& event) noexcept {
  const std::less<const Event*> before;
  return !before(&event, events.data()) && before(&event, events.data() + events.size());
}

}  // namespace

void render_segment_links(const Frame& frame, proto_tree* tree, const Event& fpdu) {
  const bool is_last = fpdu.fpdu.ddp.last();
  if (is_last && fpdu.fpdu.ddp.tagged()) return;  // the message ends here, or is not known to
  if (is_last && fpdu.fpdu.ddp.mo == 0) return;   // alone
  if (frame.later_pass) {
    const FrameNumber completed_in = frame.bridge->segments(fpdu.connection, fpdu.fpdu.message).completed_in;
    if (completed_in > frame.number) put_frame_number(tree, hf.reassembled_in, frame, completed_in);
  }
  if (is_last || !is_response(fpdu.fpdu) || !is_among(frame.events, fpdu)) return;
  const auto answered = request_of(frame, fpdu);
  if (!answered || answered->request == 0) return;
  proto_item* const item = put_frame_number(tree, hf.request_in, frame, answered->request);
  if (answered->status != OperationStatus::complete)
    proto_item_append_text(item, " (%s)", operation_status_name(answered->status));
}

void render_segment_frames(const Frame& frame, proto_tree* tree, const Event& message) {
  if (message.message.segments < 2 || message.message.end != MessageEnd::complete) return;
  const SegmentFrames link = frame.bridge->segments(message.connection, message.message.number);
  if (link.completed_in == 0 || link.frames.front() == link.frames.back()) return;
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
