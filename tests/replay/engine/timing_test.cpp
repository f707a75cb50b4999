// When requests are posted: recorded times, rates, one by one; in virtual time, so to the nanosecond.
// SPDX-License-Identifier: GPL-2.0-or-later
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "replay/engine/closed_loop.hpp"
#include "replay/planned.hpp"

namespace iwarp::replay {
namespace {

constexpr TimeNs second = 1'000'000'000;
constexpr TimeNs minute = 60 * second;

// The 18 ms of rping, drawn out to ten minutes, with times that no timer tick hits.
Plan ten_minutes(std::uint32_t streams) {
  Plan plan = many_of(plan_of_file("real/01a-rping-v4-mtu1500-tso.pcap"), streams);
  for (PlannedStream& stream : plan.streams) {
    TimeNs odd = static_cast<TimeNs>(stream.number) * 1'234'567;
    TimeNs last = 0;
    for (const PlannedWork& work : stream.work) last = std::max(last, work.time_ns);
    for (PlannedWork& work : stream.work) {
      work.time_ns = work.time_ns * (10 * minute / last) + odd;
      odd += 7;
    }
  }
  return plan;
}

LoopResult play(const Plan& plan, const ReplayOptions& replay) {
  LoopOptions options;
  options.replay = replay;
  options.network.bits_per_second = 0;  // long packets take no longer
  return closed_loop(plan, options);
}

TEST(OriginalTiming, IsWithoutErrorOverTenMinutesAndManyStreams) {
  const Plan plan = ten_minutes(20);
  for (const double speed : {1.0, 3.0}) {
    ReplayOptions options;
    options.timing = Timing::original;
    options.speed = speed;
    const LoopResult result = play(plan, options);
    ASSERT_EQ(result.outcome, Outcome::complete) << testing::PrintToString(result.waits);
    EXPECT_EQ(result.punctuality.waited, 0U);
    EXPECT_EQ(result.punctuality.late.size(), 30U * 20U);
    EXPECT_THAT(result.punctuality.late, testing::Each(0));
    // The same, told by the packets: each role against its own first request.
    for (std::size_t i = 0; i < plan.streams.size(); ++i) {
      const StreamLog expected = expected_log(plan, static_cast<std::uint32_t>(i));
      for (std::size_t role = 0; role < 2; ++role) {
        const auto& recorded = expected.entries[role];
        const auto& live = result.logs.at(i).entries[role];
        ASSERT_GE(live.size(), recorded.size());
        for (std::size_t j = 1; j < recorded.size(); ++j) {
          if (is_close(recorded[j].kind)) break;  // the RNICs wait for each other's FIN for 10 s only
          const auto due = static_cast<double>(recorded[j].time_ns - recorded[0].time_ns) / speed;
          EXPECT_NEAR(static_cast<double>(live[j].time_ns - live[0].time_ns), due, speed == 1 ? 0 : 1);
        }
      }
    }
  }
}

// Longer than anybody's patience, before requests as before a FIN, to which the peer has to answer.
TEST(CausalTiming, RecordedPausesAreNoSilence) {
  Plan plan = ten_minutes(3);
  for (PlannedStream& stream : plan.streams) {
    for (PlannedWork& work : stream.work) {
      if (is_close(work.kind)) work.time_ns += minute;
    }
  }
  const LoopResult result = play(plan, {});
  EXPECT_EQ(result.outcome, Outcome::complete) << testing::PrintToString(result.waits);
  EXPECT_GT(result.took, 10 * minute);
}

TEST(OriginalTiming, LongPausesAreShortened) {
  ReplayOptions options;
  options.timing = Timing::original;
  options.max_gap = second;
  const Plan plan = ten_minutes(1);
  const LoopResult result = play(plan, options);
  EXPECT_EQ(result.outcome, Outcome::complete);
  EXPECT_THAT(result.punctuality.late, testing::Each(0));
  EXPECT_LT(result.took, static_cast<TimeNs>(plan.streams[0].work.size() + 2) * second);
  EXPECT_GT(result.took, 20 * second);
}

TEST(Rates, AreKeptFromOneAnchorWithoutDrift) {
  const Plan plan = ten_minutes(3);  // 90 requests
  ReplayOptions options;
  options.timing = Timing::topspeed;
  options.requests_per_second = 7;
  LoopResult result = play(plan, options);
  EXPECT_EQ(result.outcome, Outcome::complete);
  std::vector<TimeNs> times;
  for (const StreamLog& log : result.logs) {
    for (const auto& entries : log.entries) {
      for (const LogEntry& each : entries) {
        if (!is_close(each.kind)) times.push_back(each.time_ns);
      }
    }
  }
  std::ranges::sort(times);
  ASSERT_EQ(times.size(), 90U);
  for (std::size_t i = 1; i < times.size(); ++i) {
    const double due = static_cast<double>(i) / 7 * 1e9;
    EXPECT_NEAR(static_cast<double>(times[i] - times[0]), due, 1e6) << i;  // a round trip after it at most
  }
  options.requests_per_second = 0;
  options.bits_per_second = 1e3;
  result = play(plan, options);
  EXPECT_EQ(result.outcome, Outcome::complete);
  std::uint64_t octets = 0;
  for (const PlannedWork& work : plan.streams[0].work) octets += work.length;
  // All but the last message are paid for before it.
  EXPECT_NEAR(static_cast<double>(result.took) / 1e9, 3 * static_cast<double>(octets) * 8 / 1e3, 1.5);
}

TEST(Stepping, LetsThroughWhatIsReleasedInRecordedOrder) {
  const Plan plan = many_of(plan_of_file("real/01a-rping-v4-mtu1500-tso.pcap"), 2);
  SimulatedNetwork network;
  Placement placement;
  placement.network = [&](std::uint32_t host) -> Network& { return network.host(host_address(host)); };
  placement.listen_at = [&](std::uint32_t host) { return Endpoint{host_address(host), 0}; };
  ReplayOptions options;
  options.timing = Timing::step;
  Replay replay(plan, {0, 1}, options, placement);
  std::string error;
  ASSERT_TRUE(replay.start(error)) << error;
  Network& clock = network.host(host_address(0));
  const auto settle = [&] {
    const TimeNs end = clock.now() + 100 * second;  // longer than anybody's patience
    for (replay.run(); clock.wait(end); replay.run()) {
    }
    replay.run();
  };
  settle();
  ASSERT_EQ(replay.steps().size(), 2U) << "the first Send of each stream";
  EXPECT_EQ(replay.steps().front().work, (WorkRef{0, 0}));
  EXPECT_EQ(replay.stage().posted, 0U);
  for (std::uint64_t step = 1; step <= 4; ++step) {
    replay.release(1);
    settle();
    EXPECT_EQ(replay.stage().posted, step);
    EXPECT_FALSE(replay.done());
  }
  // By recorded time: both streams go on evenly.
  EXPECT_EQ(replay.steps().front().work, (WorkRef{0, 2}));
  replay.release(UINT64_MAX);
  settle();
  EXPECT_EQ(replay.outcome(), Outcome::complete);
  EXPECT_EQ(replay.stage().posted, 60U);
}

}  // namespace
}  // namespace iwarp::replay
