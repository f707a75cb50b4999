// Putting the payload of FPDUs together to messages, as octets for a hash.
// SPDX-License-Identifier: GPL-2.0-or-later
#include "message_hasher.hpp"

#include <limits>
#include <utility>

namespace iwarp::cli {

void MessageHasher::add(const Event& event, ByteView payload) {
  if (event.kind == EventKind::fpdu) {
    add_segment(event, payload);
  } else if (event.kind == EventKind::closed) {
    constexpr std::uint32_t last = std::numeric_limits<std::uint32_t>::max();
    open_.erase(open_.lower_bound({event.connection, 0}), open_.upper_bound({event.connection, last}));
  }
}

void MessageHasher::add_segment(const Event& event, ByteView payload) {
  const FpduFact& fpdu = event.fpdu;
  const wire::DdpHeader& ddp = fpdu.ddp;
  if (fpdu.message == 0) return;
  const std::uint64_t position = ddp.tagged() ? ddp.to : ddp.mo;
  const Key key{event.connection, fpdu.message};
  auto place = open_.find(key);
  if (place == open_.end()) {
    place = begin(key);
    place->second.next = ddp.tagged() ? position : 0;
  }
  Open& open = place->second;
  // Neither STag nor TO of a zero-length segment count (RFC 5041 §5.2).
  const bool anywhere = ddp.tagged() && fpdu.payload_length == 0;
  const bool fits = anywhere || position == open.next;
  open.whole = open.whole && fits && payload.size() == fpdu.payload_length;
  if (!open.whole) return;
  if (!payload.empty()) sha256_update(&open.hash, payload.size(), payload.data());
  open.next += payload.size();
  open.length += payload.size();
  ++open.segments;
}

std::map<MessageHasher::Key, MessageHasher::Open>::iterator MessageHasher::begin(const Key& key) {
  auto place = open_.end();
  if (spare_.empty()) {
    place = open_.try_emplace(key).first;
  } else {
    spare_.key() = key;
    spare_.mapped() = {};
    place = open_.insert(std::move(spare_)).position;
  }
  sha256_init(&place->second.hash);
  return place;
}

std::string_view MessageHasher::digest(const Event& event) {
  const MessageConclusion& message = event.message;
  const auto found = open_.find({event.connection, message.number});
  if (found == open_.end()) return {};
  spare_ = open_.extract(found);
  Open& open = spare_.mapped();
  // What was hashed is the message that the analysis put together, or nothing is said.
  const bool same = open.whole && open.length == message.length && open.segments == message.segments;
  if (!same || message.end != MessageEnd::complete) return {};
  std::array<std::uint8_t, SHA256_DIGEST_SIZE> digest;
  sha256_digest(&open.hash, digest.size(), digest.data());
  for (std::size_t at = 0; at < digest.size(); ++at) {
    text_[2 * at] = "0123456789abcdef"[digest[at] >> 4U];
    text_[2 * at + 1] = "0123456789abcdef"[digest[at] & 0xfU];
  }
  return {text_.data(), text_.size()};
}

}  // namespace iwarp::cli
