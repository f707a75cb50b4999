// Untagged segments: message numbers, message offsets, the L bit (RFC 5041 §4.3, §5.2, §5.3).
// SPDX-License-Identifier: GPL-2.0-or-later
#include <gtest/gtest.h>

#include "established.hpp"

namespace iwarp::test::established {
namespace {

using wire::Opcode;

// --- D1: MSN FFFFFFFE, FFFFFFFF, 0, 1 -------------------------------------------------------------------

TEST(ScenarioD, D1_MsnWrapsFromItsLargestValueToZero) {
  Conversation c;  // picked up in the middle: nobody saw the four thousand million Sends before
  c.full_operation();
  c.fpdu(a, send(0xFFFFFFFE, text("one")));
  c.fpdu(a, send(0xFFFFFFFF, text("two")));
  c.fpdu(a, send(0, text("three")));
  c.fpdu(a, send(1, text("four")));
  c.ack(b);

  EXPECT_EQ(told(c), Told{});
  const Analysed result(c);
  EXPECT_EQ(messages(result), (Told{"send of 3, msn 4294967294", "send of 3, msn 4294967295",
                                    "send of 5, msn 0", "send of 4, msn 1"}));
  EXPECT_EQ(result.side(a).queues[0].next_msn, 2U);
  EXPECT_GT(result.undecidable("DDP-MSN1", Reason::midstream), 0U);
}

TEST(ScenarioD, D1_TheWrapIsJudgedToo) {
  Conversation c;
  c.full_operation();
  c.fpdu(a, send(0xFFFFFFFE));
  c.fpdu(a, send(0xFFFFFFFF));
  const Packets gap = c.fpdu(a, send(1));  // 0 is due
  c.fpdu(a, send(2));
  c.ack(b);

  const Analysed result(c);
  EXPECT_EQ(result.ids(), (Ids{"DDP-MSNGAP"}));
  const std::vector<Event> found = result.findings("DDP-MSNGAP");
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].frame, gap.first + 1);
  EXPECT_EQ(describe(found[0].finding), "MSN 1 on queue 0 where 0 is due");
}

TEST(ScenarioD, D1_OldMsnBehindTheWrapIsADuplicate) {
  Conversation c;
  c.full_operation();
  c.fpdu(a, send(0xFFFFFFFF, text("x")));
  c.fpdu(a, send(0, text("y")));
  const Packets again = c.fpdu(a, send(0xFFFFFFFF, text("x")));
  c.fpdu(a, send(1, text("z")));
  c.ack(b);

  const Analysed result(c);
  EXPECT_EQ(result.ids(), (Ids{"DDP-MSNDUP"}));
  ASSERT_TRUE(result.has("DDP-MSNDUP"));
  EXPECT_EQ(result.findings("DDP-MSNDUP")[0].frame, again.first + 1);
}

// --- D2: first MSN 0 or 2 -------------------------------------------------------------------------------

TEST(ScenarioD, D2_FirstMsnZero) {
  Established c;
  const Packets first = c.fpdu(a, send(0, text("counts from zero")));
  c.fpdu(a, send(1, text("the next one")));
  c.fpdu(a, send(2, text("and the next")));
  c.close();

  EXPECT_EQ(told(c), (Told{error("DDP-MSN1", a, c.at(first))}));
  const Analysed result(c);
  EXPECT_EQ(describe(result.findings("DDP-MSN1")[0].finding), "first MSN on queue 0 is 0");
  EXPECT_EQ(result.messages(Opcode::send).size(), 3U);
  EXPECT_EQ(result.side(a).queues[0].next_msn, 3U);
}

TEST(ScenarioD, D2_FirstMsnTwo) {
  Established c;
  const Packets first = c.fpdu(a, send(2, text("one is missing")));
  c.fpdu(a, send(3, text("the next one")));
  c.close();

  EXPECT_EQ(told(c), (Told{error("DDP-MSN1", a, c.at(first))}));
  EXPECT_EQ(Analysed(c).side(a).queues[0].next_msn, 4U);
}

TEST(ScenarioD, D2_EveryQueueAndDirectionCountsFromOne) {
  Established c;
  c.fpdu(a, send(1));
  const Packets read = c.fpdu(a, read_request(2, {.sink_stag = 7, .size = 4, .source_stag = 9}));
  c.fpdu(b, read_response(7, 0, pattern(4)));
  const Packets back = c.fpdu(b, send(5));
  c.fpdu(b, send(6));
  c.close();

  EXPECT_EQ(told(c), (Told{error("DDP-MSN1", a, c.at(read)), error("DDP-MSN1", b, c.at(back))}));
  EXPECT_EQ(describe(Analysed(c).findings("DDP-MSN1")[0].finding), "first MSN on queue 1 is 2");
}

