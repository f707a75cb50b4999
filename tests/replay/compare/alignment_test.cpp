// The longest common sequence of two logs' keys.
// SPDX-License-Identifier: GPL-2.0-or-later
#include "compare/alignment.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "support/random_traffic.hpp"

namespace iwarp::replay {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

TEST(AlignmentTest, FindsTheLongestCommonSequence) {
  EXPECT_THAT(align({1, 2, 3, 4}, {1, 3, 5, 4}), ElementsAre(Pair(0, 0), Pair(2, 1), Pair(3, 3)));
  EXPECT_THAT(align({1, 2, 3, 1, 2, 2, 1}, {3, 2, 1, 2, 1, 3}), SizeIs(4));  // Myers' own example
  EXPECT_THAT(align({}, {1}), IsEmpty());
  EXPECT_THAT(align({1}, {1}), ElementsAre(Pair(0, 0)));
  EXPECT_THAT(align({1, 2}, {2, 1}), SizeIs(1));
}

TEST(AlignmentTest, AgreesWithTheTableOfAllPrefixes) {
  test::Numbers numbers(7);
  for (int round = 0; round < 300; ++round) {
    std::vector<std::uint64_t> x;
    std::vector<std::uint64_t> y;
    for (std::uint32_t i = numbers.below(20); i > 0; --i) x.push_back(numbers.below(4));
    for (std::uint32_t i = numbers.below(20); i > 0; --i) y.push_back(numbers.below(4));
    std::vector<std::vector<std::size_t>> table(x.size() + 1, std::vector<std::size_t>(y.size() + 1));
    for (std::size_t i = 1; i <= x.size(); ++i) {
      for (std::size_t j = 1; j <= y.size(); ++j) {
        table[i][j] =
            x[i - 1] == y[j - 1] ? table[i - 1][j - 1] + 1 : std::max(table[i - 1][j], table[i][j - 1]);
      }
    }
    const std::vector<Pair> pairs = align(x, y);
    EXPECT_EQ(pairs.size(), table[x.size()][y.size()]);
    for (std::size_t i = 0; i < pairs.size(); ++i) {
      EXPECT_EQ(x[pairs[i].first], y[pairs[i].second]);
      if (i > 0) {
        EXPECT_GT(pairs[i].first, pairs[i - 1].first);
        EXPECT_GT(pairs[i].second, pairs[i - 1].second);
      }
    }
  }
}

TEST(AlignmentTest, BeyondTheBoundItPairsByPlace) {
  const std::vector<std::uint64_t> x(100, 1);
  std::vector<std::uint64_t> y(100, 2);
  y[40] = 1;
  EXPECT_THAT(align(x, y, 10), ElementsAre(Pair(40, 40)));
}

}  // namespace
}  // namespace iwarp::replay
