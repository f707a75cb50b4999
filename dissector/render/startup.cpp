// MPA Request and Reply Frames (RFC 5044 §7.1, RFC 6581 §9).
// SPDX-License-Identifier: GPL-2.0-or-later
#include <cstring>

#include "compat/old_names.hpp"
#include "render/fields.hpp"
#include "render/render.hpp"
#include "render/tree_items.hpp"

namespace iwarp::dissector {
namespace {

constexpr int flags_at = 16;
constexpr int revision_at = 17;
constexpr int length_at = 18;
constexpr int private_data_at = 20;
constexpr int word_octets = 4;

// A start-up frame's octets in this frame; the key is the only thing it cannot be mistaken for.
struct StartupPlace {
  tvbuff_t* tvb = nullptr;
  int start = 0;
  int available = 0;
  int before = 0;  // octets that came in other frames

  // All octets that are here.
  [[nodiscard]] Range whole() const noexcept { return {tvb, start, available}; }

  [[nodiscard]] Range at(int position, int length) const noexcept {
    position -= before;
    if (position < 0) return {tvb, start, 0};
    const int begin = position < available ? position : available;
    const int end = position + length < available ? position + length : available;
    return {tvb, start + begin, end - begin};
  }
};

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

void render_depth(proto_tree* tree, int field, Range range, std::uint32_t value, bool is_word) {
  proto_item* const item = put(tree, field, range, value);
  if (is_word && value == wire::depth_not_negotiated) proto_item_append_text(item, " (not negotiated)");
}

void render_limits(proto_tree* tree, const StartupPlace& place, const StartupFact& startup) {
  if (startup.has_word) {
    const Range first = place.at(private_data_at, 2);
    const Range second = place.at(private_data_at + 2, 2);
    const wire::EnhancedWord& word = startup.word;
    const std::uint32_t upper =
        (word.peer_to_peer ? 0x8000U : 0U) | (word.rtr_send ? 0x4000U : 0U) | word.ird;
    const std::uint32_t lower = (word.rtr_write ? 0x8000U : 0U) | (word.rtr_read ? 0x4000U : 0U) | word.ord;
    put_bit(tree, hf.mpa_peer_to_peer, first, upper);
    put_bit(tree, hf.mpa_rtr_send, first, upper);
    put_bit(tree, hf.mpa_rtr_write, second, lower);
    put_bit(tree, hf.mpa_rtr_read, second, lower);
    render_depth(tree, hf.mpa_ird, first, startup.word.ird, true);
    render_depth(tree, hf.mpa_ord, second, startup.word.ord, true);
  } else if (startup.has_smbd) {  // MS-SMBD §2.2: two 32-bit words
    render_depth(tree, hf.mpa_ird, place.at(private_data_at, 4), startup.smbd_ird, false);
    render_depth(tree, hf.mpa_ord, place.at(private_data_at + 4, 4), startup.smbd_ord, false);
  }
}

void render_private_data(const Frame& frame, proto_tree* tree, const StartupPlace& place,
                         const Event& event) {
  const ByteView all = frame.bridge->analysis().private_data(event.connection, event.startup);
  const std::size_t skipped = event.startup.has_word ? std::size_t{word_octets} : 0;
  if (all.size() <= skipped) return;
  const ByteView rest = all.subspan(skipped);
  const Range range = place.at(private_data_at + static_cast<int>(skipped), static_cast<int>(rest.size()));
  proto_tree_add_bytes_with_length(tree, hf.mpa_private_data, range.tvb, range.start, range.length,
                                   rest.data(), static_cast<int>(rest.size()));
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
  render_limits(subtree, place, startup);
  render_private_data(frame, subtree, place, event);
  put_old_names(subtree, place.at(0, place.available), startup, behind);
  if (startup.first_frame != frame.number)
    put_frame_number(subtree, hf.message_first_frame, frame, startup.first_frame);
  render_conclusions(frame, subtree, behind);
}

}  // namespace iwarp::dissector
