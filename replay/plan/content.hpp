// Content: the octets of a message or of memory, as pieces: some were captured, the others are made from a
// seed. PayloadStore: the captured ones, equal ones kept once.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include <iwarp/bytes.hpp>

namespace iwarp::replay {

using PayloadId = std::uint32_t;

// Octets [offset, offset + length) of payload `source`, or of the endless octets that the plan's seed and the
// key `source` make.
struct Piece {
  std::uint64_t length = 0;
  std::uint64_t source = 0;
  std::uint64_t offset = 0;
  bool seeded = false;

  bool operator==(const Piece&) const = default;
};

using Content = std::vector<Piece>;  // in order, without holes

[[nodiscard]] std::uint64_t length_of(const Content& content) noexcept;
// Appends a piece, as part of the last one where it goes on with it; empty ones are dropped.
void append(Content& content, const Piece& piece);
// Octets [from, from + length), as far as there are any.
[[nodiscard]] Content slice(const Content& content, std::uint64_t from, std::uint64_t length);

// Octets [offset, offset + out.size()) of those that `seed` and `key` make: the same on every machine.
void seeded_octets(std::uint64_t seed, std::uint64_t key, std::uint64_t offset, std::span<Byte> out) noexcept;

class PayloadStore {
 public:
  // The id of a payload with these octets.
  [[nodiscard]] PayloadId add(ByteView octets);
  // REQUIRES: id < size().
  [[nodiscard]] const Bytes& operator[](PayloadId id) const { return payloads_[id]; }
  [[nodiscard]] std::size_t size() const noexcept { return payloads_.size(); }
  [[nodiscard]] std::uint64_t octets() const noexcept { return octets_; }

  bool operator==(const PayloadStore& other) const { return payloads_ == other.payloads_; }

 private:
  std::vector<Bytes> payloads_;
  std::unordered_multimap<std::size_t, PayloadId> by_hash_;
  std::uint64_t octets_ = 0;
};

// Writes the octets of `content` from `from` on into `out`, as far as both go; returns how many.
std::size_t copy_octets(const PayloadStore& payloads, std::uint64_t seed, const Content& content,
                        std::uint64_t from, std::span<Byte> out);
// All of them. REQUIRES: there is memory for length_of(content) octets.
[[nodiscard]] Bytes octets_of(const PayloadStore& payloads, std::uint64_t seed, const Content& content);

}  // namespace iwarp::replay
