// IdleOrder: the connection used longest ago, whatever was used and went since it was put in line.
// SPDX-License-Identifier: GPL-2.0-or-later
#include "analysis/idle_order.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>

namespace iwarp {
namespace {

TEST(IdleOrder, TakesTheOldestAsAPlainSearchDoes) {
  std::mt19937 random(1);
  IdleOrder order;
  std::map<ConnectionId, std::uint64_t> followed;  // last use of each
  std::size_t asked = 0;
  const auto last_use = [&](ConnectionId id) {
    ++asked;
    const auto found = followed.find(id);
    return found == followed.end() ? std::optional<std::uint64_t>() : found->second;
  };
  ConnectionId next = 0;
  for (std::uint64_t use = 1; use < 20'000; ++use) {
    switch (random() % 4) {
      case 0:
        order.add(next, use);
        followed.emplace(next++, use);
        break;
      case 1:
      case 2:
        if (!followed.empty())
          std::next(followed.begin(), static_cast<std::ptrdiff_t>(random() % followed.size()))->second = use;
        break;
      default: {
        const auto oldest =
            std::min_element(followed.begin(), followed.end(),
                             [](const auto& a, const auto& b) { return a.second < b.second; });
        const auto taken = order.take_oldest(last_use);
        ASSERT_EQ(taken.has_value(), oldest != followed.end());
        if (!taken) break;
        ASSERT_EQ(*taken, oldest->first);
        followed.erase(oldest);
      }
    }
  }
}

// Behind one that stays, entries of those that are gone do not pile up.
TEST(IdleOrder, ForgetsThoseThatAreGone) {
  IdleOrder order;
  const ConnectionId stays = 0;
  ConnectionId now = stays;
  std::size_t asked = 0;
  const auto last_use = [&](ConnectionId id) {
    ++asked;
    return id == stays || id == now ? std::optional<std::uint64_t>(id) : std::nullopt;
  };
  order.add(stays, stays);
  constexpr ConnectionId sessions = 100'000;
  for (now = 1; now < sessions; ++now) {
    order.add(now, now);
    order.note_gone(1, last_use);
  }
  EXPECT_LT(asked, 2 * sessions) << "amortised O(1)";
  asked = 0;
  now = stays;
  EXPECT_EQ(order.take_oldest(last_use), stays);
  EXPECT_EQ(order.take_oldest(last_use), std::nullopt);
  EXPECT_LT(asked, 100U) << "entries left";
}

}  // namespace
}  // namespace iwarp
