// SPDX-License-Identifier: GPL-2.0-or-later
#include "plan/content.hpp"

#include <algorithm>
#include <string_view>

namespace iwarp::replay {
namespace {

// The finaliser of splitmix64: each input bit changes half of the output's.
constexpr std::uint64_t mix(std::uint64_t value) noexcept {
  value = (value ^ (value >> 30U)) * 0xbf58476d1ce4e5b9U;
  value = (value ^ (value >> 27U)) * 0x94d049bb133111ebU;
  return value ^ (value >> 31U);
}

bool goes_on(const Piece& last, const Piece& next) noexcept {
  return last.seeded == next.seeded && last.source == next.source && last.offset + last.length == next.offset;
}

std::size_t hash_of(ByteView octets) noexcept {
  const std::string_view text(reinterpret_cast<const char*>(octets.data()), octets.size());
  return std::hash<std::string_view>()(text);
}

}  // namespace

std::uint64_t length_of(const Content& content) noexcept {
  std::uint64_t length = 0;
  for (const Piece& piece : content) length += piece.length;
  return length;
}

void append(Content& content, const Piece& piece) {
  if (piece.length == 0) return;
  if (!content.empty() && goes_on(content.back(), piece)) {
    content.back().length += piece.length;
  } else {
    content.push_back(piece);
  }
}

Content slice(const Content& content, std::uint64_t from, std::uint64_t length) {
  Content out;
  for (const Piece& piece : content) {
    if (length == 0) break;
    if (from >= piece.length) {
      from -= piece.length;
      continue;
    }
    Piece part = piece;
    part.offset += from;
    part.length = std::min(piece.length - from, length);
    append(out, part);
    length -= part.length;
    from = 0;
  }
  return out;
}

void seeded_octets(std::uint64_t seed, std::uint64_t key, std::uint64_t offset,
                   std::span<Byte> out) noexcept {
  constexpr std::uint64_t step = 0x9e3779b97f4a7c15U;
  const std::uint64_t base = mix(seed + step) ^ mix(key * step + 1);
  std::uint64_t word = 0;
  bool made = false;
  for (std::size_t i = 0; i < out.size(); ++i, ++offset) {
    if (!made || offset % 8 == 0) word = mix(base + (offset / 8 + 1) * step);
    made = true;
    out[i] = static_cast<Byte>(word >> (offset % 8 * 8));
  }
}

PayloadId PayloadStore::add(ByteView octets) {
  const std::size_t hash = hash_of(octets);
  const auto [from, to] = by_hash_.equal_range(hash);
  for (auto each = from; each != to; ++each) {
    if (std::ranges::equal(payloads_[each->second], octets)) return each->second;
  }
  const auto id = static_cast<PayloadId>(payloads_.size());
  payloads_.emplace_back(octets.begin(), octets.end());
  by_hash_.emplace(hash, id);
  octets_ += octets.size();
  return id;
}

std::size_t copy_octets(const PayloadStore& payloads, std::uint64_t seed, const Content& content,
                        std::uint64_t from, std::span<Byte> out) {
  std::size_t done = 0;
  for (const Piece& piece : content) {
    if (done == out.size()) break;
    if (from >= piece.length) {
      from -= piece.length;
      continue;
    }
    const std::size_t count =
        static_cast<std::size_t>(std::min<std::uint64_t>(piece.length - from, out.size() - done));
    const std::span<Byte> target = out.subspan(done, count);
    if (piece.seeded) {
      seeded_octets(seed, piece.source, piece.offset + from, target);
    } else {
      const Bytes& payload = payloads[static_cast<PayloadId>(piece.source)];
      std::copy_n(payload.begin() + static_cast<std::ptrdiff_t>(piece.offset + from), count, target.begin());
    }
    done += count;
    from = 0;
  }
  return done;
}

Bytes octets_of(const PayloadStore& payloads, std::uint64_t seed, const Content& content) {
  Bytes out(static_cast<std::size_t>(length_of(content)));
  copy_octets(payloads, seed, content, 0, out);
  return out;
}

}  // namespace iwarp::replay
