// Plans of real captures, against what their octets say (values read with tshark, and captures/README.md).
// SPDX-License-Identifier: GPL-2.0-or-later
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "replay/planned.hpp"

namespace iwarp::replay {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

TEST(PlanRealTest, Rping) {
  const Plan plan = plan_of_file("real/01a-rping-v4-mtu1500-tso.pcap");
  ASSERT_THAT(plan.streams, SizeIs(1));
  const PlannedStream& stream = plan.streams[0];
  std::vector<std::string> script = script_of(stream);
  ASSERT_THAT(script, SizeIs(32));
  script.resize(7);
  EXPECT_THAT(script, ElementsAre("initiator send 16",                     // source buffer
                                  "responder read 64 after received 0",    //
                                  "responder send 16 after completed 1",   // go ahead
                                  "initiator send 16 after received 2",    // sink buffer
                                  "responder write 64 after received 3",   //
                                  "responder send 16",                     // done
                                  "initiator send 16 after received 5"));  // next round
  // Frame 8: 000055fb60cbbb60 a2824d00 00000040, as rping writes buffer, key and size.
  const PlannedRegion& source = region_of(plan, 0xa2824d00);
  EXPECT_EQ(source.base, 0x000055fb60cbbb60U);
  EXPECT_EQ(source.length, 64U);
  EXPECT_EQ(source.rights, remote_read);
  EXPECT_TRUE(source.bounds_known);
  const Bytes text = octets_of(plan, source.initial.at(0).content);
  EXPECT_EQ(std::string(text.begin(), text.begin() + 15), "rdma-ping-0: AB");
  // The client writes its text anew before each of the four rounds that follow.
  EXPECT_THAT(plan.hosts.at(0).stores, SizeIs(4));
  EXPECT_EQ(plan.hosts[0].stores[0].before, (WorkRef{0, 6}));
  EXPECT_THAT(stream.missing, IsEmpty());
  EXPECT_THAT(stream.violations, IsEmpty());
}

TEST(PlanRealTest, NfsChunksAreFound) {
  const Plan plan = plan_of_file("real/04a-nfs4-rdma-mtu9000-tso-nocrc.pcap.gz");
  ASSERT_THAT(plan.streams, SizeIs(1));
  ASSERT_THAT(plan.hosts, SizeIs(2));
  const auto client = static_cast<std::size_t>(plan.streams[0].hosts[0]);
  std::size_t read = 0;
  std::size_t invalidated = 0;
  std::uint64_t file = 0;
  for (const PlannedRegion& region : plan.hosts[client].regions) {
    EXPECT_TRUE(region.bounds_known) << std::hex << region.stag;
    ASSERT_TRUE(region.advertised) << std::hex << region.stag;
    const PlannedWork& told = work_of(plan, *region.advertised);
    EXPECT_EQ(told.role, Role::initiator);
    EXPECT_THAT(told.mentions,
                Contains(testing::AllOf(testing::Field(&Mention::stag, region.stag),
                                        testing::Field(&Mention::layout, StagLayout::rpc_rdma))));
    if (region.rights == remote_read) {
      ++read;
      file += region.length;
    }
    if (region.invalidated) ++invalidated;
  }
  EXPECT_EQ(plan.hosts[client].regions.size(), 15U)
      << "STags of Writes and Read sources, counted with tshark";
  EXPECT_EQ(read, 1U);
  EXPECT_EQ(file, 200'000U) << "written to the server, which reads it";
  EXPECT_GE(invalidated, 10U);
}

TEST(PlanRealTest, NvmeKeyedDescriptorsAreFound) {
  const Plan plan = plan_of_file("real/05a-nvme-rdma-mtu1500-trygso-crc.pcap.zst");
  ASSERT_THAT(plan.streams, SizeIs(4));
  const auto client = static_cast<std::size_t>(plan.streams[0].hosts[0]);
  for (const PlannedRegion& region : plan.hosts[client].regions) {
    ASSERT_TRUE(region.advertised) << std::hex << region.stag;
    EXPECT_TRUE(region.bounds_known) << std::hex << region.stag;
    const PlannedWork& told = work_of(plan, *region.advertised);
    EXPECT_EQ(told.length, 64U) << "a command capsule";
    ASSERT_FALSE(told.mentions.empty());
    EXPECT_EQ(told.mentions[0].layout, StagLayout::nvme);
    EXPECT_EQ(told.mentions[0].offset, 35U) << "in the data pointer at 24";
  }
  // The first capsule of all is Connect with 1024 octets of data, which the target reads.
  const PlannedRegion& connect = plan.hosts[client].regions.at(0);
  EXPECT_EQ(connect.stag, 0x7d4fa601U);
  EXPECT_EQ(connect.length, 1024U);
  EXPECT_EQ(connect.rights, remote_read);
  const Bytes data = octets_of(plan, connect.initial.at(0).content);
  ASSERT_EQ(data.size(), 1024U);
  const std::string subsystem(data.begin() + 256, data.begin() + 256 + 36);
  EXPECT_EQ(subsystem, "nqn.2014-08.org.nvmexpress.discovery") << "SUBNQN at 256 of the Connect data";
}

TEST(PlanRealTest, PerftestTellsOfMemoryOnItsControlConnection) {
  const Plan plan = plan_of_file("real/02h-write_bw-4K-q8-crc-notso.pcap.gz");
  const PlannedRegion& region = region_of(plan, 0xa7210500);
  EXPECT_EQ(region.rights, remote_write);
  ASSERT_TRUE(region.advertised && region.first_use);
  EXPECT_NE(region.advertised->stream, region.first_use->stream);
  EXPECT_THAT(work_of(plan, *region.first_use).waits, Contains(Wait{WaitFor::received, *region.advertised}));
  EXPECT_EQ(work_of(plan, *region.advertised).mentions.at(0).layout, StagLayout::perftest);
}

TEST(PlanRealTest, RsocketsTellOfMemoryInPrivateData) {
  const Plan plan = plan_of_file("real/07b-rstream-lat64K.pcap.gz");
  EXPECT_EQ(region_of(plan, 0xaf554a00).advertised_in_startup, 0U);
  EXPECT_EQ(region_of(plan, 0xaf554a00).base, 0x00007f12925d4000U);
  EXPECT_EQ(region_of(plan, 0xaf554a00).length, 524288U);
}

struct Refusal {
  const char* file;
  std::uint16_t code;
};
class PlanRefusalTest : public testing::TestWithParam<Refusal> {};

TEST_P(PlanRefusalTest, TheTerminateSaysWhichWorkAndMemoryMakesItHappenAgain) {
  const Plan plan = plan_of_file(std::string("real/03e-term-") + GetParam().file + ".pcap");
  const PlannedStream& stream = plan.streams.at(0);
  const auto terminate = std::ranges::find(stream.work, WorkKind::terminate, &PlannedWork::kind);
  ASSERT_NE(terminate, stream.work.end());
  EXPECT_EQ(terminate->terminate_code, GetParam().code);
  ASSERT_EQ(terminate->quoted, 0U);
  const PlannedWork& bad = stream.work[0];
  const bool read = bad.kind == WorkKind::read;
  const std::uint64_t to = read ? bad.source_to : bad.to;
  const PlannedRegion* there = nullptr;
  for (const PlannedRegion& region : plan.hosts.at(stream.hosts[1]).regions) {
    if (region.stag == (read ? bad.source_stag : bad.stag)) there = &region;
  }
  switch (GetParam().code) {
    case 0x0100:
    case 0x1100: EXPECT_EQ(there, nullptr); break;
    case 0x1102:
      ASSERT_NE(there, nullptr);
      EXPECT_TRUE(there->foreign);
      break;
    default:
      ASSERT_NE(there, nullptr);
      EXPECT_GT(to + bad.length, there->base + there->length);
      EXPECT_LT(to, there->base + there->length);
      break;
  }
}

INSTANTIATE_TEST_SUITE_P(Captures, PlanRefusalTest,
                         testing::Values(Refusal{"read_badrkey", 0x0100}, Refusal{"read_oob", 0x0101},
                                         Refusal{"write_badkey8", 0x1100}, Refusal{"write_dereg", 0x1100},
                                         Refusal{"write_oob", 0x1101}, Refusal{"write_big_oob", 0x1101},
                                         Refusal{"write_otherpd", 0x1102}, Refusal{"write_ro", 0x1100}),
                         [](const auto& made) { return std::string(made.param.file); });

}  // namespace
}  // namespace iwarp::replay
