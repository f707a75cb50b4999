// SPDX-License-Identifier: GPL-2.0-or-later
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

#include <iwarp/metrics/time_order.hpp>

namespace iwarp::test {
namespace {

struct Row {
  TimeNs time = 0;
  std::uint32_t number = 0;
};

std::vector<std::uint32_t> rows_of(const TimeOrder& order) {
  std::vector<std::uint32_t> rows;
  for (std::size_t place = 0; place < order.size(); ++place) rows.push_back(order.row(place));
  return rows;
}

// Whatever comes late by how much, and however often it is settled.
TEST(TimeOrder, IsThatOfAStableSort) {
  std::mt19937 random(1);
  for (const TimeNs lateness : {0, 3, 100, 100'000}) {
    for (const unsigned batch : {1U, 7U, 500U, 5000U}) {
      SCOPED_TRACE(std::to_string(lateness) + " late, " + std::to_string(batch) + " at once");
      TimeOrder order;
      std::vector<Row> rows;
      for (std::uint32_t number = 0; number < 2000; ++number) {
        const TimeNs time = number / 2 - (lateness == 0 ? 0 : static_cast<TimeNs>(random()) % lateness);
        rows.push_back({time, number});
        order.add(number, time);
        if (number % batch != batch - 1) continue;
        const std::vector<std::uint32_t> before = rows_of(order);
        const std::size_t changed = order.settle();
        ASSERT_LE(changed, before.size());
        const std::vector<std::uint32_t> now = rows_of(order);
        ASSERT_TRUE(
            std::equal(before.begin(), before.begin() + static_cast<std::ptrdiff_t>(changed), now.begin()));
      }
      order.settle();
      std::stable_sort(rows.begin(), rows.end(), [](const Row& a, const Row& b) { return a.time < b.time; });
      ASSERT_EQ(order.size(), rows.size());
      for (std::size_t place = 0; place < rows.size(); ++place) {
        ASSERT_EQ(order.row(place), rows[place].number);
        ASSERT_EQ(order.time_ns(place), rows[place].time);
      }
    }
  }
}

TEST(TimeOrder, WhatComesInOrderChangesNothing) {
  TimeOrder order;
  for (std::uint32_t row = 0; row < 10; ++row) order.add(row, 10 * row);
  EXPECT_EQ(order.settle(), 0U);
  order.add(10, 90);
  EXPECT_EQ(order.settle(), 10U);
  order.add(11, 45);
  EXPECT_EQ(order.settle(), 5U);
  EXPECT_EQ(order.settle(), 12U);
}

TEST(TimeOrder, BetweenTimes) {
  TimeOrder order;
  for (std::uint32_t row = 0; row < 10; ++row) order.add(row, 10 * (row / 2));
  order.settle();
  EXPECT_EQ(order.between(0, 1), (PlaceRange{0, 2}));
  EXPECT_EQ(order.between(10, 30), (PlaceRange{2, 6}));
  EXPECT_EQ(order.between(-100, 1000), (PlaceRange{0, 10}));
  EXPECT_EQ(order.between(41, 100).size(), 0U);
  EXPECT_EQ(order.between(30, 20).size(), 0U);
}

}  // namespace
}  // namespace iwarp::test
