// The hosts' memory: regions, what is in them at first, what their owners store, and how their STags are told
// (scenarios G1 to G9 as a replay needs them).
// SPDX-License-Identifier: GPL-2.0-or-later
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "plan/memory_image.hpp"
#include "replay/planned.hpp"
#include "support/put.hpp"

namespace iwarp::replay {
namespace {

using test::Conversation;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

constexpr Side a = Side::a;
constexpr Side b = Side::b;

constexpr std::uint32_t stag = 0x1234ab01;
constexpr std::uint64_t base = 0x00007f0000001234;

Bytes big(std::uint64_t value, unsigned size) {
  Bytes out;
  for (unsigned i = size; i > 0; --i) test::put8(out, static_cast<unsigned>(value >> (8 * (i - 1))));
  return out;
}
Bytes little(std::uint64_t value, unsigned size) {
  Bytes out = big(value, size);
  std::ranges::reverse(out);
  return out;
}

// a tells b of its memory by `advertisement`; b writes 64 octets to its beginning.
Plan told_by(const Bytes& advertisement) {
  Conversation c;
  c.handshake();
  c.startup();
  c.fpdu(a, test::send(1, advertisement));
  c.fpdu(b, test::write(stag, base, test::pattern(64)));
  c.fpdu(b, test::send(1));
  c.ack(a);
  return plan_of(c);
}

struct LayoutCase {
  const char* name;
  Bytes octets;
  StagLayout layout;
  std::uint32_t offset;
  std::uint64_t length;  // of the region: as told, or whole pages
};

class PlanLayoutTest : public testing::TestWithParam<LayoutCase> {};

TEST_P(PlanLayoutTest, IsFound) {
  const LayoutCase& each = GetParam();
  const Plan plan = told_by(each.octets);
  const std::vector<Mention>& mentions = plan.streams.at(0).work.at(0).mentions;
  ASSERT_THAT(mentions, SizeIs(1));
  EXPECT_EQ(mentions[0].layout, each.layout);
  EXPECT_EQ(mentions[0].offset, each.offset);
  EXPECT_TRUE(mentions[0].by_owner);
  const PlannedRegion& region = region_of(plan, stag);
  EXPECT_EQ(region.advertised, (WorkRef{0, 0}));
  EXPECT_EQ(region.rights, remote_write);
  EXPECT_EQ(region.length, each.length);
  const bool told = each.length == 100;
  EXPECT_EQ(region.bounds_known, told);
  EXPECT_EQ(region.base, told ? base : 0x00007f0000001000);
}

INSTANTIATE_TEST_SUITE_P(
    Layouts, PlanLayoutTest,
    testing::Values(
        LayoutCase{"rpc_rdma",
                   test::cat(test::zeros(28), big(stag, 4), big(100, 4), big(base, 8), test::zeros(8)),
                   StagLayout::rpc_rdma, 28, 100},
        LayoutCase{"smb_direct", test::cat(test::zeros(20), little(base, 8), little(stag, 4), little(100, 4)),
                   StagLayout::smb_direct, 28, 100},
        LayoutCase{"rping", test::cat(big(base, 8), big(stag, 4), big(100, 4)), StagLayout::rping, 8, 100},
        LayoutCase{"nvme",
                   test::cat(test::zeros(24), little(base, 8), little(100, 3), little(stag, 4), big(0x40, 1),
                             test::zeros(24)),
                   StagLayout::nvme, 35, 100},
        LayoutCase{"iser", test::cat(big(0x11000000, 4), test::zeros(12), big(stag, 4), big(base, 8)),
                   StagLayout::iser, 16, 4096},
        LayoutCase{"perftest", test::text("0000:0001:0000a1:c2d3e4:1234ab01:00007f0000001234:"),
                   StagLayout::perftest, 24, 4096},
        LayoutCase{"near", test::cat(test::text("go"), little(stag, 4), test::text("abcd"), little(base, 8)),
                   StagLayout::near_to, 2, 4096},
        LayoutCase{"bare", test::cat(test::text("key "), big(stag, 4)), StagLayout::bare, 4, 4096}),
    [](const auto& made) { return std::string(made.param.name); });

TEST(PlanRegistrationTest, AnEchoIsNoAdvertisement) {
  Conversation c;
  c.handshake();
  c.startup();
  const Bytes chunk = test::cat(big(stag, 4), big(100, 4), big(base, 8));
  c.fpdu(a, test::send(1, chunk));
  c.fpdu(b, test::write(stag, base, test::pattern(64)));
  c.fpdu(b, test::send(1, chunk));
  c.ack(a);
  const Plan plan = plan_of(c);
  ASSERT_THAT(plan.streams.at(0).work.at(2).mentions, SizeIs(1));
  EXPECT_FALSE(plan.streams[0].work[2].mentions[0].by_owner);
}

TEST(PlanRegistrationTest, ToldOnAnotherStreamIsAWait) {
  Conversation control({.a = test::endpoint("192.0.2.1", 40000)});
  control.handshake();
  control.startup();
  control.fpdu(a, test::send(1, test::cat(big(stag, 4), big(100, 4), big(base, 8))));
  Conversation data({.a = test::endpoint("192.0.2.1", 40001), .start_ns = 1'700'000'001'000'000'000});
  data.handshake();
  data.startup();
  data.fpdu(a, test::send(1));
  data.fpdu(b, test::write(stag, base, test::pattern(64)));
  const Plan plan = plan_of(test::merge({&control, &data}));
  ASSERT_THAT(plan.streams, SizeIs(2));
  EXPECT_THAT(plan.streams[1].work.at(1).waits,
              ElementsAre(Wait{WaitFor::received, {1, 0}}, Wait{WaitFor::received, {0, 0}}));
}

TEST(PlanRegistrationTest, PrivateDataTells) {
  Conversation c;
  c.handshake();
  c.startup({.private_data = test::cat(big(base, 8), big(stag, 4), big(100, 4))});
  c.fpdu(a, test::send(1));
  c.fpdu(b, test::write(stag, base, test::pattern(64)));
  const Plan plan = plan_of(c);
  EXPECT_EQ(region_of(plan, stag).advertised_in_startup, 0U);
  EXPECT_EQ(region_of(plan, stag).length, 100U);
}

test::Read read_of(std::uint64_t to, std::uint32_t size) {
  return {.sink_stag = 0x77000001, .sink_to = 0x9000, .size = size, .source_stag = stag, .source_to = to};
}

TEST(PlanRegistrationTest, WhatIsReadFirstWasThereAndWhatWasWrittenWasNot) {
  Conversation c;
  c.handshake();
  c.startup();
  const Bytes written = test::pattern(50, 9);
  const Bytes there = test::pattern(100, 3);
  c.fpdu(a, test::write(stag, base + 50, written));
  c.fpdu(a, test::read_request(1, read_of(base, 100)));
  c.fpdu(b, test::read_response(0x77000001, 0x9000, test::cat(test::part(there, 0, 50), written)));
  c.ack(a);
  const Plan plan = plan_of(c);
  const PlannedRegion& source = region_of(plan, stag);
  EXPECT_EQ(source.rights, remote_read | remote_write);
  ASSERT_THAT(source.initial, SizeIs(1));
  EXPECT_EQ(source.initial[0].to, base);
  EXPECT_EQ(octets_of(plan, source.initial[0].content), test::part(there, 0, 50));
  const PlannedRegion& sink = region_of(plan, 0x77000001);
  EXPECT_EQ(sink.rights, read_sink);
  EXPECT_THAT(sink.initial, IsEmpty());
  EXPECT_THAT(plan.hosts.at(1).stores, IsEmpty());
}

TEST(PlanRegistrationTest, TheOwnersOwnStoresAreMadeBeforeItTellsOfThem) {
  Conversation c;
  c.handshake();
  c.startup();
  const Bytes chunk = test::cat(big(base, 8), big(stag, 4), big(64, 4));
  for (std::uint32_t round = 1; round < 3; ++round) {
    c.fpdu(a, test::send(round, chunk));
    c.fpdu(b, test::read_request(round, read_of(base, 64)));
    c.fpdu(a, test::read_response(0x77000001, 0x9000, test::pattern(64, round)));
    c.fpdu(b, test::send(round));
  }
  const Plan plan = plan_of(c);
  EXPECT_EQ(octets_of(plan, region_of(plan, stag).initial.at(0).content), test::pattern(64, 1));
  const std::vector<PlannedStore>& stores = plan.hosts.at(0).stores;
  ASSERT_THAT(stores, SizeIs(1));
  EXPECT_EQ(stores[0].before, (WorkRef{0, 3})) << "the second Send of its owner";
  EXPECT_EQ(octets_of(plan, stores[0].content), test::pattern(64, 2));
}

TEST(PlanRegistrationTest, AnInvalidatedStagThatIsUsedAgainIsAnotherRegion) {
  Conversation c;
  c.handshake();
  c.startup();
  const Bytes chunk = test::cat(big(stag, 4), big(100, 4), big(base, 8));
  for (std::uint32_t round = 1; round < 3; ++round) {
    c.fpdu(a, test::send(round, chunk));
    c.fpdu(b, test::write(stag, base, test::pattern(64)));
    c.fpdu(b, test::send_inv(round, stag));
  }
  c.ack(a);
  const Plan plan = plan_of(c);
  const std::vector<PlannedRegion>& regions = plan.hosts.at(0).regions;
  ASSERT_THAT(regions, SizeIs(2));
  EXPECT_EQ(regions[0].generation, 0U);
  EXPECT_EQ(regions[0].advertised, (WorkRef{0, 0}));
  EXPECT_EQ(regions[0].invalidated, (WorkRef{0, 2}));
  EXPECT_EQ(regions[1].generation, 1U);
  EXPECT_EQ(regions[1].advertised, (WorkRef{0, 3}));
  EXPECT_EQ(regions[1].invalidated, (WorkRef{0, 5}));
}

TEST(PlanRegistrationTest, TheSameNumberAtBothEndsIsTwoRegions) {
  Conversation c;
  c.handshake();
  c.startup();
  c.fpdu(a, test::write(stag, 0x1000, test::text("x")));
  c.fpdu(b, test::write(stag, 0x1000, test::text("y")));
  const Plan plan = plan_of(c);
  ASSERT_THAT(plan.hosts, SizeIs(2));
  EXPECT_THAT(plan.hosts[0].regions, SizeIs(1));
  EXPECT_THAT(plan.hosts[1].regions, SizeIs(1));
}

TEST(PlanRegistrationTest, OnOneAddressTheEndsAreStillTwoHosts) {
  Conversation c({.a = test::endpoint("127.0.0.1", 40000), .b = test::endpoint("127.0.0.1", 18515)});
  c.handshake();
  c.startup();
  c.fpdu(a, test::write(stag, 0x1000, test::text("x")));
  EXPECT_THAT(plan_of(c).hosts, SizeIs(2));
}

// What was refused must be refused again, for the same reason.
PlannedRegion refused_with(unsigned code, std::uint64_t to) {
  Conversation c;
  c.handshake();
  c.startup();
  c.fpdu(a, test::write(stag, base, test::pattern(64)));
  const Bytes wrong = test::write(stag, to, test::pattern(64));
  c.fpdu(a, wrong);
  c.fpdu(b, test::terminate(code, test::about(wrong)));
  const Plan plan = plan_of(c);
  return region_of(plan, stag);
}

TEST(PlanRegistrationTest, RefusedAccessesStayRefused) {
  const PlannedRegion bounds = refused_with(0x1101, base + 32);
  EXPECT_EQ(bounds.base, base);
  EXPECT_EQ(bounds.length, 64U);
  EXPECT_TRUE(bounds.bounds_known);
  const PlannedRegion foreign = refused_with(0x1102, base);
  EXPECT_TRUE(foreign.foreign);
  EXPECT_EQ(refused_with(0x1103, ~std::uint64_t{0} - 3).length, 4096U);
}

TEST(PlanRegistrationTest, ZeroLengthUsesNeedNoRegion) {
  Conversation c;
  c.handshake();
  c.startup();
  c.fpdu(a, test::write(1, 0));
  c.fpdu(a, test::read_request(1, {.sink_stag = 1, .source_stag = 1}));
  c.fpdu(b, test::read_response(1, 0));
  const Plan plan = plan_of(c);
  EXPECT_THAT(plan.hosts.at(0).regions, IsEmpty());
  EXPECT_THAT(plan.hosts.at(1).regions, IsEmpty());
}

TEST(MemoryImageTest, LaterWritesCutEarlierOnes) {
  MemoryImage image;
  const auto piece = [](std::uint64_t source, std::uint64_t length) {
    return Content{{length, source, 0, true}};
  };
  image.write(100, piece(1, 50));
  image.write(120, piece(2, 10));
  image.write(140, piece(3, 30));
  std::vector<std::string> seen;
  image.visit(90, 90, [&](std::uint64_t to, std::uint64_t length, const Content* known) {
    std::string text = std::to_string(to) + "+" + std::to_string(length);
    if (known != nullptr)
      text += " of " + std::to_string(known->at(0).source) + " from " + std::to_string(known->at(0).offset);
    seen.push_back(text);
  });
  EXPECT_THAT(seen, ElementsAre("90+10", "100+20 of 1 from 0", "120+10 of 2 from 0", "130+10 of 1 from 30",
                                "140+30 of 3 from 0", "170+10"));
}

}  // namespace
}  // namespace iwarp::replay
