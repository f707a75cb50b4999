// Faults that a review of the running program found.
// SPDX-License-Identifier: GPL-2.0-or-later
#include <gtest/gtest.h>

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

// --- frames that findings name ---------------------------------------------------------------------------

std::vector<FrameNumber> evidence_of(const Event& event) {
  const auto begin = event.finding.evidence.begin();
  return {begin, begin + event.finding.evidence_count};
}

TEST(ScenarioC, C21_WhatWasSeenBeforeTheStartUpNamesItsOwnFrame) {
  Conversation c;
  const Packets syns = c.handshake();  // frames 1, 3, 5: 2, 4, 6 are copies
  c.duplicate(syns);
  c.startup();
  const Analysed result(c);
  const auto findings = result.findings("CAP-DUPFRAME");
  ASSERT_EQ(findings.size(), 2U) << result.told();
  EXPECT_EQ(findings[0].side, Side::a);
  EXPECT_EQ(evidence_of(findings[0]), std::vector<FrameNumber>{2});
  EXPECT_EQ(evidence_of(findings[1]), std::vector<FrameNumber>{4});
  EXPECT_EQ(findings[0].frame, 7U);  // the Request makes it iWARP: events are of the frame being added
  EXPECT_NE(describe(findings[1].finding).find("first: frame 4"), std::string::npos);
}

TEST(ScenarioC, C24_WhatIsWrongWithFramesBeforeTheStartUpNamesThem) {
  Conversation c;
  const Packets syns = c.handshake();
  c.packet(syns[1]).meta.checksum = ChecksumStatus::bad;
  c.set_time(syns[2], 1'600'000'000'000'000'000);
  c.startup();
  const Analysed result(c);
  ASSERT_EQ(result.findings("CAP-TSREV").size(), 1U) << result.told();
  EXPECT_EQ(evidence_of(result.findings("CAP-TSREV")[0]), std::vector<FrameNumber>{3});
  ASSERT_EQ(result.findings("CAP-CKSUM").size(), 1U) << result.told();
  EXPECT_EQ(evidence_of(result.findings("CAP-CKSUM")[0]), std::vector<FrameNumber>{2});
}

TEST(ScenarioC, C10_AGapInARequestIsTold) {
  Conversation c;
  c.handshake();
  const Packets request = c.send(Side::a, request_frame({.private_data = pattern(60)}), {24});
  c.send(Side::b, reply_frame());
  c.full_operation();
  c.fpdu(Side::a, send(1));
  c.fpdu(Side::b, send(1));
  c.close();
  c.drop(request[0]);
  const Analysed result(c);
  EXPECT_TRUE(result.state().iwarp);
  EXPECT_EQ(result.side(Side::a).gaps, 1U);
  const auto findings = result.findings("CAP-GAP");
  ASSERT_EQ(findings.size(), 1U) << result.told();
  EXPECT_EQ(findings[0].side, Side::a);
  EXPECT_EQ(findings[0].finding.arguments[0], 24U);
}

TEST(ScenarioF, F10_WhatAConnectionsEndShowsIsShownByItsOwnLastFrame) {
  Conversation c;
  c.handshake();
  c.startup();
  c.fpdu(Side::a, send(1));            // frame 6
  c.fpdu(Side::a, terminate(0x0207));  // 7
  c.ack(Side::b);                      // 8
  Conversation::Options elsewhere;
  elsewhere.a = endpoint("192.0.2.9", 40009);
  elsewhere.start_ns += 61'000'000'000;
  Conversation other(elsewhere);
  other.handshake();  // frames 9 to 11
  const Analysed result(merge({&c, &other}));
  const auto findings = result.findings("RDMAP-TERMFIN");
  ASSERT_EQ(findings.size(), 1U) << result.told();
  EXPECT_EQ(evidence_of(findings[0]), (std::vector<FrameNumber>{8, 7}));
  EXPECT_EQ(describe(findings[0].finding), "Terminate in frame 7, then neither FIN nor RST");
}

TEST(ScenarioF, F5_ATerminateThatQuotesNothingNamesTheFrameThatExplainsIt) {
  Conversation c;
  c.handshake();
  c.startup({.crc = true}, {.crc = true});
  c.fpdu(Side::a, send(1));                       // frame 6
  c.fpdu(Side::a, send(2), {.crc = Crc::wrong});  // 7
  c.fpdu(Side::b, terminate(0x2002));             // 8
  c.close();
  const Analysed result(c);
  ASSERT_EQ(result.side(Side::b).terminates.size(), 1U);
  EXPECT_EQ(result.side(Side::b).terminates[0].quoted_frame, 0U);
  EXPECT_EQ(result.side(Side::b).terminates[0].cause_frame, 7U);
}

}  // namespace
}  // namespace iwarp::test
