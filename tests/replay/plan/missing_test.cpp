// Scenario H16: what the capture lacks is seeded and listed.
// SPDX-License-Identifier: GPL-2.0-or-later
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "replay/planned.hpp"

namespace iwarp::replay {
namespace {

using test::Conversation;
using testing::Contains;
using testing::IsEmpty;
using testing::SizeIs;

constexpr Side a = Side::a;
constexpr Side b = Side::b;

std::vector<std::string> lacks(const PlannedStream& stream) {
  std::vector<std::string> out;
  for (const Missing& each : stream.missing) {
    out.push_back(std::string(lack_name(each.lack)) + " " + reason_name(each.reason) + " " +
                  std::to_string(each.offset) + "+" + std::to_string(each.length));
  }
  return out;
}

TEST(PlanMissingTest, OctetsBehindTheSnapshotLength) {
  Conversation c;
  c.handshake();
  c.startup();
  c.cut(c.fpdu(a, test::send(1, test::pattern(500))), 120);  // 100 octets of header and payload begin
  c.fpdu(a, test::send(2, test::text("whole")));
  const Plan plan = plan_of(c);
  const PlannedStream& stream = plan.streams.at(0);
  ASSERT_THAT(stream.work, SizeIs(2));
  EXPECT_EQ(stream.work[0].length, 500U);
  // What was captured among the first octets is kept: 52 behind the DDP header.
  EXPECT_THAT(lacks(stream), testing::ElementsAre("octets snaplen 52+448"));
  const Bytes octets = octets_of(plan, stream.work[0].content);
  EXPECT_EQ(test::part(octets, 0, 52), test::part(test::pattern(500), 0, 52));
  EXPECT_EQ(octets, octets_of(plan_of(c), plan_of(c).streams[0].work[0].content))
      << "seeded the same each time";
  PlannerOptions other;
  other.seed = 2;
  const Plan elsewhere = plan_of(c, other);
  EXPECT_NE(octets, octets_of(elsewhere, elsewhere.streams[0].work[0].content));
}

TEST(PlanMissingTest, ASegmentInTheMiddleOfAMessage) {
  Conversation c;
  c.handshake();
  c.startup();
  const std::vector<Bytes> segments = test::send_segments(1, test::pattern(3000), 1000);
  c.fpdu(a, segments[0]);
  c.drop(c.fpdu(a, segments[1]));
  c.fpdu(a, segments[2]);
  c.ack(b);
  c.fpdu(a, test::send(2, test::text("behind")));
  c.ack(b);
  c.close();
  const PlannedStream stream = plan_of(c).streams.at(0);
  EXPECT_EQ(stream.work.at(0).length, 3000U);
  EXPECT_THAT(lacks(stream), Contains("octets gap 1000+1000"));
  EXPECT_THAT(lacks(stream), Contains(testing::StartsWith("messages gap")));
}

// Who acknowledges the rest of a message that was not captured had it: what it does then may answer it.
TEST(PlanMissingTest, TheLastSegmentOfAMessage) {
  for (const bool acknowledged : {true, false}) {
    Conversation c;
    c.handshake();
    c.startup();
    c.fpdu(a, test::send(1, test::text("ready")));
    c.ack(b);
    const std::vector<Bytes> segments = test::send_segments(2, test::pattern(2000), 1000);
    c.fpdu(a, segments[0]);
    c.ack(b);
    if (!acknowledged) c.fpdu(b, test::send(1, test::text("got it")));
    c.drop(c.fpdu(a, segments[1]));
    if (acknowledged) c.fpdu(b, test::send(1, test::text("got it")));
    c.fpdu(a, test::send(3, test::text("behind")));
    c.ack(b);
    c.close();
    const std::vector<std::string> script = script_of(plan_of(c).streams.at(0));
    EXPECT_THAT(script, Contains("initiator send 1000"));
    EXPECT_THAT(script, Contains(acknowledged ? "responder send 6 after received 1"
                                              : "responder send 6 after received 0"))
        << testing::PrintToString(script);
  }
}

TEST(PlanMissingTest, OneDirection) {
  Conversation c;
  c.handshake();
  c.startup();
  c.capture(a, false);
  c.fpdu(a, test::read_request(1, {.sink_stag = 0x30, .sink_to = 0x1000, .size = 100, .source_stag = 0x40}));
  c.fpdu(b, test::read_response(0x30, 0x1000, test::pattern(100)));
  c.ack(a);
  c.fpdu(b, test::send(1, test::text("x")));
  std::vector<test::OwnedSegment> segments;
  for (const test::OwnedSegment& each : c.segments()) {
    if (each.meta.source.port == 18515) segments.push_back(each);
  }
  const Plan plan = plan_of(segments);
  const PlannedStream& stream = plan.streams.at(0);
  EXPECT_THAT(lacks(stream), Contains("direction one_direction 0+0"));
  EXPECT_THAT(lacks(stream), Contains("request one_direction 0+0"));
  // Roles are told by the Reply.
  EXPECT_EQ(stream.endpoints[1].port, 18515);
  const auto read = std::ranges::find(stream.work, WorkKind::read, &PlannedWork::kind);
  ASSERT_NE(read, stream.work.end());
  EXPECT_TRUE(read->deduced);
  EXPECT_EQ(read->role, Role::initiator);
  EXPECT_EQ(read->stag, 0x30U);
  EXPECT_EQ(read->to, 0x1000U);
  EXPECT_EQ(read->length, 100U);
  EXPECT_EQ(octets_of(plan, read->content), test::pattern(100));
}

TEST(PlanMissingTest, MidStream) {
  Conversation c;
  c.unseen([&] {
    c.handshake();
    c.startup();
    c.fpdu(a, test::send(1));
  });
  for (std::uint32_t msn = 2; msn < 6; ++msn) c.fpdu(a, test::send(msn, test::pattern(200, msn)));
  const PlannedStream stream = plan_of(c).streams.at(0);
  EXPECT_TRUE(stream.midstream);
  EXPECT_TRUE(stream.crc);
  EXPECT_THAT(stream.work, SizeIs(4));
  EXPECT_THAT(lacks(stream), Contains("startup midstream 0+0"));
}

TEST(PlanMissingTest, AReadThatNobodyAnswered) {
  Conversation c;
  c.handshake();
  c.startup();
  c.fpdu(
      a,
      test::read_request(
          1, {.sink_stag = 0x30, .sink_to = 0x1000, .size = 100, .source_stag = 0x40, .source_to = 0x2000}));
  c.ack(b);
  const Plan plan = plan_of(c);
  EXPECT_THAT(lacks(plan.streams.at(0)), Contains("read_source capture_end 0+100"));
  const PlannedRegion& region = region_of(plan, 0x40);
  ASSERT_THAT(region.initial, SizeIs(1));
  EXPECT_TRUE(region.initial[0].content.at(0).seeded);
}

TEST(PlanMissingTest, AMessageThatAnEndCutsShort) {
  Conversation c;
  c.handshake();
  c.startup();
  c.fpdu(a, test::send(1, test::pattern(100), {.last = false}));
  c.rst(b);
  const PlannedStream stream = plan_of(c).streams.at(0);
  EXPECT_THAT(lacks(stream), Contains("rest capture_end 100+0"));
  EXPECT_EQ(stream.work.at(0).outcome, OperationStatus::incomplete);
}

TEST(PlanMissingTest, OctetsBeyondTheCap) {
  Conversation c;
  c.handshake();
  c.startup();
  c.fpdu(a, test::send(1, test::pattern(500)));
  c.fpdu(a, test::send(2, test::pattern(500, 7)));
  PlannerOptions options;
  options.max_payload_octets = 600;
  const Plan plan = plan_of(c, options);
  EXPECT_EQ(plan.payloads.octets(), 500U);
  EXPECT_THAT(lacks(plan.streams.at(0)), Contains("octets limit 0+500"));
}

TEST(PlanMissingTest, HostileRangesAreLeftOutOfTheRegistrations) {
  Conversation c;
  c.handshake();
  c.startup();
  c.fpdu(a, test::write(0x40, 0, test::text("low")));
  c.fpdu(a, test::write(0x40, std::uint64_t{1} << 62U, test::text("high")));
  const Plan plan = plan_of(c);
  EXPECT_EQ(region_of(plan, 0x40).length, 4096U);
  EXPECT_THAT(lacks(plan.streams.at(0)), Contains("memory limit 0+4"));
}

}  // namespace
}  // namespace iwarp::replay
