// SPDX-License-Identifier: GPL-2.0-or-later
#include "transport/stream_buffer.hpp"

#include <algorithm>
#include <bit>

namespace iwarp::replay {

void StreamBuffer::write(std::uint64_t position, ByteView octets) {
  if (octets.empty()) return;
  const std::uint64_t behind = position + octets.size();
  if (behind - begin_ > ring_.size()) grow(static_cast<std::size_t>(behind - begin_));
  const std::size_t until_turn = std::min(octets.size(), ring_.size() - place(position));
  std::copy_n(octets.begin(), until_turn, ring_.begin() + static_cast<std::ptrdiff_t>(place(position)));
  std::copy(octets.begin() + static_cast<std::ptrdiff_t>(until_turn), octets.end(), ring_.begin());
  end_ = std::max(end_, behind);
}

ByteView StreamBuffer::read(std::uint64_t position, std::size_t length) const noexcept {
  if (length == 0) return {};
  const std::size_t at = place(position);
  return ByteView(ring_).subspan(at, std::min(length, ring_.size() - at));
}

void StreamBuffer::append_to(Bytes& out, std::uint64_t position, std::size_t length) const {
  while (length > 0) {
    const ByteView part = read(position, length);
    out.insert(out.end(), part.begin(), part.end());
    position += part.size();
    length -= part.size();
  }
}

void StreamBuffer::grow(std::size_t needed) {
  constexpr std::size_t smallest = 2048;
  Bytes larger(std::bit_ceil(std::max(needed, smallest)));
  // Holes between early octets are copied as well: they may hold anything.
  for (std::uint64_t position = begin_; position < end_;) {
    const ByteView part = read(position, static_cast<std::size_t>(end_ - position));
    for (const Byte octet : part) larger[static_cast<std::size_t>(position++) & (larger.size() - 1)] = octet;
  }
  ring_ = std::move(larger);
}

void StreamBuffer::clear() noexcept {
  ring_.clear();
  ring_.shrink_to_fit();
  end_ = begin_;
}

}  // namespace iwarp::replay
