// A thousand streams at the same time, in memory and over sockets.
// SPDX-License-Identifier: GPL-2.0-or-later
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <algorithm>

#include "compare/comparison.hpp"
#include "replay/engine/closed_loop.hpp"
#include "replay/planned.hpp"
#include "transport/socket_network.hpp"

namespace iwarp::replay {
namespace {

constexpr std::uint32_t streams = 1000;

Plan thousand() {
  return many_of(plan_of_file("real/01a-rping-v4-mtu1500-tso.pcap"), streams);
}

// Reads of one region that all streams share bring what another stream may have put there.
void expect_same(const Plan& plan, const std::vector<StreamLog>& live) {
  std::vector<StreamLog> expected;
  for (std::uint32_t i = 0; i < plan.streams.size(); ++i) expected.push_back(expected_log(plan, i));
  CompareOptions options;
  std::string error;
  ASSERT_TRUE(options.ignore.add("field:payload", error)) << error;
  std::size_t same = 0;
  for (const StreamsComparison::Each& each : compare(expected, live, options).streams) {
    if (each.recorded && each.live && each.comparison.same() && each.comparison.matched == 32) ++same;
  }
  EXPECT_EQ(same, plan.streams.size());
}

TEST(ManyStreams, AThousandInMemory) {
  const Plan plan = thousand();
  LoopOptions options;
  options.replay.timing = Timing::topspeed;
  const LoopResult result = closed_loop(plan, options);
  EXPECT_EQ(result.error, "");
  EXPECT_EQ(result.outcome, Outcome::complete);
  EXPECT_EQ(result.posted, 30 * streams);
  expect_same(plan, result.logs);
}

TEST(ManyStreams, AThousandOverSockets) {
  rlimit limit{};
  ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &limit), 0);
  if (limit.rlim_max < 4 * streams) GTEST_SKIP() << "only " << limit.rlim_max << " open files are allowed";
  const Plan plan = thousand();
  LiveLog log;
  SocketOptions sockets;
  sockets.max_connections = 4 * streams;
  sockets.record_opened = &log;
  SocketNetwork network(sockets);
  IpAddress loopback;
  loopback.octets = {127, 0, 0, 1};
  Placement placement;
  placement.network = [&](std::uint32_t) -> Network& { return network; };
  placement.listen_at = [&](std::uint32_t) { return Endpoint{loopback, 0}; };
  std::vector<std::uint32_t> all(streams);
  for (std::uint32_t i = 0; i < streams; ++i) all[i] = i;
  ReplayOptions options;
  options.timing = Timing::topspeed;
  Replay replay(plan, all, options, placement);
  std::string error;
  ASSERT_TRUE(replay.start(error)) << error;
  std::size_t most = 0;
  for (replay.run(); !replay.done(); replay.run()) {
    (void)network.wait(replay.next_due());
    most = std::max(most, network.connections());
  }
  EXPECT_EQ(replay.outcome(), Outcome::complete);
  EXPECT_GE(most, streams) << "at the same time";
  expect_same(plan, replay.arrange(log.finish()));
}

TEST(ScheduleTest, WakesOnceByTimeByHandAndByWhatHappens) {
  Schedule schedule(4);
  std::vector<PlayerNumber> due;
  EXPECT_FALSE(schedule.take(0, due));
  EXPECT_EQ(schedule.next_due(), never);
  schedule.wake_at(3, 20);
  schedule.wake_at(5, 10);
  schedule.wake_at(3, 30);  // instead
  EXPECT_EQ(schedule.next_due(), 10);
  EXPECT_TRUE(schedule.take(25, due));
  EXPECT_EQ(due, std::vector<PlayerNumber>{5});
  EXPECT_EQ(schedule.next_due(), 30);
  schedule.wake_at(3, never);
  EXPECT_EQ(schedule.next_due(), never);
  schedule.wake_after(1, 2);
  schedule.wake_after(2, 2);
  schedule.wake_after(2, 3);  // instead
  schedule.happened(2);
  schedule.wake(1);
  EXPECT_TRUE(schedule.take(30, due));
  EXPECT_EQ(due, std::vector<PlayerNumber>{1});
  schedule.happened(3);
  schedule.happened(3);
  EXPECT_TRUE(schedule.take(30, due));
  EXPECT_EQ(due, std::vector<PlayerNumber>{2});
}

}  // namespace
}  // namespace iwarp::replay
