// Numbers from a seed, the same on every machine; the distributions of <random> are not.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstdint>

namespace iwarp::replay {

// SplitMix64.
class Random {
 public:
  explicit constexpr Random(std::uint64_t seed) noexcept : state_(seed) {}

  constexpr std::uint64_t next() noexcept {
    std::uint64_t z = (state_ += 0x9e3779b97f4a7c15U);
    z = (z ^ (z >> 30U)) * 0xbf58476d1ce4e5b9U;
    z = (z ^ (z >> 27U)) * 0x94d049bb133111ebU;
    return z ^ (z >> 31U);
  }

  // 0 … count − 1. REQUIRES: count > 0. The bias towards small numbers is below count / 2^64.
  constexpr std::uint64_t below(std::uint64_t count) noexcept { return next() % count; }

  constexpr bool chance(double probability) noexcept {
    return static_cast<double>(next() >> 11U) * 0x1p-53 < probability;
  }

 private:
  std::uint64_t state_;
};

}  // namespace iwarp::replay
