// Many seeds, one test: as many as IWARP_SEEDS says, from IWARP_FIRST_SEED (1) on.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <string>

#include "support/seeds.hpp"

namespace iwarp::rnic::test {

inline std::uint64_t seeds_of(std::uint64_t otherwise) {
  return iwarp::test::seeds_from("IWARP_SEEDS", otherwise);
}

// Stops at the first one that fails.
template <typename Run>
void for_each_seed(std::uint64_t otherwise, Run run) {
  const char* const begin = std::getenv("IWARP_FIRST_SEED");
  const std::uint64_t first = begin == nullptr ? 1 : std::strtoull(begin, nullptr, 10);
  const std::uint64_t seeds = seeds_of(otherwise);
  for (std::uint64_t seed = first; seed < first + seeds; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    run(seed);
    if (testing::Test::HasFailure()) return;
  }
}

}  // namespace iwarp::rnic::test
