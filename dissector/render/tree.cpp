// The subtree of one frame: its events in order, what was concluded from each, and the state behind the
// frame.
// SPDX-License-Identifier: GPL-2.0-or-later
#include <algorithm>

#include <iwarp/export/names.hpp>

#include "host/preferences.hpp"
#include "render/expert.hpp"
#include "render/fields.hpp"
#include "render/operations.hpp"
#include "render/render.hpp"
#include "render/retransmissions.hpp"
#include "render/segment_links.hpp"
#include "render/session.hpp"
#include "render/stag_story.hpp"
#include "render/tree_items.hpp"

namespace iwarp::dissector {
namespace {

bool is_conclusion(EventKind kind) noexcept {
  return kind == EventKind::message || kind == EventKind::operation || kind == EventKind::finding ||
         kind == EventKind::undecidable;
}

bool has_subtree(EventKind kind) noexcept {
  return kind == EventKind::startup || kind == EventKind::fpdu;
}

Range payload_range(const Frame& frame) noexcept {
  if (frame.sctp != nullptr && frame.sctp->in_frame)
    return {frame.tvb, frame.sctp->packet_offset, static_cast<int>(frame.sctp->packet_length)};
  if (frame.facts == nullptr || !frame.facts->in_frame) return {frame.tvb, 0, 0};
  const auto captured = static_cast<int>(tvb_captured_length(frame.tvb));
  const int begin = frame.facts->payload_offset < captured ? frame.facts->payload_offset : captured;
  const auto length = static_cast<int>(frame.facts->payload_length);
  return {frame.tvb, begin, length < captured - begin ? length : captured - begin};
}

void render_message(const Frame& frame, proto_tree* tree, const Event& event) {
  const MessageConclusion& message = event.message;
  const Range nowhere{frame.tvb, 0, 0};
  proto_item* const item = generated(put_octets(tree, hf.message, nowhere));
  const char* const at_least = message.end == MessageEnd::unknown ? "at least " : "";
  proto_item_append_text(item, ": %s, %s%" PRIu64 " octets in %u segment%s",
                         wire::opcode_title(message.opcode), at_least, message.length, message.segments,
                         message.segments == 1 ? "" : "s");
  if (message.rtr) proto_item_append_text(item, ", ready to receive");
  if (message.end == MessageEnd::incomplete) proto_item_append_text(item, ", incomplete");
  if (message.end == MessageEnd::unknown)
    proto_item_append_text(item, ", not all of it seen (%s)", reason_name(message.reason));
  proto_tree* const subtree = proto_item_add_subtree(item, ett.message);
  if (const auto length = message.known_length())
    generated(put64(subtree, hf.message_length, nowhere, *length));
  proto_item* const segments = generated(put(subtree, hf.message_segments, nowhere, message.segments));
  proto_item* const first =
      message.start_seen ? put_frame_number(subtree, hf.message_first_frame, frame, message.first_frame)
                         : nullptr;
  if (message.end != MessageEnd::unknown)
    repeated(put_flag(subtree, hf.message_complete, nowhere, message.end == MessageEnd::complete));
  if (message.segments == 1) repeated(segments);
  if (first != nullptr && message.first_frame == frame.number) repeated(first);
  if (message.rtr) repeated(put_flag(subtree, hf.message_rtr, nowhere, true));
  render_segment_frames(frame, subtree, event);
}

// Facts about the stream that have no octets to show.
void render_fact(const Frame& frame, proto_tree* tree, const Event& event) {
  const Range nowhere{frame.tvb, 0, 0};
  switch (event.kind) {
    case EventKind::gap: {
      // Over SCTP nobody may know how long what is missing was.
      if (event.gap.restated || (event.gap.length == 0 && sctp_stream_of(frame, event) != nullptr)) return;
      proto_item* const item = generated(put64(tree, hf.gap, nowhere, event.gap.length));
      proto_item_append_text(item, "%s",
                             event.gap.cause == GapCause::snaplen ? ", cut by the snapshot length" : "");
      return;
    }
    case EventKind::sync_lost: generated(put64(tree, hf.skipped, nowhere, event.sync_lost.length)); return;
    case EventKind::locked:
      if (sctp_stream_of(frame, event) != nullptr) return;  // there is no framing to find
      generated(put_text(tree, hf.locked, nowhere,
                         event.locked.after_gap ? "behind a gap"
                         : event.locked.first   ? "mid-stream"
                                                : "again"));
      return;
    default: return;
  }
}

// Octets of an FPDU that is not complete with this frame. Which frame completes it, only later frames tell.
void render_part(const Frame& frame, proto_tree* tree) {
  const std::uint32_t used = octets_used(frame);
  const Range whole = payload_range(frame);
  const int skip = static_cast<int>(used) < whole.length ? static_cast<int>(used) : whole.length;
  const Range rest{whole.tvb, whole.start + skip, whole.length - skip};
  if (is_skipped(frame, used)) {
    put_octets(tree, hf.skipped_octets, rest);
    put_frame_number(tree, hf.skipped_in, frame, frame.facts->reassembled_in);
    return;
  }
  if (has_part(frame, used)) put_octets(tree, hf.fpdu_part, rest);
  const bool is_fpdus = !frame.facts->startup_part && !frame.facts->skipped;
  if (frame.later_pass && is_fpdus && frame.facts->reassembled_in != 0) {
    put_frame_number(tree, hf.reassembled_in, frame, frame.facts->reassembled_in);
  }
}

void render_startup_part(const Frame& frame, proto_tree* tree, const StartupPieces& pieces) {
  const Range whole = payload_range(frame);
  for (const Slice& slice : pieces.slices) {
    if (slice.frame != frame.number) continue;
    const bool is_there = static_cast<int>(slice.payload_offset + slice.length) <= whole.length;
    const Range range{whole.tvb, whole.start + static_cast<int>(slice.payload_offset),
                      static_cast<int>(slice.length)};
    put_octets(tree, hf.mpa_part, is_there ? range : Range{whole.tvb, whole.start, 0});
  }
  put_frame_number(tree, hf.reassembled_in, frame, frame.facts->reassembled_in);
}

// An FPDU that stands in another frame was delivered here. Of several from there, one line.
void render_delivered(const Frame& frame, proto_tree* tree, const Event& event, const Event* before) {
  const bool same_frame = before != nullptr && before->kind == EventKind::placed &&
                          before->fpdu.placed.frame == event.fpdu.placed.frame;
  if (!same_frame) put_frame_number(tree, hf.delivers, frame, event.fpdu.placed.frame);
}

void render_events(const Frame& frame, proto_tree* tree, Events events) {
  for (std::size_t at = 0; at < events.size();) {
    const Event& event = events[at];
    std::size_t end = at + 1;
    while (end < events.size() && is_conclusion(events[end].kind)) ++end;
    const Events behind = events.subspan(at + 1, end - at - 1);
    if (event.kind != EventKind::fpdu && is_sctp_message(frame, event)) {
      render_session_control(frame, tree, event, behind);
    } else if (event.kind == EventKind::startup) {
      render_startup(frame, tree, event, behind);
    } else if (event.kind == EventKind::fpdu) {
      render_fpdu(frame, tree, event, behind);
    } else if (event.kind == EventKind::placed) {
      render_delivered(frame, tree, event, at > 0 ? &events[at - 1] : nullptr);
      render_conclusions(frame, tree, behind);
    } else {
      if (!is_conclusion(event.kind)) render_fact(frame, tree, event);
      render_conclusions(frame, tree, is_conclusion(event.kind) ? events.subspan(at, end - at) : behind);
    }
    at = end;
  }
}

// Something that a person wants to know, not only that connections ended with the capture.
bool tells(Events events) noexcept {
  for (const Event& event : events) {
    if (has_subtree(event.kind) || is_conclusion(event.kind) || event.kind == EventKind::gap) return true;
  }
  return false;
}

bool is_first_subtree(const Frame& frame, const Event& event) noexcept {
  for (const Event& each : frame.events) {
    if (has_subtree(each.kind)) return &each == &event;
  }
  return false;
}

bool any_subtree(Events events) noexcept {
  for (const Event& event : events) {
    if (has_subtree(event.kind)) return true;
  }
  return false;
}

// ", stream 1, SCTP stream 3, session 2", or how many there are.
void append_sessions(const Frame& frame, proto_item* item) {
  unsigned sessions = 0;
  const Event* only = nullptr;
  for_each_session(frame, [&](const Event& event) {
    ++sessions;
    only = &event;
  });
  if (sessions > 1) proto_item_append_text(item, ", %u DDP stream sessions", sessions);
  if (sessions == 1) append_session(item, only->connection, *sctp_stream_of(frame, *only));
}

// The frame may have messages of several sessions: behind it, the state of each.
void render_session_states(const Frame& frame, proto_tree* tree) {
  for_each_session(frame, [&](const Event& event) {
    const ConnectionState* const behind = frame.bridge->state_after(event.connection, frame.number);
    if (behind != nullptr) render_state(frame, tree, *behind);
  });
}

}  // namespace

void append_session(proto_item* item, ConnectionId connection, const SctpStream& stream) {
  proto_item_append_text(item, ", stream %u, SCTP stream %u", connection, stream.id);
  if (stream.session > 1) proto_item_append_text(item, ", session %u", stream.session);
}

void put_sender(const Frame& frame, proto_tree* tree, ConnectionId connection, Role role) {
  generated(put(tree, hf.stream, {frame.tvb, 0, 0}, connection));
  generated(put_text(tree, hf.from, {frame.tvb, 0, 0}, role_name(role)));
}

void put_sender(const Frame& frame, proto_tree* tree, const Event& event) {
  const Role role = role_of(frame, event);
  const FrameFacts* const facts = frame.facts;
  const bool is_frames =
      facts != nullptr && event.connection == facts->connection && event.side == facts->side;
  if (!is_frames || is_first_subtree(frame, event)) return put_sender(frame, tree, event.connection, role);
  repeated(put(tree, hf.stream, {frame.tvb, 0, 0}, event.connection));
  repeated(put_text(tree, hf.from, {frame.tvb, 0, 0}, role_name(role)));
}

void render_conclusions(const Frame& frame, proto_tree* tree, Events conclusions) {
  for (const Event& event : conclusions) {
    if (event.kind == EventKind::message) {
      render_message(frame, tree, event);
      render_request_links(frame, tree, event);
      render_stag_story(frame, tree, event);
    } else if (event.kind == EventKind::operation) {
      render_operation(frame, tree, event);
    } else if (event.kind == EventKind::finding) {
      render_finding(frame, tree, event);
    }
  }
  render_undecidables(frame, tree, conclusions);
}

proto_item* render_protocol(const Frame& frame, proto_tree* tree) {
  const Range range = payload_range(frame);
  return proto_tree_add_item(tree, frame.protocol, range.tvb, range.start, range.length, ENC_NA);
}

void render_tree(const Frame& frame, proto_tree* tree) {
  proto_item* const item = render_protocol(frame, tree);
  proto_tree* const subtree = proto_item_add_subtree(item, ett.iwarp);
  const bool is_ours = frame.facts != nullptr && frame.facts->iwarp;
  const ConnectionState* const state =
      frame.facts == nullptr ? nullptr : frame.bridge->state_after(frame.facts->connection, frame.number);
  if (is_ours && state != nullptr) {
    const Role role = state->role_of(frame.facts->side);
    proto_item_append_text(item, ", stream %u, from %s", frame.facts->connection, role_name(role));
    // A frame with FPDUs tells both once for each of them.
    if (!any_subtree(frame.events)) put_sender(frame, subtree, frame.facts->connection, role);
  }
  append_sessions(frame, item);
  const StartupPieces* const part_of = startup_of_part(frame);
  if (part_of != nullptr && !is_ours) {
    const Role role = part_of->kind == wire::StartupKind::request ? Role::initiator : Role::responder;
    put_sender(frame, subtree, frame.facts->connection, role);
  } else if (!is_ours && frame.facts != nullptr && frame.facts->key) {
    proto_item_append_text(item, ", begins as an MPA start-up frame does");
  }
  render_events(frame, subtree, frame.events);
  if (part_of != nullptr) {
    render_startup_part(frame, subtree, *part_of);
  } else if (is_ours) {
    render_part(frame, subtree);
  }
  if (is_ours) render_retransmission(frame, subtree);
  if (is_ours && preferences().state) {
    // Looked up again: rendering the events may have asked for other states.
    const ConnectionState* const behind = frame.bridge->state_after(frame.facts->connection, frame.number);
    if (behind != nullptr) render_state(frame, subtree, *behind);
  }
  render_idle_control(frame, subtree);
  render_sctp_part(frame, subtree);
  if (preferences().state) render_session_states(frame, subtree);
  if (!frame.later_pass || !tells(frame.events_at_end)) return;
  proto_item* const heading = generated(put_octets(subtree, hf.at_end, {frame.tvb, 0, 0}));
  render_events(frame, proto_item_add_subtree(heading, ett.at_end), frame.events_at_end);
}

}  // namespace iwarp::dissector
