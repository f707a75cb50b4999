// Plans put together keep what they say: other names, the same work.
// SPDX-License-Identifier: GPL-2.0-or-later
#include "plan/combine.hpp"

#include <gtest/gtest.h>

#include "plan/plan_file.hpp"
#include "replay/planned.hpp"

namespace iwarp::replay {
namespace {

TEST(Combine, OnePlanBehindTheOther) {
  const Plan first = plan_of_file("real/01a-rping-v4-mtu1500-tso.pcap");
  const Plan second = plan_of_file("real/03a-send-variants.pcap");
  Plan both = first;
  EXPECT_EQ(put_behind(both, second), 1U) << "the first has stream 0";
  ASSERT_EQ(both.streams.size(), first.streams.size() + second.streams.size());
  EXPECT_EQ(both.streams[0], first.streams[0]);
  TimeNs end = 0;
  for (const PlannedWork& work : first.streams[0].work) end = std::max(end, work.time_ns);
  for (std::size_t i = 0; i < second.streams.size(); ++i) {
    const PlannedStream& made = both.streams[1 + i];
    const PlannedStream& was = second.streams[i];
    EXPECT_EQ(made.number, was.number + 1);
    ASSERT_EQ(made.work.size(), was.work.size());
    for (std::size_t j = 0; j < was.work.size(); ++j) {
      EXPECT_EQ(made.work[j].time_ns, was.work[j].time_ns + end);
      EXPECT_EQ(octets_of(both, made.work[j].content), octets_of(second, was.work[j].content));
      ASSERT_EQ(made.work[j].waits.size(), was.work[j].waits.size());
      for (std::size_t k = 0; k < was.work[j].waits.size(); ++k) {
        EXPECT_EQ(made.work[j].waits[k].work.stream, was.work[j].waits[k].work.stream + 1);
        EXPECT_EQ(made.work[j].waits[k].work.work, was.work[j].waits[k].work.work);
      }
    }
    for (const std::size_t role : {0U, 1U}) {
      const PlannedHost& host = both.hosts[made.hosts[role]];
      EXPECT_GE(made.hosts[role], first.hosts.size()) << "STags of the two captures are not one RNIC's";
      EXPECT_EQ(host.address, second.hosts[was.hosts[role]].address);
      EXPECT_EQ(host.regions.size(), second.hosts[was.hosts[role]].regions.size());
    }
  }
  std::string error;
  EXPECT_TRUE(plan_from_text(to_text(both), error)) << error << ": a reader checks all references";
}

TEST(Combine, CopiesOfSomeStreams) {
  const Plan was = plan_of_file("real/03a-send-variants.pcap");
  Plan plan = was;
  const std::vector<std::uint32_t> all = add_copies(plan, {2, 5}, 3, 900);
  EXPECT_EQ(all, (std::vector<std::uint32_t>{2, 5, 10, 11, 12, 13}));
  ASSERT_EQ(plan.streams.size(), 14U);
  EXPECT_EQ(plan.streams[11].number, plan.streams[5].number);
  EXPECT_EQ(plan.streams[11].copy, 1U);
  EXPECT_EQ(plan.streams[11].delay_ns, 300);
  EXPECT_EQ(plan.streams[12].copy, 2U);
  EXPECT_EQ(plan.streams[12].delay_ns, 600);
  EXPECT_EQ(plan.streams[10].hosts, plan.streams[11].hosts) << "one RNIC has both streams of a copy";
  EXPECT_NE(plan.streams[10].hosts, plan.streams[12].hosts);
  for (const PlannedWork& work : plan.streams[13].work) {
    for (const Wait& wait : work.waits) EXPECT_EQ(wait.work.stream, 13U);
  }
  for (const PlannedRegion& region : plan.hosts[plan.streams[13].hosts[1]].regions) {
    if (region.first_use && region.first_use->stream >= 10) {
      EXPECT_GE(region.first_use->stream, 12U);
    }
  }
}

}  // namespace
}  // namespace iwarp::replay
