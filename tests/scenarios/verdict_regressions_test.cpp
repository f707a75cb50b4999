// Verdicts that a review found missing, wrong, or shown by another frame than the one with the wrong octets.
// SPDX-License-Identifier: GPL-2.0-or-later
#include <gtest/gtest.h>

#include "scenarios/session.hpp"

namespace iwarp::test {
namespace {

using session::a;
using session::b;
using session::Session;

constexpr TimeNs second = 1'000'000'000;

std::vector<FrameNumber> evidence(const Analysed& result, const std::string& id) {
  const std::vector<Event> found = result.findings(id);
  EXPECT_EQ(found.size(), 1U) << result.told();
  if (found.empty()) return {};
  const Finding& finding = found[0].finding;
  return {finding.evidence.begin(), finding.evidence.begin() + finding.evidence_count};
}
using Frames = std::vector<FrameNumber>;

// --- start-up: who speaks too early (RFC 5044 §7.1.2) ------------------------------------------------------

TEST(ScenarioA, A16_ReplyBeforeAnyRequest) {
  Conversation c;
  c.handshake();
  c.send(b, reply_frame());    // frame 4
  c.send(a, request_frame());  // frame 5
  c.full_operation();
  c.fpdu(a, send(1));
  c.fpdu(b, send(1));
  c.close();
  const Analysed result(c);
  EXPECT_EQ(result.ids(Severity::note), Ids{"MPA-EARLY"}) << result.told();
  EXPECT_EQ(result.findings("MPA-EARLY").at(0).side, b);
  EXPECT_EQ(result.findings("MPA-EARLY").at(0).finding.arguments[0], 20U);
  EXPECT_EQ(evidence(result, "MPA-EARLY"), (Frames{4, 5}));
}

TEST(ScenarioA, A16_ReplyCapturedBeforeTheRequestItAcknowledges) {
  Conversation c;
  c.handshake();
  const Packets request = c.send(a, request_frame());
  const Packets reply = c.send(b, reply_frame());
  c.full_operation();
  c.fpdu(a, send(1));
  c.close();
  c.move_before(reply, request);
  const Analysed result(c);
  EXPECT_EQ(result.ids(Severity::note), Ids{}) << result.told();
  EXPECT_EQ(result.undecidable("MPA-EARLY"), 0U);
}

TEST(ScenarioA, A16_ReplyWithoutACapturedRequestIsUndecidable) {
  Conversation c;
  c.handshake();
  c.drop(c.send(a, request_frame()));
  c.send(b, reply_frame());
  c.full_operation();
  c.fpdu(a, send(1));
  c.close();
  const Analysed result(c);
  EXPECT_EQ(result.ids(Severity::warning), Ids{}) << result.told();
  EXPECT_EQ(result.undecidable("MPA-EARLY", Reason::gap), 1U);
}

TEST(ScenarioA, A16_FpdusBehindARequestWithoutACapturedReplyAreUndecidable) {
  Conversation c;
  c.handshake();
  c.send(a, request_frame());
  c.drop(c.send(b, reply_frame()));
  c.full_operation();
  c.fpdu(a, send(1));
  c.fpdu(b, send(1));
  c.fpdu(a, send(2));
  c.close();
  const Analysed result(c);
  EXPECT_EQ(result.ids(Severity::warning), Ids{}) << result.told();
  EXPECT_EQ(result.undecidable("MPA-EARLY", Reason::gap), 1U);
  EXPECT_EQ(result.undecidable("MPA-SREV", Reason::gap), 1U);
}

TEST(ScenarioA, A16_EarlyFpduIsShownByItsOwnFrame) {
  Conversation c;
  c.handshake();
  c.full_operation();
  c.send(a, request_frame());  // frame 4
  c.fpdu(a, send(1));          // frame 5
  c.send(b, reply_frame());    // frame 6
  c.fpdu(a, send(2));
  c.close();
  EXPECT_EQ(evidence(Analysed(c), "MPA-EARLY"), (Frames{5, 6}));
}

TEST(ScenarioA, A13_BrokenRequestKeyIsShownByTheRequest) {
  Conversation c;
  c.handshake();
  Bytes request = request_frame();
  request[8] ^= 0x01;
  c.send(a, request);        // frame 4
  c.send(b, reply_frame());  // frame 5
  c.full_operation();
  c.fpdu(a, send(1));
  c.close();
  EXPECT_EQ(evidence(Analysed(c), "MPA-KEY"), (Frames{4, 5}));
}

// --- start-up: PD_Length (RFC 5044 §7.1.1)
// -------------------------------------------------------------------

class PrivateDataBeyondPdLength : public testing::TestWithParam<bool> {};

TEST_P(PrivateDataBeyondPdLength, A4_OfTheRequest) {
  const Startup modes = {.markers = GetParam(), .crc = true};
  Startup request = modes;
  request.private_data = text("abcdefgh");
  request.length = 4;
  Conversation c;
  c.handshake();
  c.send(a, request_frame(request));  // frame 4
  c.send(b, reply_frame(modes));
  c.full_operation(modes, modes);
  c.fpdu(a, send(1, pattern(600)));
  c.fpdu(b, send(1, pattern(600)));
  c.close();
  const Analysed result(c);
  EXPECT_EQ(result.ids(Severity::note), Ids{"MPA-PDLEN"}) << result.told();
  const Event finding = result.findings("MPA-PDLEN").at(0);
  EXPECT_EQ(finding.side, a);
  EXPECT_EQ(finding.finding.arguments[0], 4U);
  EXPECT_EQ(finding.finding.arguments[1], 8U);
  EXPECT_EQ(evidence(result, "MPA-PDLEN").at(0), 4U);
  EXPECT_EQ(result.messages().size(), 2U);
}

TEST_P(PrivateDataBeyondPdLength, A4_OfTheReply) {
  const Startup modes = {.markers = GetParam(), .crc = true};
  Startup reply = modes;
  reply.private_data = text("abcdefgh");
  reply.length = 4;
  Conversation c;
  c.handshake();
  c.send(a, request_frame(modes));
  c.send(b, reply_frame(reply));  // frame 5
  c.full_operation(modes, modes);
  c.fpdu(a, send(1, pattern(600)));
  c.fpdu(b, send(1, pattern(600)));
  c.close();
  const Analysed result(c);
  EXPECT_EQ(result.ids(Severity::note), Ids{"MPA-PDLEN"}) << result.told();
  EXPECT_EQ(result.findings("MPA-PDLEN").at(0).side, b);
  EXPECT_EQ(evidence(result, "MPA-PDLEN").at(0), 5U);
  EXPECT_EQ(result.messages().size(), 2U);
}

INSTANTIATE_TEST_SUITE_P(Markers, PrivateDataBeyondPdLength, testing::Bool());

TEST(ScenarioA, A4_PrivateDataBeyondPdLengthAndNothingBehind) {
  Conversation c;
  c.handshake();
  c.send(a, request_frame({.private_data = text("abcdefgh"), .length = 4}));
  c.send(b, reply_frame());
  c.close();
  EXPECT_EQ(Analysed(c).ids(Severity::note), Ids{"MPA-PDLEN"});
}

// --- MO out of sequence: the segment with the wrong MO shows it
// ---------------------------------------------

TEST(ScenarioD, D6_WrongMoIsShownByItsOwnFrame) {
  Session c;
  const std::vector<Bytes> segments = send_segments(1, pattern(30), 10);
  c.fpdu(a, segments[0]);
  const Packets wrong = c.fpdu(a, segments[2]);
  const Packets proof = c.fpdu(a, send(2));
  c.close();
  EXPECT_EQ(evidence(Analysed(c), "DDP-MOSEQ"), (Frames{c.at(wrong), c.at(proof)}));
}

// --- an Atomic Response has neither STag nor TO
// -------------------------------------------------------------

TEST(ScenarioE, E13_AtomicResponseWithoutARequestIsToldByItsMsn) {
  Session c;
  c.fpdu(a, send(1));
  c.fpdu(b, atomic_response(1, 7, 0));
  c.close();
  const std::vector<Event> found = Analysed(c).findings("RDMAP-RRNONE");
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(describe(found[0].finding), "Atomic Response with MSN 1 without an outstanding request");
}

// --- right behind a hole
// -------------------------------------------------------------------------------------

class BehindAHole : public testing::TestWithParam<std::tuple<Side, int>> {
 protected:
  void SetUp() override {
    c.fpdu(a, send(1));
    c.fpdu(b, send(1));
    c.drop(c.fpdu(sender, send(2)));
    c.ack(receiver);
    for (int i = 0; i < std::get<1>(GetParam()); ++i) {
      c.fpdu(sender, send(msn++));
      c.ack(receiver);
    }
  }

