// Levels against a walk over every value.
// SPDX-License-Identifier: GPL-2.0-or-later
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

#include <iwarp/metrics/levels.hpp>

namespace iwarp::test {
namespace {

using Values = std::vector<std::uint64_t>;

// Durations of all magnitudes, one in eight not known.
Values random_values(std::size_t count, std::uint32_t seed) {
  std::mt19937_64 random(seed);
  Values values(count);
  for (std::uint64_t& value : values) value = random() % 8 == 0 ? no_value : random() >> (random() % 60 + 1);
  return values;
}

Extent walked(const Values& values, std::size_t begin, std::size_t end) {
  Extent extent;
  for (std::size_t at = begin; at < end; ++at) extent.add(values[at]);
  return extent;
}

void expect_ranges(const Values& values, const ValueLevels& levels, std::uint32_t seed) {
  ASSERT_EQ(levels.size(), values.size());
  std::mt19937 random(seed);
  for (int round = 0; round < 300; ++round) {
    std::size_t begin = random() % (values.size() + 1);
    std::size_t end = random() % (values.size() + 1);
    if (begin > end) std::swap(begin, end);
    if (round % 3 == 0) end = std::min(end, begin + random() % 200);
    ASSERT_EQ(levels.over(begin, end), walked(values, begin, end)) << begin << " to " << end;
  }
  EXPECT_EQ(levels.over(0, values.size()), walked(values, 0, values.size()));
}

TEST(ValueLevels, AgreeWithAWalkOverAnyRange) {
  for (const std::size_t count : {0U, 1U, 63U, 64U, 65U, 4095U, 4096U, 4097U, 300'000U}) {
    SCOPED_TRACE(count);
    const Values values = random_values(count, 1);
    ValueLevels levels;
    for (const std::uint64_t value : values) levels.push_back(value);
    expect_ranges(values, levels, 2);
  }
}

TEST(ValueLevels, OfNothingKnownNothing) {
  ValueLevels levels;
  for (int i = 0; i < 5000; ++i) levels.push_back(no_value);
  EXPECT_EQ(levels.over(0, 5000), Extent{});
  EXPECT_EQ(levels.over(7, 7), Extent{});
}

TEST(ValueLevels, TheLastOfARangeIsTheLastKnown) {
  ValueLevels levels;
  for (std::uint64_t i = 0; i < 10'000; ++i) levels.push_back(i % 1000 == 0 ? i : no_value);
  EXPECT_EQ(levels.over(0, 10'000).last, 9000U);
  EXPECT_EQ(levels.over(1, 9000).last, 8000U);
}

TEST(ValueLevels, GrowOnBehindATruncation) {
  Values values = random_values(20'000, 3);
  ValueLevels levels;
  for (const std::uint64_t value : values) levels.push_back(value);
  for (const std::size_t size : {19'999U, 4096U, 4095U, 100U, 0U}) {
    SCOPED_TRACE(size);
    levels.truncate(size);
    values.resize(size);
    for (const std::uint64_t value : random_values(5000, static_cast<std::uint32_t>(size))) {
      values.push_back(value);
      levels.push_back(value);
    }
    expect_ranges(values, levels, 4);
  }
}

// A few nodes of each level, wherever the range lies: 63 at each end.
TEST(ValueLevels, LookAtFewNodes) {
  constexpr std::size_t count = 1'000'000;
  ValueLevels levels;
  for (std::size_t i = 0; i < count; ++i) levels.push_back(i);
  std::size_t most = 0;
  std::mt19937 random(5);
  for (int round = 0; round < 10'000; ++round) {
    std::size_t begin = random() % count;
    std::size_t end = random() % count;
    if (begin > end) std::swap(begin, end);
    most = std::max(most, levels.visited(begin, end));
  }
  EXPECT_LE(most, 4U * 126U);  // levels of 64^0 to 64^3
  EXPECT_LE(levels.visited(0, count), 126U * 2U);
}

DurationCounts counted(const Values& values, std::size_t begin, std::size_t end) {
  DurationCounts counts;
  for (std::size_t at = begin; at < end; ++at) {
    if (values[at] != no_value) counts.add(duration_bucket(values[at]));
  }
  return counts;
}

TEST(DurationLevels, AgreeWithAWalkOverAnyRange) {
  Values values = random_values(600'000, 6);
  DurationLevels levels;
  for (const std::uint64_t value : values) levels.push_back(value);
  std::mt19937 random(7);
  for (int round = 0; round < 40; ++round) {
    if (round == 20) {
      values.resize(270'000);
      levels.truncate(270'000);
      for (const std::uint64_t value : random_values(30'000, 8)) {
        values.push_back(value);
        levels.push_back(value);
      }
    }
    std::size_t begin = random() % values.size();
    std::size_t end = random() % values.size();
    if (begin > end) std::swap(begin, end);
    if (round % 4 == 0) end = std::min(end, begin + 5000);
    DurationCounts counts;
    levels.add_to(counts, begin, end);
    const DurationCounts expected = counted(values, begin, end);
    ASSERT_EQ(counts.total(), expected.total());
    for (unsigned bucket = 0; bucket < duration_buckets; ++bucket)
      ASSERT_EQ(counts[bucket], expected[bucket]) << bucket;
  }
}

TEST(DurationCounts, PercentilesAreRightToASixteenth) {
  Values values;
  for (const std::uint64_t value : random_values(10'000, 9)) {
    if (value != no_value) values.push_back(value);
  }
  const DurationCounts counts = counted(values, 0, values.size());
  std::sort(values.begin(), values.end());
  for (const double percent : {0.01, 1.0, 50.0, 90.0, 99.0, 99.9, 100.0}) {
    SCOPED_TRACE(percent);
    const auto rank = static_cast<std::size_t>(std::ceil(static_cast<double>(values.size()) * percent / 100));
    const std::uint64_t exact = values[std::max<std::size_t>(rank, 1) - 1];
    EXPECT_GE(counts.percentile(percent), exact);
    EXPECT_LE(counts.percentile(percent) - exact, exact / 16);
  }
}

// Each value lies in its bucket, and buckets follow each other without a gap.
TEST(DurationBuckets, Borders) {
  EXPECT_EQ(duration_bucket(0), 0U);
  EXPECT_EQ(duration_bucket(no_value), duration_buckets - 1);
  EXPECT_EQ(duration_bucket_end(duration_buckets - 1), no_value);
  for (unsigned bucket = 0; bucket + 1 < duration_buckets; ++bucket) {
    ASSERT_EQ(duration_bucket(duration_bucket_end(bucket)), bucket);
    ASSERT_EQ(duration_bucket(duration_bucket_end(bucket) + 1), bucket + 1);
  }
}

}  // namespace
}  // namespace iwarp::test
