// How many seeds an environment variable asks for.
// SPDX-License-Identifier: GPL-2.0-or-later
#include "support/seeds.hpp"

#include <gtest/gtest.h>

namespace iwarp::test {
namespace {

constexpr const char* variable = "IWARP_SEEDS_OF_A_TEST";

TEST(Seeds, TheDefaultOrWhatIsAskedFor) {
  ::unsetenv(variable);
  EXPECT_EQ(seeds_from(variable, 7), 7U);
  ::setenv(variable, "50", 1);
  EXPECT_EQ(seeds_from(variable, 7), 50U);
}

TEST(Seeds, WhatMakesNoSeedIsAnError) {
  for (const char* const wanted : {"", "0", "many", "5x", "-1"}) {
    ::setenv(variable, wanted, 1);
    EXPECT_THROW((void)seeds_from(variable, 7), std::invalid_argument) << wanted;
  }
}

}  // namespace
}  // namespace iwarp::test
