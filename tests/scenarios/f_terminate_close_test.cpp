// How connections end without a Terminate, or with one that answers a bad end (Verbs 1.0 §6.2, §6.6).
// SPDX-License-Identifier: GPL-2.0-or-later
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "established.hpp"
#include "framing_log.hpp"

namespace iwarp::test::established {
namespace {

using testing::AnyOf;

const Bytes request = read_request(1, {.sink_stag = 7, .sink_to = 0x1000, .size = 16, .source_stag = 9});
const Bytes response = read_response(7, 0x1000, pattern(16));

// --- F11: an orderly end --------------------------------------------------------------------------------

TEST(ScenarioF, F11_BothFinsWithNothingOpen) {
  Established c;
  c.fpdu(a, send(1));
  c.fpdu(a, request);
  c.fpdu(b, response);
  const Packets idle = c.ack(a);
  const Packets fin_a = c.fin(a);
  const Packets fin_b = c.fin(b);
  const Packets last = c.ack(a);

  EXPECT_EQ(told(c), Told{});
  const Analysed result(c);
  const ConnectionState running = state_after(result, c.at(idle));
  EXPECT_EQ(running.side(a).qp.value, QpValue::rts);
  EXPECT_EQ(running.side(a).qp.evidence, QpEvidence::first_fpdu);
  EXPECT_EQ(running.side(b).qp.value, QpValue::rts);
  EXPECT_EQ(running.side(b).qp.evidence, QpEvidence::reply_accepted);

  const ConnectionState half = state_after(result, c.at(fin_a));
  EXPECT_EQ(half.side(a).qp.value, QpValue::closing);
  EXPECT_EQ(half.side(a).qp.evidence, QpEvidence::fin_sent);
  EXPECT_EQ(half.side(a).qp.confidence, Confidence::high);
  EXPECT_EQ(half.side(b).qp.value, QpValue::rts);

  const ConnectionState both = state_after(result, c.at(fin_b));
  EXPECT_EQ(both.side(a).qp.value, QpValue::closing);
  EXPECT_EQ(both.side(b).qp.value, QpValue::closing);

  const ConnectionState end = state_after(result, c.at(last));
  for (const Side side : {a, b}) {
    EXPECT_EQ(end.side(side).qp.value, QpValue::idle);
    EXPECT_EQ(end.side(side).qp.evidence, QpEvidence::both_fins_acknowledged);
    EXPECT_EQ(end.side(side).qp.confidence, Confidence::high);
    EXPECT_EQ(result.side(side).qp, end.side(side).qp);
  }
  EXPECT_EQ(result.state().closed, CloseCause::fin);
}

TEST(ScenarioF, F11_TheResponderClosesFirst) {
  Established c;
  c.fpdu(a, send(1));
  c.close(b);

  EXPECT_EQ(told(c), Told{});
  const Analysed result(c);
  EXPECT_EQ(result.side(a).qp.value, QpValue::idle);
  EXPECT_EQ(result.side(b).qp.value, QpValue::idle);
}

// --- F12: a FIN with work left --------------------------------------------------------------------------

TEST(ScenarioF, F12_FinWithAnUnansweredRead) {
  Established c;
  c.fpdu(a, send(1));
  const Packets asked = c.fpdu(a, request);
  const Packets fin = c.fin(a);
  const Packets answer = c.fpdu(b, terminate(0x0207));
  c.fin(b);
  c.ack(a);

  EXPECT_EQ(told(c), (Told{warning("VERBS-BADCLOSE", a, c.at(fin))}));
  const Analysed result(c);
  ASSERT_TRUE(result.has("VERBS-BADCLOSE"));
  EXPECT_EQ(describe(result.findings("VERBS-BADCLOSE")[0].finding),
            "FIN with 1 request of its own unanswered and 0 of the peer's unserved");
  ASSERT_EQ(result.findings("VERBS-CLOSETERM").size(), 1U);
  const Event answered = result.findings("VERBS-CLOSETERM")[0];
  EXPECT_EQ(answered.finding.severity, Severity::information);
  EXPECT_EQ(answered.frame, c.at(answer));
  EXPECT_EQ(answered.side, b);
  EXPECT_EQ(describe(answered.finding),
            "Terminate 0x0207 answers the FIN of frame " + std::to_string(c.at(fin)));
  EXPECT_FALSE(result.has("RDMAP-AFTERFIN"));
  EXPECT_FALSE(result.has("VERBS-CLOSEDATA"));
  EXPECT_EQ(operations(result, OperationKind::read),
            words({{.length = 16, .request = c.at(asked), .status = OperationStatus::terminated}}));
  EXPECT_EQ(why(result), (Told{"0207 explained"}));
}

// That a FIN left work was a supposition; the Terminate that was sent for it is certain.
TEST(ScenarioF, F12_SentTerminateIsTheEvidenceOfItsSender) {
  Established c;
  c.fpdu(a, send(1));
  c.fpdu(a, request);
  c.fin(a);
  c.ack(b);
  EXPECT_EQ(state_so_far(c).side(b).qp.evidence, QpEvidence::fin_with_work_outstanding);
  const Packets answer = c.fpdu(b, terminate(0x0207));
  const QpState sent = state_so_far(c).side(b).qp;
  EXPECT_EQ(sent.value, QpValue::terminate);
  EXPECT_EQ(sent.evidence, QpEvidence::terminate_sent);
  EXPECT_EQ(sent.confidence, Confidence::high);
  EXPECT_EQ(sent.frame, c.at(answer));
  c.fin(b);
  c.ack(a);
  const QpState last = Analysed(c).side(b).qp;
  EXPECT_EQ(last.value, QpValue::error);
  EXPECT_EQ(last.evidence, QpEvidence::closed_after_terminate);
  EXPECT_EQ(last.confidence, Confidence::high);
}

TEST(ScenarioF, F12_FinWithAnUnservedInboundRead) {
  Established c;
  c.fpdu(a, send(1));
  c.fpdu(a, request);
  c.ack(b);
  const Packets fin = c.fin(b);
  const Packets answer = c.fpdu(a, terminate(0x0207));
  c.fin(a);
  c.ack(b);

  EXPECT_EQ(told(c), (Told{warning("VERBS-BADCLOSE", b, c.at(fin))}));
  const Analysed result(c);
  ASSERT_TRUE(result.has("VERBS-BADCLOSE"));
  EXPECT_EQ(describe(result.findings("VERBS-BADCLOSE")[0].finding),
            "FIN with 0 requests of its own unanswered and 1 of the peer's unserved");
  ASSERT_EQ(result.findings("VERBS-CLOSETERM").size(), 1U);
  EXPECT_EQ(result.findings("VERBS-CLOSETERM")[0].frame, c.at(answer));
}

TEST(ScenarioF, F12_FinThatCrossesTheReadIsNoBadClose) {
  Established c;
  c.fpdu(a, send(1));
  const StreamOffset before = c.sent(a);
  c.fpdu(a, request);
  c.received_only(c.fin(b), before);
  c.ack(a);

  EXPECT_FALSE(Analysed(c).has("VERBS-BADCLOSE")) << Analysed(c).told();
}

TEST(ScenarioF, F12_BadCloseThatNobodyAnswers) {
  Established c;
  c.fpdu(a, send(1));
  const Packets asked = c.fpdu(a, request);
  const Packets fin = c.fin(a);
  c.fin(b);
  c.ack(a);

  const Analysed result(c);
  // The other side does the same: it leaves the request unserved.
  EXPECT_EQ(result.ids(Severity::note), (Ids{"VERBS-BADCLOSE", "VERBS-BADCLOSE", "RDMAP-RRLOST"}))
      << result.told();
  EXPECT_EQ(result.findings("VERBS-BADCLOSE")[0].frame, c.at(fin));
  EXPECT_EQ(result.findings("VERBS-BADCLOSE")[0].side, a);
  EXPECT_EQ(result.findings("VERBS-BADCLOSE")[1].side, b);
  ASSERT_EQ(result.findings("RDMAP-RRLOST").size(), 1U) << result.told();
  EXPECT_EQ(result.findings("RDMAP-RRLOST")[0].finding.severity, Severity::warning);
  EXPECT_EQ(describe(result.findings("RDMAP-RRLOST")[0].finding),
            "1 request unanswered at the end, the oldest in frame " + std::to_string(c.at(asked)));
  EXPECT_EQ(operations(result, OperationKind::read),
            words({{.length = 16, .request = c.at(asked), .status = OperationStatus::unanswered}}));
  EXPECT_FALSE(result.has("VERBS-CLOSETERM"));
}

TEST(ScenarioF, F12_FinWithWorkLeftIsTheTerminateStateOfItsReceiver) {
  Established c;
  c.fpdu(a, send(1));
  c.fpdu(a, request);
  c.fin(a);
  const Packets received = c.ack(b);

  const QpState peer = state_after(Analysed(c), c.at(received)).side(b).qp;
  EXPECT_EQ(peer.value, QpValue::terminate);
  EXPECT_EQ(peer.evidence, QpEvidence::fin_with_work_outstanding);
}

// --- F13: data behind a half-close ----------------------------------------------------------------------

TEST(ScenarioF, F13_SendBehindTheFinThatHadArrived) {
  Established c;
  c.fpdu(a, send(1));
  c.fin(a);
  const Packets late = c.fpdu(b, send(1, text("still here")));
  c.fin(b);
  c.ack(a);

  EXPECT_EQ(told(c), (Told{warning("RDMAP-AFTERFIN", b, c.at(late))}));
}

TEST(ScenarioF, F13_SendThatCrossesTheFin) {
  Established c;
  c.fpdu(a, send(1));
  const StreamOffset before = c.sent(a);
  c.fin(a);
  const Packets crossing = c.fpdu(b, send(1, text("on its way")));
  c.received_only(crossing, before);
  c.fin(b);
  c.ack(a);

  EXPECT_EQ(told(c), (Told{warning("VERBS-CLOSEDATA", b, c.at(crossing))}));
}

// The FIN is captured behind it: the frame that is named is that of the Send all the same.
TEST(ScenarioF, F13_SendThatCrossesTheFinAndIsCapturedBeforeIt) {
  Established c;
  c.fpdu(a, send(1));
  const StreamOffset before = c.sent(b);
  const Packets crossing = c.fpdu(b, send(1, text("on its way")));
  const Packets fin = c.fin(a);
  c.received_only(fin, before);
  c.fin(b);
  c.ack(a);
  const Analysed result(c);
  EXPECT_EQ(result.ids(), Ids{"VERBS-CLOSEDATA"}) << result.told();
  EXPECT_EQ(evidence(result, "VERBS-CLOSEDATA"), (Frames{c.at(crossing), c.at(fin)}));
}

TEST(ScenarioF, F13_OneOfEach) {
  Established c;
  c.fpdu(a, send(1));
  const StreamOffset before = c.sent(a);
  c.fin(a);
  const Packets crossing = c.fpdu(b, send(1, text("on its way")));
  c.received_only(crossing, before);
  const Packets late = c.fpdu(b, send(2, text("still here")));
  c.fin(b);
  c.ack(a);

  EXPECT_EQ(told(c),
            (Told{warning("VERBS-CLOSEDATA", b, c.at(crossing)), warning("RDMAP-AFTERFIN", b, c.at(late))}));
}

TEST(ScenarioF, F13_ResetInsteadOfAFin) {
  Established c;
  c.fpdu(a, send(1));
  const Packets reset = c.rst(a);

  EXPECT_EQ(told(c), (Told{warning("VERBS-RST", a, c.at(reset))}));
  EXPECT_EQ(Analysed(c).side(a).qp.value, QpValue::error);
  EXPECT_EQ(Analysed(c).side(a).qp.evidence, QpEvidence::rst_sent);
  EXPECT_EQ(Analysed(c).side(b).qp.evidence, QpEvidence::rst_received);
}

// --- F16: nobody answers the Request --------------------------------------------------------------------

TEST(ScenarioF, F16_RequestWithoutReply) {
  Conversation c;
  c.handshake();
  c.send(a, request_frame());
  c.ack(b);
  c.wait(30'000'000'000);
  c.rst(a);

  const Analysed result(c);
  EXPECT_EQ(result.ids(Severity::note), (Ids{"MPA-TMO"})) << result.told();
  ASSERT_EQ(result.findings("MPA-TMO").size(), 1U);
  EXPECT_EQ(result.findings("MPA-TMO")[0].finding.severity, Severity::note);
  EXPECT_THAT(describe(result.findings("MPA-TMO")[0].finding),
              testing::StartsWith("Request unanswered for 300"));
  ConnectionState state;
  for (const Event& event : result.events()) {
    apply(state, event);
    for (const Side side : {a, b}) {
      EXPECT_THAT(state.side(side).qp.value, AnyOf(QpValue::idle, QpValue::startup));
    }
  }
}

TEST(ScenarioF, F16_ReplyWithoutAnyFpdu) {
  Established c;
  c.ack(a);
  c.wait(30'000'000'000);
  c.rst(b);

  const Analysed result(c);
  ASSERT_EQ(result.findings("MPA-TMO").size(), 1U) << result.told();
  EXPECT_THAT(describe(result.findings("MPA-TMO")[0].finding),
              testing::StartsWith("Reply unanswered for 300"));
}

TEST(ScenarioF, F16_TheReplyInGoodTime) {
  Conversation c;
  c.handshake();
  c.send(a, request_frame());
  c.wait(5'000'000'000);
  c.send(b, reply_frame());
  c.full_operation();
  c.fpdu(a, send(1));
  c.close();

  EXPECT_EQ(told(c), Told{});
}

}  // namespace
}  // namespace iwarp::test::established
