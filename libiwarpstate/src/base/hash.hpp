// Hashes of what a capture says, as keys of tables. Whoever wrote the capture chose the keys, and could
// choose such that all have one hash, so each process has secrets of its own: no order of a table must be
// seen.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <array>
#include <cstdint>

namespace iwarp::base {

// Random, the same for the whole life of the process. Any thread.
[[nodiscard]] const std::array<std::uint64_t, 2>& hash_secrets() noexcept;

// Both halves of the product of 128 bits, one upon the other: every bit of either number tells.
[[nodiscard]] inline std::uint64_t folded_product(std::uint64_t a, std::uint64_t b) noexcept {
  __extension__ using Wide = unsigned __int128;
  const Wide product = Wide{a} * b;
  return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64U);
}

// Of pairs of words, one after the other: begin with hash_secrets()[0].
[[nodiscard]] inline std::uint64_t hash_on(std::uint64_t hash, std::uint64_t a, std::uint64_t b) noexcept {
  return folded_product(hash ^ a, hash_secrets()[1] ^ b);
}
// Of one pair. Folded again: keys that differ in few bits would else differ in few places for some secrets.
[[nodiscard]] inline std::uint64_t hash_of(std::uint64_t a, std::uint64_t b) noexcept {
  constexpr std::uint64_t odd = 0x9e3779b97f4a7c15U;
  return folded_product(hash_on(hash_secrets()[0], a, b) ^ hash_secrets()[1], odd);
}

}  // namespace iwarp::base
