// A plan that can be given away still has its STags, TOs and lengths where they were.
// SPDX-License-Identifier: GPL-2.0-or-later
#include "plan/anonymise.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "plan/plan_file.hpp"
#include "replay/planned.hpp"

namespace iwarp::replay {
namespace {

using testing::HasSubstr;
using testing::Not;

TEST(PlanAnonymiseTest, PayloadIsSeededButForWhatStagsNeed) {
  const Plan before = plan_of_file("real/01a-rping-v4-mtu1500-tso.pcap");
  Plan plan = before;
  anonymise(plan);
  EXPECT_TRUE(plan.anonymised);
  const std::vector<PlannedWork>& work = plan.streams.at(0).work;
  // rping's 16 octets are TO, STag and length: all of them.
  EXPECT_EQ(octets_of(plan, work[0].content), octets_of(before, before.streams[0].work[0].content));
  const Bytes read = octets_of(plan, work[1].content);
  EXPECT_EQ(read.size(), 64U);
  EXPECT_NE(read, octets_of(before, before.streams[0].work[1].content));
  // The Write sends what the Read brought, as before.
  EXPECT_EQ(octets_of(plan, work[4].content), read);
  EXPECT_EQ(octets_of(plan, region_of(plan, 0xa2824d00).initial.at(0).content), read);
}

TEST(PlanAnonymiseTest, NothingTellsWhereItIsFrom) {
  Plan plan = plan_of_file("real/04a-nfs4-rdma-mtu9000-tso-nocrc.pcap.gz");
  const std::string before = to_text(plan);
  const std::string address = to_string(plan.hosts.at(0).address);
  ASSERT_THAT(before, HasSubstr(address));
  anonymise(plan);
  const std::string text = to_text(plan);
  EXPECT_THAT(text, Not(HasSubstr(address)));
  EXPECT_THAT(text, Not(HasSubstr("04a-nfs")));
  EXPECT_THAT(text, HasSubstr("198.18.0.1"));
  EXPECT_LT(to_octets(plan).size(), 60'000U);
}

TEST(PlanAnonymiseTest, PrivateDataByChoice) {
  const Plan before = plan_of_file("real/07b-rstream-lat64K.pcap.gz");
  const Bytes data = before.streams.at(0).startup[0]->private_data;
  ASSERT_EQ(data.size(), 40U);
  Plan kept = before;
  anonymise(kept, {.private_data = PrivateDataChoice::keep});
  EXPECT_EQ(kept.streams[0].startup[0]->private_data, data);
  Plan seeded = before;
  anonymise(seeded);
  const Bytes after = seeded.streams[0].startup[0]->private_data;
  ASSERT_EQ(after.size(), 40U);
  // Two advertisements: TO and STag of the table, and these and the length of the buffer.
  EXPECT_EQ(Bytes(after.begin() + 8, after.begin() + 20), Bytes(data.begin() + 8, data.begin() + 20));
  EXPECT_EQ(Bytes(after.begin() + 24, after.end()), Bytes(data.begin() + 24, data.end()));
  EXPECT_NE(Bytes(after.begin(), after.begin() + 8), Bytes(data.begin(), data.begin() + 8));
  Plan dropped = before;
  anonymise(dropped, {.private_data = PrivateDataChoice::drop});
  EXPECT_TRUE(dropped.streams[0].startup[0]->private_data.empty());
}

}  // namespace
}  // namespace iwarp::replay
