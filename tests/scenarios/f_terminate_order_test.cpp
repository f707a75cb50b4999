// What may come before, across and behind a Terminate (RFC 5040 §5.4, §6.2; Verbs 1.0 §6.2).
// SPDX-License-Identifier: GPL-2.0-or-later
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "established.hpp"

namespace iwarp::test::established {
namespace {

using testing::AnyOf;
using wire::Opcode;

// --- F7: one Terminate, and nothing behind it -----------------------------------------------------------

TEST(ScenarioF, F7_SecondTerminate) {
  Established c;
  c.fpdu(a, send(1));
  c.fpdu(b, terminate(0x0000));
  const Packets second_one = c.fpdu(b, terminate(0x0000, {.msn = 2}));
  c.close(b);

  EXPECT_EQ(told(c), (Told{error("RDMAP-TERM1", b, c.at(second_one))}));
}

TEST(ScenarioF, F7_TheSameTerminateOnceMore) {
  Established c;
  c.fpdu(a, send(1));
  c.fpdu(b, terminate(0x0000));
  const Packets again = c.fpdu(b, terminate(0x0000));  // with the same MSN
  c.close(b);

  EXPECT_EQ(told(c), (Told{error("RDMAP-TERM1", b, c.at(again))}));
}

TEST(ScenarioF, F7_TerminateWithMsnTwo) {
  Established c;
  c.fpdu(a, send(1));
  const Packets wrong = c.fpdu(b, terminate(0x0000, {.msn = 2}));
  c.close(b);

  EXPECT_EQ(told(c), (Told{error("RDMAP-TERM1", b, c.at(wrong))}));
}

TEST(ScenarioF, F7_TerminateInTwoSegments) {
  Established c;
  const Bytes hello = send(1, text("hello"));
  c.fpdu(a, hello);
  const Bytes whole = part(terminate(0x1202, about(hello)), 18);
  const Packets first = c.fpdu(b, untagged_segment(7, 2, 1, part(whole, 0, 10), {.last = false}));
  c.fpdu(b, untagged_segment(7, 2, 1, part(whole, 10), {.mo = 10}));
  c.close(b);

  EXPECT_EQ(told(c), (Told{error("RDMAP-TERM1", b, c.at(first))}));
}

TEST(ScenarioF, F7_SendBehindTheTerminate) {
  Established c;
  c.fpdu(a, send(1));
  const Packets end = c.fpdu(b, terminate(0x0000));
  const Packets late = c.fpdu(b, send(1, text("one more thing")));
  c.close(b);

  EXPECT_EQ(told(c), (Told{error("RDMAP-TERMEND", b, c.at(late))}));
  EXPECT_TRUE(has_evidence(Analysed(c).findings("RDMAP-TERMEND")[0], c.at(end)) ||
              Analysed(c).findings("RDMAP-TERMEND")[0].finding.arguments[1] == c.at(end));
}

TEST(ScenarioF, F7_TerminateSentAgainByTcp) {
  Established c;
  c.fpdu(a, send(1));
  c.resend(c.fpdu(b, terminate(0x0000)));
  c.close(b);

  EXPECT_EQ(told(c), Told{});
}

// --- F8: the peer's FPDUs across and behind a Terminate -------------------------------------------------

TEST(ScenarioF, F8_ReadResponseCrossesTheTerminate) {
  Established c;
  c.fpdu(a, send(1));
  c.fpdu(a, read_request(1, {.sink_stag = 7, .sink_to = 0x1000, .size = 200, .source_stag = 9}));
  c.fpdu(b, read_response(7, 0x1000, pattern(100), {.last = false}));
  const StreamOffset before = c.sent(a);
  c.fpdu(a, terminate(0x0000));
  c.received_only(c.fpdu(b, read_response(7, 0x1064, pattern(100))), before);
  c.close(a);

  EXPECT_EQ(told(c), Told{});
  EXPECT_EQ(Analysed(c).messages(Opcode::read_response).size(), 1U);
}

TEST(ScenarioF, F8_NewFpdusLongBehindTheAcknowledgedTerminate) {
  Established c;
  c.fpdu(a, send(1));
  c.fpdu(a, terminate(0x0000));
  c.ack(b);
  c.wait(second);
  const Packets late = c.fpdu(b, send(1, text("as if nothing had happened")));
  c.close(a);

  EXPECT_EQ(told(c), (Told{warning("RDMAP-AFTERTERM", b, c.at(late))}));
}

TEST(ScenarioF, F8_RetransmissionBehindTheTerminateIsNotNew) {
  Established c;
  c.fpdu(a, send(1));
  const Packets old = c.fpdu(b, send(1, text("sent before")));
  c.fpdu(a, terminate(0x0000));
  c.ack(b);
  c.wait(second);
  c.resend(old);
  c.close(a);

  EXPECT_EQ(told(c), Told{});
}

// --- F9: both sides terminate ---------------------------------------------------------------------------

TEST(ScenarioF, F9_TerminatesCross) {
  Established c;
  c.fpdu(a, send(1));
  const StreamOffset before = c.sent(a);
  c.fpdu(a, terminate(0x0000));
  c.received_only(c.fpdu(b, terminate(0x0000)), before);
  c.close(a);

  EXPECT_EQ(told(c), Told{});
  const Analysed result(c);
  EXPECT_EQ(result.side(a).terminates.size(), 1U);
  EXPECT_EQ(result.side(b).terminates.size(), 1U);
}

TEST(ScenarioF, F9_TerminateAnswersATerminate) {
  Established c;
  c.fpdu(a, send(1));
  const Packets first = c.fpdu(a, terminate(0x0000));
  c.ack(b);
  c.wait(second);
  const Packets answer = c.fpdu(b, terminate(0x0000));
  c.close(a);

  EXPECT_EQ(told(c), (Told{error("RDMAP-TERMTERM", b, c.at(answer))}));
  EXPECT_EQ(
      describe(Analysed(c).findings("RDMAP-TERMTERM")[0].finding),
      "Terminate sent after the peer's Terminate of frame " + std::to_string(c.at(first)) + " had arrived");
}

// --- F10: a Terminate without a FIN ---------------------------------------------------------------------

TEST(ScenarioF, F10_TerminateThenRst) {
  for (const Side who : {a, b}) {
    Established c;
    c.fpdu(a, send(1));
    c.fpdu(b, terminate(0x0000));
    const Packets reset = c.rst(who);

    const Analysed result(c);
    EXPECT_EQ(result.ids(Severity::note), (Ids{"RDMAP-TERMFIN"})) << result.told();
    ASSERT_TRUE(result.has("RDMAP-TERMFIN"));
    EXPECT_EQ(result.findings("RDMAP-TERMFIN")[0].finding.severity, Severity::note);
    EXPECT_EQ(result.findings("RDMAP-TERMFIN")[0].frame, c.at(reset));
    EXPECT_EQ(result.side(a).qp.value, QpValue::error);
    EXPECT_EQ(result.side(b).qp.value, QpValue::error);
  }
}

TEST(ScenarioF, F10_TerminateThenNothingForAMinute) {
  Established c;
  c.fpdu(a, send(1));
  const Packets end = c.fpdu(b, terminate(0x0000));
  c.ack(a);
  c.wait(61 * second);
  c.ack(a);

  const Analysed result(c);
  EXPECT_EQ(result.ids(Severity::note), (Ids{"RDMAP-TERMFIN"})) << result.told();
  ASSERT_TRUE(result.has("RDMAP-TERMFIN"));
  EXPECT_EQ(describe(result.findings("RDMAP-TERMFIN")[0].finding),
            "Terminate in frame " + std::to_string(c.at(end)) + ", then neither FIN nor RST");
}

TEST(ScenarioF, F10_CaptureEndsShortlyBehindTheTerminate) {
  Established c;
  c.fpdu(a, send(1));
  c.fpdu(b, terminate(0x0000));
  c.ack(a);
  c.wait(second);
  c.ack(a);

  EXPECT_EQ(told(c), Told{});
  EXPECT_EQ(Analysed(c).undecidable("RDMAP-TERMFIN", Reason::capture_end), 1U);
}

TEST(ScenarioF, F10_TerminateThenFin) {
  for (const Side who : {a, b}) {
    Established c;
    c.fpdu(a, send(1));
    c.fpdu(b, terminate(0x0000));
    c.close(who);
    EXPECT_EQ(told(c), Told{});
  }
}

TEST(ScenarioF, F10_QueuePairsPassThroughTerminateToError) {
  Established c;
  c.fpdu(a, send(1));
  const Packets end = c.fpdu(b, terminate(0x0000));
  const Packets received = c.ack(a);
  c.close(b);

  const Analysed result(c);
  EXPECT_EQ(state_after(result, c.at(end)).side(b).qp.value, QpValue::terminate);
  EXPECT_EQ(state_after(result, c.at(end)).side(b).qp.evidence, QpEvidence::terminate_sent);
  const QpState peer = state_after(result, c.at(received)).side(a).qp;
  EXPECT_EQ(peer.value, QpValue::terminate);
  EXPECT_EQ(peer.evidence, QpEvidence::terminate_received);
  EXPECT_EQ(peer.confidence, Confidence::high);
  EXPECT_EQ(result.side(a).qp.value, QpValue::error);
  EXPECT_EQ(result.side(b).qp.value, QpValue::error);
  EXPECT_EQ(result.side(b).qp.evidence, QpEvidence::closed_after_terminate);
}

// --- F15: the Terminate was never captured --------------------------------------------------------------

TEST(ScenarioF, F15_OnlyTheTerminateIsMissing) {
  Established c;
  c.fpdu(a, send(1));
  c.drop(c.fpdu(a, terminate(0x0000)));
  c.fin(a);
  c.ack(b);

  const Analysed result(c);
  EXPECT_EQ(result.ids(Severity::note), (Ids{"CAP-GAP"})) << result.told();
  for (const Side side : {a, b}) {
    EXPECT_THAT(result.side(side).qp.value, AnyOf(QpValue::closing, QpValue::terminate));
    EXPECT_EQ(result.side(side).qp.confidence, Confidence::low);
  }
}

TEST(ScenarioF, F15_WhatCameOfItStaysUncertain) {
  Established c;
  c.fpdu(a, send(1));
  c.drop(c.fpdu(a, terminate(0x0000)));
  c.close(a);

  const Analysed result(c);
  EXPECT_EQ(result.ids(Severity::note), (Ids{"CAP-GAP"})) << result.told();
  for (const Side side : {a, b}) {
    EXPECT_THAT(result.side(side).qp.value, AnyOf(QpValue::idle, QpValue::error));
    EXPECT_EQ(result.side(side).qp.confidence, Confidence::low);
  }
}

}  // namespace
}  // namespace iwarp::test::established
