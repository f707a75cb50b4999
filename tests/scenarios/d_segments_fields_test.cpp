// Fields of the DDP and RDMAP headers that every segment must have right by itself, or keep within a message
// (RFC 5041 §4, RFC 5040 §4, RFC 7306 §4 and §6).
// SPDX-License-Identifier: GPL-2.0-or-later
#include <gtest/gtest.h>

#include "established.hpp"

namespace iwarp::test::established {
namespace {

using wire::Opcode;

// A wrong segment behind a right Send, answered by a Terminate. Returns what is reported: findings by a
// that are in the frame of the segment, in order.
struct Answered {
  Told findings;  // all of them, but for that of the Terminate's reason
  Told reasons;
  FrameNumber frame = 0;
};
Answered answered(const Bytes& wrong, unsigned code) {
  Established c;
  c.fpdu(a, send(1));
  const Packets packets = c.fpdu(a, wrong);
  c.terminated(b, code, about(wrong));
  return {told(c), why(c), c.at(packets)};
}

// --- D9: T against opcode -------------------------------------------------------------------------------

TEST(ScenarioD, D9_TaggedSend) {
  Established c;
  c.fpdu(a, send(1));
  const Packets wrong = c.fpdu(a, tagged_segment(3, 0x7, 0x1000, text("hello")));
  c.close();

  EXPECT_EQ(told(c), (Told{error("DDP-TOP", a, c.at(wrong))}));
  const Analysed result(c);
  EXPECT_EQ(describe(result.findings("DDP-TOP")[0].finding), "Send in a tagged segment");
  const FpduFact fpdu = result.fpdus()[1].fpdu;
  EXPECT_EQ(fpdu.payload_length, 5U);  // behind 14 octets
  EXPECT_EQ(fpdu.ddp.stag, 0x7U);
  EXPECT_EQ(fpdu.ddp.to, 0x1000U);
}

TEST(ScenarioD, D9_UntaggedWrite) {
  Established c;
  c.fpdu(a, send(1));
  const Packets wrong = c.fpdu(a, untagged_segment(0, 0, 2, text("hello")));
  c.close();

  EXPECT_EQ(told(c), (Told{error("DDP-TOP", a, c.at(wrong))}));
  const Analysed result(c);
  EXPECT_EQ(describe(result.findings("DDP-TOP")[0].finding), "RDMA Write in an untagged segment");
  const FpduFact fpdu = result.fpdus()[1].fpdu;
  EXPECT_EQ(fpdu.payload_length, 5U);  // behind 18 octets
  EXPECT_EQ(fpdu.ddp.queue, 0U);
  EXPECT_EQ(fpdu.ddp.msn, 2U);
}

TEST(ScenarioD, D9_EveryOpcodeHasItsKindOfSegment) {
  for (unsigned opcode = 0; opcode <= 11; ++opcode) {
    const bool tagged = opcode == 0 || opcode == 2;
    Established c;
    c.fpdu(a, send(1));
    const Packets wrong = c.fpdu(a, tagged ? untagged_segment(opcode, 0, 2, pattern(40))
                                           : tagged_segment(opcode, 0x7, 0x1000, pattern(40)));
    c.ack(b);
    EXPECT_EQ(told(c), (Told{error("DDP-TOP", a, c.at(wrong))})) << "opcode " << opcode;
  }
}

TEST(ScenarioD, D9_UnexpectedOpcodeTerminateIsExplained) {
  const Answered result = answered(tagged_segment(3, 0x7, 0x1000, text("hello")), 0x0206);
  EXPECT_EQ(result.findings, (Told{error("DDP-TOP", a, result.frame)}));
  EXPECT_EQ(result.reasons, (Told{"0206 explained"}));
}

// --- D10: QN against opcode -----------------------------------------------------------------------------

TEST(ScenarioD, D10_SendOnTheReadRequestQueue) {
  const Answered result = answered(send(1, text("hello"), {.queue = 1}), 0x1201);
  EXPECT_EQ(result.findings, (Told{error("DDP-QN", a, result.frame)}));
  EXPECT_EQ(result.reasons, (Told{"1201 explained"}));
}

TEST(ScenarioD, D10_ReadRequestOnTheSendQueue) {
  const Answered result =
      answered(read_request(2, {.sink_stag = 7, .size = 4, .source_stag = 9}, {.queue = 0}), 0x1201);
  EXPECT_EQ(result.findings, (Told{error("DDP-QN", a, result.frame)}));
  EXPECT_EQ(result.reasons, (Told{"1201 explained"}));
}

TEST(ScenarioD, D10_ReadRequestOnTheSendQueueIsNotOutstanding) {
  Established c;
  c.fpdu(a, send(1));
  c.fpdu(a, read_request(2, {.sink_stag = 7, .size = 4, .source_stag = 9}, {.queue = 0}));
  c.ack(b);
  EXPECT_EQ(Analysed(c).side(a).max_outstanding, 0U);
}

TEST(ScenarioD, D10_TerminateOnTheSendQueue) {
  Established c;
  c.fpdu(a, send(1));
  const Packets wrong = c.fpdu(a, terminate(0x0000, {.msn = 2}, {.queue = 0}));
  c.close();

  // The Terminate's own rule has its queue, too.
  EXPECT_EQ(told(c), (Told{error("DDP-QN", a, c.at(wrong)), error("RDMAP-TERM1", a, c.at(wrong))}));
  EXPECT_EQ(describe(Analysed(c).findings("DDP-QN")[0].finding), "Terminate on queue 0, queue 2 expected");
}

TEST(ScenarioD, D10_QueueFourDoesNotExist) {
  for (const unsigned opcode : {1U, 3U, 4U, 7U, 8U, 10U, 11U}) {
    Established c;
    c.fpdu(a, send(1));
    // An opcode's own header and a valid Invalidate STag, so that the queue is all that is wrong.
    const std::size_t size = opcode == 1 ? 28 : opcode == 7 ? 4 : opcode == 10 ? 52 : opcode == 11 ? 12 : 8;
    const Packets wrong =
        c.fpdu(a, untagged_segment(opcode, 4, 1, zeros(size), {.stag = opcode == 4 ? 0x700U : 0U}));
    c.ack(b);
    const Analysed result(c);
    ASSERT_EQ(result.findings("DDP-QN").size(), 1U) << "opcode " << opcode << "\n" << result.told();
    EXPECT_EQ(result.findings("DDP-QN")[0].frame, c.at(wrong));
    EXPECT_EQ(result.findings("DDP-QN")[0].finding.severity, Severity::error);
  }
}

TEST(ScenarioD, D10_QueueFarOutsideIsJustWrong) {
  const Answered result = answered(send(1, text("hello"), {.queue = 0xFFFFFFFF}), 0x1201);
  EXPECT_EQ(result.findings, (Told{error("DDP-QN", a, result.frame)}));
  EXPECT_EQ(result.reasons, (Told{"1201 explained"}));
}

// --- D11: unassigned and experimental opcodes -----------------------------------------------------------

TEST(ScenarioD, D11_UnassignedOpcodes) {
  for (const unsigned opcode : {0xCU, 0xDU, 0xEU}) {
    const Answered result = answered(untagged_segment(opcode, 0, 2, text("what is this")), 0x0206);
    EXPECT_EQ(result.findings, (Told{error("RDMAP-OP", a, result.frame)})) << "opcode " << opcode;
    EXPECT_EQ(result.reasons, (Told{"0206 explained"})) << "opcode " << opcode;
  }
}

TEST(ScenarioD, D11_UnassignedOpcodeInATaggedSegment) {
  const Answered result = answered(tagged_segment(0xD, 0x7, 0x1000, text("what is this")), 0x0206);
  EXPECT_EQ(result.findings, (Told{error("RDMAP-OP", a, result.frame)}));
  EXPECT_EQ(result.reasons, (Told{"0206 explained"}));
}

TEST(ScenarioD, D11_ExperimentalOpcodeIsNoted) {
  Established c;
  c.fpdu(a, send(1));
  const Packets experiment = c.fpdu(a, untagged_segment(0xF, 0, 2, text("an experiment")));
  c.close();

  EXPECT_EQ(told(c), (Told{note("RDMAP-OP", a, c.at(experiment))}));
}

// --- D12: what must not change within a message ---------------------------------------------------------

TEST(ScenarioD, D12_OpcodeChangesWithinAMessage) {
  Established c;
  c.fpdu(a, send(1, pattern(1000), {.last = false}));
  const Packets changed = c.fpdu(a, send_se(1, pattern(24), {.mo = 1000}));
  c.fpdu(a, send(2));
  c.close();

  EXPECT_EQ(told(c), (Told{error("DDP-CONST", a, c.at(changed))}));
  const Finding found = Analysed(c).findings("DDP-CONST")[0].finding;
  EXPECT_EQ(found.arguments[0], static_cast<std::uint64_t>(Phrase::opcode_field));
  EXPECT_EQ(found.arguments[1], 3U);
  EXPECT_EQ(found.arguments[2], 5U);
}

TEST(ScenarioD, D12_InvalidateStagChangesWithinAMessage) {
  Established c;
  c.fpdu(a, send_inv(1, 0x1234AB01, pattern(1000), {.last = false}));
  const Packets changed = c.fpdu(a, send_inv(1, 0x1234AB02, pattern(24), {.mo = 1000}));
  c.fpdu(a, send(2));
  c.close();

  EXPECT_EQ(told(c), (Told{error("DDP-CONST", a, c.at(changed))}));
  EXPECT_EQ(describe(Analysed(c).findings("DDP-CONST")[0].finding),
            "the Invalidate STag changes from 0x1234ab01 to 0x1234ab02 within a message");
}

TEST(ScenarioD, D12_StagChangesWithinAWrite) {
  Established c;
  c.fpdu(a, write(5, 0x1000, pattern(100, 1), {.last = false}));
  const Packets changed = c.fpdu(a, write(6, 0x1064, pattern(100, 2)));
  c.close();

  EXPECT_EQ(told(c), (Told{error("DDP-CONST", a, c.at(changed))}));
}

// Of two different STags the third segment tells the wrong one.
TEST(ScenarioD, D12_TheStagThatNoOtherSegmentHasIsWrong) {
  for (const std::size_t wrong : {0U, 1U, 2U, 3U}) {
    SCOPED_TRACE(wrong);
    Established c;
    std::vector<Packets> sent;
    for (std::size_t at = 0; at < 4; ++at) {
      sent.push_back(
          c.fpdu(a, write(at == wrong ? 6 : 5, 0x1000 + 100 * at, pattern(100), {.last = at == 3})));
    }
    c.close();

    const Analysed result(c);
    EXPECT_EQ(result.ids(), Ids{"DDP-CONST"}) << result.told();
    EXPECT_EQ(result.findings("DDP-CONST").at(0).finding.evidence[0], c.at(sent[wrong]));
    EXPECT_EQ(result.messages(Opcode::rdma_write).size(), 1U);
  }
}

TEST(ScenarioD, D12_AnOpcodeThatIsNoneIsToldOnce) {
  for (const std::size_t wrong : {0U, 1U, 2U}) {
    SCOPED_TRACE(wrong);
    Established c;
    std::vector<Packets> sent;
    for (std::uint32_t at = 0; at < 3; ++at) {
      const Ddp ddp = {.last = at == 2, .mo = 100 * at};
      sent.push_back(c.fpdu(
          a, at == wrong ? untagged_segment(0xC, 0, 1, pattern(100), ddp) : send(1, pattern(100), ddp)));
    }
    c.close();

    EXPECT_EQ(told(c), (Told{error("RDMAP-OP", a, c.at(sent[wrong]))}));
  }
}

TEST(ScenarioD, D12_SameOpcodeAndInvalidateStagThroughout) {
  Established c;
  c.fpdu(a, send_se_inv(1, 0x1234AB01, pattern(1000), {.last = false}));
  c.fpdu(a, send_se_inv(1, 0x1234AB01, pattern(1000), {.last = false, .mo = 1000}));
  c.fpdu(a, send_se_inv(1, 0x1234AB01, pattern(24), {.mo = 2000}));
  c.close();

  EXPECT_EQ(told(c), Told{});
  EXPECT_EQ(messages(Analysed(c)), (Told{"send_se_inv of 2024, msn 1"}));
}

// --- D13: Immediate Data --------------------------------------------------------------------------------

TEST(ScenarioD, D13_ImmediateOfSevenOrNineOctets) {
  for (const unsigned opcode : {8U, 9U}) {
    for (const std::size_t size : {7U, 9U}) {
      Established c;
      c.fpdu(a, send(1));
      const Packets wrong = c.fpdu(a, untagged_segment(opcode, 0, 2, pattern(size)));
      c.fpdu(a, send(3));
      c.close();
      EXPECT_EQ(told(c), (Told{error("RDMAP-IMM8", a, c.at(wrong))})) << opcode << " of " << size;
    }
  }
}

TEST(ScenarioD, D13_ImmediateWithoutL) {
  Established c;
  c.fpdu(a, send(1));
  const Packets wrong = c.fpdu(a, immediate(2, 0x1122334455667788, {.last = false}));
  c.ack(b);

  EXPECT_EQ(told(c), (Told{error("RDMAP-IMM8", a, c.at(wrong))}));
  EXPECT_EQ(describe(Analysed(c).findings("RDMAP-IMM8")[0].finding),
            "Immediate Data with ULPDU_Length 26, MO 0, L=0, where 26, 0 and 1 are due");
}

// RDMAP-IMM8 says that L is missing: DDP-LMISS would say it again.
TEST(ScenarioD, D13_ImmediateWithoutLIsOneFindingWhateverFollows) {
  for (const bool more : {true, false}) {
    Established c;
    c.fpdu(a, send(1));
    const Packets wrong = c.fpdu(a, immediate(2, 0x1122334455667788, {.last = false}));
    if (more) c.fpdu(a, send(3));
    c.close();
    EXPECT_EQ(told(c), (Told{error("RDMAP-IMM8", a, c.at(wrong))})) << more;
  }
}

TEST(ScenarioD, D13_ImmediatesShareTheMessageNumbersOfSends) {
  Established c;
  c.fpdu(a, send(1, text("one")));
  c.fpdu(a, immediate(2, 0x1122334455667788));
  c.fpdu(a, send_se(3, text("three")));
  c.fpdu(a, immediate_se(4, 4));
  c.close();

  EXPECT_EQ(told(c), Told{});
  const Analysed result(c);
  EXPECT_EQ(messages(result), (Told{"send of 3, msn 1", "immediate of 8, msn 2", "send_se of 5, msn 3",
                                    "immediate_se of 8, msn 4"}));
  EXPECT_EQ(result.side(a).rq_consumed, 4U);
  EXPECT_EQ(result.side(a).queues[0].next_msn, 5U);
  EXPECT_EQ(result.operations(OperationKind::immediate).size(), 2U);
}

TEST(ScenarioD, D13_AnImmediateThatCountsForItselfMakesAGap) {
  Established c;
  c.fpdu(a, send(1));
  c.fpdu(a, immediate(2, 1));
  const Packets wrong = c.fpdu(a, send(2, text("counts Sends only")));
  c.close();

  EXPECT_EQ(told(c), (Told{error("DDP-MSNDUP", a, c.at(wrong))}));
}

// --- D14: Invalidate STag -------------------------------------------------------------------------------

TEST(ScenarioD, D14_InvalidateStagInASendThatInvalidatesNothing) {
  for (const unsigned opcode : {3U, 5U}) {
    Established c;
    const Packets wrong = c.fpdu(a, untagged_segment(opcode, 0, 1, text("x"), {.stag = 0x1234AB01}));
    c.close();
    EXPECT_EQ(told(c), (Told{warning("RDMAP-INV0", a, c.at(wrong))})) << "opcode " << opcode;
  }
}

TEST(ScenarioD, D14_SendWithInvalidateOfStagZero) {
  for (const unsigned opcode : {4U, 6U}) {
    Established c;
    const Packets wrong = c.fpdu(a, untagged_segment(opcode, 0, 1, text("x"), {.stag = 0}));
    c.close();
    EXPECT_EQ(told(c), (Told{error("RDMAP-STAG0", a, c.at(wrong))})) << "opcode " << opcode;
  }
}

TEST(ScenarioD, D14_SendWithInvalidateOfAnStag) {
  Established c;
  c.fpdu(a, send_inv(1, 0x1234AB01, text("x")));
  c.close();
  EXPECT_EQ(told(c), Told{});
  EXPECT_EQ(Analysed(c).messages(Opcode::send_inv)[0].message.stag, 0x1234AB01U);
}

// --- D15: versions --------------------------------------------------------------------------------------

TEST(ScenarioD, D15_DdpVersionOfATaggedSegment) {
  for (const unsigned version : {0U, 2U, 3U}) {
    const Answered result = answered(write(0x7, 0x1000, text("x"), {.ddp_version = version}), 0x1104);
    EXPECT_EQ(result.findings, (Told{error("DDP-DV", a, result.frame)})) << "DV " << version;
    EXPECT_EQ(result.reasons, (Told{"1104 explained"})) << "DV " << version;
  }
}

TEST(ScenarioD, D15_DdpVersionOfAnUntaggedSegment) {
  for (const unsigned version : {0U, 2U, 3U}) {
    const Answered result = answered(send(2, text("x"), {.ddp_version = version}), 0x1206);
    EXPECT_EQ(result.findings, (Told{error("DDP-DV", a, result.frame)})) << "DV " << version;
    EXPECT_EQ(result.reasons, (Told{"1206 explained"})) << "DV " << version;
  }
}

TEST(ScenarioD, D15_RdmapVersion) {
  for (const unsigned version : {0U, 2U, 3U}) {
    const Answered result = answered(send(2, text("x"), {.rdmap_version = version}), 0x0205);
    EXPECT_EQ(result.findings, (Told{error("RDMAP-RV", a, result.frame)})) << "RV " << version;
    EXPECT_EQ(result.reasons, (Told{"0205 explained"})) << "RV " << version;
  }
}

TEST(ScenarioD, D15_AWrongVersionDoesNotDisturbTheMessagesBehindIt) {
  Established c;
  c.fpdu(a, send(1));
  const Packets wrong = c.fpdu(a, send(2, text("x"), {.ddp_version = 2}));
  c.fpdu(a, send(3));
  c.close();
  EXPECT_EQ(told(c), (Told{error("DDP-DV", a, c.at(wrong))}));
}

TEST(ScenarioD, D15_ReservedBits) {
  Established c;
  c.fpdu(a, send(1));
  const Packets ddp = c.fpdu(a, send(2, {}, {.ddp_reserved = 9}));
  const Packets rdmap = c.fpdu(a, send(3, {}, {.rdmap_reserved = 2}));
  c.close();
  EXPECT_EQ(told(c), (Told{warning("DDP-RSVD", a, c.at(ddp)), warning("RDMAP-RSV", a, c.at(rdmap))}));
}

}  // namespace
}  // namespace iwarp::test::established
