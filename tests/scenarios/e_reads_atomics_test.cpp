// Atomics, alone and among Reads (RFC 7306 §5, §7).
// SPDX-License-Identifier: GPL-2.0-or-later
#include <gtest/gtest.h>

#include "established.hpp"

namespace iwarp::test::established {
namespace {

using wire::Opcode;

constexpr Read first_read = {.sink_stag = 7, .sink_to = 0x1000, .size = 4, .source_stag = 9};
constexpr Read second_read = {.sink_stag = 7, .sink_to = 0x2000, .size = 4, .source_stag = 9};
constexpr Atomic plus_five = {.id = 0xA0000001, .stag = 0x1234AB01, .to = 0x1008, .data = 5};

// --- E5: Read, Atomic, Read -----------------------------------------------------------------------------

TEST(ScenarioE, E5_ReadAtomicReadAnsweredInOrder) {
  Established c;
  c.fpdu(a, send(1));
  const Packets one = c.fpdu(a, read_request(1, first_read));
  const Packets two = c.fpdu(a, fetch_add(2, plus_five));
  const Packets three = c.fpdu(a, read_request(3, second_read));
  const Packets of_one = c.fpdu(b, read_response(7, 0x1000, pattern(4)));
  const Packets of_two = c.fpdu(b, atomic_response(1, 0xA0000001, 37));
  const Packets of_three = c.fpdu(b, read_response(7, 0x2000, pattern(4)));
  c.close();

  EXPECT_EQ(told(c), Told{});
  const Analysed result(c);
  EXPECT_EQ(
      operations(result, OperationKind::read),
      words(
          {{.length = 4, .request = c.at(one), .first = c.at(of_one), .last = c.at(of_one), .outstanding = 1},
           {.length = 4,
            .request = c.at(three),
            .first = c.at(of_three),
            .last = c.at(of_three),
            .outstanding = 3}}));
  EXPECT_EQ(operations(result, OperationKind::atomic), words({{.kind = OperationKind::atomic,
                                                               .length = 8,
                                                               .request = c.at(two),
                                                               .first = c.at(of_two),
                                                               .last = c.at(of_two),
                                                               .outstanding = 2}}));
  EXPECT_EQ(result.side(a).queues[1].next_msn, 4U);
  EXPECT_EQ(result.side(b).queues[3].next_msn, 2U);
}

TEST(ScenarioE, E5_AtomicAnsweredBeforeTheReadBeforeIt) {
  Established c;
  c.fpdu(a, send(1));
  const Packets one = c.fpdu(a, read_request(1, first_read));
  c.fpdu(a, fetch_add(2, plus_five));
  c.fpdu(a, read_request(3, second_read));
  const Packets early = c.fpdu(b, atomic_response(1, 0xA0000001, 37));
  c.fpdu(b, read_response(7, 0x1000, pattern(4)));
  c.fpdu(b, read_response(7, 0x2000, pattern(4)));
  c.close();

  EXPECT_EQ(told(c), (Told{error("RDMAP-RRORDER", b, c.at(early))}));
  const Analysed result(c);
  EXPECT_TRUE(has_evidence(result.findings("RDMAP-RRORDER")[0], c.at(one)));
  EXPECT_EQ(result.operations(OperationKind::read).size(), 2U);
  EXPECT_EQ(result.operations(OperationKind::atomic).size(), 1U);
  EXPECT_EQ(result.side(a).outstanding(), 0U);
}

TEST(ScenarioE, E5_ReadAnsweredBeforeTheAtomicBeforeIt) {
  Established c;
  c.fpdu(a, send(1));
  c.fpdu(a, fetch_add(1, plus_five));
  c.fpdu(a, read_request(2, first_read));
  const Packets early = c.fpdu(b, read_response(7, 0x1000, pattern(4)));
  c.fpdu(b, atomic_response(1, 0xA0000001, 37));
  c.close();

  EXPECT_EQ(told(c), (Told{error("RDMAP-RRORDER", b, c.at(early))}));
}

// --- E10: a Write into the source of an outstanding Read ------------------------------------------------

TEST(ScenarioE, E10_WriteIntoTheSourceOfAnOutstandingRead) {
  Established c;
  c.fpdu(a, send(1));
  const Packets request = c.fpdu(
      a, read_request(
             1, {.sink_stag = 7, .sink_to = 0x1000, .size = 100, .source_stag = 9, .source_to = 0x2000}));
  c.fpdu(a, write(9, 0x2010, pattern(16)));
  const Packets response = c.fpdu(b, read_response(7, 0x1000, pattern(100)));
  c.fpdu(a, write(9, 0x2010, pattern(16)));
  c.close();

  const Analysed result(c);
  EXPECT_EQ(result.ids(Severity::error), Ids{}) << result.told();
  EXPECT_EQ(
      operations(result, OperationKind::read),
      words({{.length = 100, .request = c.at(request), .first = c.at(response), .last = c.at(response)}}));
  EXPECT_EQ(result.messages(Opcode::rdma_write).size(), 2U);
}

// --- E11, E12: what an atomic returns -------------------------------------------------------------------

TEST(ScenarioE, E11_FetchAddOnAWord) {
  Established c;
  c.fpdu(a, send(1));
  const Packets one = c.fpdu(a, fetch_add(1, plus_five));
  const Packets of_one = c.fpdu(b, atomic_response(1, 0xA0000001, 37));
  const Packets two =
      c.fpdu(a, fetch_add(2, {.id = 0xA0000002, .stag = 0x1234AB01, .to = 0x1008, .data = 1}));
  const Packets of_two = c.fpdu(b, atomic_response(2, 0xA0000002, 42));
  c.close();

  EXPECT_EQ(told(c), Told{});
  const Analysed result(c);
  EXPECT_EQ(operations(result, OperationKind::atomic), words({{.kind = OperationKind::atomic,
                                                               .length = 8,
                                                               .request = c.at(one),
                                                               .first = c.at(of_one),
                                                               .last = c.at(of_one)},
                                                              {.kind = OperationKind::atomic,
                                                               .length = 8,
                                                               .request = c.at(two),
                                                               .first = c.at(of_two),
                                                               .last = c.at(of_two)}}));
  const std::vector<Event> answers = result.messages(Opcode::atomic_response);
  ASSERT_EQ(answers.size(), 2U);
  const MessageConclusion& last = answers[1].message;
  const auto parsed = wire::parse_atomic_response({last.rdmap.data(), last.rdmap_octets});
  ASSERT_TRUE(parsed);
  EXPECT_EQ(parsed->original_request_id, 0xA0000002U);
  EXPECT_EQ(parsed->original_remote_data, 42U);
}

TEST(ScenarioE, E11_FetchAddWithAMask) {
  Established c;
  c.fpdu(a, send(1));
  c.fpdu(a, fetch_add(1, {.id = 1, .stag = 9, .to = 8, .data = 1, .mask = 0x8080808080808080}));
  c.fpdu(b, atomic_response(1, 1, 0x11FF));
  c.fpdu(a, fetch_add(2, {.id = 2, .stag = 9, .to = 8, .data = 0, .mask = 0x8080808080808080}));
  c.fpdu(b, atomic_response(2, 2, 0x1100));
  c.close();

  EXPECT_EQ(told(c), Told{});
  EXPECT_EQ(Analysed(c).operations(OperationKind::atomic).size(), 2U);
}

TEST(ScenarioE, E12_CompareAndSwap) {
  Established c;
  c.fpdu(a, send(1));
  const Atomic swap = {.id = 1, .stag = 9, .to = 8, .data = 0x2222, .mask = ~0ULL, .compare = 0x1111};
  c.fpdu(a, cmp_swap(1, swap));
  c.fpdu(b, atomic_response(1, 1, 0x1111));  // equal: swapped
  Atomic other = swap;
  other.id = 2;
  c.fpdu(a, cmp_swap(2, other));
  c.fpdu(b, atomic_response(2, 2, 0x2222));  // unequal: left alone
  c.close();

  EXPECT_EQ(told(c), Told{});
  EXPECT_EQ(Analysed(c).operations(OperationKind::atomic).size(), 2U);
}

// --- E13: request identifiers and numbers of responses --------------------------------------------------

TEST(ScenarioE, E13_RequestIdentifierOfAnotherAtomic) {
  Established c;
  c.fpdu(a, send(1));
  c.fpdu(a, fetch_add(1, {.id = 1, .stag = 9, .to = 8, .data = 1}));
  c.fpdu(b, atomic_response(1, 1, 0));
  c.fpdu(a, fetch_add(2, {.id = 2, .stag = 9, .to = 8, .data = 1}));
  const Packets wrong = c.fpdu(b, atomic_response(2, 1, 1));  // of the one that is answered
  c.close();

  EXPECT_EQ(told(c), (Told{error("RDMAP-ATREQID", b, c.at(wrong))}));
  EXPECT_EQ(describe(Analysed(c).findings("RDMAP-ATREQID")[0].finding),
            "request identifier 0x00000001, the oldest atomic has 0x00000002");
}

TEST(ScenarioE, E13_RequestIdentifierOfALaterAtomic) {
  Established c;
  c.fpdu(a, send(1));
  c.fpdu(a, fetch_add(1, {.id = 1, .stag = 9, .to = 8, .data = 1}));
  c.fpdu(a, fetch_add(2, {.id = 2, .stag = 9, .to = 8, .data = 1}));
  const Packets early = c.fpdu(b, atomic_response(1, 2, 0));
  c.fpdu(b, atomic_response(2, 1, 1));
  c.close();

  EXPECT_EQ(told(c), (Told{error("RDMAP-ATREQID", b, c.at(early))}));
  EXPECT_EQ(Analysed(c).operations(OperationKind::atomic).size(), 2U);
}

TEST(ScenarioE, E13_ResponsesCountedFromZero) {
  Established c;
  c.fpdu(a, send(1));
  c.fpdu(a, fetch_add(1, plus_five));
  const Packets zero = c.fpdu(b, atomic_response(0, 0xA0000001, 37));
  c.close();

  EXPECT_EQ(told(c), (Told{error("DDP-MSN1", b, c.at(zero))}));
  EXPECT_EQ(describe(Analysed(c).findings("DDP-MSN1")[0].finding), "first MSN on queue 3 is 0");
  EXPECT_EQ(Analysed(c).operations(OperationKind::atomic).size(), 1U);
}

TEST(ScenarioE, E13_AtomicOfAnotherLength) {
  Established c;
  c.fpdu(a, send(1));
  const Packets request = c.fpdu(a, untagged_segment(10, 1, 1, zeros(51)));
  const Packets response = c.fpdu(b, untagged_segment(11, 3, 1, zeros(13)));
  c.close();

  // The malformed request is not outstanding, but who answers it breaks no rule by that.
  EXPECT_EQ(told(c), (Told{error("RDMAP-ATLEN", a, c.at(request)), error("RDMAP-ATLEN", b, c.at(response))}));
  EXPECT_EQ(Analysed(c).undecidable("RDMAP-RRNONE", Reason::broken_request), 1U);
}

// Nothing was cut: that it is too short for its identifier is RDMAP-ATLEN, and no doubt about RDMAP-ATREQID.
TEST(ScenarioE, E13_ShortAtomicResponseIsNoCutOne) {
  Established c;
  c.fpdu(a, send(1));
  c.fpdu(a, fetch_add(1, plus_five));
  const Packets response = c.fpdu(b, untagged_segment(0xB, 3, 1, pattern(11)));
  c.close();

  EXPECT_EQ(told(c), (Told{error("RDMAP-ATLEN", b, c.at(response))}));
  EXPECT_EQ(Analysed(c).undecidable("RDMAP-ATREQID"), 0U);
}

TEST(ScenarioE, E13_AtomicResponseToNothing) {
  Established c;
  c.fpdu(a, send(1));
  const Packets stray = c.fpdu(b, atomic_response(1, 1, 0));
  c.close();

  EXPECT_EQ(told(c), (Told{error("RDMAP-RRNONE", b, c.at(stray))}));
}

// --- E14: what an atomic asks for -----------------------------------------------------------------------

TEST(ScenarioE, E14_UnalignedAtomicIsMatchedAndItsTerminateAccepted) {
  Established c;
  c.fpdu(a, send(1));
  const Bytes unaligned = fetch_add(1, {.id = 1, .stag = 9, .to = 0x100C, .data = 1});
  const Packets request = c.fpdu(a, unaligned);
  c.terminated(b, 0x0207, about(unaligned));

  const Analysed result(c);
  EXPECT_EQ(result.ids(Severity::error), Ids{}) << result.told();
  EXPECT_EQ(operations(result, OperationKind::atomic), words({{.kind = OperationKind::atomic,
                                                               .length = 8,
                                                               .request = c.at(request),
                                                               .status = OperationStatus::terminated}}));
  EXPECT_EQ(result.messages(Opcode::terminate).size(), 1U);
}

TEST(ScenarioE, E14_ReservedAtomicOperation) {
  Established c;
  c.fpdu(a, send(1));
  const Bytes swap = atomic_request(1, 1, {.id = 1, .stag = 9, .to = 8, .data = 1, .mask = ~0ULL});
  const Packets wrong = c.fpdu(a, swap);
  c.terminated(b, 0x0206, about(swap));

  const Analysed result(c);
  EXPECT_EQ(result.ids(Severity::note), (Ids{"RDMAP-ATOP"})) << result.told();
  EXPECT_EQ(result.findings("RDMAP-ATOP")[0].frame, c.at(wrong));
  EXPECT_EQ(result.findings("RDMAP-ATOP")[0].finding.severity, Severity::error);
  EXPECT_EQ(describe(result.findings("RDMAP-ATOP")[0].finding),
            "AOpCode 1 is neither FetchAdd (0) nor CmpSwap (2)");
}

TEST(ScenarioE, E14_ReservedBitsOfAnAtomic) {
  Established c;
  c.fpdu(a, send(1));
  const Packets wrong = c.fpdu(a, fetch_add(1, {.id = 1, .stag = 9, .to = 8, .data = 1, .reserved = 0x10}));
  c.fpdu(b, atomic_response(1, 1, 0));
  c.close();

  EXPECT_EQ(told(c), (Told{warning("RDMAP-ATRSV", a, c.at(wrong))}));
}

TEST(ScenarioE, E14_FetchAddWithACompareField) {
  Established c;
  c.fpdu(a, send(1));
  const Packets wrong = c.fpdu(a, fetch_add(1, {.id = 1, .stag = 9, .to = 8, .data = 1, .compare = 1}));
  c.fpdu(b, atomic_response(1, 1, 0));
  c.close();

  EXPECT_EQ(told(c), (Told{warning("RDMAP-ATRSV", a, c.at(wrong))}));
}

TEST(ScenarioE, E14_PeerWithoutRfc7306) {
  const std::vector<Bytes> extensions = {fetch_add(1, plus_five), immediate(2, 1), immediate_se(2, 1)};
  for (const Bytes& extension : extensions) {
    Established c;
    c.fpdu(a, send(1));
    c.fpdu(a, extension);
    const Packets end = c.terminated(b, 0x0206, about(extension));

    EXPECT_EQ(told(c), Told{});
    const Analysed result(c);
    ASSERT_EQ(result.findings("RDMAP-EXT").size(), 1U) << result.told();
    const Event lacks = result.findings("RDMAP-EXT")[0];
    EXPECT_EQ(lacks.finding.severity, Severity::information);
    EXPECT_EQ(lacks.frame, c.at(end));
    EXPECT_EQ(why(result), (Told{"0206 explained"}));
  }
}

TEST(ScenarioE, E14_UnexpectedOpcodeOfRfc5040SaysNothingOfRfc7306) {
  Established c;
  c.fpdu(a, send(1));
  const Bytes inv = send_inv(2, 0x1234AB01);
  c.fpdu(a, inv);
  c.terminated(b, 0x0206, about(inv));

  EXPECT_FALSE(Analysed(c).has("RDMAP-EXT"));
}

TEST(ScenarioE, E13_AtomicResponseWithoutARequestIsToldByItsMsn) {
  Established c;
  c.fpdu(a, send(1));
  c.fpdu(b, atomic_response(1, 7, 0));
  c.close();
  const std::vector<Event> found = Analysed(c).findings("RDMAP-RRNONE");
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(describe(found[0].finding), "Atomic Response with MSN 1 without an outstanding request");
}

}  // namespace
}  // namespace iwarp::test::established
