// Many seeds, one test: as many as IWARP_SEEDS says, from IWARP_FIRST_SEED on.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <cstdlib>

namespace iwarp::rnic::test {

inline std::uint64_t number_from(const char* variable, std::uint64_t otherwise) {
  const char* const wanted = std::getenv(variable);
  return wanted == nullptr ? otherwise : std::strtoull(wanted, nullptr, 10);
}

// Stops at the first one that fails.
template <typename Run>
void for_each_seed(std::uint64_t otherwise, Run run) {
  const std::uint64_t first = number_from("IWARP_FIRST_SEED", 1);
  const std::uint64_t seeds = number_from("IWARP_SEEDS", otherwise);
  for (std::uint64_t seed = first; seed < first + seeds; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    run(seed);
    if (testing::Test::HasFailure()) return;
  }
}

}  // namespace iwarp::rnic::test