TEST(ScenarioD, D2_FirstMsnOfAHalfSeenStreamIsABaseline) {
  Conversation c;
  c.unseen([&] {
    c.handshake();
    c.startup();
    c.fpdu(a, send(1));
  });
  c.fpdu(a, send(2));
  c.fpdu(a, send(3));
  c.ack(b);

  EXPECT_EQ(told(c), Told{});
  EXPECT_EQ(Analysed(c).undecidable("DDP-MSN1", Reason::midstream), 1U);
}

// --- D3: MSN 5 then 7; 5 again --------------------------------------------------------------------------

// Sends 1 to 5, complete.
void five_sends(Established& c) {
  for (std::uint32_t msn = 1; msn <= 5; ++msn) c.fpdu(a, send(msn, pattern(100, msn)));
}

TEST(ScenarioD, D3_MsnGap) {
  Established c;
  five_sends(c);
  const Packets gap = c.fpdu(a, send(7, text("seven")));
  c.fpdu(a, send(8, text("eight")));
  c.close();

  EXPECT_EQ(told(c), (Told{error("DDP-MSNGAP", a, c.at(gap))}));
  const Analysed result(c);
  EXPECT_EQ(describe(result.findings("DDP-MSNGAP")[0].finding), "MSN 7 on queue 0 where 6 is due");
  EXPECT_EQ(result.messages(Opcode::send).size(), 7U);
  EXPECT_EQ(result.side(a).queues[0].next_msn, 9U);
}

// 1203 by RFC 6580, 1202 by Verbs 1.0, where that is the MSN range error on a receive queue.
class ScenarioDMsnGap : public testing::TestWithParam<std::uint16_t> {};

TEST_P(ScenarioDMsnGap, D3_MsnGapAndItsTerminate) {
  Established c;
  five_sends(c);
  const Bytes seven = send(7, text("seven"));
  const Packets gap = c.fpdu(a, seven);
  const Packets end = c.terminated(b, GetParam(), about(seven));

  EXPECT_EQ(told(c), (Told{error("DDP-MSNGAP", a, c.at(gap))}));
  const Analysed result(c);
  ASSERT_EQ(result.side(b).terminates.size(), 1U);
  EXPECT_EQ(result.side(b).terminates[0].frame, c.at(end));
  EXPECT_EQ(result.side(b).terminates[0].quoted_frame, c.at(gap));
  EXPECT_EQ(why(result), (Told{GetParam() == 0x1203 ? "1203 explained" : "1202 explained"}));
}

// The same Terminates where nothing is wrong.
TEST_P(ScenarioDMsnGap, D3_WithoutAGapTheTerminateIsUnexplained) {
  Established c;
  five_sends(c);
  c.terminated(b, GetParam(), about(send(5, pattern(100, 5))));

  EXPECT_EQ(told(c), Told{});
  EXPECT_EQ(why(c), (Told{GetParam() == 0x1203 ? "1203 unexplained" : "1202 unexplained"}));
}

INSTANTIATE_TEST_SUITE_P(Codes, ScenarioDMsnGap, testing::Values(0x1203, 0x1202));

TEST(ScenarioD, D3_CompletedMsnStartsAgain) {
  Established c;
  five_sends(c);
  const Packets again = c.fpdu(a, send(5, pattern(100, 5)));
  c.fpdu(a, send(6));
  c.close();

  EXPECT_EQ(told(c), (Told{error("DDP-MSNDUP", a, c.at(again))}));
  const Analysed result(c);
  EXPECT_EQ(describe(result.findings("DDP-MSNDUP")[0].finding), "MSN 5 on queue 0 starts again, 6 is due");
  EXPECT_EQ(result.side(a).queues[0].next_msn, 7U);
}

TEST(ScenarioD, D3_ARetransmittedSegmentIsNoDuplicateMsn) {
  Established c;
  five_sends(c);
  const Packets five = c.fpdu(a, send(6));
  c.resend(five);
  c.fpdu(a, send(7));
  c.close();

  EXPECT_EQ(told(c), Told{});
}

// --- D4: MO 0, 1000, 3000; MO 0, 2000 (L), 1000 ---------------------------------------------------------

