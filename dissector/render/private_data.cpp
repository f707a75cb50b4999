// SPDX-License-Identifier: GPL-2.0-or-later
#include "render/private_data.hpp"

#include "render/fields.hpp"
#include "render/tree_items.hpp"

namespace iwarp::dissector {
namespace {

constexpr int word_octets = 4;

void render_depth(proto_tree* tree, int field, Range range, std::uint32_t value, bool is_word) {
  proto_item* const item = put(tree, field, range, value);
  if (is_word && value == wire::depth_not_negotiated) proto_item_append_text(item, " (not negotiated)");
}

void render_limits(proto_tree* tree, const StartupPlace& place, int begin, const StartupFact& startup) {
  if (startup.has_word) {
    const Range first = place.at(begin, 2);
    const Range second = place.at(begin + 2, 2);
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
    render_depth(tree, hf.mpa_ird, place.at(begin, 4), startup.smbd_ird, false);
    render_depth(tree, hf.mpa_ord, place.at(begin + 4, 4), startup.smbd_ord, false);
  }
}

}  // namespace

void render_private_data(const Frame& frame, proto_tree* tree, const StartupPlace& place, int begin,
                         const Event& event) {
  render_limits(tree, place, begin, event.startup);
  const ByteView all = frame.bridge->analysis().private_data(event.connection, event.startup);
  const std::size_t skipped = event.startup.has_word ? std::size_t{word_octets} : 0;
  if (all.size() <= skipped) return;
  const ByteView rest = all.subspan(skipped);
  const Range range = place.at(begin + static_cast<int>(skipped), static_cast<int>(rest.size()));
  proto_tree_add_bytes_with_length(tree, hf.mpa_private_data, range.tvb, range.start, range.length,
                                   rest.data(), static_cast<int>(rest.size()));
}

}  // namespace iwarp::dissector
