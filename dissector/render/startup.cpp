// MPA Request and Reply Frames (RFC 5044 §7.1, RFC 6581 §9).
// SPDX-License-Identifier: GPL-2.0-or-later
#include <cstring>

#include "compat/old_names.hpp"
#include "render/fields.hpp"
#include "render/private_data.hpp"
#include "render/render.hpp"
#include "render/tree_items.hpp"

namespace iwarp::dissector {
namespace {

constexpr int flags_at = 16;
constexpr int revision_at = 17;
constexpr int length_at = 18;
constexpr int private_data_at = 20;

// The piece that the completing frame brought.
StartupPlace place_of_piece(const Frame& frame, const StartupPieces& pieces) {
  StartupPlace place{frame.tvb, 0, 0, 0};
  if (frame.facts == nullptr || !frame.facts->in_frame) return place;
  const int captured = static_cast<int>(tvb_captured_length(frame.tvb));
  const Slice& first = pieces.slices.front();
  const FrameFacts* const begun = frame.bridge->facts(first.frame);
  for (const Slice& slice : pieces.slices) {
    const int start = frame.facts->payload_offset + static_cast<int>(slice.payload_offset);
    const int length = static_cast<int>(slice.length);
    if (slice.frame != frame.number || begun == nullptr || start + length > captured) continue;
    place.start = start;
    place.available = length;
    place.before = static_cast<int>(frame.facts->sequence + slice.payload_offset - begun->sequence -
                                    first.payload_offset);
  }
  return place;
}

void render_slices(const Frame& frame, proto_tree* tree, const StartupPieces& pieces) {
  const auto count = static_cast<std::uint32_t>(pieces.slices.size());
  proto_item* const heading = generated(put(tree, hf.mpa_slices, {frame.tvb, 0, 0}, count));
  proto_tree* const subtree = proto_item_add_subtree(heading, ett.slices);
  for (const Slice& slice : pieces.slices) {
    proto_item* const item = put_frame_number(subtree, hf.mpa_slice, frame, slice.frame);
    proto_item_append_text(item, ", %u octets from octet %u of its TCP payload on", slice.length,
                           slice.payload_offset);
  }
}

StartupPlace place_of_startup(const Frame& frame, const StartupFact& startup) {
  StartupPlace place{frame.tvb, 0, 0, 0};
  if (frame.facts == nullptr || !frame.facts->in_frame ||
      frame.facts->payload_length < wire::startup_key_size)
    return place;
  const int captured = static_cast<int>(tvb_captured_length(frame.tvb));
  const int begin = frame.facts->payload_offset;
  const int octets = static_cast<int>(frame.facts->payload_length);
  if (octets <= 0 || begin + octets > captured) return place;
  const std::uint8_t* const payload = tvb_get_ptr(frame.tvb, begin, octets);
  // The key is the only thing it cannot be mistaken for.
  const Byte* const key = startup.kind == wire::StartupKind::request ? wire::request_key : wire::reply_key;
  const void* const found = memmem(payload, static_cast<std::size_t>(octets), key, wire::startup_key_size);
  if (found == nullptr) return place;
  const int at = static_cast<int>(static_cast<const std::uint8_t*>(found) - payload);
  const int size = private_data_at + startup.private_data_length;
  place.start = begin + at;
  place.available = size < octets - at ? size : octets - at;
  return place;
}

void render_flags(proto_tree* tree, const StartupPlace& place, const StartupFact& startup) {
  const Range range = place.at(flags_at, 1);
  const unsigned flags = (startup.markers ? 0x80U : 0U) | (startup.crc ? 0x40U : 0U) |
                         (startup.rejected ? 0x20U : 0U) | (startup.enhanced ? 0x10U : 0U) |
                         startup.reserved_flags;
  proto_item* const item = put(tree, hf.mpa_flags, range, flags);
  proto_item_append_text(item, "%s%s%s%s", startup.markers ? ", markers" : "", startup.crc ? ", CRC" : "",
                         startup.rejected ? ", rejected" : "", startup.enhanced ? ", IRD/ORD word" : "");
  proto_tree* const bits = proto_item_add_subtree(item, ett.flags);
  for (const int flag : {hf.mpa_markers, hf.mpa_crc, hf.mpa_rejected, hf.mpa_enhanced})
    put_bit(bits, flag, range, flags);
  put(bits, hf.mpa_reserved, range, flags);
}

}  // namespace

void render_startup(const Frame& frame, proto_tree* tree, const Event& event, Events behind) {
  const StartupFact& startup = event.startup;
  const StartupPieces* const pieces =
      frame.bridge->startup_pieces(frame.number, event.connection, event.side);
  const StartupPlace place =
      pieces == nullptr ? place_of_startup(frame, startup) : place_of_piece(frame, *pieces);
  const bool is_request = startup.kind == wire::StartupKind::request;
  proto_item* const item = put_octets(tree, hf.mpa_startup, place.whole());
  proto_item_set_text(item, "MPA %s Frame, revision %u%s", is_request ? "Request" : "Reply", startup.revision,
                      startup.rejected ? ", rejected" : "");
  proto_tree* const subtree = proto_item_add_subtree(item, ett.startup);
  put_sender(frame, subtree, event);
  if (pieces != nullptr) render_slices(frame, subtree, *pieces);
  put_text(subtree, hf.mpa_kind, place.at(0, static_cast<int>(wire::startup_key_size)),
           is_request ? "request" : "reply");
  render_flags(subtree, place, startup);
  put(subtree, hf.mpa_rev, place.at(revision_at, 1), startup.revision);
  put(subtree, hf.mpa_private_data_length, place.at(length_at, 2), startup.private_data_length);
  render_private_data(frame, subtree, place, private_data_at, event);
  put_old_names(subtree, place.at(0, place.available), startup, behind);
  if (startup.first_frame != frame.number)
    put_frame_number(subtree, hf.message_first_frame, frame, startup.first_frame);
  render_conclusions(frame, subtree, behind);
}

}  // namespace iwarp::dissector