TEST(ScenarioD, D4_MessageOffsetsLeaveAHole) {
  Established c;
  c.fpdu(a, send(1, pattern(1000, 1), {.last = false}));
  c.fpdu(a, send(1, pattern(1000, 2), {.last = false, .mo = 1000}));
  const Packets jump = c.fpdu(a, send(1, pattern(500, 3), {.mo = 3000}));
  c.fpdu(a, send(2, text("next")));
  c.close();

  const Analysed result(c);
  EXPECT_EQ(result.ids(Severity::note), (Ids{"DDP-MOSEQ"}));
  ASSERT_EQ(result.findings("DDP-MOSEQ").size(), 1U);
  const Event found = result.findings("DDP-MOSEQ")[0];
  EXPECT_EQ(found.finding.severity, Severity::error);
  EXPECT_EQ(describe(found.finding), "MO 3000 in message MSN 1 of queue 0, 2000 expected");
  EXPECT_TRUE(found.frame == c.at(jump) || has_evidence(found, c.at(jump)));
  EXPECT_EQ(messages(result), (Told{"send of 2500, msn 1, incomplete", "send of 4, msn 2"}));
}

TEST(ScenarioD, D4_HoleInAMessageAtTheEndOfTheConnection) {
  Established c;
  c.fpdu(a, send(1, pattern(1000, 1), {.last = false}));
  c.fpdu(a, send(1, pattern(500, 3), {.mo = 3000}));
  c.close();

  const Analysed result(c);
  EXPECT_EQ(result.ids(Severity::note), (Ids{"DDP-MOSEQ"})) << result.told();
  ASSERT_TRUE(result.has("DDP-MOSEQ"));
  EXPECT_EQ(result.findings("DDP-MOSEQ")[0].finding.severity, Severity::error);
}

TEST(ScenarioD, D4_SegmentsOutOfOrderButAllThere) {
  Established c;
  c.fpdu(a, send(1, pattern(1000, 1), {.last = false}));
  c.fpdu(a, send(1, pattern(1000, 3), {.mo = 2000}));
  const Packets late = c.fpdu(a, send(1, pattern(1000, 2), {.last = false, .mo = 1000}));
  c.fpdu(a, send(2));
  c.close();

  EXPECT_EQ(told(c), (Told{warning("DDP-MOSEQ", a, c.at(late))}));
  EXPECT_EQ(messages(Analysed(c)), (Told{"send of 3000, msn 1", "send of 0, msn 2"}));
}

TEST(ScenarioD, D4_MessageBeginsElsewhereThanAtZero) {
  Established c;
  c.fpdu(a, send(1));
  const Packets first = c.fpdu(a, send(2, pattern(100), {.mo = 8}));
  c.fpdu(a, send(3));
  c.close();

  EXPECT_EQ(told(c), (Told{error("DDP-MO0", a, c.at(first))}));
  EXPECT_EQ(describe(Analysed(c).findings("DDP-MO0")[0].finding), "message MSN 2 on queue 0 begins at MO 8");
}

TEST(ScenarioD, D4_InvalidMoTerminateIsExplained) {
  Established c;
  c.fpdu(a, send(1, pattern(1000, 1), {.last = false}));
  const Bytes jump = send(1, pattern(500, 3), {.mo = 3000});
  c.fpdu(a, jump);
  c.terminated(b, 0x1204, about(jump));

  EXPECT_EQ(why(c), (Told{"1204 explained"}));
}

// --- D5: no L; more behind L ----------------------------------------------------------------------------

TEST(ScenarioD, D5_NextMsnWithoutL) {
  Established c;
  c.fpdu(a, send(1, pattern(1000), {.last = false}));
  const Packets next = c.fpdu(a, send(2, text("two")));
  c.fpdu(a, send(3, text("three")));
  c.close();

  EXPECT_EQ(told(c), (Told{error("DDP-LMISS", a, c.at(next))}));
  const Analysed result(c);
  EXPECT_EQ(describe(result.findings("DDP-LMISS")[0].finding),
            "Send, begun in frame 6, has no segment with L before the next one begins");
  EXPECT_EQ(messages(result),
            (Told{"send of 1000, msn 1, incomplete", "send of 3, msn 2", "send of 5, msn 3"}));
}

TEST(ScenarioD, D5_MissingLAndItsVerbsTerminate) {
  Established c;
  c.fpdu(a, send(1, pattern(1000), {.last = false}));
  const Bytes two = send(2, text("two"));
  c.fpdu(a, two);
  c.terminated(b, 0x0207, about(two));

  EXPECT_EQ(why(c), (Told{"0207 explained"}));
}

TEST(ScenarioD, D5_MessageGoesOnBehindL) {
  Established c;
  c.fpdu(a, send(1, pattern(1000, 1)));
  const Packets more = c.fpdu(a, send(1, pattern(24, 2), {.mo = 1000}));
  c.fpdu(a, send(2, text("two")));
  c.close();

  EXPECT_EQ(told(c), (Told{error("DDP-LDUP", a, c.at(more))}));
  EXPECT_EQ(describe(Analysed(c).findings("DDP-LDUP")[0].finding),
            "message MSN 1 on queue 0 goes on at MO 1000 behind its last segment");
}