  const Side sender = std::get<0>(GetParam());
  const Side receiver = other(sender);
  std::uint32_t msn = 3;
  Session c;
};

TEST_P(BehindAHole, F12_DataTowardsAClosedSideIsFound) {
  const StreamOffset before = c.sent(receiver);
  const Packets fin = c.fin(receiver);
  c.received_only(c.fpdu(sender, send(msn)), before);
  c.ack(receiver);
  c.ack(sender);
  c.fin(sender);
  c.ack(receiver);
  const Analysed result(c);
  EXPECT_EQ(result.ids(Severity::warning), Ids{"VERBS-CLOSEDATA"}) << result.told();
  EXPECT_EQ(result.findings("VERBS-CLOSEDATA").at(0).side, sender);
  EXPECT_EQ(result.findings("VERBS-CLOSEDATA").at(0).finding.arguments[1], c.at(fin));
}

TEST_P(BehindAHole, F12_DataThatTheFinAcknowledgesIsNotFound) {
  const Packets data = c.fpdu(sender, send(msn));
  const Packets fin = c.fin(receiver);
  c.close(sender);
  c.move_before(fin, data);
  const Analysed result(c);
  EXPECT_EQ(result.ids(Severity::warning), Ids{}) << result.told();
}

TEST_P(BehindAHole, F5_DataLongAfterATerminateIsFound) {
  c.fpdu(receiver, terminate(0x0000));
  c.ack(sender);
  c.wait(4 * second);
  c.fpdu(sender, send(msn));
  c.ack(receiver);
  c.close();
  const Analysed result(c);
  EXPECT_EQ(result.ids(Severity::warning), Ids{"RDMAP-AFTERTERM"}) << result.told();
}

TEST_P(BehindAHole, F5_DataRightAfterATerminateIsNotFound) {
  c.fpdu(receiver, terminate(0x0000));
  c.ack(sender);
  c.fpdu(sender, send(msn));
  c.wait(4 * second);
  c.ack(receiver);
  c.close();
  const Analysed result(c);
  EXPECT_EQ(result.ids(Severity::warning), Ids{}) << result.told();
}

// A wrong header is found right behind a hole where the CRC shows that an FPDU stands there.
TEST_P(BehindAHole, D1_AWrongHeaderWithARightCrcIsFound) {
  c.fpdu(sender, send(msn++, text("x"), {.ddp_version = 2}));
  c.fpdu(sender, send(msn++));
  c.ack(receiver);
  c.close();
  const Analysed result(c);
  EXPECT_EQ(result.ids(Severity::warning), Ids{"DDP-DV"}) << result.told();
}

TEST_P(BehindAHole, E4_AnswersOutOfTurnAreNoAnswersWithoutARequest) {
  for (const std::uint32_t at : {1U, 2U})
    c.fpdu(receiver, read_request(at, {.sink_stag = at, .size = 8, .source_stag = 0x77}));
  for (const std::uint32_t at : {2U, 1U}) c.fpdu(sender, read_response(at, 0, pattern(8)));
  c.ack(receiver);
  c.close();
  const Analysed result(c);
  for (const std::string& id : result.ids(Severity::warning)) EXPECT_EQ(id, "RDMAP-RRORDER") << result.told();
  EXPECT_TRUE(result.has("RDMAP-RRORDER") || result.undecidable("RDMAP-RRORDER") > 0U);
}

INSTANTIATE_TEST_SUITE_P(Sides, BehindAHole,
                         testing::Combine(testing::Values(a, b), testing::Values(0, 1, 5)));

// --- requests that lay in a hole
// ---------------------------------------------------------------------------------

TEST(ScenarioE, E7_ARequestInAHoleMayBeTheOneTooMany) {
  Session c = session::negotiated({.ird = 2, .ord = 2}, {.ird = 2, .ord = 2});
  c.fpdu(a, send(1));
  c.fpdu(b, send(1));
  for (const std::uint32_t msn : {1U, 2U, 3U}) {
    const Packets request = c.fpdu(a, read_request(msn, {.sink_stag = msn, .size = 8, .source_stag = 0x77}));
    if (msn == 2) c.drop(request);
  }
  for (const std::uint32_t stag : {1U, 2U, 3U}) c.fpdu(b, read_response(stag, 0, pattern(8)));
  c.close();
  const Analysed result(c);
  EXPECT_EQ(result.ids(Severity::warning), Ids{}) << result.told();
  EXPECT_GT(result.undecidable("RDMAP-ORD", Reason::gap), 0U);
}

TEST(ScenarioE, E12_AnAtomicResponseOutOfTurnMayAnswerARequestInAHole) {
  Session c;
  c.fpdu(a, send(1));
  c.fpdu(b, send(1));
  c.fpdu(a, read_request(1, {.sink_stag = 1, .size = 8, .source_stag = 0x77}));
  c.drop(c.fpdu(a, atomic_request(2, 0, {.id = 7, .stag = 0x10})));
  c.fpdu(a, read_request(3, {.sink_stag = 3, .size = 8, .source_stag = 0x77}));
  c.fpdu(b, atomic_response(1, 7, 0));
  for (const std::uint32_t stag : {1U, 3U}) c.fpdu(b, read_response(stag, 0, pattern(8)));
  c.close();
  const Analysed result(c);
  EXPECT_EQ(result.ids(Severity::warning), Ids{}) << result.told();
  EXPECT_EQ(result.undecidable("RDMAP-RRORDER", Reason::gap), 1U);
}

// Octets sent before their sender had the Terminate, or the FIN, and captured only when they were sent again.
TEST(ScenarioF, F5_DataSentAgainAfterATerminateIsNotNew) {
  Session c;
  c.fpdu(a, send(1));
  c.fpdu(b, send(1));
  const Packets lost = c.lose(b, c.frame(b, send(2)));
  c.fpdu(a, terminate(0x0000));
  c.ack(b);
  c.wait(second);
  c.resend(lost);
  c.close();
  EXPECT_EQ(Analysed(c).ids(Severity::warning), Ids{});
}

TEST(ScenarioF, F12_DataSentAgainAfterAFinIsNotNew) {
  Session c;
  c.fpdu(a, send(1));
  c.fpdu(b, send(1));
  const Packets lost = c.lose(b, c.frame(b, send(2)));
  c.fin(a);
  c.ack(b);
  c.wait(second);
  c.resend(lost);
  c.ack(a);
  c.fin(b);
  c.ack(a);
  EXPECT_EQ(Analysed(c).ids(Severity::warning), Ids{"VERBS-CLOSEDATA"});
}

// Each answer comes behind the hole that has its request, however many holes are settled only at the end.
TEST(ScenarioC, C4_AnswersToRequestsInManyHoles) {
  Session c;
  c.fpdu(a, send(1));
  c.fpdu(b, send(1));
  for (std::uint32_t msn = 1; msn <= 7; ++msn) {
    c.drop(c.fpdu(a, atomic_request(msn, 0, {.id = msn, .stag = 0x10})));
    c.drop(c.fpdu(b, send(msn + 1)));
    c.fpdu(a, send(msn + 1));
    c.fpdu(b, atomic_response(msn, msn, 0));
  }
  const Analysed result(c);
  EXPECT_EQ(result.ids(Severity::warning), Ids{}) << result.told();
  EXPECT_GT(result.undecidable("RDMAP-RRNONE", Reason::gap), 0U);
}

// --- suspect segments: what their receiver dropped ---------------------------------------------------------

// A copy of the FPDU that is due from `a`, its MSN damaged, which its receiver dropped.
Packets damaged_copy(Session& c, const Bytes& octets) {
  Bytes damaged = octets;
  damaged[13] ^= 0x08U;
  const Packets bad = c.inject(a, c.sent(a), damaged);
  c.packet(bad).meta.checksum = ChecksumStatus::bad;
  return bad;
}

class SuspectSegment : public testing::TestWithParam<bool> {
 protected:
  Session c{Startup{.crc = GetParam()}, Startup{.crc = GetParam()}};
};
INSTANTIATE_TEST_SUITE_P(WithAndWithoutCrc, SuspectSegment, testing::Bool());

TEST_P(SuspectSegment, B12_IsAHoleWhereTheCaptureEndsBeforeABetterCopy) {
  for (std::uint32_t msn = 1; msn <= 5; ++msn) c.fpdu(a, send(msn));
  damaged_copy(c, c.frame(a, send(6)));
  c.ack(b);
  const Analysed result(c);
  EXPECT_EQ(result.ids(Severity::note), (Ids{"CAP-CKSUM", "CAP-GAP"})) << result.told();
  EXPECT_EQ(result.messages().size(), 5U);
}

TEST_P(SuspectSegment, B12_IsAHoleWhereTheBetterCopyWasNotCaptured) {
  for (std::uint32_t msn = 1; msn <= 5; ++msn) c.fpdu(a, send(msn));
  const Bytes octets = c.frame(a, send(6));
  damaged_copy(c, octets);
  c.ack(b);
  c.wait(second / 5);
  c.drop(c.send(a, octets));
  for (std::uint32_t msn = 7; msn <= 12; ++msn) c.fpdu(a, send(msn));
  c.close();
  const Analysed result(c);
  EXPECT_EQ(result.ids(Severity::note), (Ids{"CAP-CKSUM", "CAP-GAP"})) << result.told();
  EXPECT_EQ(result.messages().size(), 11U);
  EXPECT_EQ(result.undecidable("DDP-MSNGAP", Reason::gap), 1U);
}

// The answer is captured before the good copy.
TEST_P(SuspectSegment, B12_WaitsForABetterCopyAlthoughAcknowledged) {
  for (std::uint32_t msn = 1; msn <= 5; ++msn) c.fpdu(a, send(msn));
  const Bytes octets = c.frame(a, send(6));
  damaged_copy(c, octets);
  const Packets good = c.send(a, octets);
  const Packets answer = c.fpdu(b, send(1));
  c.fpdu(a, send(7));
  c.close();
  c.move_before(answer, good);
  const Analysed result(c);
  EXPECT_EQ(result.ids(Severity::note), (Ids{"CAP-CKSUM", "CAP-OVERLAP-CONFLICT"})) << result.told();
  EXPECT_EQ(result.messages().size(), 8U);
  EXPECT_EQ(result.side(a).crc_counts.bad, 0U);
}

TEST(ScenarioB, B12_ADamagedReplyIsNotJudged) {
  Conversation c;
  c.handshake();
  c.send(a, request_frame());
  Bytes damaged = reply_frame();
  damaged[3] ^= 0x10U;
  const Packets bad = c.inject(b, 0, damaged);
  c.packet(bad).meta.checksum = ChecksumStatus::bad;
  c.drop(c.send(b, reply_frame()));
  c.full_operation();
  for (std::uint32_t msn = 1; msn <= 5; ++msn) {
    c.fpdu(a, send(msn));
    c.fpdu(b, send(msn));
  }
  c.close();
  const Analysed result(c);
  EXPECT_EQ(result.ids(Severity::warning), Ids{}) << result.told();
  EXPECT_EQ(result.findings("CAP-CKSUM").size(), 1U);
  EXPECT_EQ(result.findings("CAP-GAP").size(), 1U);
}

// --- Terminates: what was on its way when one was sent ----------------------------------------------------

TEST(ScenarioF, F8_TerminateAboutACompletedReadResponse) {
  for (const std::uint32_t reused : {0U, 1U}) {  // one sink for all, or one each
    Session c;
    c.fpdu(a, send(1));
    c.fpdu(b, send(1));
    const auto sink = [&](std::uint32_t msn) { return reused != 0 ? 7U : msn; };
    const auto ask = [&](std::uint32_t msn) {
      return c.fpdu(a, read_request(msn, {.sink_stag = sink(msn), .size = 8, .source_stag = 0x77}));
    };
    ask(1);
    const Bytes refused = read_response(sink(1), 0, pattern(8));
    c.fpdu(b, refused);
    ask(2);
    ask(3);
    const StreamOffset before = c.sent(a);
    c.fpdu(a, terminate(0x1100, about(refused)));
    for (const std::uint32_t msn : {2U, 3U})
      c.received_only(c.fpdu(b, read_response(sink(msn), 0, pattern(8))), before);
    c.close(a);
    const Analysed result(c);
    EXPECT_EQ(result.ids(Severity::warning), Ids{}) << result.told();
    const auto reads = result.operations(OperationKind::read);
    ASSERT_EQ(reads.size(), 3U);
    for (const OperationConclusion& read : reads) {
      EXPECT_EQ(read.status, OperationStatus::complete);
      EXPECT_EQ(read.length, 8U);
    }
  }
}

TEST(ScenarioF, F8_TerminateAboutTheReadResponseInProgressEndsItsRead) {
  Session c;
  c.fpdu(a, send(1));
  c.fpdu(b, send(1));
  c.fpdu(a, read_request(1, {.sink_stag = 7, .size = 16, .source_stag = 0x77}));
  const Bytes refused = read_response(7, 0, pattern(8), {.last = false});
  c.fpdu(b, refused);
  const StreamOffset before = c.sent(a);
  c.fpdu(a, terminate(0x1100, about(refused)));
  c.received_only(c.fpdu(b, read_response(7, 8, pattern(8))), before);
  c.close(a);
  const Analysed result(c);
  EXPECT_EQ(result.ids(Severity::warning), Ids{}) << result.told();
  ASSERT_EQ(result.operations(OperationKind::read).size(), 1U);
  EXPECT_EQ(result.operations(OperationKind::read)[0].status, OperationStatus::terminated);
}

// The crossing Terminate and the FIN behind it were lost before the capture; what acknowledges the peer's
// shows that they had been sent.
TEST(ScenarioF, F9_CrossingTerminateSentAgain) {
  Session c;
  c.fpdu(a, send(1));
  c.fpdu(b, send(1));
  const Packets lost = c.lose(b, c.frame(b, terminate(0x0000)));
  c.fpdu(a, terminate(0x0000));
  c.ack(b);
  c.wait(second);
  c.resend(lost);
  c.close(b);
  EXPECT_EQ(Analysed(c).ids(Severity::warning), Ids{});
}

// As before, but what acknowledges the peer's is a repeated segment itself, which lies before the Terminate.
TEST(ScenarioF, F9_CrossingTerminateSentAgainBehindARepeatedSegment) {
  Session c;
  c.fpdu(a, send(1));
  const Packets first = c.fpdu(b, send(1));
  const Packets lost = c.lose(b, c.frame(b, terminate(0x0000)));
  c.ack(b);
  c.fpdu(a, terminate(0x0000));
  c.resend(first);
  c.wait(second);
  c.resend(lost);
  c.close(b);
  EXPECT_EQ(Analysed(c).ids(Severity::warning), Ids{});
}

// TCP waited for its window: the FPDUs behind it had been handed to it before the Terminate arrived.
TEST(ScenarioF, F8_DataThatWaitedForTheWindowMayBeOlderThanTheTerminate) {
  constexpr TimeNs round_trip = 40'000'000;
  for (const bool long_after : {false, true}) {
    Session c;
    c.fpdu(a, send(1));
    c.fpdu(b, send(1));
    const StreamOffset before = c.sent(b);
    c.fpdu(b, send(2, pattern(1000)));
    c.received_only(c.fpdu(a, terminate(0x0000)), before);
    c.ack(b);
    c.wait(round_trip);
    c.ack(a);
    if (long_after) c.wait(2 * second);
    c.fpdu(b, send(3, pattern(1000)));
    c.close(a);
    const Analysed result(c);
    EXPECT_EQ(result.ids(Severity::warning), long_after ? Ids{"RDMAP-AFTERTERM"} : Ids{}) << result.told();
    EXPECT_EQ(result.undecidable("RDMAP-AFTERTERM", Reason::skew), long_after ? 0U : 1U);
  }
}

// --- healthy traffic in damaged captures -----------------------------------------------------------------

// RFC 6581 §9.1: an initiator whose ORD is 0 may have to send the zero-length Read all the same.
TEST(ScenarioA, A19_ReadyToReceiveReadIsNotCountedAgainstOrdZero) {
  for (const bool another : {false, true}) {
    Session c({.word = Depths{.peer_to_peer = true, .rtr_read = true, .ird = 2, .ord = 0}},
              {.word = Depths{.peer_to_peer = true, .rtr_read = true, .ird = 1, .ord = 2}});
    c.fpdu(a, read_request(1, {.sink_stag = 1, .source_stag = 1}));
    c.fpdu(b, read_response(1, 0));
    c.fpdu(b, send(1));
    if (another) {
      c.fpdu(a, read_request(2, {.sink_stag = 1, .size = 10, .source_stag = 2}));
      c.fpdu(b, read_response(1, 0, pattern(10)));
    }
    c.close();
    const Analysed result(c);
    EXPECT_EQ(result.ids(), another ? Ids{"RDMAP-ORD"} : Ids{}) << result.told();
  }
}

// Requests and responses were not captured, and the hole with the responses is told of before the one with
// the requests.
TEST(ScenarioE, E20_ResponsesBehindHolesOfBothDirections) {
  Conversation c;
  const Conversation::Options numbers;
  c.startup();
  const auto at = [&](Side side, StreamOffset offset, StreamOffset acknowledged, const Bytes& octets) {
    const Packets sent = octets.empty() ? c.ack(side) : c.inject(side, offset, octets);
    const std::uint32_t isn = side == a ? numbers.isn_b : numbers.isn_a;
    if (octets.empty()) c.packet(sent).meta.sequence = numbers.isn_a + 1 + static_cast<std::uint32_t>(offset);
    c.packet(sent).meta.acknowledgement = isn + 1 + static_cast<std::uint32_t>(acknowledged);
  };
  at(a, 8268, 4863, fpdu(fetch_add(2, {.id = 2, .stag = 1})));
  at(b, 5911, 8344, fpdu(atomic_response(2, 2, 0)));
  at(a, 8548, 5947, fpdu(fetch_add(3, {.id = 3, .stag = 1})));
  at(b, 15963, 8624, fpdu(atomic_response(3, 3, 0)));
  at(a, 19032, 26247, {});
  at(b, 26247, 18928, fpdu(read_response(5, 900, pattern(89))));
  at(a, 19032, 26359,
     fpdu(read_request(6, {.sink_stag = 5, .sink_to = 2000, .size = 1043, .source_stag = 1})));
  at(b, 26359, 19032, fpdu(write(5, 5000, pattern(1028), {.last = false})));
  at(b, 27407, 19032, fpdu(write(5, 6028, pattern(828))));
  at(b, 28255, 19032, fpdu(fetch_add(4, {.id = 4, .stag = 1})));
  at(b, 28331, 19084, fpdu(read_response(5, 2000, pattern(1028), {.last = false})));
  at(b, 29379, 19084, fpdu(read_response(5, 3028, pattern(15))));
  at(a, 19120, 29415, fpdu(fetch_add(7, {.id = 7, .stag = 1})));
  c.wait(200'000'000);
  at(b, 29415, 19196, fpdu(read_request(5, {.sink_stag = 7, .size = 14, .source_stag = 1})));
  at(b, 29467, 19196, fpdu(atomic_response(4, 7, 0)));
  const Analysed result(c);
  EXPECT_EQ(result.ids(), Ids{}) << result.told();
}

// Two repeated segments wait for each other's octets: which response the requester had is not known.
TEST(ScenarioE, E21_DepthOfARepeatedRequest) {
  Session c = session::negotiated({.ird = 1, .ord = 1}, {.ird = 1, .ord = 1});
  c.fpdu(a, send(1));
  c.fpdu(b, send(1));
  c.fpdu(a, read_request(1, {.sink_stag = 5, .size = 50, .source_stag = 1}));
  const Packets response = c.fpdu(b, read_response(5, 0, pattern(50)));
  const Packets request = c.fpdu(a, read_request(2, {.sink_stag = 6, .size = 50, .source_stag = 1}));
  c.drop(response);
  c.drop(request);
  c.resend(response);
  c.resend(request);
  c.fpdu(b, read_response(6, 0, pattern(50)));
  c.close();
  const Analysed result(c);
  EXPECT_EQ(result.ids(), Ids{}) << result.told();
  EXPECT_EQ(result.undecidable("RDMAP-ORD", Reason::skew), 1U);
}

// Three holes with octets behind them are no silence: a request in the next one is waited for, too.
TEST(ScenarioC, C12_HolesWithOctetsBehindThemAreNoSilence) {
  Session c;
  c.fpdu(a, send(1));
  c.fpdu(b, send(1));
  std::vector<StreamOffset> ends;
  for (const std::uint32_t msn : {2U, 4U}) {
    c.drop(c.fpdu(a, send(msn)));
    c.fpdu(a, send(msn + 1));
    ends.push_back(c.sent(a));
  }
  c.drop(c.fpdu(a, send(6)));
  c.fpdu(a, read_request(1, {.sink_stag = 5, .size = 50, .source_stag = 1}));
  for (const StreamOffset end : ends) {
    c.ack(b, end);
    c.wait(200'000'000);
  }
  c.fpdu(b, read_response(5, 0, pattern(50)));
  c.wait(200'000'000);
  c.ack(b);
  c.drop(c.fpdu(a, fetch_add(2, {.id = 7, .stag = 1})));
  c.fpdu(b, atomic_response(1, 7, 0));
  c.fpdu(a, send(7));
  c.close();
  const Analysed result(c);
  EXPECT_EQ(result.ids(), Ids{}) << result.told();
}

TEST(ScenarioA, A16_FpduCapturedBeforeBothStartupFramesAndTheSyn) {
  Conversation c;
  const Packets handshake = c.handshake();
  const Packets startup = c.startup();
  const Packets first = c.fpdu(a, send(1, pattern(7)));
  const Packets second_one = c.fpdu(a, send(2, pattern(40)), {3});
  c.fpdu(b, send(1));
  c.close();
  c.move_behind(handshake[1], second_one[0]);
  c.move_behind(startup[0], handshake[1]);
  c.move_before(first, startup[1]);
  const Analysed result(c);
  EXPECT_EQ(result.ids(), Ids{}) << result.told();
}

// A single octet that was not captured may be the FIN, but not inside a start-up frame.
TEST(ScenarioA, A16_ReplyThatLacksItsLastOctet) {
  Conversation c;
  c.handshake();
  c.drop(c.startup({}, {.private_data = pattern(10)})[1]);
  c.resend(b, 0, 29);
  c.fpdu(a, send(1));
  c.fpdu(a, send(2));
  const Analysed result(c);
  EXPECT_EQ(result.ids(), Ids{}) << result.told();
}

// Too few octets of an FPDU came before the Reply to tell what they are; nor had anything of its sender.
TEST(ScenarioA, A16_PartOfAnFpduCapturedBeforeTheReply) {
  Conversation c;
  const Packets handshake = c.handshake();
  const Packets startup = c.startup({}, {.markers = true});
  const Packets first = c.fpdu(a, send(1), {6});
  c.drop(first[1]);
  c.move_behind(handshake[1], first[0]);
  c.move_behind(startup[1], handshake[1]);
  const Analysed result(c);
  EXPECT_EQ(result.ids(), Ids{}) << result.told();
}

// The Reply was sent again together with FPDUs, and acknowledges what came behind the Request.
TEST(ScenarioA, A16_RepeatedReplyThatIsCapturedFirst) {
  Conversation c;
  c.handshake();
  const Packets startup = c.startup({.private_data = pattern(300)});
  c.fpdu(a, send(1));
  c.fpdu(b, send(1));
  c.drop({startup.first, 4});
  const StreamOffset sent = c.sent(a);
  c.resend(a, 0, 206);
  c.resend(a, 206, sent - 206);
  c.resend(b, 0, c.sent(b));
  c.close();
  const Analysed result(c);
  EXPECT_EQ(result.ids(), Ids{}) << result.told();
}

// What a Terminate answers had not been captured when it was told of, but the peer's SYN.
TEST(ScenarioF, F3_TerminateCapturedBeforeWhatItQuotes) {
  Conversation c;
  const Packets handshake = c.handshake();
  const Packets startup = c.startup();
  c.fpdu(a, send(1));
  const Bytes refused = read_request(1, {.sink_stag = 5, .size = 50, .source_stag = 1});
  const Packets request = c.fpdu(b, refused);
  const Packets end = c.fpdu(a, terminate(0x0100, about(refused, true)));
  for (const Packets& each : {handshake[2], startup, request}) c.drop(each);
  c.move_behind(handshake[1], end);
  const Analysed result(c);
  EXPECT_EQ(result.ids(), Ids{}) << result.told();
  EXPECT_EQ(result.undecidable("RDMAP-TERMREF", Reason::skew), 1U);
}

// The Terminate that makes a requester close was not captured; its request is told of behind that hole.
TEST(ScenarioF, F12_FinBehindATerminateThatWasNotCaptured) {
  Session c;
  c.fpdu(a, send(1));
  c.fpdu(b, send(1));
  const StreamOffset received = c.sent(a);
  c.drop(c.fpdu(a, write(9, 0, pattern(100))));
  c.fpdu(a, read_request(1, {.sink_stag = 5, .size = 50, .source_stag = 1}));
  c.drop(c.fpdu(b, terminate(0x0100)));
  c.fin(a);
  c.received_only(c.fin(b), received);
  const Analysed result(c);
  EXPECT_EQ(result.ids(), Ids{}) << result.told();
  EXPECT_GT(result.undecidable("VERBS-BADCLOSE", Reason::gap), 0U);
}

// Of the closing side nothing but its FIN was captured, not even its SYN: it may have sent a Terminate.
TEST(ScenarioF, F12_FinAsTheFirstThatWasCaptured) {
  Session c;
  c.fpdu(a, send(1));
  const StreamOffset received = c.sent(a);
  c.fpdu(b, terminate(0x0000));
  c.fpdu(a, send(2));
  c.received_only(c.fin(b), received);
  c.fin(a);
  std::vector<OwnedSegment> segments = c.segments();
  const Endpoint other_end = Conversation::Options().b;
  std::erase_if(segments, [&](const OwnedSegment& each) {
    return each.meta.source == other_end && (each.meta.flags & tcp::fin) == 0;
  });
  const Analysed result(segments);
  EXPECT_EQ(result.ids(), Ids{}) << result.told();
}

// --- RST behind a Terminate ------------------------------------------------------------------------------

TEST(ScenarioF, F10_ResetBehindATerminateThatWaitsForALostFrame) {
  Session c;
  c.fpdu(a, send(1));
  c.fpdu(b, send(1));
  c.drop(c.fpdu(b, send(2)));
  c.fpdu(b, send(3));
  c.fpdu(a, terminate(0x0000));
  c.rst(b);
  const Analysed result(c);
  EXPECT_EQ(result.ids(Severity::warning), Ids{}) << result.told();
  EXPECT_EQ(result.findings("RDMAP-TERMFIN").size(), 1U);
}

TEST(ScenarioF, F10_ResetThatAcknowledgesWhatWasNotCaptured) {
  Session c;
  c.fpdu(a, send(1));
  c.fpdu(b, send(1));
  c.drop(c.fpdu(a, terminate(0x0000)));
  c.rst(b);
  const Analysed result(c);
  EXPECT_EQ(result.ids(Severity::warning), Ids{}) << result.told();
  EXPECT_EQ(result.undecidable("VERBS-RST", Reason::gap), 1U);
}

TEST(ScenarioF, F10_ResetCapturedBeforeItsTerminate) {
  Session c;
  c.fpdu(a, send(1));
  c.fpdu(b, send(1));
  const Packets end = c.fpdu(a, terminate(0x0000));
  const Packets reset = c.rst(b);
  c.move_before(reset, end);
  const Analysed result(c);
  EXPECT_EQ(result.ids(Severity::warning), Ids{}) << result.told();
  EXPECT_EQ(result.findings("RDMAP-TERMFIN").size(), 1U);
}

// --- an iWARP stream stored in a payload, whose FPDU lost its beginning
// --------------------------------------

// FPDUs with MSNs from 20 on, `step` apart: one that is sent again and again is stored more often.
Bytes stored_fpdus(std::size_t count, bool crc, std::uint32_t step) {
  FpduStream stream(Markers::off, 0, {.crc = crc ? Crc::right : Crc::unused});
  Bytes octets;
  for (std::uint32_t i = 0; i < count; ++i)
    octets = cat(octets, stream.add(send(20 + step * i, pattern(25))));
  return octets;
}

TEST(ScenarioC, C12_StoredStreamBehindAHoleOfAKnownStream) {
  for (const bool crc : {true, false}) {
    for (const std::uint32_t step : {0U, 1U}) {
      for (const std::size_t cut : {52U, 26U, 30U}) {
        SCOPED_TRACE(testing::Message() << "crc " << crc << ", step " << step << ", cut at " << cut);
        Session c({.crc = crc}, {.crc = crc});
        c.fpdu(a, send(1, pattern(40)));
        const Bytes octets = c.frame(a, send(2, stored_fpdus(6, true, step)));
        // The header is lost; a later segment begins with a stored FPDU.
        c.drop(c.send(a, part(octets, 0, cut)));
        c.send(a, part(octets, cut, 20 + 4 * 52 - cut));
        c.send(a, part(octets, 20 + 4 * 52, octets.size() - 20 - 4 * 52));
        for (std::uint32_t msn = 3; msn < 12; ++msn) c.fpdu(a, send(msn, pattern(200)));
        c.close();
        const Analysed result(c);
        EXPECT_EQ(result.ids(Severity::note), Ids{"CAP-GAP"}) << result.told();
        EXPECT_EQ(result.side(a).queues[0].next_msn, 12U);
        EXPECT_EQ(result.undecidable("MPA-SYNC", Reason::gap), 1U);
      }
    }
  }
}

TEST(ScenarioC, C12_StoredStreamAtTheEndBehindAHole) {
  Session c;
  c.fpdu(a, send(1, pattern(40)));
  const Bytes octets = c.frame(a, send(2, stored_fpdus(6, true, 0)));
  c.drop(c.send(a, part(octets, 0, 30)));
  c.send(a, part(octets, 30, octets.size() - 30));
  c.close();
  const Analysed result(c);
  EXPECT_EQ(result.ids(Severity::note), Ids{"CAP-GAP"}) << result.told();
}

// The stream itself may have wrong MSNs: they are better than none.
TEST(ScenarioC, C4_MsnsThatCannotComeBehindAHoleAreTakenWhereNothingElseDoes) {
  Session c;
  c.fpdu(a, send(1, pattern(40)));
  c.drop(c.fpdu(a, send(2, pattern(40))));
  for (std::uint32_t msn = 1000; msn < 1010; ++msn) c.fpdu(a, send(msn, pattern(200)));
  c.fpdu(a, send(1011, pattern(200)));
  c.close();
  const Analysed result(c);
  EXPECT_EQ(result.ids(Severity::note), (Ids{"CAP-GAP", "DDP-MSNGAP"})) << result.told();
  EXPECT_EQ(result.side(a).queues[0].next_msn, 1012U);
}

// --- what nobody can be sure of when it is judged (src/analysis/doubt.hpp)
// -----------------------------------

TEST(ScenarioC, C20_CutCopiesWhereSegmentsAreDamagedAreNotBelieved) {
  for (const bool crc : {true, false}) {
    SCOPED_TRACE(crc);
    Session c({.crc = crc}, {.crc = crc});
    for (std::uint32_t msn = 1; msn <= 5; ++msn) c.fpdu(a, send(msn));
    const Bytes first = c.frame(a, send(6));
    damaged_copy(c, first);  // its checksum tells
    c.send(a, first);
    // Of the next one the beginning was captured, which nobody can check.
    const std::vector<Bytes> octets = {c.frame(a, send(7)), c.frame(a, send(8, pattern(400)))};
    const Packets cut = damaged_copy(c, cat(octets));
    c.packet(cut).meta.checksum = ChecksumStatus::unknown;
    c.cut(cut, octets[0].size());
    c.wait(second / 5);
    c.send(a, cat(octets));
    c.fpdu(a, send(9));
    c.close();
    const Analysed result(c);
    EXPECT_EQ(result.ids(Severity::warning), Ids{}) << result.told();
    EXPECT_GT(result.undecidable(crc ? "MPA-CRC" : "DDP-MSNGAP", Reason::snaplen), 0U);
  }
}

TEST(ScenarioC, C20_CutCopiesAreBelievedWhereNoneIsDamaged) {
  Session c;
  c.fpdu(a, send(1));
  const Packets cut = c.fpdu(a, send(3, pattern(400)));
  c.packet(cut).meta.checksum = ChecksumStatus::unknown;
  c.cut(cut, 60);
  c.close();
  EXPECT_EQ(Analysed(c).ids(Severity::warning), Ids{"DDP-MSNGAP"});
}

// The capture begins behind octets that are sent again: they were sent before the Terminate arrived.
TEST(ScenarioF, F8_SentBeforeTheCaptureAndAgainBehindATerminate) {
  for (const bool terminate_too : {false, true}) {
    SCOPED_TRACE(terminate_too);
    Conversation c;
    std::size_t length = 0;
    c.unseen([&] {
      c.handshake();
      c.startup();
      c.fpdu(a, send(1));
      c.fpdu(b, send(1));
      const StreamOffset before = c.sent(a);
      c.fpdu(a, terminate_too ? terminate(0x0000) : send(2, pattern(300)));
      length = static_cast<std::size_t>(c.sent(a) - before);
    });
    c.ack(a);
    c.fpdu(b, terminate(0x0000));
    c.ack(a);
    c.wait(2 * second);
    c.resend(a, c.sent(a) - length, length);
    c.ack(b);
    const Analysed result(c);
    EXPECT_EQ(result.ids(Severity::warning), Ids{}) << result.told();
    const char* const check = terminate_too ? "RDMAP-TERMTERM" : "RDMAP-AFTERTERM";
    EXPECT_EQ(result.undecidable(check, Reason::midstream), 1U);
  }
}

// The copy that was sent again comes first in the file; the one sent before the peer's Terminate had arrived
// is told of as a copy of that.
TEST(ScenarioF, F9_CrossingTerminatesInAShuffledCapture) {
  Session c;
  const Packets early = c.fpdu(a, send(1));
  c.set_time(early, c.time(early) - second);
  c.fpdu(b, send(1));
  const StreamOffset seen = c.sent(b);
  const StreamOffset at = c.sent(a);
  const Packets first = c.fpdu(a, terminate(0x0000));
  c.received_only(first, seen);
  const Packets other = c.fpdu(b, terminate(0x0000));
  c.received_only(other, at);
  c.wait(2 * second);
  const Packets again = c.resend(first);
  const TimeNs sent_again = c.time(again);
  const TimeNs sent_first = c.time(first);
  c.packet(again).meta.time_ns = sent_again;
  c.packet(first).meta.time_ns = sent_first;
  c.move_behind(first, again);
  c.ack(b);
  const Analysed result(c);
  EXPECT_EQ(result.ids(Severity::warning), Ids{}) << result.told();
}

// A RST while the Terminate before it waits for octets that are lost.
TEST(ScenarioF, F10_ResetWhileTheTerminateWaits) {
  Conversation c;
  c.unseen([&] {
    c.handshake();
    c.startup();
  });
  c.fpdu(a, send(1));
  c.drop(c.fpdu(a, send(2, pattern(1000))));
  c.fpdu(a, send(3));
  c.fpdu(b, terminate(0x0000));
  c.ack(b);
  c.rst(a);
  const Analysed result(c);
  EXPECT_EQ(result.ids(Severity::warning), Ids{}) << result.told();
}

// The hole may hold the end of one response, and the beginning of another with the same sink.
TEST(ScenarioC, C4_ReadResponseThatSeemsToGoOnBehindAHole) {
  Session c;
  c.fpdu(a, read_request(1, {.sink_stag = 7, .size = 300, .source_stag = 8}));
  c.fpdu(a, read_request(2, {.sink_stag = 7, .size = 200, .source_stag = 8}));
  c.fpdu(b, read_response(7, 0, pattern(100), {.last = false}));
  c.drop(
      c.fpdus(b, {read_response(7, 100, pattern(200)), read_response(7, 0, pattern(100), {.last = false})}));
  c.fpdu(b, read_response(7, 100, pattern(50), {.last = false}));
  c.fpdu(b, read_response(7, 150, pattern(50)));
  c.ack(a);
  c.close();
  const Analysed result(c);
  EXPECT_EQ(result.ids(Severity::warning), Ids{}) << result.told();
  EXPECT_GT(result.undecidable("RDMAP-RRSHORT"), 0U);
}

TEST(ScenarioF, F10_ResetOfASideWhosePeerSaidNothingInTheCapture) {
  Conversation c;
  c.unseen([&] {
    c.handshake();
    c.startup();
    c.fpdu(a, send(1));
    c.fpdu(b, terminate(0x0000));
  });
  c.ack(b);
  c.fpdu(a, send(2));
  c.fpdu(a, send(3));
  c.ack(b);
  c.rst(a);
  const Analysed result(c);
  EXPECT_EQ(result.ids(Severity::warning), Ids{}) << result.told();
  EXPECT_EQ(result.undecidable("VERBS-RST", Reason::midstream), 1U);
}

// Behind the hole stands the rest of a payload in which FPDUs are stored, with MSNs that may be due.
TEST(ScenarioC, C4_StoredStreamBehindAHole) {
  Session c;
  c.fpdu(a, send(1));
  for (std::uint32_t msn = 2; msn < 12; ++msn) c.drop(c.fpdu(a, send(msn, pattern(1000))));
  Bytes stored;
  for (const std::uint32_t msn : {22U, 23U, 24U, 25U, 26U, 1U, 2U, 3U})
    stored = cat(stored, fpdu(send(msn, pattern(40, msn))));
  const Bytes outer = c.frame(a, send(12, stored));
  c.drop(c.send(a, part(outer, 0, 30)));
  c.send(a, part(outer, 30, outer.size() - 60));
  const Analysed result(c);
  EXPECT_EQ(result.ids(Severity::warning), Ids{}) << result.told();
  EXPECT_GT(result.undecidable("DDP-MSNDUP", Reason::gap), 0U);
}

// What seems to be open at the end may be stored in a payload, too.
TEST(ScenarioC, C4_EndInsideAStoredFpduBehindAHole) {
  Session c;
  c.fpdu(a, send(1));
  for (std::uint32_t msn = 2; msn < 12; ++msn) c.drop(c.fpdu(a, send(msn, pattern(1000))));
  Bytes stored;
  for (const std::uint32_t msn : {20U, 21U, 22U}) stored = cat(stored, fpdu(send(msn, pattern(40, msn))));
  const Bytes outer = c.frame(a, send(12, part(stored, 0, stored.size() - 20)));
  c.drop(c.send(a, part(outer, 0, 30)));
  c.send(a, part(outer, 30, outer.size() - 30));
  c.close();
  const Analysed result(c);
  EXPECT_EQ(result.ids(Severity::warning), Ids{}) << result.told();
  EXPECT_EQ(result.undecidable("MPA-CUT", Reason::gap), 1U);
}

// TCP's answer to octets for which there is no connection any more: what that had received it does not say.
void bare_rst(Session& c, Side side) {
  OwnedSegment& rst = c.packet(c.rst(side));
  rst.meta.flags = tcp::rst;
  rst.meta.acknowledgement = 0;
}

TEST(ScenarioF, F10_ResetThatAcknowledgesNothing) {
  enum class Capture {
    healthy,
    lossy,
    out_of_step
  };
  for (const Capture capture : {Capture::healthy, Capture::lossy, Capture::out_of_step}) {
    SCOPED_TRACE(static_cast<int>(capture));
    Session c;
    const Packets early = c.fpdu(a, send(1));
    const Packets answer = c.fpdu(b, send(1));
    if (capture == Capture::out_of_step) c.move_behind(early, answer);
    const Packets lost = c.fpdu(a, send(2));
    c.fpdu(a, send(3));
    c.ack(b);
    if (capture == Capture::lossy) c.drop(lost);
    c.drop(c.fpdu(b, terminate(0x0000)));
    bare_rst(c, a);
    const Analysed result(c);
    if (capture == Capture::healthy) {
      EXPECT_EQ(result.ids(Severity::warning), Ids{"VERBS-RST"}) << result.told();
      continue;
    }
    EXPECT_EQ(result.ids(Severity::warning), Ids{}) << result.told();
    EXPECT_EQ(result.undecidable("VERBS-RST", capture == Capture::lossy ? Reason::gap : Reason::skew), 1U);
  }
}

// Behind the hole stands a part of an FPDU at most: whether the end cuts one nobody knows.
TEST(ScenarioB, B9_EndBehindAHoleIsCounted) {
  for (const Side closing : {a, b}) {
    SCOPED_TRACE(closing == b);
    Session c;
    c.fpdu(a, send(1));
    c.fpdu(b, send(1));
    c.drop(c.fpdu(a, send(2, pattern(300))));
    c.send(a, part(c.frame(a, send(3, pattern(300))), 100, 150));
    c.rst(closing);
    const Analysed result(c);
    EXPECT_EQ(result.ids(Severity::warning), Ids{}) << result.told();
    EXPECT_EQ(result.undecidable("MPA-CUT", Reason::gap), 1U);
    EXPECT_EQ(result.undecidable("VERBS-RST", Reason::gap), 1U);
  }
}

}  // namespace
}  // namespace iwarp::test
