// SPDX-License-Identifier: GPL-2.0-or-later
#include "render/stag_story.hpp"

#include <iwarp/export/names.hpp>

#include "render/fields.hpp"
#include "render/tree_items.hpp"

namespace iwarp::dissector {
namespace {

using Named = StagStory::Named;

// The STag of its receiver that a message names; nothing: none, or one of no octets.
std::optional<std::uint32_t> named_by(const MessageConclusion& message) noexcept {
  const ByteView rdmap = ByteView(message.rdmap).first(message.rdmap_octets);
  if (message.tagged || wire::invalidates(message.opcode)) return message.stag;
  if (message.opcode == wire::Opcode::read_request) {
    if (const auto request = wire::parse_read_request(rdmap)) return request->source_stag;
  } else if (message.opcode == wire::Opcode::atomic_request) {
    if (const auto request = wire::parse_atomic_request(rdmap)) return request->remote_stag;
  }
  return std::nullopt;
}

void render_region(const Frame& frame, proto_tree* tree, const Named& named) {
  const Range nowhere{frame.tvb, 0, 0};
  if (const char* const ulp = ulp_name(named.ulp)) generated(put_text(tree, hf.stag_ulp, nowhere, ulp));
  generated(put_text(tree, hf.stag_confidence, nowhere, confidence_name(named.confidence)));
  generated(put64(tree, hf.stag_to, nowhere, named.to));
  if (named.length) generated(put64(tree, hf.stag_length, nowhere, *named.length));
}

}  // namespace

void render_stag_story(const Frame& frame, proto_tree* tree, const Event& message) {
  const auto stag = named_by(message.message);
  for (const Named& named : frame.bridge->stag_story().of(message.message.placed.frame)) {
    if (named.stream != message.connection) continue;
    if (named.told) {
      if (named.owner != message.side || !wire::is_send(message.message.opcode)) continue;
      proto_item* const item = generated(put(tree, hf.stag_advertises, {frame.tvb, 0, 0}, named.stag));
      render_region(frame, proto_item_add_subtree(item, ett.stag), named);
    } else if (named.owner != message.side && named.stag == stag) {
      if (named.advertised != 0) {
        proto_item* const item = put_frame_number(tree, hf.stag_advertised_in, frame, named.advertised);
        render_region(frame, proto_item_add_subtree(item, ett.stag), named);
      }
      if (named.invalidated != 0) put_frame_number(tree, hf.stag_invalidated_in, frame, named.invalidated);
    }
  }
}

}  // namespace iwarp::dissector
