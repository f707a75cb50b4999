// Shrinking: what delta debugging leaves, and parts of plans that are plans.
// SPDX-License-Identifier: GPL-2.0-or-later
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "inject/built_in_plan.hpp"
#include "inject/rehearsal.hpp"
#include "plan/plan_file.hpp"
#include "plan/reduce.hpp"
#include "replay/planned.hpp"
#include "shrink/ddmin.hpp"
#include "shrink/shrink.hpp"

namespace iwarp::replay {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

bool never_cancelled() {
  return false;
}

std::vector<int> numbers(int count) {
  std::vector<int> all(static_cast<std::size_t>(count));
  std::iota(all.begin(), all.end(), 0);
  return all;
}

TEST(Ddmin, LeavesWhatTheFailureNeeds) {
  const auto has = [](const std::vector<int>& some, int wanted) {
    return std::ranges::find(some, wanted) != some.end();
  };
  using Some = std::vector<int>;
  EXPECT_THAT(ddmin<int>(
                  numbers(100), [&](const Some& s) { return has(s, 37); }, never_cancelled),
              ElementsAre(37));
  EXPECT_THAT(ddmin<int>(
                  numbers(100), [&](const Some& s) { return has(s, 3) && has(s, 50) && has(s, 99); },
                  never_cancelled),
              ElementsAre(3, 50, 99));
  EXPECT_THAT(ddmin<int>(
                  numbers(8), [](const Some&) { return true; }, never_cancelled),
              IsEmpty());
  EXPECT_THAT(ddmin<int>(
                  numbers(3), [](const Some& s) { return s.size() == 3; }, never_cancelled),
              ElementsAre(0, 1, 2));
  // One pair in a thousand, and not many trials for it.
  int trials = 0;
  EXPECT_THAT(ddmin<int>(
                  numbers(1000),
                  [&](const Some& s) {
                    ++trials;
                    return has(s, 123) && has(s, 877);
                  },
                  never_cancelled),
              ElementsAre(123, 877));
  EXPECT_LT(trials, 200);
}

TEST(PartOf, AllOfItIsThePlan) {
  const Plan plan = plan_of_file("real/01a-rping-v4-mtu1500-tso.pcap");
  std::vector<WorkRef> works;
  for (std::uint32_t i = 0; i < plan.streams[0].work.size(); ++i) works.push_back({0, i});
  EXPECT_EQ(to_text(part_of(plan, {0}, works)), to_text(plan));
}

// Every other request, of every other stream: references lead somewhere, readers take it, and it runs.
TEST(PartOf, IsAPlan) {
  for (const char* const name :
       {"real/09d-50-parallel-rping-crc-S1000-ok.pcap.gz", "real/03d-burst-readmany.pcap",
        "real/04a-nfs4-rdma-mtu9000-tso-nocrc.pcap.gz"}) {
    const Plan plan = plan_of_file(name);
    std::vector<std::uint32_t> streams;
    std::vector<WorkRef> works;
    for (std::uint32_t i = 0; i < plan.streams.size(); i += 2) {
      streams.push_back(i);
      for (std::uint32_t j = 1; j < plan.streams[i].work.size(); j += 2) works.push_back({i, j});
    }
    const Plan part = without_idle_memory(part_of(plan, streams, works));
    std::string error;
    const auto read = plan_from_octets(to_octets(part), error);
    ASSERT_TRUE(read) << name << ": " << error;
    EXPECT_EQ(*read, part) << name;
    EXPECT_LE(part.payloads.octets(), plan.payloads.octets());
    std::vector<std::uint32_t> all(part.streams.size());
    std::iota(all.begin(), all.end(), 0U);
    LiveLog log;
    const Rehearsed run = rehearse(part, all, {.timing = Timing::topspeed}, log);
    EXPECT_EQ(run.error, "") << name;
  }
}

// A plan that is given away tells what its requests carry, and nothing of those that were left out.
TEST(PartOf, HasThePayloadsAloneThatItsRequestsUse) {
  const Plan plan = plan_of_file("real/05a-nvme-rdma-mtu1500-trygso-crc.pcap.zst");
  ASSERT_GT(plan.payloads.octets(), 50'000U);
  const auto& work = plan.streams[0].work;
  const auto send = std::ranges::find_if(work, [](const PlannedWork& each) { return is_send(each.kind); });
  ASSERT_NE(send, work.end());
  const std::vector<WorkRef> kept = {{0, static_cast<std::uint32_t>(send - work.begin())}};
  const Plan part = without_idle_memory(part_of(plan, {0}, kept));
  EXPECT_EQ(part.payloads.octets(), send->length);
}

TEST(Shrink, WholeStreamsGoFirstAndTheFailureStays) {
  const Plan plan = plan_of_file("real/09d-50-parallel-rping-crc-S1000-ok.pcap.gz");
  ShrinkTests tests;
  std::size_t most_streams = 0;
  tests.cancelled = never_cancelled;
  tests.progress = [&](std::uint64_t, std::size_t streams, std::size_t) {
    most_streams = std::max(most_streams, streams);
  };
  const auto busy = std::ranges::find_if(plan.streams.rbegin(), plan.streams.rend(), [](const auto& stream) {
    const auto count = [&](WorkKind kind) {
      return std::ranges::count(stream.work, kind, &PlannedWork::kind);
    };
    return count(WorkKind::read) > 2 && count(WorkKind::write) > 2;
  });
  ASSERT_NE(busy, plan.streams.rend());
  const std::uint32_t guilty = busy->number;
  tests.failure = [&](const Plan& part) -> std::string {
    for (const PlannedStream& stream : part.streams) {
      if (stream.number != guilty) continue;
      std::size_t reads = 0;
      std::size_t writes = 0;
      for (const PlannedWork& work : stream.work) {
        reads += work.kind == WorkKind::read ? 1U : 0U;
        writes += work.kind == WorkKind::write ? 1U : 0U;
      }
      if (reads >= 2 && writes >= 1) return "bad luck";
    }
    return part.streams.empty() ? "another failure" : "";
  };
  const Shrunk small = shrink(plan, tests);
  EXPECT_EQ(small.failure, "bad luck");
  ASSERT_EQ(small.plan.streams.size(), 1U);
  EXPECT_EQ(small.plan.streams[0].number, guilty);
  EXPECT_EQ(small.plan.streams[0].work.size(), 3U);
  EXPECT_LE(small.plan.hosts.size(), 2U);
  EXPECT_EQ(tests.failure(small.plan), "bad luck");
}

TEST(Shrink, CancelledItIsStillAPlanThatFails) {
  const Plan plan = plan_of_file("real/03d-burst-readmany.pcap");
  int trials = 0;
  ShrinkTests tests;
  tests.cancelled = [&] { return trials > 5; };
  tests.progress = [](std::uint64_t, std::size_t, std::size_t) {};
  tests.failure = [&](const Plan& part) -> std::string {
    ++trials;
    return part.streams.empty() ? "" : "always";
  };
  const Shrunk small = shrink(plan, tests);
  EXPECT_EQ(tests.failure(small.plan), "always");
}

}  // namespace
}  // namespace iwarp::replay
