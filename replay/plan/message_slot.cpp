// SPDX-License-Identifier: GPL-2.0-or-later
#include "plan/message_slot.hpp"

#include <algorithm>
#include <utility>

namespace iwarp::replay {
namespace {

// Long messages are kept in parts of this size: equal parts are kept once.
constexpr std::size_t part_size = std::size_t{64} << 10U;

Piece captured_piece(Recording& recording, ByteView octets) {
  if (recording.plan.payloads.octets() + octets.size() > recording.options.max_payload_octets) {
    recording.limited.insert(recording.next_key);
    return recording.seeded(octets.size());
  }
  return {octets.size(), recording.plan.payloads.add(octets), 0, false};
}

}  // namespace

void MessageSlot::add(Recording& recording, std::uint64_t position, std::uint64_t length, ByteView captured) {
  captured = captured.first(std::min<std::size_t>(captured.size(), static_cast<std::size_t>(length)));
  segments.push_back(static_cast<std::uint32_t>(length));
  adrift = false;
  if (position < this->length()) return overwrite(recording, position, captured);
  append_seeded(recording, position - this->length());
  while (!captured.empty()) {
    const std::size_t count = std::min(captured.size(), part_size - buffer_.size());
    buffer_.insert(buffer_.end(), captured.begin(), captured.begin() + static_cast<std::ptrdiff_t>(count));
    captured = captured.subspan(count);
    if (buffer_.size() == part_size) flush(recording);
  }
  append_seeded(recording, position + length - this->length());
}

// Octets that came later than what lies behind them fill the hole that was left for them.
void MessageSlot::overwrite(Recording& recording, std::uint64_t position, ByteView captured) {
  flush(recording);
  const std::uint64_t count = std::min<std::uint64_t>(captured.size(), length_ - position);
  if (count == 0) return;
  Content changed = slice(content_, 0, position);
  append(changed, captured_piece(recording, captured.first(static_cast<std::size_t>(count))));
  for (const Piece& piece : slice(content_, position + count, length_)) append(changed, piece);
  content_ = std::move(changed);
}

void MessageSlot::append_seeded(Recording& recording, std::uint64_t length) {
  if (length == 0) return;
  flush(recording);
  append(content_, recording.seeded(length));
  length_ += length;
}

void MessageSlot::flush(Recording& recording) {
  if (buffer_.empty()) return;
  append(content_, captured_piece(recording, buffer_));
  length_ += buffer_.size();
  buffer_.clear();
}

Content MessageSlot::finish(Recording& recording) {
  flush(recording);
  return std::move(content_);
}

}  // namespace iwarp::replay
