// SPDX-License-Identifier: GPL-2.0-or-later
#include "render/operations.hpp"

#include <algorithm>
#include <iterator>

#include <iwarp/export/names.hpp>

#include "render/fields.hpp"
#include "render/tree_items.hpp"

namespace iwarp::dissector {
namespace {

bool is_two_sided(OperationKind kind) noexcept {
  return kind == OperationKind::read || kind == OperationKind::atomic;
}

// 0 stands for a number that is not known.
std::optional<std::uint32_t> known(std::uint32_t outstanding) noexcept {
  return outstanding == 0 ? std::nullopt : std::optional(outstanding);
}

// By LatencyPart.
const int* const part_fields[] = {&hf.why_request_loss, &hf.why_response_loss,   &hf.why_behind_hole,
                                  &hf.why_window,       &hf.why_behind_requests, &hf.why_network,
                                  &hf.why_responder,    &hf.why_interleaved,     &hf.why_transfer,
                                  &hf.why_unexplained};
static_assert(std::size(part_fields) == latency_part_count);

void render_why(const Frame& frame, proto_tree* tree, const Event& event) {
  using Part = OperationParts::Part;
  const auto parts = frame.bridge->operation_parts().of(event.connection, event.operation.message);
  if (parts.empty()) return;
  const auto greatest =
      std::max_element(parts.begin(), parts.end(), [](const Part& a, const Part& b) { return a.ns < b.ns; });
  proto_item* const item =
      generated(put(tree, hf.why, {frame.tvb, 0, 0}, static_cast<std::uint32_t>(greatest->part)));
  proto_tree* const subtree = proto_item_add_subtree(item, ett.why);
  for (const Part& part : parts) {
    put_duration(subtree, *part_fields[static_cast<std::size_t>(part.part)], frame, part.ns);
    if (part.frames[0] != 0) put_frame_number(subtree, hf.why_frame, frame, part.frames[0]);
    if (part.frames[1] != 0 && part.frames[1] != part.frames[0])
      put_frame_number(subtree, hf.why_frame, frame, part.frames[1]);
  }
}

}  // namespace

std::optional<std::uint32_t> outstanding_at(const Frame& frame, const Event& message) noexcept {
  const ConnectionState* const state = frame.bridge->state_after(message.connection, told_by(frame, message));
  if (state == nullptr) return std::nullopt;
  for (const Request& request : state->side(message.side).requests) {
    if (request.message == message.message.number) return known(request.outstanding);
  }
  // Answered with the same frame: an answer that came before its question.
  for (const Event& event : frame.events) {
    if (event.kind == EventKind::operation && event.connection == message.connection &&
        event.operation.message == message.message.number)
      return known(event.operation.outstanding);
  }
  return std::nullopt;
}

void render_request_links(const Frame& frame, proto_tree* tree, const Event& message) {
  if (!wire::is_request(message.message.opcode)) return;
  if (const auto count = outstanding_at(frame, message)) {
    generated(put(tree, hf.outstanding, {frame.tvb, 0, 0}, *count));
  }
  if (!frame.later_pass) return;
  const FrameNumber response =
      frame.bridge->answers().response_frame(message.connection, message.message.number);
  if (response != 0) put_frame_number(tree, hf.response_in, frame, response);
}

void render_operation(const Frame& frame, proto_tree* tree, const Event& event) {
  const OperationConclusion& operation = event.operation;
  // Of an operation that ended before its response did, what came of the response answers the request, too.
  const bool is_answered = operation.response.frame != 0;
  if (!is_two_sided(operation.kind) || operation.first_response.frame == 0) return;
  if (!operation.answered() && !operation.response_start_seen) return;  // it may be another one's response
  proto_item* const item = put_frame_number(tree, hf.request_in, frame, operation.request.frame);
  if (operation.status != OperationStatus::complete) {
    proto_item_append_text(item, " (%s%s)", is_answered ? "" : "answered in part, ",
                           operation_status_name(operation.status));
  }
  if (!is_answered) return;
  if (const auto latency = operation.latency()) put_duration(tree, hf.response_time, frame, *latency);
  render_why(frame, tree, event);
  if (const ConnectionState* const state =
          frame.bridge->state_after(event.connection, told_by(frame, event))) {
    generated(put(tree, hf.outstanding, {frame.tvb, 0, 0}, state->side(event.side).outstanding()));
  }
}

}  // namespace iwarp::dissector
