// Putting the payload of FPDUs together to messages, as octets for a hash.
// SPDX-License-Identifier: GPL-2.0-or-later
#include "message_hasher.hpp"

#include <limits>

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
  Open& open = open_message({event.connection, fpdu.message}, ddp.last());
  if (open.begins) {
    open = {};
    open.begins = false;
    open.next = ddp.tagged() ? position : 0;
    sha256_init(&open.hash);
  }
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

// Most messages are one segment: they need no place among those under way.
MessageHasher::Open& MessageHasher::open_message(const Key& key, bool last) {
  if (!open_.empty() || !last) {
    const auto found = open_.find(key);
    if (found != open_.end()) return found->second;
    if (!last) return open_[key];
  }
  alone_ = key;
  alone_open_.begins = true;
  return alone_open_;
}

std::string_view MessageHasher::digest(const Event& event) {
  const Key key{event.connection, event.message.number};
  if (alone_ == key) return digest(event.message, alone_open_);
  const auto found = open_.find(key);
  if (found == open_.end()) return {};
  const std::string_view text = digest(event.message, found->second);
  open_.erase(found);
  return text;
}

std::string_view MessageHasher::digest(const MessageConclusion& message, Open& open) {
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
