// Capture to work requests: every operation by value, segments, start-up, and what each request waited for.
// SPDX-License-Identifier: GPL-2.0-or-later
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "plan/plan_file.hpp"
#include "replay/planned.hpp"

namespace iwarp::replay {
namespace {

using test::Conversation;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

constexpr Side a = Side::a;
constexpr Side b = Side::b;

Bytes content_of(const Plan& plan, std::size_t work) {
  return octets_of(plan, plan.streams.at(0).work.at(work).content);
}

TEST(PlanWorkTest, EveryOperationByValue) {
  Conversation c;
  c.handshake();
  c.startup();
  c.fpdu(a, test::send(1, test::text("one")));
  c.fpdu(a, test::send_inv(2, 0x1234ab01, test::text("two")));
  c.fpdu(a, test::send_se(3, test::text("three")));
  c.fpdu(a, test::send_se_inv(4, 0x1234ab02, {}));
  c.fpdus(a, test::write_segments(0x2000, 0x10000, test::pattern(3000), 1000));
  c.fpdu(
      a,
      test::read_request(
          1,
          {.sink_stag = 0x3000, .sink_to = 0x5000, .size = 4, .source_stag = 0x4000, .source_to = 0x6000}));
  c.fpdu(b, test::read_response(0x3000, 0x5000, test::text("four")));
  c.fpdu(a, test::cmp_swap(2, {.id = 9, .stag = 0x4000, .to = 0x6008, .data = 7, .mask = 8, .compare = 10}));
  c.fpdu(b, test::atomic_response(1, 9, 11));
  c.fpdu(a, test::immediate(5, 0x0102030405060708));
  c.fpdu(a, test::immediate_se(6, 12));
  c.ack(b);
  c.close();
  const Plan plan = plan_of(c);
  ASSERT_THAT(plan.streams, SizeIs(1));
  const PlannedStream& stream = plan.streams[0];
  EXPECT_THAT(script_of(stream),
              ElementsAre("initiator send 3", "initiator send_inv 3", "initiator send_se 5",
                          "initiator send_se_inv", "initiator write 3000", "initiator read 4",
                          "initiator atomic 8 after completed 5", "initiator immediate 8 after completed 6",
                          "initiator immediate_se 8", "initiator fin", "responder fin after closed 9"));
  EXPECT_THAT(stream.missing, IsEmpty());
  EXPECT_EQ(content_of(plan, 0), test::text("one"));
  EXPECT_EQ(stream.work[1].stag, 0x1234ab01U);
  EXPECT_EQ(stream.work[3].stag, 0x1234ab02U);
  EXPECT_EQ(content_of(plan, 4), test::pattern(3000));
  EXPECT_EQ(stream.work[4].stag, 0x2000U);
  EXPECT_EQ(stream.work[4].to, 0x10000U);
  const PlannedWork& read = stream.work[5];
  EXPECT_EQ(read.stag, 0x3000U);
  EXPECT_EQ(read.to, 0x5000U);
  EXPECT_EQ(read.source_stag, 0x4000U);
  EXPECT_EQ(read.source_to, 0x6000U);
  EXPECT_EQ(content_of(plan, 5), test::text("four"));
  EXPECT_EQ(read.outcome, OperationStatus::complete);
  const PlannedWork& atomic = stream.work[6];
  ASSERT_TRUE(atomic.atomic);
  EXPECT_EQ(atomic.atomic->operation, 2);
  EXPECT_EQ(atomic.atomic->add_swap_data, 7U);
  EXPECT_EQ(atomic.atomic->compare_data, 10U);
  EXPECT_EQ(atomic.original, 11U);
  EXPECT_EQ(stream.work[7].immediate, 0x0102030405060708U);
  EXPECT_EQ(stream.mulpdu[0], 1014U);
  EXPECT_THAT(stream.work[4].segments, IsEmpty()) << "all but the last have 1000 octets";
}

TEST(PlanWorkTest, SegmentsAreKeptWhereNoLengthTellsThem) {
  Conversation c;
  c.handshake();
  c.startup();
  c.fpdus(a, test::write_segments(0x2000, 0, test::pattern(3000), 1000));
  c.fpdus(a, test::write_segments(0x2000, 0, test::pattern(2000), 1000));
  c.fpdus(a, {test::write(0x2000, 0, test::pattern(10), {.last = false}),
              test::write(0x2000, 10, test::pattern(700))});
  const Plan plan = plan_of(c);
  EXPECT_THAT(plan.streams.at(0).work.at(1).segments, IsEmpty());
  EXPECT_THAT(plan.streams[0].work.at(2).segments, ElementsAre(10U, 700U));
}

// No MULPDU is below 128 octets (RFC 5044 §3): who cuts shorter than that, or sends segments without octets
// before others, does so message by message.
TEST(PlanWorkTest, ShortSegmentsAreNoMulpdu) {
  Conversation c;
  c.handshake();
  c.startup();
  c.fpdus(a, {test::write(0x2000, 0, {}, {.last = false}), test::write(0x2000, 0, test::pattern(4))});
  c.fpdus(a, test::write_segments(0x2000, 0, test::pattern(250), 100));
  const Plan plan = plan_of(c);
  const PlannedStream& stream = plan.streams.at(0);
  EXPECT_EQ(stream.mulpdu[0], 0U);
  EXPECT_THAT(stream.work.at(0).segments, ElementsAre(0U, 4U));
  EXPECT_THAT(stream.work.at(1).segments, ElementsAre(100U, 100U, 50U));
  std::string error;
  EXPECT_TRUE(plan_from_octets(to_octets(plan), error)) << error;
}

// A start-up frame that cannot be (RFC 5044 §7.1.1) makes no plan that cannot be read.
TEST(PlanWorkTest, PrivateDataIsWhatAFrameHolds) {
  Conversation c;
  c.handshake();
  c.startup({.word = test::Depths{.ird = 1, .ord = 1}, .private_data = test::pattern(600)},
            {.word = test::Depths{.ird = 1, .ord = 1}, .private_data = test::pattern(508)});
  c.fpdu(a, test::send(1, test::text("x")));
  const Plan plan = plan_of(c);
  const PlannedStream& stream = plan.streams.at(0);
  ASSERT_TRUE(stream.startup[0] && stream.startup[1]);
  EXPECT_EQ(stream.startup[0]->private_data, test::pattern(508));
  EXPECT_FALSE(stream.startup[0]->private_data_known);
  EXPECT_EQ(stream.startup[1]->private_data, test::pattern(508));
  EXPECT_TRUE(stream.startup[1]->private_data_known);
  std::string error;
  EXPECT_TRUE(plan_from_octets(to_octets(plan), error)) << error;
}

TEST(PlanWorkTest, StartupAndTheReadyToReceiveMessage) {
  Conversation c;
  c.handshake({.mss_a = 1448, .mss_b = 8960});
  const test::Depths asked{.peer_to_peer = true, .rtr_write = true, .rtr_read = true, .ird = 16, .ord = 8};
  const test::Depths given{.peer_to_peer = true, .rtr_read = true, .ird = 8, .ord = 16};
  c.startup({.markers = true, .crc = false, .word = asked, .private_data = test::text("hello")},
            {.crc = true, .word = given});
  c.fpdu(a, test::read_request(1, {}));
  c.fpdu(b, test::read_response(0, 0));
  c.fpdu(a, test::send(1, test::text("x")));
  const Plan plan = plan_of(c);
  const PlannedStream& stream = plan.streams.at(0);
  ASSERT_TRUE(stream.startup[0] && stream.startup[1]);
  EXPECT_EQ(stream.startup[0]->revision, 2);
  EXPECT_TRUE(stream.startup[0]->markers);
  ASSERT_TRUE(stream.startup[0]->word);
  EXPECT_EQ(stream.startup[0]->word->ird, 16);
  EXPECT_EQ(stream.startup[0]->private_data, test::text("hello"));
  EXPECT_EQ(stream.startup[1]->word->ord, 16);
  EXPECT_TRUE(stream.crc);
  EXPECT_THAT(stream.markers, ElementsAre(false, true));
  EXPECT_THAT(stream.mss, ElementsAre(1448, 8960));
  EXPECT_EQ(stream.rtr, RtrKind::read);
  EXPECT_TRUE(stream.work.at(0).rtr);
  EXPECT_FALSE(stream.work.at(1).rtr);
  EXPECT_TRUE(stream.accepted);
  EXPECT_EQ(stream.role_basis, RoleBasis::mpa);
}

TEST(PlanWorkTest, ARequestWaitsForWhatItsSenderHadAcknowledged) {
  Conversation c;
  c.handshake();
  c.startup();
  c.fpdu(a, test::send(1, test::text("first")));
  c.fpdu(b, test::send(1, test::text("answer")));  // acknowledges it
  // Sent before the answer came: its acknowledgement says so.
  const test::Packets unaware = c.fpdu(a, test::send(2, test::text("unaware")));
  c.packet(unaware).meta.acknowledgement -=
      static_cast<std::uint32_t>(test::fpdu(test::send(1, test::text("answer"))).size());
  c.fpdu(a, test::send(3, test::text("aware")));
  c.fpdus(b, test::write_segments(7, 0, test::pattern(100), 50));
  c.fpdu(a, test::send(4, test::text("saw the write")));
  c.fpdus(b, {test::write(7, 0, test::pattern(4)), test::send(2)});
  c.fpdu(a, test::send(5, test::text("the send says it all")));
  EXPECT_THAT(script_of(plan_of(c).streams.at(0)),
              ElementsAre("initiator send 5", "responder send 6 after received 0", "initiator send 7",
                          "initiator send 5 after received 1", "responder write 100 after received 3",
                          "initiator send 13 after placed 4", "responder write 4 after received 5",
                          "responder send", "initiator send 20 after received 7"));
}

TEST(PlanWorkTest, ATerminateNamesTheWorkItIsAbout) {
  Conversation c;
  c.handshake();
  c.startup();
  c.fpdu(a, test::send(1, test::text("x")));
  const Bytes wrong = test::write(0xbad00001, 0x40, test::text("data"));
  c.fpdu(a, wrong);
  c.fpdu(b, test::terminate(0x1100, test::about(wrong)));
  c.close(b);
  const Plan plan = plan_of(c);
  const PlannedWork& terminate = plan.streams.at(0).work.at(2);
  EXPECT_EQ(terminate.kind, WorkKind::terminate);
  EXPECT_EQ(terminate.terminate_code, 0x1100);
  EXPECT_EQ(terminate.quoted, 1U);
  EXPECT_EQ(terminate.quoted_to, 0x40U);
  EXPECT_THAT(plan.hosts.at(1).regions, IsEmpty()) << "the STag must be refused again";
}

TEST(PlanWorkTest, AnotherStartupIsAnotherStream) {
  Conversation c;
  c.handshake();
  c.startup({}, {.rejected = true});
  c.startup();
  c.fpdu(a, test::send(1, test::text("x")));
  const Plan plan = plan_of(c);
  ASSERT_THAT(plan.streams, SizeIs(2));
  EXPECT_FALSE(plan.streams[0].accepted);
  EXPECT_TRUE(plan.streams[0].startup[1]->rejected);
  EXPECT_TRUE(plan.streams[1].accepted);
  EXPECT_EQ(plan.streams[1].attempt, 1U);
  EXPECT_THAT(plan.streams[1].work, SizeIs(1));
}

TEST(PlanWorkTest, BrokenRulesAreListed) {
  Conversation c;
  c.handshake();
  c.startup();
  c.fpdu(a, test::send(1));
  c.fpdu(a, test::send(3));
  const Plan plan = plan_of(c);
  ASSERT_THAT(plan.streams.at(0).violations, SizeIs(1));
  EXPECT_EQ(plan.streams[0].violations[0].check, "DDP-MSNGAP");
  EXPECT_EQ(plan.streams[0].violations[0].role, Role::initiator);
  ASSERT_NE(refusal(plan.streams[0]), nullptr);
  EXPECT_EQ(refusal(plan.streams[0])->check, "DDP-MSNGAP");
}

TEST(PlanWorkTest, FramingIsNoReasonToRefuse) {
  // MPA-PAD and MPA-LEN: siw's PAD octets, and its FPDUs that are too long, to which both ends agreed.
  const std::pair<const char*, std::size_t> captures[] = {{"02a-send_lat-2B.pcap", 2},
                                                          {"05a-nvme-rdma-mtu1500-trygso-crc.pcap.zst", 0}};
  for (const auto& [name, expected] : captures) {
    const Plan plan = plan_of_file(std::string("real/") + name);
    std::size_t violations = 0;
    for (const PlannedStream& stream : plan.streams) {
      violations += stream.violations.size();
      EXPECT_EQ(refusal(stream), nullptr);
    }
    EXPECT_EQ(violations, expected);
  }
}

}  // namespace
}  // namespace iwarp::replay
