// However TCP carries two streams, in segments cut anywhere, in any order, some of them twice: the events are
// the same, apart from frames, times and slices.
// SPDX-License-Identifier: GPL-2.0-or-later
#include <gtest/gtest.h>

#include <algorithm>

#include "support/analysed.hpp"
#include "support/normalised.hpp"
#include "support/random_traffic.hpp"

namespace iwarp::test {
namespace {

constexpr std::uint64_t seeds = 200;

// The first line that differs, for a failure one can read.
void expect_same(const std::vector<std::string>& actual, const std::vector<std::string>& expected) {
  const auto [left, right] = std::ranges::mismatch(actual, expected);
  if (left == actual.end() && right == expected.end()) return;
  ADD_FAILURE() << "line " << left - actual.begin() << " is\n  " << (left == actual.end() ? "missing" : *left)
                << "\ninstead of\n  " << (right == expected.end() ? "nothing" : *right);
}

TEST(Carriage, RandomTrafficIsHealthy) {
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    SCOPED_TRACE(seed);
    const Analysed result(random_traffic(seed, traffic_of(seed)));
    EXPECT_EQ(result.ids(Severity::note), Ids{}) << result.told();
    EXPECT_TRUE(result.state().iwarp);
    EXPECT_GT(result.messages().size(), 5U);
    for (const Event& event : result.messages(false)) EXPECT_EQ(event.message.end, MessageEnd::complete);
    EXPECT_EQ(result.of(EventKind::undecidable).size(),
              result.undecidable("RDMAP-ORD") + result.undecidable("RDMAP-IRD"));
    for (const Side side : {Side::a, Side::b}) {
      EXPECT_EQ(result.side(side).crc_counts.bad, 0U);
      EXPECT_TRUE(result.side(side).requests.empty());
    }
  }
}

void expect_no_influence(bool retransmit, bool reorder) {
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    SCOPED_TRACE(seed);
    const Traffic traffic = traffic_of(seed);
    const Analysed plain(random_traffic(seed, traffic));
    const Carriage carriage{.seed = 1000 + seed, .retransmit = retransmit, .reorder = reorder};
    const Analysed carried(random_traffic(seed, traffic, carriage));
    expect_same(normalised(carried.events()), normalised(plain.events()));
    if (testing::Test::HasFailure()) break;
  }
}

TEST(Carriage, CutsHaveNoInfluence) {
  expect_no_influence(false, false);
}
TEST(Carriage, RetransmissionsHaveNoInfluence) {
  expect_no_influence(true, false);
}
TEST(Carriage, OrderHasNoInfluence) {
  expect_no_influence(false, true);
}
TEST(Carriage, RetransmissionsAndOrderHaveNoInfluence) {
  expect_no_influence(true, true);
}

// Equal times, the two directions' segments merged in another order (scenario H8).
TEST(Carriage, MergeOrderOfEqualTimesHasNoInfluence) {
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    SCOPED_TRACE(seed);
    const Conversation c = random_traffic(seed, traffic_of(seed));
    std::vector<OwnedSegment> segments = c.segments();
    const std::vector<std::string> expected = normalised(Analysed(segments).events());
    // Blocks of eight frames at one time: first all of b, then all of a.
    for (std::size_t begin = 3; begin < segments.size(); begin += 8) {
      const auto first = segments.begin() + static_cast<std::ptrdiff_t>(begin);
      const auto last = segments.begin() + static_cast<std::ptrdiff_t>(std::min(begin + 8, segments.size()));
      const TimeNs time = first->meta.time_ns;
      FrameNumber frame = first->meta.frame;
      std::stable_partition(first, last,
                            [](const OwnedSegment& each) { return each.meta.source.port != 40000; });
      for (auto each = first; each != last; ++each) {
        each->meta.time_ns = time;
        each->meta.frame = frame++;
      }
    }
    expect_same(normalised(Analysed(segments).events()), expected);
    if (testing::Test::HasFailure()) break;
  }
}

}  // namespace
}  // namespace iwarp::test
