// Adding items to a tree: one short word for each type of value, with the octets it came from.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstdint>

#include "host/frame.hpp"

namespace iwarp::dissector {

inline proto_item* put(proto_tree* tree, int field, Range range, std::uint32_t value) {
  return proto_tree_add_uint(tree, field, range.tvb, range.start, range.length, value);
}

inline proto_item* put64(proto_tree* tree, int field, Range range, std::uint64_t value) {
  return proto_tree_add_uint64(tree, field, range.tvb, range.start, range.length, value);
}

inline proto_item* put_flag(proto_tree* tree, int field, Range range, bool value) {
  return proto_tree_add_boolean(tree, field, range.tvb, range.start, range.length, value ? 1 : 0);
}

// A flag that is a bit of `octets`, which its field's mask tells.
inline proto_item* put_bit(proto_tree* tree, int field, Range range, std::uint32_t octets) {
  return proto_tree_add_boolean(tree, field, range.tvb, range.start, range.length, octets);
}

// REQUIRES: `text` is not nullptr.
inline proto_item* put_text(proto_tree* tree, int field, Range range, const char* text) {
  return proto_tree_add_string(tree, field, range.tvb, range.start, range.length, text);
}

// A field without a value: a heading, or octets only to be pointed at.
inline proto_item* put_octets(proto_tree* tree, int field, Range range) {
  return proto_tree_add_item(tree, field, range.tvb, range.start, range.length, ENC_NA);
}

// Values that are not octets of the frame but are known from elsewhere.
inline proto_item* generated(proto_item* item) {
  proto_item_set_generated(item);
  return item;
}

// What another item tells already: filters and columns find it, but it is no line of its own.
inline void repeated(proto_item* item) {
  proto_item_set_generated(item);
  proto_item_set_hidden(item);
}

// A link to a frame; 0 for one that a read filter dropped, as no frame that is shown has that number.
inline proto_item* put_frame_number(proto_tree* tree, int field, const Frame& frame, FrameNumber number) {
  const std::uint32_t shown = frame.bridge->numbers().shown(number);
  proto_item* const item = generated(put(tree, field, {frame.tvb, 0, 0}, shown));
  if (shown == 0) proto_item_append_text(item, " (frame %" PRIu64 " of the file, not read)", number);
  return item;
}

inline proto_item* put_duration(proto_tree* tree, int field, const Frame& frame, TimeNs duration) {
  nstime_t time;
  time.secs = static_cast<time_t>(duration / 1'000'000'000);
  time.nsecs = static_cast<int>(duration % 1'000'000'000);
  return generated(proto_tree_add_time(tree, field, frame.tvb, 0, 0, &time));
}

// ", stream 1, SCTP stream 3, session 2"
void append_session(proto_item* item, ConnectionId connection, const SctpStream& stream);

// Stream and sender: once for each FPDU and start-up frame, or for a frame that has none.
void put_sender(const Frame& frame, proto_tree* tree, ConnectionId connection, Role role);
// The same of an fpdu or startup event; lines of their own only with the frame's first, or where it is
// another's.
void put_sender(const Frame& frame, proto_tree* tree, const Event& event);

}  // namespace iwarp::dissector
