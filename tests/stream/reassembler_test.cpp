// Order, origin, retransmission, gaps and the end of one direction.
// SPDX-License-Identifier: GPL-2.0-or-later
#include "stream/reassembler.hpp"

#include <gtest/gtest.h>

#include "stream/segments.hpp"

namespace iwarp::stream {
namespace {

using test::Drain;
using test::segment;
using test::with_frame;

struct ReassemblerTest : testing::Test {
  Reassembler stream;
  Drain drain{stream};

  // What becomes ready by a segment.
  std::string after(const TcpSegment& next, StreamOffset ack = 0) {
    result = stream.push(next, ack);
    return drain();
  }
  PushResult result;
};

TEST_F(ReassemblerTest, HandsOnInOrderSegmentsAsViews) {
  EXPECT_EQ(after(segment(99, "", tcp::syn)), "");
  EXPECT_TRUE(stream.syn_seen());
  const TcpSegment first = with_frame(segment(100, "abcd"), 7);
  stream.push(first, 55);
  const Chunk* const chunk = stream.poll();
  ASSERT_NE(chunk, nullptr);
  EXPECT_EQ(chunk->offset, 0U);
  EXPECT_EQ(chunk->octets.data(), first.payload.data());
  EXPECT_EQ(chunk->octets.size(), 4U);
  EXPECT_EQ(chunk->frame, 7U);
  EXPECT_EQ(chunk->ack, 55U);
  EXPECT_TRUE(chunk->segment_start);
  EXPECT_EQ(stream.poll(), nullptr);
  EXPECT_EQ(after(segment(104, "ef")), "|ef");
  EXPECT_EQ(result.fresh, 2U);
  EXPECT_EQ(stream.next_offset(), 6U);
  EXPECT_EQ(stream.highest_offset(), 6U);
}

TEST_F(ReassemblerTest, PutsEarlySegmentsInOrder) {  // C2
  after(segment(0, "", tcp::syn));
  EXPECT_EQ(after(with_frame(segment(1, "ab"), 1)), "|ab");
  EXPECT_EQ(after(with_frame(segment(5, "ef"), 2)), "");
  EXPECT_EQ(stream.waiting_octets(), 2U);
  ASSERT_TRUE(stream.hole());
  EXPECT_EQ(stream.hole()->begin, 2U);
  EXPECT_EQ(stream.hole()->end, 4U);
  EXPECT_EQ(after(with_frame(segment(3, "cd"), 3)), "|cd|ef");
  EXPECT_EQ(result.fresh, 2U);
  EXPECT_EQ(drain.chunks().back().frame, 2U);
  EXPECT_FALSE(stream.hole());
  EXPECT_EQ(stream.waiting_octets(), 0U);
}

TEST_F(ReassemblerTest, RetransmissionWithOtherCutPointsAddsOnlyWhatIsNew) {  // C1
  after(segment(0, "", tcp::syn));
  after(segment(1, "abcd"));
  EXPECT_EQ(after(segment(3, "cdef")), "ef");
  EXPECT_EQ(result.retransmitted, 2U);
  EXPECT_EQ(result.fresh, 2U);
  EXPECT_EQ(drain.chunks().back().payload_offset, 2U);
  EXPECT_FALSE(drain.chunks().back().segment_start);
  EXPECT_EQ(after(segment(2, "bcde")), "");
  EXPECT_EQ(result.retransmitted, 4U);
  // Over waiting octets, around and beyond them.
  EXPECT_EQ(after(segment(9, "ij")), "");
  EXPECT_EQ(after(segment(13, "mn")), "");
  EXPECT_EQ(after(segment(8, "hijklmno")), "");
  EXPECT_EQ(result.retransmitted, 4U);
  EXPECT_EQ(result.fresh, 4U);
  EXPECT_FALSE(result.conflict);
  EXPECT_EQ(after(segment(6, "fghij")), "g|h|ijkl|mno");
  EXPECT_TRUE(drain.contiguous());
}

TEST_F(ReassemblerTest, SequenceNumbersWrap) {
  after(segment(0xFFFFFFFDU, "", tcp::syn));
  EXPECT_EQ(after(segment(0xFFFFFFFEU, "abcd")), "|abcd");
  EXPECT_EQ(after(segment(4, "gh")), "");
  EXPECT_EQ(after(segment(2, "ef")), "|ef|gh");
  EXPECT_EQ(stream.next_offset(), 8U);
  EXPECT_EQ(stream.offset_of(0xFFFFFFFEU), 0U);
  EXPECT_EQ(stream.offset_of(6), 8U);
}

TEST_F(ReassemblerTest, SynMayCarryDataAndComeTwice) {
  EXPECT_EQ(after(segment(9, "abc", tcp::syn)), "|abc");
  EXPECT_EQ(after(segment(9, "abc", tcp::syn)), "");
  EXPECT_TRUE(result.syn_repeated);
  EXPECT_EQ(result.retransmitted, 3U);
  EXPECT_EQ(after(segment(10, "abcd")), "d");
  EXPECT_EQ(after(segment(5000, "", tcp::syn)), "");
  EXPECT_TRUE(result.foreign_syn);
  EXPECT_EQ(after(segment(14, "e")), "|e");
}

TEST_F(ReassemblerTest, BeginsMidStreamWithTheFirstSegment) {  // C9
  EXPECT_EQ(after(segment(5000, "abc")), "|abc");
  EXPECT_EQ(stream.next_offset(), 3U);
  EXPECT_EQ(after(segment(4997, "xyzab")), "");
  EXPECT_EQ(result.before_origin, 3U);
  EXPECT_EQ(result.retransmitted, 2U);
  EXPECT_EQ(after(segment(4990, "uvw")), "");
  EXPECT_EQ(result.before_origin, 3U);
  EXPECT_EQ(after(segment(4999, "zabcd")), "d");
  EXPECT_EQ(stream.offset_of(4990), 0U);
}

TEST_F(ReassemblerTest, PureAckSetsTheOriginOnlyProvisionally) {
  EXPECT_EQ(after(segment(5000)), "");
  EXPECT_EQ(after(segment(4990, "abc")), "|abc");
  EXPECT_EQ(drain.chunks().back().offset, 0U);
}

TEST_F(ReassemblerTest, KeepaliveFirstLeavesNoHole) {
  EXPECT_EQ(after(segment(4999)), "");
  EXPECT_EQ(after(segment(5000, "abc")), "|abc");
  EXPECT_EQ(drain.chunks().back().offset, 0U);
}

TEST_F(ReassemblerTest, LateSynFitsTheProvisionalOrigin) {
  after(segment(5000));
  EXPECT_EQ(after(segment(4999, "", tcp::syn)), "");
  EXPECT_TRUE(stream.syn_seen());
  EXPECT_FALSE(result.syn_repeated);
  EXPECT_EQ(after(segment(5001, "b")), "");
  EXPECT_EQ(after(segment(5000, "a")), "|a|b");
}

TEST_F(ReassemblerTest, KeepalivesHaveNoEffect) {  // C6
  after(segment(0, "", tcp::syn));
  after(segment(1, "abcd"));
  EXPECT_EQ(after(segment(4, "Z")), "");
  EXPECT_TRUE(result.keepalive);
  EXPECT_EQ(result.retransmitted, 0U);
  EXPECT_EQ(after(segment(4)), "");
  EXPECT_TRUE(result.keepalive);
  EXPECT_EQ(after(segment(5)), "");
  EXPECT_FALSE(result.keepalive);
  EXPECT_EQ(after(segment(5, "ef")), "|ef");
}

TEST_F(ReassemblerTest, KeepaliveBeforeTheFirstOctetHasNoEffect) {
  after(segment(0, "", tcp::syn));
  EXPECT_EQ(after(segment(0, "Z")), "");
  EXPECT_TRUE(result.keepalive);
  EXPECT_EQ(result.before_origin, 0U);
}

TEST_F(ReassemblerTest, ZeroWindowProbeIsPartOfTheStream) {  // C6
  after(segment(0, "", tcp::syn));
  after(segment(1, "abcd"));
  EXPECT_EQ(after(segment(5, "e")), "|e");
  EXPECT_EQ(after(segment(5, "e")), "");
  EXPECT_FALSE(result.keepalive);
  EXPECT_EQ(result.retransmitted, 1U);
  EXPECT_EQ(after(segment(5, "efg")), "fg");
}

TEST_F(ReassemblerTest, DeclaredGapsCloseOneHoleAtATime) {  // C4
  after(segment(0, "", tcp::syn));
  after(segment(1, "ab"), 9);
  after(segment(6, "f"));
  after(segment(9, "i"));
  EXPECT_FALSE(stream.declare_gap(2));
  EXPECT_TRUE(stream.declare_gap(100));
  EXPECT_EQ(drain(), "<3>|f");
  EXPECT_EQ(drain.chunks()[1].ack, 9U);
  EXPECT_EQ(drain.chunks()[1].frame, 0U);
  EXPECT_TRUE(stream.declare_gap(7));
  EXPECT_EQ(drain(), "<1>");
  EXPECT_TRUE(stream.declare_gap(100));
  EXPECT_EQ(drain(), "<1>|i");
  // The peer acknowledged what was never captured.
  EXPECT_TRUE(stream.declare_gap(20));
  EXPECT_EQ(drain(), "<11>");
  EXPECT_EQ(stream.highest_offset(), 20U);
  // Octets of the gap may come still, too late.
  EXPECT_EQ(after(segment(2, "bcdef")), "");
  EXPECT_EQ(result.too_late, 3U);
  EXPECT_EQ(result.retransmitted, 2U);
  EXPECT_TRUE(drain.contiguous());
}

TEST_F(ReassemblerTest, GapUpToEverythingEndsWithWhatWasSeen) {
  EXPECT_FALSE(stream.declare_gap(~StreamOffset{0}));
  after(segment(0, "", tcp::syn));
  after(segment(4, "d"));
  EXPECT_TRUE(stream.declare_gap(~StreamOffset{0}));
  EXPECT_EQ(drain(), "<3>|d");
  EXPECT_FALSE(stream.declare_gap(~StreamOffset{0}));
}

TEST_F(ReassemblerTest, FinIsReachedBehindTheLastOctet) {
  after(segment(0, "", tcp::syn));
  EXPECT_EQ(after(segment(3, "cd", tcp::fin | tcp::ack)), "");
  EXPECT_EQ(stream.fin_offset(), 4U);
  EXPECT_FALSE(stream.fin_reached());
  EXPECT_EQ(after(segment(1, "ab")), "|ab|cd");
  EXPECT_TRUE(stream.fin_reached());
  EXPECT_EQ(stream.offset_of(6), 5U);  // the acknowledgement of the FIN
  EXPECT_EQ(after(segment(5, "!")), "");
  EXPECT_TRUE(result.keepalive);
  EXPECT_EQ(after(segment(4, "d!!")), "");
  EXPECT_EQ(result.beyond_fin, 2U);
  EXPECT_EQ(result.retransmitted, 1U);
}

TEST_F(ReassemblerTest, HoleBeforeAFinAlone) {
  after(segment(0, "", tcp::syn));
  after(segment(6, "", tcp::fin));
  ASSERT_TRUE(stream.hole());
  EXPECT_EQ(stream.hole()->end, 5U);
  EXPECT_TRUE(stream.declare_gap(100));
  EXPECT_EQ(drain(), "<5>");
  EXPECT_TRUE(stream.fin_reached());
  EXPECT_FALSE(stream.declare_gap(100));
}

TEST_F(ReassemblerTest, FinInTheMiddleOfWhatWasSeenIsNone) {
  after(segment(0, "", tcp::syn));
  after(segment(1, "abcd"));
  after(segment(3, "", tcp::fin));
  EXPECT_FALSE(stream.fin_offset());
}

TEST_F(ReassemblerTest, ResetTakesNothing) {
  after(segment(0, "", tcp::syn));
  EXPECT_EQ(after(segment(1, "no such port", tcp::rst)), "");
  EXPECT_EQ(after(segment(1, "a")), "|a");
}

TEST_F(ReassemblerTest, FlagsHaveNoInfluence) {  // C26
  after(segment(0, "", tcp::syn | 0xC0));
  EXPECT_EQ(after(segment(1, "ab", tcp::ack | tcp::urg | tcp::psh)), "|ab");
  EXPECT_EQ(after(segment(3, "cd", 0xC0)), "|cd");
}

TEST_F(ReassemblerTest, StraySegmentIsTakenOnlyWhenContinued) {
  after(segment(0, "", tcp::syn));
  after(segment(1, "ab"));
  EXPECT_EQ(after(segment(0x70000000U, "xx")), "");
  EXPECT_TRUE(result.stray);
  EXPECT_EQ(stream.waiting_octets(), 0U);
  EXPECT_EQ(after(segment(3, "cd")), "|cd");
  EXPECT_EQ(after(segment(0x70000002U, "yy")), "");
  EXPECT_FALSE(result.stray);
  EXPECT_EQ(stream.highest_offset(), 0x70000003U);
}

TEST_F(ReassemblerTest, CapIsReportedAndNothingIsLostWhenTheHoleIsDeclared) {
  Reassembler capped({.max_waiting = 300});
  Drain out(capped);
  capped.push(segment(0, "", tcp::syn), 0);
  const std::string text(100, 'x');
  EXPECT_FALSE(capped.push(segment(11, text), 0).limit);
  const PushResult reached = capped.push(segment(111, text), 0);
  EXPECT_TRUE(reached.limit);
  EXPECT_EQ(reached.refused, 0U);
  const PushResult refused = capped.push(segment(211, text), 0);
  EXPECT_TRUE(refused.limit);
  EXPECT_EQ(refused.refused, 100U);
  EXPECT_EQ(capped.waiting_octets(), 200U);
  EXPECT_TRUE(capped.declare_gap(10));
  EXPECT_EQ(out(), "<10>|" + text + "|" + text);
  capped.push(segment(211, text), 0);
  EXPECT_EQ(out(), "|" + text);
}

TEST_F(ReassemblerTest, OffsetsGoBeyondFourGibioctets) {
  after(segment(0, "", tcp::syn));
  constexpr StreamOffset step = 1U << 30U;
  for (StreamOffset at = step; at <= 6 * step; at += step) {
    while (stream.declare_gap(at)) drain();
    ASSERT_EQ(stream.next_offset(), at);
    const auto sequence = static_cast<std::uint32_t>(at + 1);
    EXPECT_EQ(after(segment(sequence + 2, "cd")), "");
    EXPECT_EQ(after(segment(sequence, "ab")), "|ab|cd");
    EXPECT_EQ(after(segment(sequence, "ab")), "");
    EXPECT_EQ(result.retransmitted, 2U);
    EXPECT_EQ(stream.offset_of(sequence), at);
  }
}

TEST_F(ReassemblerTest, NothingMeansAnythingBeforeTheFirstSegment) {
  EXPECT_FALSE(stream.started());
  EXPECT_FALSE(stream.offset_of(1));
  EXPECT_FALSE(stream.hole());
  EXPECT_EQ(drain(), "");
}

}  // namespace
}  // namespace iwarp::stream
