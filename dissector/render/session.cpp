// SPDX-License-Identifier: GPL-2.0-or-later
#include "render/session.hpp"

#include <algorithm>

#include <iwarp/export/names.hpp>

#include "render/fields.hpp"
#include "render/private_data.hpp"
#include "render/render.hpp"
#include "render/tree_items.hpp"

namespace iwarp::dissector {
namespace {

using wire::SessionFunction;

SessionFunction function_of(const Event& event) noexcept {
  if (event.kind == EventKind::fin) return SessionFunction::terminate;
  const StartupFact& startup = event.startup;
  const bool enhanced = startup.enhanced;
  if (startup.kind == wire::StartupKind::request)
    return enhanced ? SessionFunction::enhanced_initiate : SessionFunction::initiate;
  if (startup.rejected) return enhanced ? SessionFunction::enhanced_reject : SessionFunction::reject;
  return enhanced ? SessionFunction::enhanced_accept : SessionFunction::accept;
}

// As it was captured; nullptr: its first octets were not.
const DdpMessage* captured_message(const Frame& frame, const Event& event) noexcept {
  const DdpMessages& messages = frame.bridge->ddp_messages();
  if (event.kind == EventKind::fin)
    return messages.find_terminate(event.end.segment.frame, sctp_stream_of(frame, event)->id);
  const std::span<const Slice> slices = frame.bridge->analysis().slices(event);
  return slices.empty() ? nullptr : messages.find(slices.front().frame, slices.front().payload_offset);
}

// The octets of its first DATA chunk, where they lie in this frame.
StartupPlace place_of(const Frame& frame, const DdpMessage* message) noexcept {
  StartupPlace place{frame.tvb, 0, 0, 0};
  const auto begin = slices_begin(frame);
  if (message == nullptr || message->frame != frame.number || !begin) return place;
  const std::uint32_t captured = tvb_captured_length(frame.tvb);
  const std::uint32_t start = std::min(*begin + message->at, captured);
  place.start = static_cast<int>(start);
  place.available = static_cast<int>(std::min<std::uint32_t>(message->length, captured - start));
  return place;
}

bool is_fragmented(const Frame& frame, const Event& event) noexcept {
  return event.kind != EventKind::fin && frame.bridge->analysis().slices(event).size() > 1;
}

bool has_event(const Frame& frame, const DdpMessage& message) noexcept {
  return std::any_of(frame.events.begin(), frame.events.end(), [&](const Event& event) {
    return event.kind != EventKind::fpdu && is_sctp_message(frame, event) &&
           captured_message(frame, event) == &message;
  });
}

}  // namespace

const char* session_function_title(const Event& event) noexcept {
  switch (function_of(event)) {
    case SessionFunction::initiate: return "Initiate";
    case SessionFunction::accept: return "Accept";
    case SessionFunction::reject: return "Reject";
    case SessionFunction::terminate: return "Terminate";
    case SessionFunction::enhanced_initiate: return "Enhanced Initiate";
    case SessionFunction::enhanced_accept: return "Enhanced Accept";
    case SessionFunction::enhanced_reject: return "Enhanced Reject";
  }
  return "";
}

void put_session(const Frame& frame, proto_tree* tree, const Event& event) {
  const SctpStream& stream = *sctp_stream_of(frame, event);
  const Range nowhere{frame.tvb, 0, 0};
  generated(put(tree, hf.sctp_stream, nowhere, stream.id));
  generated(put(tree, hf.sctp_session, nowhere, stream.session));
  const DdpMessage* const message = captured_message(frame, event);
  if (message == nullptr) return;
  const StartupPlace place = place_of(frame, message);
  put(tree, hf.sctp_ssn, place.at(0, static_cast<int>(wire::ddp_ssn_size)), message->ssn);
}

void render_fragments(const Frame& frame, proto_tree* tree, const Event& event) {
  const std::span<const Slice> slices = frame.bridge->analysis().slices(event);
  if (slices.empty() || (slices.size() == 1 && slices.front().frame == frame.number)) return;
  const auto count = static_cast<std::uint32_t>(slices.size());
  proto_item* const heading = generated(put(tree, hf.sctp_fragments, {frame.tvb, 0, 0}, count));
  proto_tree* const subtree = proto_item_add_subtree(heading, ett.slices);
  for (const Slice& slice : slices) {
    proto_item* const item = put_frame_number(subtree, hf.sctp_fragment, frame, slice.frame);
    proto_item_append_text(item, ", %u octets from octet %u of its SCTP packet on", slice.length,
                           slice.payload_offset);
  }
}

void render_session_control(const Frame& frame, proto_tree* tree, const Event& event, Events behind) {
  const bool fragmented = is_fragmented(frame, event);
  const StartupPlace place = place_of(frame, fragmented ? nullptr : captured_message(frame, event));
  const Role sender = role_of(frame, event);
  proto_item* const item = put_octets(tree, hf.sctp_control, place.whole());
  proto_item_set_text(item, "DDP stream session control from %s: %s", role_name(sender),
                      session_function_title(event));
  proto_tree* const subtree = proto_item_add_subtree(item, ett.startup);
  put_sender(frame, subtree, event.connection, sender);
  put_session(frame, subtree, event);
  if (event.frame > frame.number) put_frame_number(subtree, hf.delivered_in, frame, event.frame);
  put(subtree, hf.sctp_function, place.at(wire::ddp_ssn_size, 2),
      static_cast<std::uint32_t>(function_of(event)));
  if (event.kind == EventKind::startup) {
    render_fragments(frame, subtree, event);
    render_private_data(frame, subtree, place, wire::session_header_size, event);
    if (event.startup.first_frame != frame.number)
      put_frame_number(subtree, hf.message_first_frame, frame, event.startup.first_frame);
  }
  render_conclusions(frame, subtree, behind);
}

void render_idle_control(const Frame& frame, proto_tree* tree) {
  for (const DdpMessage& message : frame.bridge->ddp_messages().of(frame.number)) {
    if (message.function == 0 || !message.whole || has_event(frame, message)) continue;
    const StartupPlace place = place_of(frame, &message);
    proto_item* const item = put_octets(tree, hf.sctp_control, place.whole());
    proto_item_set_text(item, "DDP stream session control that has changed no session so far");
    proto_tree* const subtree = proto_item_add_subtree(item, ett.startup);
    generated(put(subtree, hf.sctp_stream, {frame.tvb, 0, 0}, message.stream));
    put(subtree, hf.sctp_ssn, place.at(0, static_cast<int>(wire::ddp_ssn_size)), message.ssn);
    put(subtree, hf.sctp_function, place.at(wire::ddp_ssn_size, 2), message.function);
  }
}

void render_sctp_part(const Frame& frame, proto_tree* tree) {
  if (const FrameNumber rest_in = sctp_rest_in(frame); rest_in != 0)
    put_frame_number(tree, hf.reassembled_in, frame, rest_in);
}

}  // namespace iwarp::dissector
