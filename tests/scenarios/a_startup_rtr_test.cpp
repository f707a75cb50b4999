// Scenarios A6, A7, A8, A12: the ready-to-receive message of peer-to-peer connections (RFC 6581 §9.2).
// SPDX-License-Identifier: GPL-2.0-or-later
#include "framing_log.hpp"

namespace iwarp::test {
namespace {

// Peer-to-peer, IRD and ORD 8: kinds offered by the Request and granted by the Reply.
struct Kinds {
  bool send = false;
  bool write = false;
  bool read = false;
};

Startup enhanced(const Kinds& kinds) {
  return {.word = Depths{.peer_to_peer = true,
                         .rtr_send = kinds.send,
                         .rtr_write = kinds.write,
                         .rtr_read = kinds.read,
                         .ird = 8,
                         .ord = 8}};
}

Conversation peer_to_peer(const Kinds& offered, const Kinds& granted) {
  return operating(enhanced(offered), enhanced(granted));
}

const Read nothing{.sink_stag = 1, .source_stag = 1};
const Read sixteen{
    .sink_stag = 0xa1b2, .sink_to = 0x1000, .size = 16, .source_stag = 0xc3d4, .source_to = 0x2000};

// --- A6: zero-length Read ------------------------------------------------------------------------------

TEST(ScenarioA, A6_RtrReadTakesMsn1OfTheRequestQueue) {
  Conversation c = peer_to_peer({.write = true, .read = true}, {.read = true});
  c.fpdu(Side::a, read_request(1, nothing));
  c.fpdu(Side::b, read_response(1, 0));
  c.fpdu(Side::a, read_request(2, sixteen));
  c.fpdu(Side::b, read_response(0xa1b2, 0x1000, pattern(16)));
  c.close();
  expect_ids(c, {});
  const Analysed result(c);
  EXPECT_TRUE(result.state().mpa.peer_to_peer);
  EXPECT_EQ(result.state().mpa.rtr, RtrKind::read);
  const std::vector<Event> requests = result.messages(wire::Opcode::read_request);
  ASSERT_EQ(requests.size(), 2U);
  EXPECT_TRUE(requests[0].message.rtr);
  EXPECT_FALSE(requests[1].message.rtr);
  EXPECT_EQ(requests[0].message.msn, 1U);
  EXPECT_EQ(result.side(Side::a).queues[1].next_msn, 3U);
  EXPECT_EQ(result.side(Side::a).queues[0].next_msn, 1U);
  EXPECT_EQ(result.side(Side::b).rq_consumed + result.side(Side::a).rq_consumed, 0U);
  const std::vector<OperationConclusion> reads = result.operations(OperationKind::read);
  ASSERT_EQ(reads.size(), 2U);
  EXPECT_EQ(reads[0].length, 0U);
  EXPECT_EQ(reads[0].status, OperationStatus::complete);
  EXPECT_EQ(reads[0].outstanding, 1U);
  EXPECT_EQ(reads[1].outstanding, 1U);
  EXPECT_EQ(reads[1].length, 16U);
}

TEST(ScenarioA, A6_RtrReadIsOutstandingUntilItsResponse) {
  Conversation c = peer_to_peer({.write = true, .read = true}, {.read = true});
  c.fpdu(Side::a, read_request(1, nothing));
  EXPECT_EQ(state_so_far(c).side(Side::a).outstanding(), 1U);
  EXPECT_EQ(state_so_far(c).side(Side::a).queues[1].next_msn, 2U);
  c.fpdu(Side::a, read_request(2, sixteen));
  EXPECT_EQ(state_so_far(c).side(Side::a).outstanding(), 2U);
  c.fpdu(Side::b, read_response(1, 0));
  EXPECT_EQ(state_so_far(c).side(Side::a).outstanding(), 1U);
  EXPECT_EQ(state_so_far(c).side(Side::a).max_outstanding, 2U);
  c.fpdu(Side::b, read_response(0xa1b2, 0x1000, pattern(16)));
  c.close();
  expect_ids(c, {});
}

TEST(ScenarioA, A6_NextReadMayNotTakeMsn1Again) {
  Conversation c = peer_to_peer({.write = true, .read = true}, {.read = true});
  c.fpdu(Side::a, read_request(1, nothing));
  c.fpdu(Side::b, read_response(1, 0));
  c.fpdu(Side::a, read_request(1, sixteen));
  const Analysed result(c);
  EXPECT_EQ(result.ids(Severity::note), (Ids{"DDP-MSNDUP"})) << result.told();
  EXPECT_EQ(result.findings("DDP-MSNDUP").at(0).side, Side::a);
}

TEST(ScenarioA, A6_NextReadMayNotSkipMsn2) {
  Conversation c = peer_to_peer({.read = true}, {.read = true});
  c.fpdu(Side::a, read_request(1, nothing));
  c.fpdu(Side::b, read_response(1, 0));
  c.fpdu(Side::a, read_request(3, sixteen));
  const Analysed result(c);
  EXPECT_EQ(result.ids(Severity::note), (Ids{"DDP-MSNGAP"})) << result.told();
}

TEST(ScenarioA, A6_InitiatorIsInRtsByItsReadyToReceive) {
  Conversation c = peer_to_peer({.read = true}, {.read = true});
  EXPECT_EQ(state_so_far(c).side(Side::a).qp.value, QpValue::startup);
  EXPECT_EQ(state_so_far(c).side(Side::b).qp.value, QpValue::rts);
  c.fpdu(Side::a, read_request(1, nothing));
  EXPECT_EQ(state_so_far(c).side(Side::a).qp.value, QpValue::rts);
  EXPECT_EQ(state_so_far(c).side(Side::a).qp.evidence, QpEvidence::first_fpdu);
}

// --- A7: zero-length Send ------------------------------------------------------------------------------

TEST(ScenarioA, A7_RtrSendTakesMsn1AndAReceiveBuffer) {
  Conversation c = peer_to_peer({.send = true}, {.send = true});
  c.fpdu(Side::a, send(1));
  c.fpdu(Side::b, send(1, text("hello")));
  c.fpdu(Side::a, send(2, text("hello")));
  c.close();
  expect_ids(c, {});
  const Analysed result(c);
  EXPECT_EQ(result.state().mpa.rtr, RtrKind::send);
  const std::vector<Event> sends = result.messages(wire::Opcode::send);
  ASSERT_EQ(sends.size(), 3U);
  EXPECT_TRUE(sends[0].message.rtr);
  EXPECT_EQ(sends[0].message.length, 0U);
  EXPECT_EQ(sends[0].message.msn, 1U);
  EXPECT_FALSE(sends[1].message.rtr);
  EXPECT_FALSE(sends[2].message.rtr);
  EXPECT_EQ(result.side(Side::a).queues[0].next_msn, 3U);
  EXPECT_EQ(result.side(Side::a).rq_consumed, 2U);
  EXPECT_EQ(result.side(Side::b).rq_consumed, 1U);
}

TEST(ScenarioA, A7_NextSendMayNotTakeMsn1Again) {
  Conversation c = peer_to_peer({.send = true}, {.send = true});
  c.fpdu(Side::a, send(1));
  c.fpdu(Side::a, send(1, text("hello")));
  const Analysed result(c);
  EXPECT_EQ(result.ids(Severity::note), (Ids{"DDP-MSNDUP"})) << result.told();
}

TEST(ScenarioA, A7_RtrWriteTakesNoMsn) {
  Conversation c = peer_to_peer({.write = true}, {.write = true});
  c.fpdu(Side::a, write(1, 0));
  c.fpdu(Side::a, send(1, text("hello")));
  c.fpdu(Side::a, read_request(1, sixteen));
  c.fpdu(Side::b, read_response(0xa1b2, 0x1000, pattern(16)));
  c.close();
  expect_ids(c, {});
  const Analysed result(c);
  EXPECT_EQ(result.state().mpa.rtr, RtrKind::write);
  ASSERT_EQ(result.messages(wire::Opcode::rdma_write).size(), 1U);
  EXPECT_TRUE(result.messages(wire::Opcode::rdma_write)[0].message.rtr);
  EXPECT_EQ(result.side(Side::a).rq_consumed, 1U);
}

// --- A8: not what was agreed ---------------------------------------------------------------------------

TEST(ScenarioA, A8_RtrWriteThoughOnlyReadIsAgreed) {
  Conversation c = peer_to_peer({.write = true, .read = true}, {.read = true});
  c.fpdu(Side::a, write(1, 0));
  const Analysed result(c);
  EXPECT_EQ(result.ids(Severity::note), (Ids{"MPA-RTR"})) << result.told();
  const Event finding = result.findings("MPA-RTR").at(0);
  EXPECT_EQ(finding.side, Side::a);
  EXPECT_EQ(finding.finding.severity, Severity::error);
  EXPECT_EQ(finding.finding.arguments[0], static_cast<std::uint64_t>(wire::Opcode::rdma_write));
  EXPECT_EQ(finding.finding.arguments[1], 0U);
  EXPECT_EQ(finding.finding.arguments[2], 1U);
}

TEST(ScenarioA, A8_FirstFpduIsAWriteOf4Octets) {
  Conversation c = peer_to_peer({.write = true}, {.write = true});
  c.fpdu(Side::a, write(1, 0, pattern(4)));
  const Analysed result(c);
  EXPECT_EQ(result.ids(Severity::note), (Ids{"MPA-RTR"})) << result.told();
  EXPECT_EQ(result.findings("MPA-RTR").at(0).finding.arguments[1], 4U);
  EXPECT_EQ(result.state().mpa.rtr, RtrKind::none);
}

TEST(ScenarioA, A8_FirstFpduIsAReadOf16Octets) {
  Conversation c = peer_to_peer({.read = true}, {.read = true});
  c.fpdu(Side::a, read_request(1, sixteen));
  const Analysed result(c);
  EXPECT_EQ(result.ids(Severity::note), (Ids{"MPA-RTR"})) << result.told();
}

TEST(ScenarioA, A8_OnlyTheFirstFpduOfTheInitiatorIsJudged) {
  Conversation c = peer_to_peer({.read = true}, {.read = true});
  c.fpdu(Side::a, read_request(1, nothing));
  c.fpdu(Side::b, read_response(1, 0));
  c.fpdu(Side::b, send(1, text("hello")));
  c.fpdu(Side::a, write(1, 0, pattern(4)));
  c.close();
  expect_ids(c, {});
}

TEST(ScenarioA, A8_SegmentedFirstFpduIsJudgedOnce) {
  Conversation c = peer_to_peer({.read = true}, {.read = true});
  c.fpdu(Side::a, send(1, text("one")));
  c.fpdu(Side::a, send(2, text("two")));
  c.close();
  expect_ids(c, {"MPA-RTR"});
}

// The responder answers the wrong RTR by a Terminate of `code`.
Conversation wrong_rtr_refused(unsigned code) {
  Conversation c = peer_to_peer({.write = true, .read = true}, {.read = true});
  c.fpdu(Side::a, write(1, 0));
  c.fpdu(Side::b, terminate(code));
  c.close(Side::b);
  return c;
}

TEST(ScenarioA, A8_Terminate2007IsExplained) {
  const Conversation c = wrong_rtr_refused(0x2007);
  expect_ids(c, {"MPA-RTR"});
  const Analysed result(c);
  expect_explained(result);
  EXPECT_EQ(result.messages(wire::Opcode::terminate).at(0).side, Side::b);
}

TEST(ScenarioA, A8_Terminate2307IsTheVendorsWord) {
  const Conversation c = wrong_rtr_refused(0x2307);
  const Analysed result(c);
  EXPECT_EQ(result.ids(), (Ids{"MPA-RTR"})) << result.told();
  expect_severity(result, "RDMAP-TERMCODE", Severity::note);
  expect_severity(Analysed(c, strict()), "RDMAP-TERMCODE", Severity::warning);
  expect_explained(result);
}

TEST(ScenarioA, A8_NoCommonKindEndsInTerminate2007OfTheInitiator) {
  Conversation c = peer_to_peer({.write = true}, {.read = true});
  c.fpdu(Side::a, terminate(0x2007));
  c.close(Side::a);
  expect_ids(c, {});
  const Analysed result(c);
  expect_explained(result);
}

TEST(ScenarioA, A8_NoCommonKindButAnotherTerminate) {
  Conversation c = peer_to_peer({.write = true}, {.read = true});
  c.fpdu(Side::a, terminate(0x2004));
  c.close(Side::a);
  const Analysed result(c);
  expect_severity(result, "MPA-RTRTERM", Severity::note);
  expect_severity(Analysed(c, strict()), "MPA-RTRTERM", Severity::warning);
  EXPECT_EQ(result.findings("MPA-RTRTERM").at(0).finding.arguments[0], 0x2004U);
  EXPECT_EQ(result.findings("MPA-RTRTERM").at(0).finding.arguments[1], 0x2007U);
}

TEST(ScenarioA, A8_ClientServerFlagsMustBeZero) {
  Conversation c =
      operating({.word = Depths{.rtr_read = true, .ird = 8, .ord = 8}}, {.word = Depths{.ird = 8, .ord = 8}});
  c.fpdu(Side::a, send(1, text("hello")));
  c.close();
  expect_ids(c, {"MPA-ABCD"});
  const Analysed result(c);
  EXPECT_EQ(result.findings("MPA-ABCD").at(0).side, Side::a);
  EXPECT_EQ(result.findings("MPA-ABCD").at(0).finding.severity, Severity::warning);
  EXPECT_FALSE(result.state().mpa.peer_to_peer);
}

TEST(ScenarioA, A8_AcceptingReplyNamesAtLeastOneKind) {
  Conversation c = peer_to_peer({.read = true}, {});
  c.close();
  expect_ids(c, {"MPA-ABCD"});
  EXPECT_EQ(Analysed(c).findings("MPA-ABCD").at(0).side, Side::b);
}

TEST(ScenarioA, A8_ReplyCopiesTheModel) {
  Conversation c = operating(enhanced({.read = true}), {.word = Depths{.ird = 8, .ord = 8}});
  c.fpdu(Side::a, send(1, text("hello")));
  c.close();
  expect_ids(c, {"MPA-ABCD"});
  EXPECT_EQ(Analysed(c).findings("MPA-ABCD").at(0).side, Side::b);
}

// --- A12: a ready-to-receive that nobody negotiated (cxgb4) --------------------------------------------

TEST(ScenarioA, A12_ZeroLengthReadFirstOnRevision1) {
  Conversation c = operating();
  c.fpdu(Side::a, read_request(1, nothing));
  c.fpdu(Side::b, read_response(1, 0));
  c.fpdu(Side::a, read_request(2, sixteen));
  c.fpdu(Side::b, read_response(0xa1b2, 0x1000, pattern(16)));
  c.close();
  expect_ids(c, {"MPA-RTRUNNEG"});
  const Analysed result(c);
  expect_severity(result, "MPA-RTRUNNEG", Severity::note);
  expect_severity(Analysed(c, strict()), "MPA-RTRUNNEG", Severity::note);
  EXPECT_EQ(result.findings("MPA-RTRUNNEG").at(0).side, Side::a);
  EXPECT_EQ(result.state().mpa.rtr, RtrKind::read);
  EXPECT_TRUE(result.messages(wire::Opcode::read_request).at(0).message.rtr);
  EXPECT_FALSE(result.messages(wire::Opcode::read_request).at(1).message.rtr);
}

TEST(ScenarioA, A12_ZeroLengthWriteFirstOnRevision1) {
  Conversation c = operating();
  c.fpdu(Side::a, write(1, 0));
  c.fpdu(Side::a, send(1, text("hello")));
  c.fpdu(Side::a, write(1, 0));  // a second one is nothing special
  c.close();
  expect_ids(c, {"MPA-RTRUNNEG"});
  EXPECT_EQ(Analysed(c).state().mpa.rtr, RtrKind::write);
}

TEST(ScenarioA, A12_ZeroLengthSendFirstOnRevision1IsTheUlpsOwn) {
  Conversation c = operating();
  c.fpdu(Side::a, send(1));
  c.close();
  expect_ids(c, {});
  EXPECT_FALSE(Analysed(c).messages().at(0).message.rtr);
}

TEST(ScenarioA, A12_ZeroLengthReadFirstOnRevision2WithoutPeerToPeer) {
  Conversation c = operating({.word = Depths{.ird = 8, .ord = 8}}, {.word = Depths{.ird = 8, .ord = 8}});
  c.fpdu(Side::a, read_request(1, nothing));
  c.fpdu(Side::b, read_response(1, 0));
  c.close();
  expect_ids(c, {"MPA-RTRUNNEG"});
}

// RFC 6581 §9.1: an initiator whose ORD is 0 may have to send the zero-length Read all the same.
TEST(ScenarioA, A19_ReadyToReceiveReadIsNotCountedAgainstOrdZero) {
  for (const bool another : {false, true}) {
    Conversation c = operating({.word = Depths{.peer_to_peer = true, .rtr_read = true, .ird = 2, .ord = 0}},
                               {.word = Depths{.peer_to_peer = true, .rtr_read = true, .ird = 1, .ord = 2}});
    c.fpdu(Side::a, read_request(1, {.sink_stag = 1, .source_stag = 1}));
    c.fpdu(Side::b, read_response(1, 0));
    c.fpdu(Side::b, send(1));
    if (another) {
      c.fpdu(Side::a, read_request(2, {.sink_stag = 1, .size = 10, .source_stag = 2}));
      c.fpdu(Side::b, read_response(1, 0, pattern(10)));
    }
    c.close();
    const Analysed result(c);
    EXPECT_EQ(result.ids(), another ? Ids{"RDMAP-ORD"} : Ids{}) << result.told();
  }
}

}  // namespace
}  // namespace iwarp::test