TEST(ScenarioD, D5_MessageOfAnotherQueueInBetweenIsNoMissingL) {
  Established c;
  c.fpdu(a, send(1, pattern(1000), {.last = false}));
  c.fpdu(a, read_request(1, {.sink_stag = 7, .size = 4, .source_stag = 9}));
  c.fpdu(b, read_response(7, 0, pattern(4)));
  c.fpdu(a, send(1, pattern(24), {.mo = 1000}));
  c.close();

  EXPECT_EQ(told(c), Told{});
}

// --- D6: MO near 2^32 -----------------------------------------------------------------------------------

TEST(ScenarioD, D6_MoWraps) {
  Established c;
  c.fpdu(a, send(1, pattern(1000), {.last = false}));
  const Packets wraps = c.fpdu(a, send(1, pattern(32), {.mo = 0xFFFFFFF0}));
  c.ack(b);

  EXPECT_EQ(told(c), (Told{error("DDP-MOWRAP", a, c.at(wraps))}));
  EXPECT_EQ(messages(Analysed(c)), (Told{"send of 1032, msn 1, incomplete"}));  // octets that came, no more
}

TEST(ScenarioD, D6_MoWrapsInTheFirstSegment) {
  Established c;
  const Packets wraps = c.fpdu(a, send(1, pattern(32), {.mo = 0xFFFFFFF0}));
  c.ack(b);

  EXPECT_EQ(told(c), (Told{error("DDP-MOWRAP", a, c.at(wraps)), error("DDP-MO0", a, c.at(wraps))}));
}

TEST(ScenarioD, D6_LargestOffsetsThatDoNotWrap) {
  Established c;
  c.fpdu(a, send(1, pattern(1000), {.last = false}));
  c.fpdu(a, send(1, pattern(15), {.mo = 0xFFFFFFF0}));  // ends at 2^32 - 1
  c.ack(b);

  EXPECT_FALSE(Analysed(c).has("DDP-MOWRAP"));
}

TEST(ScenarioD, D6_OneMoreOctetIsTooMany) {
  Established c;
  c.fpdu(a, send(1, pattern(1000), {.last = false}));
  c.fpdu(a, send(1, pattern(16), {.mo = 0xFFFFFFF0}));
  c.ack(b);

  EXPECT_TRUE(Analysed(c).has("DDP-MOWRAP"));
}

// --- D8: zero-length Send -------------------------------------------------------------------------------

TEST(ScenarioD, D8_ZeroLengthSendIsAMessage) {
  Established c;
  c.fpdu(a, send(1));
  c.fpdu(a, send(2));
  c.close();

  EXPECT_EQ(told(c), Told{});
  const Analysed result(c);
  EXPECT_EQ(messages(result), (Told{"send of 0, msn 1", "send of 0, msn 2"}));
  EXPECT_EQ(result.messages()[0].message.segments, 1U);
  EXPECT_EQ(result.side(a).rq_consumed, 2U);
  EXPECT_EQ(result.side(a).queues[0].next_msn, 3U);
  EXPECT_EQ(result.side(a).payload_octets, 0U);
}

TEST(ScenarioD, D8_ZeroLengthSegmentWithoutL) {
  Established c;
  const Packets empty = c.fpdu(a, send(1, {}, {.last = false}));
  c.fpdu(a, send(1, text("hello")));
  c.close();

  EXPECT_EQ(told(c), (Told{warning("DDP-ZERO", a, c.at(empty))}));
  EXPECT_EQ(messages(Analysed(c)), (Told{"send of 5, msn 1"}));
}

TEST(ScenarioD, D8_ZeroLengthLastSegmentOfALongerMessage) {
  Established c;
  c.fpdu(a, send(1, pattern(1000), {.last = false}));
  const Packets empty = c.fpdu(a, send(1, {}, {.mo = 1000}));
  c.close();

  EXPECT_EQ(told(c), (Told{warning("DDP-ZERO", a, c.at(empty))}));
  EXPECT_EQ(messages(Analysed(c)), (Told{"send of 1000, msn 1"}));
}

TEST(ScenarioD, D6_WrongMoIsShownByItsOwnFrame) {
  Established c;
  const std::vector<Bytes> segments = send_segments(1, pattern(30), 10);
  c.fpdu(a, segments[0]);
  const Packets wrong = c.fpdu(a, segments[2]);
  const Packets proof = c.fpdu(a, send(2));
  c.close();
  EXPECT_EQ(evidence(Analysed(c), "DDP-MOSEQ"), (Frames{c.at(wrong), c.at(proof)}));
}

}  // namespace
}  // namespace iwarp::test::established
