// Faults that a review of the running program found.
// SPDX-License-Identifier: GPL-2.0-or-later
#include <gtest/gtest.h>

#include <algorithm>

#include "support/analysed.hpp"

namespace iwarp::test {
namespace {

TEST(ScenarioD, D3_OneWrongMsnAmongRightOnesIsNoRepetition) {
  Conversation c;
  c.handshake();
  c.startup();
  for (const std::uint32_t msn : {1U, 2U, 77U, 4U, 5U, 6U}) c.fpdu(Side::a, send(msn, text("x")));
  c.close();
  const Analysed result(c);
  EXPECT_EQ(result.ids(), (Ids{"DDP-MSNGAP", "DDP-MSNGAP"})) << result.told();
  EXPECT_EQ(result.messages(wire::Opcode::send).size(), 6U);
  EXPECT_EQ(result.side(Side::a).queues[0].next_msn, 7U);
}

TEST(ScenarioD, D3_AnMsnJumpedOverThenUsedTwiceIsARepetition) {
  Conversation c;
  c.handshake();
  c.startup();
  for (const std::uint32_t msn : {1U, 5U, 2U, 2U}) c.fpdu(Side::a, send(msn));
  c.close();
  EXPECT_EQ(Analysed(c).ids(), (Ids{"DDP-MSNGAP", "DDP-MSNGAP", "DDP-MSNDUP"}));
}

TEST(ScenarioA, A4_AStartupFrameCutShortByFinIsToldAtTheFin) {
  Conversation c;
  c.handshake();
  c.send(Side::a, part(request_frame({.private_data = pattern(100)}), 0, 56));
  c.fin(Side::a);  // frame 5
  c.ack(Side::b);
  c.wait(1'000'000'000);
  c.ack(Side::b);
  const Analysed result(c);
  const auto findings = result.findings("MPA-PDLEN");
  ASSERT_EQ(findings.size(), 1U) << result.told();
  EXPECT_EQ(findings[0].frame, 5U);
}

TEST(ScenarioA, A13_AReplyKeyBrokenBehindItsFirstWordIsNoReply) {
  Conversation c;
  c.handshake();
  c.send(Side::a, request_frame());
  Bytes reply = reply_frame();
  reply[8] ^= 0x01;
  c.send(Side::b, reply);
  c.close();
  const Analysed result(c);
  EXPECT_TRUE(result.has("MPA-KEY")) << result.told();
}

// --- one direction captured -----------------------------------------------------------------------------

TEST(ScenarioC, C14_AnEndpointNeverHeardIsInRtsByItsPeersFpdusAlone) {
  Conversation c;
  c.capture(Side::b, false);
  c.handshake();
  c.startup();
  c.fpdu(Side::a, send(1));
  c.fpdu(Side::a, read_request(1, {.sink_stag = 0x55, .size = 16, .source_stag = 0x66}));
  const Analysed result(c);
  const QpState unseen = result.side(Side::b).qp;
  EXPECT_EQ(unseen.value, QpValue::rts);
  EXPECT_EQ(unseen.evidence, QpEvidence::peer_fpdu);
  EXPECT_EQ(unseen.confidence, Confidence::low);
  EXPECT_EQ(result.side(Side::a).qp.confidence, Confidence::high);
}

TEST(ScenarioC, C14_WorkNeedsBothDirectionsToBeOutstanding) {
  Conversation c;
  c.capture(Side::b, false);
  c.handshake();
  c.startup();
  c.fpdu(Side::a, read_request(1, {.sink_stag = 0x55, .size = 16, .source_stag = 0x66}));
  c.close();
  const Analysed result(c);
  EXPECT_FALSE(result.state().outstanding_known());
  EXPECT_EQ(result.operations(OperationKind::read).at(0).outstanding, 0U);  // not known
  EXPECT_EQ(result.undecidable("RDMAP-RRLOST", Reason::one_direction), 1U);
  EXPECT_EQ(result.side(Side::a).qp.evidence, QpEvidence::fin_sent);
  EXPECT_EQ(result.ids(), Ids{}) << result.told();
}

TEST(ScenarioC, C10_BothEndsOfAMidstreamCaptureAreInRts) {
  Conversation c;
  c.unseen([&] {
    c.handshake();
    c.startup();
    c.fpdu(Side::a, send(1));
  });
  for (const std::uint32_t msn : {2U, 3U, 4U}) {
    c.fpdu(Side::a, send(msn, text("hello")));
    c.ack(Side::b);
  }
  const Analysed result(c);
  for (const Side side : {Side::a, Side::b}) {
    EXPECT_EQ(result.side(side).qp.value, QpValue::rts);
    EXPECT_EQ(result.side(side).qp.evidence, QpEvidence::midstream);
    EXPECT_EQ(result.side(side).qp.confidence, Confidence::medium);
  }
}

// --- requests that break a rule -------------------------------------------------------------------------

TEST(ScenarioE, E3_AnAnswerToARequestWithAnMsnUsedBeforeIsNobodysFault) {
  Conversation c;
  c.handshake();
  c.startup();
  c.fpdu(Side::a, read_request(1, {.sink_stag = 0x55, .size = 16, .source_stag = 0x66}));
  c.fpdu(Side::b, read_response(0x55, 0, pattern(16)));
  c.fpdu(Side::a, read_request(1, {.sink_stag = 0x77, .size = 8, .source_stag = 0x66}));
  c.fpdu(Side::b, read_response(0x77, 0, pattern(8)));
  c.close();
  const Analysed result(c);
  EXPECT_EQ(result.ids(), (Ids{"DDP-MSNDUP"})) << result.told();
  EXPECT_EQ(result.undecidable("RDMAP-RRNONE", Reason::broken_request), 1U);
}

TEST(ScenarioE, E1_AnAnswerToAMalformedRequestIsNobodysFault) {
  Conversation c;
  c.handshake();
  c.startup();
  c.fpdu(Side::a, read_request(1, {.sink_stag = 0x55, .size = 16, .source_stag = 0x66}, {.mo = 4}));
  c.fpdu(Side::b, read_response(0x55, 0, pattern(16)));
  c.close();
  const Analysed result(c);
  EXPECT_EQ(result.ids(), (Ids{"RDMAP-RREQ"})) << result.told();
  EXPECT_EQ(result.undecidable("RDMAP-RRNONE", Reason::broken_request), 1U);
}

// --- the two directions out of step ---------------------------------------------------------------------

// A healthy session with reads in both directions, each request sent only when the answer before it had come.
Conversation reading() {
  Conversation c;
  c.handshake();
  c.startup({.crc = true, .word = Depths{.ird = 1, .ord = 1}},
            {.crc = true, .word = Depths{.ird = 1, .ord = 1}});
  c.fpdu(Side::a, send(1, text("hello")));
  for (std::uint32_t msn = 1; msn <= 20; ++msn) {
    c.fpdu(Side::a, read_request(msn, {.sink_stag = 0x55, .size = 16, .source_stag = 0x66}));
    c.fpdu(Side::b, read_response(0x55, 0, pattern(16)));
    c.fpdu(Side::b, read_request(msn, {.sink_stag = 0x77, .size = 16, .source_stag = 0x88}));
    c.fpdu(Side::a, read_response(0x77, 0, pattern(16)));
  }
  c.close();
  return c;
}

// One direction captured `late` behind the other.
std::vector<OwnedSegment> skewed(const Conversation& c, Side late_side, TimeNs late) {
  std::vector<OwnedSegment> segments = c.segments();
  const Endpoint late_source = late_side == Side::a ? segments[0].meta.source : segments[0].meta.destination;
  for (OwnedSegment& each : segments) {
    if (each.meta.source == late_source) each.meta.time_ns += late;
  }
  std::stable_sort(segments.begin(), segments.end(), [](const OwnedSegment& x, const OwnedSegment& y) {
    return x.meta.time_ns < y.meta.time_ns;
  });
  for (std::size_t at = 0; at < segments.size(); ++at) segments[at].meta.frame = at + 1;
  return segments;
}

TEST(ScenarioC, C22_DirectionsOutOfStepAreNobodysFault) {
  const Conversation c = reading();
  ASSERT_EQ(Analysed(c).ids(Severity::note), Ids{}) << Analysed(c).told();
  for (const Side late_side : {Side::a, Side::b}) {
    for (const TimeNs late : {15'000L, 60'000L, 200'000L, 600'000L, 10'000'000L, 3'000'000'000L}) {
      const Analysed result(skewed(c, late_side, late));
      EXPECT_EQ(result.ids(Severity::note), Ids{}) << late << ": " << result.told();
      EXPECT_EQ(result.fpdus().size(), 81U) << late;
      for (const OperationConclusion& read : result.operations(OperationKind::read)) {
        EXPECT_GE(read.latency().value_or(0), 0);
      }
    }
  }
}

// --- times ----------------------------------------------------------------------------------------------

TEST(ScenarioC, C4_LatenciesAroundAGapAreThoseOfTheOctets) {
  Conversation c;
  c.handshake();
  c.startup();
  c.drop(c.fpdu(Side::a, send(1, text("lost"))));
  for (std::uint32_t msn = 1; msn <= 40; ++msn) {
    c.fpdu(Side::a, read_request(msn, {.sink_stag = 0x55, .size = 16, .source_stag = 0x66}));
    c.wait(90'000);
    c.fpdu(Side::b, read_response(0x55, 0, pattern(16)));
  }
  c.close();
  const Analysed result(c);
  const auto reads = result.operations(OperationKind::read);
  ASSERT_EQ(reads.size(), 40U);
  for (const OperationConclusion& read : reads) {
    EXPECT_EQ(read.latency(), 100'000);
    EXPECT_EQ(read.first_byte_latency(), 100'000);
  }
}

// --- how a connection ends ------------------------------------------------------------------------------

TEST(ScenarioC, C8_ARstOutsideTheWindowEndsNothing) {
  for (const std::uint32_t beyond : {100U, 10'000'000U}) {
    Conversation c;
    c.handshake();
    c.startup();
    c.fpdu(Side::a, send(1));
    const Packets reset = c.rst(Side::b);
    c.packet(reset).meta.sequence += beyond;
    c.fpdu(Side::a, send(2));
    c.fpdu(Side::b, send(1));
    c.close();
    const Analysed result(c);
    EXPECT_EQ(result.ids(), Ids{}) << result.told();
    EXPECT_EQ(result.side(Side::a).qp.evidence, QpEvidence::both_fins_acknowledged);
  }
}

TEST(ScenarioC, C8_ARstBeyondAllThatWasCapturedCountsWhenNothingFollows) {
  Conversation c;
  c.handshake();
  c.startup();
  c.fpdu(Side::a, send(1));
  c.packet(c.rst(Side::a)).meta.sequence += 1448;
  const Analysed result(c);
  EXPECT_EQ(result.side(Side::a).qp.evidence, QpEvidence::rst_sent) << result.told();
}

TEST(ScenarioC, C8_ThePeersRstCutsAMessage) {
  Conversation c;
  c.handshake();
  c.startup();
  c.fpdu(Side::a, send(1, pattern(100), {.last = false}));
  c.rst(Side::b);
  const Analysed result(c);
  EXPECT_EQ(result.ids(), (Ids{"MPA-CUT", "VERBS-RST"})) << result.told();
  EXPECT_EQ(result.findings("MPA-CUT")[0].side, Side::a);
}

TEST(ScenarioF, F12_AResponseInAGapLeavesNoCertainWork) {
  Conversation c;
  c.handshake();
  c.startup();
  c.fpdu(Side::a, send(1));
  c.fpdu(Side::a, read_request(1, {.sink_stag = 0x55, .size = 16, .source_stag = 0x66}));
  c.drop(c.fpdu(Side::b, read_response(0x55, 0, pattern(16))));
  c.close();
  const Analysed result(c);
  EXPECT_EQ(result.ids(), Ids{}) << result.told();
  for (const Side side : {Side::a, Side::b}) {
    EXPECT_EQ(result.side(side).qp.value, QpValue::idle);
    EXPECT_EQ(result.side(side).qp.confidence, Confidence::low);
  }
}

// --- a bad copy -----------------------------------------------------------------------------------------

TEST(ScenarioB, B12_ARequestWithABadCrcDoesNotCount) {
  Conversation c;
  c.handshake();
  c.startup({.crc = true}, {.crc = true});
  const Read read{.sink_stag = 0x55, .size = 16, .source_stag = 0x66};
  Bytes bad = c.frame(Side::a, read_request(1, read));
  bad[30] ^= 0xff;
  c.send(Side::a, bad);
  c.fpdu(Side::a, read_request(2, read));
  c.fpdu(Side::b, read_response(0x55, 0, pattern(16)));
  c.close();
  const Analysed result(c);
  EXPECT_EQ(result.ids(), (Ids{"MPA-CRC"})) << result.told();
  EXPECT_EQ(result.side(Side::a).max_outstanding, 1U);
}

TEST(ScenarioB, B12_AnFpduWithABadAndAGoodCopyCountsOnce) {
  Conversation c;
  c.handshake();
  c.startup({.crc = true}, {.crc = true});
  Bytes bad = c.frame(Side::a, send(1, pattern(40)));
  const Bytes good = bad;
  bad[30] ^= 0xff;
  const Packets first = c.send(Side::a, good);
  c.packet(first).octets = bad;
  c.resend(Side::a, c.sent(Side::a) - good.size(), good.size());
  c.fpdu(Side::a, send(2));
  c.close();
  const Analysed result(c);
  EXPECT_EQ(result.side(Side::a).fpdus, 2U) << result.told();
  EXPECT_EQ(result.side(Side::a).crc_counts.good, 2U);
  EXPECT_EQ(result.side(Side::a).crc_counts.bad, 0U);
  EXPECT_EQ(result.messages(wire::Opcode::send).size(), 2U);
}

// --- records --------------------------------------------------------------------------------------------

TEST(ScenarioD, D19_AnOperationHasTheTimeOfItsRequestFrame) {
  Conversation c;
  c.handshake();
  c.startup();
  c.fpdu(Side::a, send(1, pattern(3000)), Cuts{1000, 1000});  // frames 6 to 8
  c.fpdu(Side::a, send(2, pattern(100), {.last = false}));    // frame 9
  c.fpdu(Side::a, send(2, pattern(100), {.mo = 100}));        // frame 10
  const Analysed result(c);
  const auto sends = result.operations(OperationKind::send);
  ASSERT_EQ(sends.size(), 2U);
  const auto segments = c.segments();
  for (const OperationConclusion& operation : sends) {
    EXPECT_EQ(operation.request_time_ns, segments.at(operation.request_frame - 1).meta.time_ns);
  }
  EXPECT_EQ(sends[0].request_frame, 8U);
  EXPECT_EQ(sends[1].request_frame, 9U);
}

}  // namespace
}  // namespace iwarp::test
