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
  EXPECT_EQ(result.ids(), (Ids{"DDP-MSNGAP"})) << result.told();
  EXPECT_EQ(result.messages(wire::Opcode::send).size(), 6U);
  EXPECT_EQ(result.side(Side::a).queues[0].next_msn, 7U);
}

TEST(ScenarioD, D3_AnMsnJumpedOverThenUsedTwiceIsARepetition) {
  Conversation c;
  c.handshake();
  c.startup();
  for (const std::uint32_t msn : {1U, 5U, 2U, 2U}) c.fpdu(Side::a, send(msn));
  c.close();
  EXPECT_EQ(Analysed(c).ids(), (Ids{"DDP-MSNGAP", "DDP-MSNDUP"}));
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

// A healthy connection with reads in both directions, each request sent only when the answer before it had
// come.
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

// --- start-up frames that were cut ----------------------------------------------------------------------

TEST(ScenarioC, C20_AWordThatWasCutOffIsNotKnown) {
  const Startup enhanced{.crc = true, .word = Depths{.ird = 8, .ord = 4}, .private_data = pattern(60)};
  for (std::size_t kept = 54 + 20; kept < 54 + 20 + 4; ++kept) {
    Conversation c;
    c.handshake();
    c.snaplen(kept);
    c.startup(enhanced, enhanced);
    c.snaplen(200);
    for (std::uint32_t msn = 1; msn <= 12; ++msn) {
      c.fpdu(Side::a, read_request(msn, {.sink_stag = 0x55, .size = 16, .source_stag = 0x66}));
    }
    c.close();
    const Analysed result(c);
    EXPECT_FALSE(result.state().mpa.ord[0].offered) << kept;
    EXPECT_EQ(result.state().mpa.limits_source, LimitsSource::none);
    EXPECT_EQ(result.undecidable("RDMAP-ORD", Reason::snaplen), 12U) << kept;
    EXPECT_EQ(result.undecidable("MPA-IRDORD", Reason::snaplen), 1U);
    EXPECT_EQ(result.undecidable("MPA-ABCD", Reason::snaplen), 2U);
    for (const char* id : {"MPA-IRDORD", "MPA-ABCD", "RDMAP-ORD", "RDMAP-IRD", "MPA-RTRUNNEG"}) {
      EXPECT_FALSE(result.has(id)) << id << ' ' << kept;
    }
  }
}

TEST(ScenarioC, C20_StartupFramesCutBeforeTheirHeadersEndAreJoinedMidstream) {
  Conversation c;
  c.handshake();
  c.snaplen(68);
  c.startup({.crc = true}, {.crc = true});
  for (std::uint32_t msn = 1; msn <= 20; ++msn) c.fpdu(Side::a, send(msn, pattern(300)));
  const Analysed result(c);
  EXPECT_GT(result.fpdus().size(), 15U);
  EXPECT_EQ(result.ids(), Ids{}) << result.told();
  EXPECT_GT(result.undecidable("MPA-CRC"), 15U) << "whether CRC is in use was cut off, too";
}

// --- networks -------------------------------------------------------------------------------------------

TEST(ScenarioC, C18_AMirrorMayTagOneDirectionOnly) {
  for (const bool handshake : {true, false}) {
    std::vector<OwnedSegment> segments = reading().segments();
    if (!handshake) segments.erase(segments.begin(), segments.begin() + 9);
    const Endpoint tagged = segments[0].meta.source;
    for (std::size_t at = 0; at < segments.size(); ++at) {
      segments[at].meta.frame = at + 1;
      if (segments[at].meta.source == tagged) segments[at].meta.network = 5;
    }
    const Analysed result(segments);
    EXPECT_EQ(result.analysis().connection_count(), 1U);
    EXPECT_EQ(result.ids(), Ids{}) << result.told();
    EXPECT_GT(result.operations(OperationKind::read).size(), 30U);
  }
}

TEST(ScenarioC, C18_ANumberThatDoesNotInterlockIsAnotherConnection) {
  std::vector<OwnedSegment> segments = reading().segments();
  const Endpoint tagged = segments[0].meta.source;
  for (OwnedSegment& each : segments) {
    if (each.meta.source != tagged) continue;
    each.meta.network = 5;
    each.meta.sequence += 1U << 30U;
  }
  EXPECT_EQ(Analysed(segments).analysis().connection_count(), 2U);
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
  EXPECT_EQ(result.side(Side::a).crc_counts.bad, 1U) << "that of its bad copy, which MPA-CRC tells of";
  EXPECT_TRUE(result.has("MPA-CRC"));
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
    EXPECT_EQ(operation.request.time_ns, segments.at(operation.request.frame - 1).meta.time_ns);
  }
  EXPECT_EQ(sends[0].request.frame, 8U);
  EXPECT_EQ(sends[1].request.frame, 9U);
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

// --- headers that were cut -----------------------------------------------------------------------------

TEST(ScenarioC, C8_OfACutHeaderTheFieldsBeforeTheCutAreRight) {
  Conversation c;
  c.handshake();
  c.startup();
  c.fpdu(Side::a, send(1));
  const Read read{.sink_stag = 7, .size = 64, .source_stag = 8};
  c.send(Side::a, part(c.frame(Side::a, read_request(1, read)), 0, 12));  // ULPDU_Length and 10 octets
  c.fin(Side::a);
  c.fin(Side::b);
  c.ack(Side::a);
  const Analysed result(c);
  ASSERT_EQ(result.fpdus().size(), 2U) << result.told();
  const FpduFact fpdu = result.fpdus()[1].fpdu;
  EXPECT_EQ(fpdu.header_octets, 10U);
  EXPECT_EQ(fpdu.ddp.queue, 1U);
  EXPECT_EQ(fpdu.payload_length, 28U);
}

TEST(ScenarioC, C20_AHeaderThatWasNotCapturedMayBeTheShorterOne) {
  Conversation c;
  c.handshake();
  c.startup();
  c.fpdu(Side::a, send(1));
  c.cut(c.fpdu(Side::a, write(7, 0)), 2);  // ULPDU_Length 14, and no more
  c.close();
  const Analysed result(c);
  ASSERT_EQ(result.fpdus().size(), 2U) << result.told();
  EXPECT_FALSE(result.fpdus()[1].fpdu.malformed);
  EXPECT_FALSE(result.has("MPA-LEN")) << result.told();
}

}  // namespace
}  // namespace iwarp::test
