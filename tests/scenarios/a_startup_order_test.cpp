// Scenarios A13, A15, A16, A20: start-ups that fail, that hurry, or that ride on the SYN.
// SPDX-License-Identifier: GPL-2.0-or-later
#include "framing_log.hpp"

namespace iwarp::test {
namespace {

// --- A13: rejected -------------------------------------------------------------------------------------

Conversation rejected() {
  return operating({}, {.rejected = true, .private_data = text("no such service")});
}

TEST(ScenarioA, A13_RejectedThenText) {
  Conversation c = rejected();
  c.send(Side::a, text("Let us talk in plain text then.\n"));
  c.send(Side::b, text("As you like.\n"));
  c.send(Side::a, pattern(3000), Cuts::every(1448));
  c.send(Side::b, zeros(3000), Cuts::every(1448));
  c.close();
  expect_ids(c, {});
  const Analysed result(c);
  EXPECT_TRUE(result.state().mpa.rejected);
  EXPECT_FALSE(result.state().mpa.accepted);
  EXPECT_TRUE(result.fpdus().empty());
  EXPECT_TRUE(result.of(EventKind::sync_lost).empty());
  ASSERT_EQ(result.of(EventKind::startup).size(), 2U);
  const Event reply = result.of(EventKind::startup)[1];
  EXPECT_TRUE(reply.startup.rejected);
  const ByteView data = result.analysis().private_data(0, reply.startup);
  EXPECT_EQ(Bytes(data.begin(), data.end()), text("no such service"));
}

TEST(ScenarioA, A13_BothEndsAreIdleAgain) {
  const Analysed result(rejected());
  for (const Side side : {Side::a, Side::b}) {
    EXPECT_EQ(result.side(side).qp.value, QpValue::idle);
    EXPECT_EQ(result.side(side).qp.evidence, QpEvidence::startup_rejected);
  }
}

TEST(ScenarioA, A13_TextGluedBehindTheReply) {
  Conversation c;
  c.handshake();
  c.send(Side::a, request_frame());
  c.send(Side::b, cat(reply_frame({.rejected = true}), text("220 plain text it is\r\n")));
  c.send(Side::a, text("QUIT\r\n"));
  c.close();
  expect_ids(c, {});
  EXPECT_TRUE(Analysed(c).fpdus().empty());
}

TEST(ScenarioA, A13_InitiatorSendsAnFpduAllTheSame) {
  Conversation c = rejected();
  const Packets fpdu = c.fpdu(Side::a, send(1, text("hello")));
  c.close();
  expect_ids(c, {"MPA-REJFPDU"});
  const Event finding = Analysed(c).findings("MPA-REJFPDU").at(0);
  EXPECT_EQ(finding.side, Side::a);
  EXPECT_EQ(finding.finding.severity, Severity::error);
  EXPECT_EQ(finding.frame, c.segments()[fpdu.first].meta.frame);
  EXPECT_EQ(finding.finding.arguments[0], 5U);  // the frame of the rejecting Reply
}

TEST(ScenarioA, A13_ResponderSendsAnFpduAllTheSame) {
  Conversation c = rejected();
  c.fpdu(Side::b, send(1, text("hello")));
  c.close();
  expect_ids(c, {"MPA-REJFPDU"});
  EXPECT_EQ(Analysed(c).findings("MPA-REJFPDU").at(0).side, Side::b);
}

// Another start-up may lie in the hole, which was accepted.
TEST(ScenarioA, A13_FpduBehindAHoleBehindARejection) {
  Conversation c = rejected();
  c.unseen([&] { c.startup({}, {}); });
  c.fpdu(Side::a, send(1, text("hello")));
  c.fpdu(Side::b, send(1, text("hello")));
  c.close();
  expect_ids(c, {"CAP-GAP", "CAP-GAP"});
}

// The search behind the hole finds them, and nothing else tells of them once more.
TEST(ScenarioA, A13_FpdusBehindAHoleBehindARejectionAreThereOnce) {
  Conversation c = rejected();
  c.unseen([&] { c.startup({}, {}); });
  for (std::uint32_t msn = 1; msn <= 4; ++msn) c.fpdu(Side::a, send(msn, text("hello")));
  c.close();
  const Analysed result(c);
  std::set<StreamOffset> offsets;
  for (const Event& event : result.events()) {
    if (event.kind != EventKind::fpdu) continue;
    EXPECT_TRUE(offsets.insert(event.offset).second) << event.offset;
  }
  EXPECT_EQ(offsets.size(), 4U);
}

TEST(ScenarioA, A13_FpduWithItsMarker) {
  for (const Side side : {Side::a, Side::b}) {
    Conversation c = rejected();
    FpduStream marked(Markers::on);
    c.send(side, marked.add(send(1, text("hello"))));
    c.close();
    expect_ids(c, {"MPA-REJFPDU"});
    EXPECT_EQ(Analysed(c).findings("MPA-REJFPDU").at(0).side, side);
  }
}

TEST(ScenarioA, A13_FpdusOfBothAreNoLostFraming) {
  Conversation c = rejected();
  for (std::uint32_t msn = 1; msn <= 3; ++msn) {
    c.fpdu(Side::a, send(msn, text("hello")));
    c.fpdu(Side::b, send(msn, text("hello")));
  }
  c.close();
  const Analysed result(c);
  ASSERT_FALSE(result.findings("MPA-REJFPDU").empty());
  for (const std::string& id : result.ids(Severity::note)) EXPECT_EQ(id, "MPA-REJFPDU");
}

TEST(ScenarioA, A13_SecondRequestIsANewAttempt) {
  Conversation c = rejected();
  c.startup({.markers = true, .crc = false}, {.crc = false});
  c.fpdu(Side::a, send(1, text("hello")));
  c.fpdu(Side::b, send(1, pattern(700)));
  c.fpdu(Side::a, send(2, text("again")));
  c.close();
  expect_ids(c, {});
  const Analysed result(c);
  expect_severity(result, "VERBS-RESTART", Severity::information);
  EXPECT_EQ(result.state().mpa.startups, 2U);
  EXPECT_TRUE(result.state().mpa.accepted);
  EXPECT_FALSE(result.state().mpa.rejected);
  EXPECT_EQ(result.messages().size(), 3U);
  EXPECT_EQ(fpdu_events(result, Side::a).at(0).fpdu.stream_offset, 0U);
  EXPECT_EQ(result.side(Side::b).markers, Mode::on);
  EXPECT_EQ(result.side(Side::a).crc, Mode::off);
  EXPECT_EQ(result.side(Side::a).queues[0].next_msn, 3U);
}

TEST(ScenarioA, A13_NewAttemptBehindSomeText) {
  Conversation c = rejected();
  c.send(Side::a, text("STARTMPA\r\n"));
  c.send(Side::b, text("OK\r\n"));
  c.startup();
  c.fpdu(Side::a, send(2, text("hello")));  // MSN 1 is due again
  const Analysed result(c);
  EXPECT_EQ(result.ids(Severity::note), (Ids{"DDP-MSN1"})) << result.told();
}

// --- A15: two initiators -------------------------------------------------------------------------------

TEST(ScenarioA, A15_BothSendRequests) {
  Conversation c;
  c.handshake();
  c.send(Side::a, request_frame());
  c.send(Side::b, request_frame());
  c.close();
  expect_ids(c, {"MPA-INITINIT"});
  const Analysed result(c);
  EXPECT_EQ(result.findings("MPA-INITINIT").at(0).finding.severity, Severity::error);
  EXPECT_EQ(result.findings("MPA-INITINIT").at(0).frame, 5U);
  EXPECT_EQ(result.of(EventKind::startup).size(), 2U);
  EXPECT_FALSE(result.state().mpa.accepted);
}

TEST(ScenarioA, A15_NoFpduPhaseFollows) {
  Conversation c;
  c.handshake();
  c.send(Side::a, request_frame());
  c.send(Side::b, request_frame());
  c.send(Side::a, text("Nothing came of that.\r\n"));
  c.send(Side::b, pattern(500));
  c.send(Side::a, zeros(500));
  const ConnectionState state = state_so_far(c);
  EXPECT_NE(state.side(Side::a).phase, Phase::fpdu);
  EXPECT_NE(state.side(Side::b).phase, Phase::fpdu);
  EXPECT_NE(state.side(Side::a).qp.value, QpValue::rts);
  EXPECT_NE(state.side(Side::b).qp.value, QpValue::rts);
  c.close();
  expect_ids(c, {"MPA-INITINIT"});
  EXPECT_TRUE(Analysed(c).fpdus().empty());
}

TEST(ScenarioA, A15_TerminateInsteadOfAReply) {
  Conversation c;
  c.handshake();
  c.send(Side::a, request_frame());
  c.send(Side::b, request_frame());
  c.full_operation();
  c.fpdu(Side::a, terminate(0x2004));
  c.close();
  const Analysed result(c);
  EXPECT_EQ(result.ids(), (Ids{"MPA-INITINIT"})) << result.told();
  ASSERT_EQ(result.fpdus().size(), 1U);
  EXPECT_EQ(result.messages(wire::Opcode::terminate).size(), 1U);
}

// --- A16: too early ------------------------------------------------------------------------------------

TEST(ScenarioA, A16_ResponderFpduGluedBehindTheReply) {
  Conversation c;
  c.handshake();
  c.send(Side::a, request_frame());
  c.full_operation();
  const Packets glued = c.send(Side::b, cat(reply_frame(), c.frame(Side::b, send(1, text("hello")))));
  c.fpdu(Side::a, send(1, text("hello")));
  c.fpdu(Side::b, send(2, text("again")));
  c.close();
  expect_ids(c, {"MPA-RESPFIRST"});
  const Analysed result(c);
  expect_severity(result, "MPA-RESPFIRST", Severity::note);
  expect_severity(Analysed(c, strict()), "MPA-RESPFIRST", Severity::warning);
  EXPECT_EQ(result.findings("MPA-RESPFIRST").at(0).side, Side::b);
  EXPECT_EQ(result.findings("MPA-RESPFIRST").at(0).frame, c.segments()[glued.first].meta.frame);
  const std::vector<Event> fpdus = fpdu_events(result, Side::b);
  ASSERT_EQ(fpdus.size(), 2U);
  EXPECT_EQ(fpdus[0].offset, 20U);
  EXPECT_EQ(fpdus[0].fpdu.stream_offset, 0U);
  EXPECT_EQ(fpdus[0].fpdu.crc, CrcStatus::good);
  EXPECT_EQ(result.messages().size(), 3U);
}

// The responder refuses it and never sends a Reply: then no Reply shows it.
TEST(ScenarioA, A16_InitiatorFpduBehindARequestThatIsRefused) {
  Conversation c;
  c.handshake();
  c.full_operation();
  c.send(Side::a, cat(request_frame(), c.frame(Side::a, send(1, text("hello")))));
  c.fin(Side::b);
  c.fin(Side::a);
  expect_ids(c, {"MPA-EARLY"});
  EXPECT_EQ(Analysed(c).findings("MPA-EARLY").at(0).side, Side::a);
}

TEST(ScenarioA, A16_MarkedFpduGluedBehindTheReply) {
  Conversation c;
  c.handshake();
  c.send(Side::a, request_frame({.markers = true}));
  c.full_operation({.markers = true});
  c.send(Side::b, cat(reply_frame(), c.frame(Side::b, send(1, pattern(1000)))), {25});
  c.fpdu(Side::a, send(1, text("hello")));
  c.close();
  expect_ids(c, {"MPA-RESPFIRST"});
  EXPECT_EQ(fpdu_events(Analysed(c), Side::b).at(0).fpdu.markers, 3U);
}

TEST(ScenarioA, A16_ResponderFpduInItsOwnSegmentTooEarly) {
  Conversation c = operating();
  c.fpdu(Side::b, send(1, text("hello")));
  c.fpdu(Side::b, send(2, text("again")));
  c.fpdu(Side::a, send(1, text("hello")));
  c.close();
  const Analysed result(c);
  ASSERT_TRUE(result.has("MPA-RESPFIRST")) << result.told();
  EXPECT_EQ(result.findings("MPA-RESPFIRST").at(0).frame, 6U);
  for (const std::string& id : result.ids(Severity::note)) EXPECT_EQ(id, "MPA-RESPFIRST");
}

TEST(ScenarioA, A16_CapturedInTheWrongOrderButAcknowledged) {
  Conversation c = operating();
  const Packets first = c.fpdu(Side::a, send(1, text("hello")));
  const Packets answer = c.fpdu(Side::b, send(1, text("hello")));  // acknowledges it
  c.close();
  c.move_before(answer, first);
  expect_ids(c, {});
  EXPECT_EQ(Analysed(c).messages().size(), 2U);
}

// The Reply that it acknowledges was captured before, but waits for the Request: nothing of the responder was
// read when the FPDU came, and its acknowledgement told nothing.
TEST(ScenarioA, A16_InitiatorFpduCapturedBeforeItsRequest) {
  Conversation c;
  const Packets opening = c.handshake();
  const Packets startup = c.startup();
  const Packets pieces = c.send(Side::a, c.frame(Side::a, send(1, pattern(1000))), {800});
  c.fpdu(Side::b, send(1));
  c.close();
  c.move_before(startup[1], opening[1]);
  c.move_before(pieces[0], opening[1]);
  expect_ids(c, {});
}

TEST(ScenarioA, A16_InitiatorFpduGluedBehindTheRequest) {
  Conversation c;
  c.handshake();
  c.full_operation();
  c.send(Side::a, cat(request_frame(), c.frame(Side::a, send(1, text("hello")))));
  c.send(Side::b, reply_frame());
  c.fpdu(Side::b, send(1, text("hello")));
  c.fpdu(Side::a, send(2, text("again")));
  c.close();
  expect_ids(c, {"MPA-EARLY"});
  const Analysed result(c);
  const Event finding = result.findings("MPA-EARLY").at(0);
  EXPECT_EQ(finding.side, Side::a);
  EXPECT_EQ(finding.finding.severity, Severity::error);
  EXPECT_EQ(finding.finding.arguments[0], 32U);  // 2 + 18 + 5, PAD 3, CRC 4
  EXPECT_EQ(result.messages().size(), 3U);
}

TEST(ScenarioA, A16_InitiatorFpduInItsOwnSegmentBeforeTheReply) {
  Conversation c;
  c.handshake();
  c.full_operation();
  c.send(Side::a, request_frame({.private_data = text("data")}));
  c.fpdu(Side::a, send(1, text("hello")));
  c.send(Side::b, reply_frame());
  c.fpdu(Side::a, send(2, text("again")));
  c.close();
  expect_ids(c, {"MPA-EARLY"});
  EXPECT_EQ(Analysed(c).messages().size(), 2U);
}

TEST(ScenarioA, A16_ReplyCapturedBehindTheFirstFpduThatAcknowledgesIt) {
  Conversation c;
  c.handshake();
  c.send(Side::a, request_frame());
  const Packets reply = c.send(Side::b, reply_frame());
  c.full_operation();
  const Packets first = c.fpdu(Side::a, send(1, text("hello")));
  c.fpdu(Side::b, send(1, text("hello")));
  c.close();
  c.move_behind(reply, first);
  expect_ids(c, {});
  EXPECT_EQ(Analysed(c).messages().size(), 2U);
}

// --- A20: TCP Fast Open --------------------------------------------------------------------------------

TEST(ScenarioA, A20_RequestInTheSyn) {
  const Startup request{.markers = true, .private_data = text("quick")};
  Conversation c;
  c.handshake({.isn_a = 4'294'967'290U, .syn_payload = request_frame(request)});
  c.send(Side::b, reply_frame({.markers = true}));
  c.full_operation(request, {.markers = true});
  c.fpdu(Side::a, send(1, pattern(1000)));
  c.fpdu(Side::b, send(1, pattern(1000)));
  c.close();
  expect_ids(c, {});
  const Analysed result(c);
  ASSERT_EQ(result.of(EventKind::startup).size(), 2U);
  EXPECT_EQ(result.of(EventKind::startup)[0].offset, 0U);
  EXPECT_EQ(result.of(EventKind::startup)[0].frame, 1U);
  EXPECT_FALSE(result.of(EventKind::startup)[0].startup.delayed);
  ASSERT_EQ(result.fpdus().size(), 2U);
  EXPECT_EQ(result.fpdus()[0].offset, 25U);  // S = ISN + 1 + the frame's 25 octets
  EXPECT_EQ(result.fpdus()[0].fpdu.stream_offset, 0U);
  EXPECT_EQ(result.fpdus()[0].fpdu.markers, 3U);  // at 0, 512, 1024
  EXPECT_EQ(result.fpdus()[0].fpdu.crc, CrcStatus::good);
}

TEST(ScenarioA, A20_RequestHalfInTheSyn) {
  const Bytes request = request_frame({.private_data = pattern(100)});
  Conversation c;
  c.handshake({.syn_payload = part(request, 0, 50)});
  c.send(Side::a, part(request, 50));
  c.send(Side::b, reply_frame());
  c.full_operation();
  c.fpdu(Side::a, send(1, text("hello")));
  c.close();
  expect_ids(c, {});
  EXPECT_EQ(fpdu_events(Analysed(c), Side::a).at(0).offset, 120U);
}

TEST(ScenarioA, A20_RequestInTheSynRefusedAndSentAgain) {
  Conversation c;
  const Packets handshake = c.handshake({.syn_payload = request_frame()});
  c.packet(handshake[1]).meta.acknowledgement = 1001;  // the SYN alone is taken
  c.resend(Side::a, 0, 20);
  c.send(Side::b, reply_frame());
  c.full_operation();
  c.fpdu(Side::a, send(1, text("hello")));
  c.close();
  expect_ids(c, {});
  const Analysed result(c);
  EXPECT_EQ(result.of(EventKind::startup).size(), 2U);
  EXPECT_EQ(fpdu_events(result, Side::a).at(0).fpdu.stream_offset, 0U);
}

}  // namespace
}  // namespace iwarp::test
