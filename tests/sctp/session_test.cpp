// C27: sessions of DDP streams over SCTP, and what makes them wrong (RFC 5043, RFC 6581 §7). Every packet
// here is octets of SctpConversation's, which knows nothing of the library.
// SPDX-License-Identifier: GPL-2.0-or-later
#include <gtest/gtest.h>

#include <iwarp/export/names.hpp>

#include "support/analysed.hpp"
#include "support/sctp_conversation.hpp"

namespace iwarp::test {
namespace {

constexpr Side a = Side::a;
constexpr Side b = Side::b;

// Functions of session control messages (RFC 5043 §5.2.3).
enum : unsigned {
  initiate = 1,
  accept = 2,
  reject = 3,
  terminate_session = 4,
  enhanced_initiate = 5,
  enhanced_accept = 6,
  enhanced_reject = 7
};

SctpConversation opened(unsigned stream = 3) {
  SctpConversation c;
  c.associate();
  c.open(stream);
  return c;
}

TEST(Session, C27_InitiateAcceptDataTerminate) {
  SctpConversation c = opened();
  c.packet(a, {c.segment(a, 3, send(1, text("hello")))});
  c.packet(b, {c.sack(b), c.segment(b, 3, send(1, text("world!")))});
  c.close(3);
  c.shut_down();
  const Analysed result(c);
  EXPECT_EQ(result.ids(Severity::information), Ids{}) << result.told();
  const ConnectionState& state = result.state();
  EXPECT_EQ(state.llp, Llp::sctp);
  EXPECT_EQ(state.sctp, (SctpStream{3, 1}));
  EXPECT_TRUE(state.iwarp);
  EXPECT_TRUE(state.mpa.accepted);
  EXPECT_EQ(state.initiator, a);
  EXPECT_EQ(state.opened_by, OpenedBy::handshake);
  EXPECT_EQ(state.closed, CloseCause::fin);
  const std::vector<Event> sends = result.messages(wire::Opcode::send);
  ASSERT_EQ(sends.size(), 2U);
  EXPECT_EQ(sends[0].side, a);
  EXPECT_EQ(sends[0].message.length, 5U);
  EXPECT_EQ(sends[0].message.placed.frame, 8U);
  EXPECT_EQ(sends[1].side, b);
  EXPECT_EQ(sends[1].message.length, 6U);
  EXPECT_EQ(state.side(a).qp.value, QpValue::idle);
  EXPECT_EQ(state.side(b).qp.value, QpValue::idle);
}

TEST(Session, C27_SessionTerminateIsNoRdmapTerminate) {
  SctpConversation c = opened();
  c.packet(a, {c.segment(a, 3, send(1))});
  c.close(3);
  const Analysed closed(c);
  EXPECT_TRUE(closed.side(a).terminates.empty());
  EXPECT_TRUE(closed.side(a).fin_frame.has_value());

  SctpConversation failed = opened();
  failed.packet(a, {failed.segment(a, 3, send(1))});
  failed.packet(b, {failed.sack(b), failed.segment(b, 3, terminate(0x1205))});
  failed.packet(a, {failed.sack(a)});
  failed.close(3);
  const Analysed terminated(failed);
  EXPECT_EQ(terminated.side(b).terminates.size(), 1U);
  EXPECT_EQ(terminated.side(b).qp.value, QpValue::error);
  EXPECT_FALSE(terminated.has("SCTP-SEQ")) << terminated.told();
}

TEST(Session, C27_SeveralStreamsOfOneAssociationAreConnectionsOfTheirOwn) {
  SctpConversation c;
  c.associate();
  c.packet(a, {c.control(a, 0, initiate), c.control(a, 7, initiate)});
  c.packet(b, {c.sack(b), c.control(b, 7, accept), c.control(b, 0, accept)});
  c.packet(a, {c.sack(a), c.segment(a, 7, send(1, text("seven"))), c.segment(a, 0, send(1, text("zero")))});
  c.packet(b, {c.sack(b), c.segment(b, 0, send(1))});
  c.close(0);
  c.close(7);
  const Analysed result(c);
  EXPECT_EQ(result.ids(Severity::information), Ids{}) << result.told();
  EXPECT_EQ(result.analysis().connection_count(), 2U);
  EXPECT_EQ(result.state(0).sctp.id, 0);
  EXPECT_EQ(result.state(1).sctp.id, 7);
  EXPECT_EQ(result.side(a, 0).payload_octets, 4U);
  EXPECT_EQ(result.side(a, 1).payload_octets, 5U);
}

TEST(Session, C27_UnorderedChunksAreReadInTheOrderOfTheirDdpSsn) {
  SctpConversation c = opened();
  const Bytes first = c.segment(a, 3, send(1, text("first")));
  const Bytes second = c.segment(a, 3, send(2, text("second")));
  const Bytes third = c.segment(a, 3, send(3, text("third")));
  c.packet(a, {third});
  c.packet(a, {second});
  c.packet(a, {first});
  c.packet(b, {c.sack(b)});
  c.close(3);
  const Analysed result(c);
  EXPECT_EQ(result.ids(Severity::information), Ids{}) << result.told();
  const std::vector<Event> sends = result.messages(wire::Opcode::send);
  ASSERT_EQ(sends.size(), 3U);
  EXPECT_EQ(sends[0].message.msn, 1U);
  EXPECT_EQ(sends[0].message.placed.frame, 10U);
  EXPECT_EQ(sends[2].message.msn, 3U);
  EXPECT_EQ(sends[2].message.placed.frame, 8U);
  EXPECT_EQ(sends[2].frame, 10U);  // delivered with the first
}

TEST(Session, FragmentsAreJoinedByTsn) {
  SctpConversation c = opened();
  const std::vector<Bytes> parts = c.fragments(a, 3, send(1, pattern(3000)), 1000);
  ASSERT_EQ(parts.size(), 4U);
  c.packet(a, {parts[2]});
  c.packet(a, {parts[0], parts[1]});
  c.packet(a, {parts[3], c.segment(a, 3, send(2))});
  c.packet(b, {c.sack(b)});
  c.close(3);
  const Analysed result(c);
  EXPECT_EQ(result.ids(Severity::information), Ids{}) << result.told();
  const std::vector<Event> fpdus = result.fpdus();
  ASSERT_EQ(fpdus.size(), 2U);
  EXPECT_EQ(fpdus[0].fpdu.payload_length, 3000U);
  const auto slices = result.analysis().slices(fpdus[0]);
  ASSERT_EQ(slices.size(), 4U);
  EXPECT_EQ(slices[0].frame, 9U);
  EXPECT_EQ(slices[0].length, 1000U);
  EXPECT_EQ(slices[0].payload_offset, 12U + 16U);  // common header, and that of the chunk
  EXPECT_EQ(slices[2].frame, 8U);
  EXPECT_EQ(slices[3].length, 20U);
}

TEST(Session, RepeatedChunksAreReadOnce) {
  SctpConversation c = opened();
  const std::size_t once = c.packet(a, {c.segment(a, 3, send(1))});
  c.packet(a, {c.segment(a, 3, send(2))});
  c.repeat(once);
  c.packet(b, {c.sack(b)});
  c.close(3);
  const Analysed result(c);
  EXPECT_EQ(result.ids(Severity::information), Ids{}) << result.told();
  EXPECT_EQ(result.messages(wire::Opcode::send).size(), 2U);
}

TEST(Session, PrivateDataOfInitiateAcceptAndReject) {
  SctpConversation c;
  c.associate();
  c.open(0, text("asked"), text("given"));
  c.packet(a, {c.control(a, 1, initiate, text("more"))});
  c.packet(b, {c.sack(b), c.control(b, 1, reject, text("no"))});
  c.packet(a, {c.sack(a)});
  c.close(0);
  const Analysed result(c);
  EXPECT_EQ(result.ids(Severity::information), Ids{}) << result.told();
  const auto private_data = [&](ConnectionId id, unsigned kind) {
    const ByteView octets = result.analysis().private_data(id, *result.state(id).mpa.frames[kind]);
    return std::string(octets.begin(), octets.end());
  };
  EXPECT_EQ(private_data(0, 0), "asked");
  EXPECT_EQ(private_data(0, 1), "given");
  EXPECT_EQ(private_data(1, 1), "no");
  EXPECT_TRUE(result.state(1).mpa.rejected);
  EXPECT_EQ(result.side(a, 1).qp.evidence, QpEvidence::startup_rejected);
}

TEST(Session, PositionsCountUserData) {
  SctpConversation c;
  c.associate();
  c.open(0, text("12345"));
  c.packet(a, {c.segment(a, 0, send(1, text("x")))});
  const Analysed result(c);
  EXPECT_EQ(result.state().mpa.frame_ends[0], 4U + 5U);
  ASSERT_EQ(result.fpdus().size(), 1U);
  EXPECT_EQ(result.fpdus()[0].offset, 9U);
  EXPECT_EQ(result.fpdus()[0].fpdu.stream_offset, 0U);
  EXPECT_EQ(result.fpdus()[0].fpdu.wire_size, 2U + 18U + 1U);
  EXPECT_EQ(result.side(a).consumed_to, 30U);
}

// Neither had received the other's.
TEST(Session, TerminatesThatCross) {
  SctpConversation c = opened();
  c.packet(a, {c.segment(a, 3, terminate(0x1205))});
  c.packet(b, {c.segment(b, 3, terminate(0x1205))});
  c.packet(a, {c.sack(a)});
  c.packet(b, {c.sack(b)});
  c.close(3);
  const Analysed result(c);
  EXPECT_FALSE(result.has("RDMAP-TERMTERM")) << result.told();
  EXPECT_GT(result.undecidable("RDMAP-TERMTERM", Reason::skew), 0U);
}

TEST(Session, EnhancedMessagesTellIrdAndOrd) {
  SctpConversation c;
  c.associate();
  c.packet(a, {c.control(a, 0, enhanced_initiate, cat(ird_ord_word({.ird = 8, .ord = 4}), text("x")))});
  c.packet(b, {c.sack(b), c.control(b, 0, enhanced_accept, ird_ord_word({.ird = 4, .ord = 2}))});
  c.packet(a, {c.sack(a), c.segment(a, 0, send(1))});
  c.packet(b, {c.sack(b)});
  c.close(0);
  const Analysed result(c);
  EXPECT_EQ(result.ids(Severity::information), Ids{}) << result.told();
  const MpaState& mpa = result.state().mpa;
  EXPECT_EQ(mpa.ord[0].effective, 4U);
  EXPECT_EQ(mpa.ord[1].effective, 2U);
  EXPECT_EQ(mpa.ird[0].effective, 8U);
}

TEST(Session, EnhancedAcceptWithAnOrdAboveTheInitiatorsIrd) {
  SctpConversation c;
  c.associate();
  c.packet(a, {c.control(a, 0, enhanced_initiate, ird_ord_word({.ird = 1, .ord = 4}))});
  c.packet(b, {c.sack(b), c.control(b, 0, enhanced_accept, ird_ord_word({.ird = 4, .ord = 2}))});
  c.packet(a, {c.sack(a), c.control(a, 0, terminate_session)});
  const Analysed result(c);
  EXPECT_EQ(result.ids(), (Ids{"MPA-IRDORD"})) << result.told();
}

TEST(Session, TheNextSessionOfAStreamIsAnotherConnection) {
  SctpConversation c = opened();
  c.packet(a, {c.segment(a, 3, send(1))});
  c.close(3);
  c.new_session(3);
  c.open(3);
  c.packet(a, {c.segment(a, 3, send(1))});
  c.close(3);
  const Analysed result(c);
  EXPECT_EQ(result.ids(Severity::information), Ids{}) << result.told();
  EXPECT_EQ(result.analysis().connection_count(), 2U);
  EXPECT_EQ(result.state(0).closed, CloseCause::fin);
  EXPECT_EQ(result.state(1).sctp, (SctpStream{3, 2}));
  EXPECT_EQ(result.messages(wire::Opcode::send).size(), 2U);
}

TEST(Session, ReadsAreAnswered) {
  SctpConversation c = opened();
  c.packet(a, {c.segment(a, 3, read_request(1, {.sink_stag = 0x11, .size = 700, .source_stag = 0x22}))});
  c.packet(b, {c.sack(b), c.segment(b, 3, read_response(0x11, 0, pattern(500), {.last = false})),
               c.segment(b, 3, read_response(0x11, 500, pattern(200)))});
  c.packet(a, {c.sack(a)});
  c.close(3);
  const Analysed result(c);
  EXPECT_EQ(result.ids(Severity::information), Ids{}) << result.told();
  const auto reads = result.operations(OperationKind::read);
  ASSERT_EQ(reads.size(), 1U);
  EXPECT_EQ(reads[0].status, OperationStatus::complete);
  EXPECT_EQ(reads[0].length, 700U);
}

TEST(Session, EndsWithARequestOpenAsOverTcp) {
  const Bytes request = read_request(1, {.sink_stag = 0x11, .size = 700, .source_stag = 0x22});
  SctpConversation c = opened();
  c.packet(a, {c.segment(a, 3, request)});
  c.packet(b, {c.sack(b)});
  c.close(3);
  const Analysed result(c);
  Conversation twin;
  twin.handshake();
  twin.startup();
  twin.fpdu(a, request);
  twin.ack(b);
  twin.close();
  EXPECT_EQ(result.ids(), (Ids{"VERBS-BADCLOSE", "VERBS-BADCLOSE", "RDMAP-RRLOST"})) << result.told();
  EXPECT_EQ(result.ids(), Analysed(twin).ids());
}

TEST(Session, AnAbortIsWhatARstIs) {
  SctpConversation c = opened();
  c.packet(a, {c.segment(a, 3, send(1))});
  c.packet(b, {c.sack(b)});
  c.packet(b, {c.chunk(6, 0, {})});
  const Analysed result(c);
  EXPECT_EQ(result.state().closed, CloseCause::rst);
  EXPECT_EQ(result.ids(), (Ids{"VERBS-RST"})) << result.told();
}

// --- what is wrong ---------------------------------------------------------------------------------------

TEST(SessionChecks, C27_DdpSegmentBeforeTheAccept) {
  SctpConversation c;
  c.associate();
  c.packet(a, {c.control(a, 3, initiate), c.segment(a, 3, send(1))});
  c.packet(b, {c.sack(b), c.control(b, 3, accept)});
  c.packet(a, {c.sack(a)});
  c.close(3);
  const Analysed result(c);
  EXPECT_EQ(result.ids(), (Ids{"SCTP-SEQ"})) << result.told();
  EXPECT_EQ(describe(result.findings("SCTP-SEQ")[0].finding),
            "a DDP segment comes before the session was accepted");
  EXPECT_EQ(result.findings("SCTP-SEQ")[0].finding.evidence[0], 5U);
  EXPECT_EQ(result.messages(wire::Opcode::send).size(), 1U);
}

TEST(SessionChecks, DdpSegmentBeforeTheInitiate) {
  SctpConversation c;
  c.associate();
  c.packet(a, {c.segment(a, 3, send(1))});
  c.packet(b, {c.sack(b)});
  const Analysed result(c);
  EXPECT_EQ(result.undecidable("SCTP-SEQ"), 1U) << result.told();  // another session may have begun before
}

TEST(SessionChecks, ControlMessagesOutOfOrder) {
  const auto found = [](const std::vector<std::pair<Side, unsigned>>& functions) {
    SctpConversation c;
    c.associate();
    for (const auto& [side, function] : functions) {
      const bool word = function == enhanced_initiate || function == enhanced_accept;
      c.packet(side, {c.sack(side), c.control(side, 3, function, word ? ird_ord_word({}) : Bytes())});
      c.packet(other(side), {c.sack(other(side))});
    }
    const Analysed result(c);
    std::vector<std::string> texts;
    for (const Event& event : result.findings("SCTP-SEQ")) texts.push_back(describe(event.finding));
    EXPECT_EQ(result.ids().size(), texts.size()) << result.told();
    return texts;
  };
  using Texts = std::vector<std::string>;
  EXPECT_EQ(found({{a, initiate}, {b, accept}, {a, terminate_session}}), Texts{});
  EXPECT_EQ(found({{a, initiate}, {b, reject}}), Texts{});
  EXPECT_EQ(found({{a, initiate}, {b, terminate_session}}), Texts{});  // RFC 5043 §6.4
  EXPECT_EQ(found({{a, enhanced_initiate}, {b, reject}}), (Texts{}));
  EXPECT_EQ(found({{a, initiate}, {a, accept}}),
            (Texts{"an Accept is sent by the side that initiated the session"}));
  EXPECT_EQ(found({{a, initiate}, {b, initiate}}),
            (Texts{"an Initiate is sent by the side that was to answer"}));
  EXPECT_EQ(found({{a, initiate}, {b, accept}, {b, accept}, {a, terminate_session}}),
            (Texts{"an Accept comes again within its session"}));
  EXPECT_EQ(found({{a, initiate}, {b, enhanced_accept}, {a, terminate_session}}),
            (Texts{"an Accept does not answer the kind of Initiate that was sent"}));
  EXPECT_EQ(found({{a, initiate}, {a, terminate_session}}),
            (Texts{"a session Terminate comes before the Initiate was answered"}));
  EXPECT_EQ(found({{a, initiate}, {b, reject}, {a, terminate_session}}),
            (Texts{"a session Terminate comes behind the rejection of its session"}));
  EXPECT_EQ(found({{a, initiate}, {b, accept}, {a, terminate_session}, {a, terminate_session}}),
            (Texts{"a session Terminate comes behind its sender's session Terminate"}));
  EXPECT_EQ(found({{a, initiate}, {b, accept}, {a, 9}, {a, terminate_session}}),
            (Texts{"a session control message has a function code that is not assigned"}));
}

TEST(SessionChecks, DdpSegmentsBehindTheEnd) {
  SctpConversation c = opened();
  c.packet(a, {c.control(a, 3, terminate_session)});
  c.packet(b, {c.sack(b)});
  c.packet(a, {c.segment(a, 3, send(1))});
  const Analysed terminated(c);
  ASSERT_EQ(terminated.ids(), (Ids{"SCTP-SEQ"})) << terminated.told();
  EXPECT_EQ(describe(terminated.findings("SCTP-SEQ")[0].finding),
            "a DDP segment comes behind its sender's session Terminate");

  SctpConversation d;
  d.associate();
  d.packet(a, {d.control(a, 3, initiate)});
  d.packet(b, {d.sack(b), d.control(b, 3, reject)});
  d.packet(a, {d.sack(a), d.segment(a, 3, send(1))});
  const Analysed rejected(d);
  ASSERT_EQ(rejected.ids(), (Ids{"SCTP-SEQ"})) << rejected.told();
  EXPECT_EQ(describe(rejected.findings("SCTP-SEQ")[0].finding),
            "a DDP segment comes behind the rejection of its session");
}

TEST(SessionChecks, TheNextSessionBeforeTheLastIsOver) {
  SctpConversation c = opened();
  c.packet(a, {c.segment(a, 3, send(1))});
  c.packet(b, {c.sack(b)});
  c.new_session(3);
  c.open(3);
  c.close(3);
  const Analysed result(c);
  ASSERT_EQ(result.ids(), (Ids{"SCTP-SEQ"})) << result.told();
  EXPECT_EQ(describe(result.findings("SCTP-SEQ")[0].finding),
            "an Initiate comes although the session before it is not terminated");
  EXPECT_EQ(result.state(0).closed, CloseCause::reused);
}

TEST(SessionChecks, AssociationShutDownWithoutASessionTerminate) {
  SctpConversation c = opened();
  c.packet(a, {c.segment(a, 3, send(1))});
  c.packet(b, {c.sack(b)});
  c.shut_down();
  const Analysed result(c);
  ASSERT_EQ(result.ids(), (Ids{"SCTP-SEQ"})) << result.told();
  EXPECT_EQ(describe(result.findings("SCTP-SEQ")[0].finding),
            "a session ends with its association, and no side sent a session Terminate");
}

TEST(SessionChecks, C27_DdpSsnLeftOut) {
  SctpConversation c = opened();
  c.packet(a, {c.segment(a, 3, send(1), {.ssn = 1})});
  c.packet(a, {c.segment(a, 3, send(2), {.ssn = 3})});  // 2 is due, and no TSN is missing
  c.packet(b, {c.sack(b)});
  c.wait(1'000'000'000);
  c.packet(b, {c.sack(b)});
  c.packet(a, {c.control(a, 3, terminate_session, {}, {.ssn = 4})});
  const Analysed result(c);
  EXPECT_EQ(result.ids(), (Ids{"SCTP-SSN"})) << result.told();
  EXPECT_EQ(describe(result.findings("SCTP-SSN")[0].finding), "DDP-SSN 3 where 2 is due");
  EXPECT_EQ(result.messages(wire::Opcode::send).size(), 2U);
  EXPECT_EQ(result.side(a).gaps, 0U);
}

TEST(SessionChecks, DdpSsnUsedAgain) {
  SctpConversation c = opened();
  c.packet(a, {c.segment(a, 3, send(1), {.ssn = 1})});
  c.packet(a, {c.segment(a, 3, send(2), {.ssn = 1})});
  c.packet(b, {c.sack(b)});
  const Analysed result(c);
  EXPECT_EQ(result.ids(), (Ids{"SCTP-SSN"})) << result.told();
  EXPECT_EQ(describe(result.findings("SCTP-SSN")[0].finding), "DDP-SSN 1 where 2 is due");
}

TEST(SessionChecks, WrongPpid) {
  SctpConversation c = opened();
  c.packet(a, {c.data(a, 3, 46, hex("01000014"))});
  c.packet(b, {c.sack(b)});
  c.close(3);
  const Analysed result(c);
  EXPECT_EQ(result.ids(), (Ids{"SCTP-PPID"})) << result.told();
  EXPECT_EQ(describe(result.findings("SCTP-PPID")[0].finding),
            "DATA chunk with Payload Protocol Identifier 46, where 16 or 17 is due");
}

TEST(SessionChecks, OrderedChunksAreToldOnceOfADirection) {
  SctpConversation c = opened();
  c.packet(a, {c.segment(a, 3, send(1), {.flags = 3})});
  c.packet(a, {c.segment(a, 3, send(2), {.flags = 3})});
  c.packet(b, {c.sack(b)});
  c.close(3);
  const Analysed result(c);
  EXPECT_EQ(result.ids(), (Ids{"SCTP-UFLAG"})) << result.told();
}

TEST(SessionChecks, AdaptationIndicationOfEachSide) {
  const auto ids = [](std::optional<std::uint32_t> of_a, std::optional<std::uint32_t> of_b) {
    SctpConversation c;
    c.associate(of_a, of_b);
    c.open(0);
    c.close(0);
    return Analysed(c).ids();
  };
  EXPECT_EQ(ids(1, 1), Ids{});
  EXPECT_EQ(ids({}, 1), (Ids{"SCTP-ADAPT"}));
  EXPECT_EQ(ids(1, 2), (Ids{"SCTP-ADAPT"}));
  EXPECT_EQ(ids({}, {}), (Ids{"SCTP-ADAPT", "SCTP-ADAPT"}));
}

TEST(SessionChecks, PrivateDataThatDoesNotFit) {
  SctpConversation c;
  c.associate();
  c.open(0, pattern(512), pattern(513));
  c.packet(a, {c.control(a, 0, terminate_session, text("bye"))});
  c.packet(b, {c.sack(b)});
  const Analysed result(c);
  EXPECT_EQ(result.ids(), (Ids{"SCTP-PD", "SCTP-PD"})) << result.told();
  EXPECT_EQ(describe(result.findings("SCTP-PD")[0].finding),
            "513 octets of Private Data, where 512 are the most");
}

TEST(SessionChecks, ADdpSegmentTooShortForItsHeader) {
  SctpConversation c = opened();
  c.packet(a, {c.segment(a, 3, hex("4143 00000000"))});
  c.packet(b, {c.sack(b)});
  c.close(3);
  const Analysed result(c);
  EXPECT_EQ(result.ids(), (Ids{"SCTP-SEQ"})) << result.told();
}

}  // namespace
}  // namespace iwarp::test
