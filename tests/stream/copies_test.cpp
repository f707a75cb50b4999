// Copies of the same octets: duplicates, differing content, bad checksums, cut frames.
// SPDX-License-Identifier: GPL-2.0-or-later
#include <gtest/gtest.h>

#include "stream/reassembler.hpp"
#include "stream/segments.hpp"

namespace iwarp::stream {
namespace {

using test::cut;
using test::Drain;
using test::segment;
using test::with_checksum;
using test::with_frame;
using test::with_identity;
using test::with_sum;

struct CopiesTest : testing::Test {
  Reassembler stream;
  Drain drain{stream};
  PushResult result;

  void SetUp() override { stream.push(with_checksum(segment(0, "", tcp::syn), ChecksumStatus::good), 0); }
  std::string after(const TcpSegment& next) {
    result = stream.push(next, 0);
    return drain();
  }
  std::string after_good(const TcpSegment& next) { return after(with_checksum(next, ChecksumStatus::good)); }
  std::string after_bad(const TcpSegment& next) { return after(with_checksum(next, ChecksumStatus::bad)); }
  [[nodiscard]] std::string alternate(std::size_t at) const {
    const Bytes& octets = stream.alternates()[at].octets;
    return {octets.begin(), octets.end()};
  }
};

TEST_F(CopiesTest, MirrorsSecondCopyIsADuplicate) {  // C21
  EXPECT_EQ(after(with_identity(segment(1, "abcd"), 77)), "|abcd");
  EXPECT_FALSE(result.duplicate);
  EXPECT_EQ(after(with_identity(segment(1, "abcd"), 77)), "");
  EXPECT_TRUE(result.duplicate);
  EXPECT_EQ(result.retransmitted, 0U);
  EXPECT_EQ(after(with_identity(segment(1, "abcd"), 78)), "");
  EXPECT_FALSE(result.duplicate);
  EXPECT_EQ(result.retransmitted, 4U);
  EXPECT_EQ(after(with_identity(segment(1, "abcd"), 78)), "");
  EXPECT_TRUE(result.duplicate);
  // While waiting, too.
  after(with_identity(segment(9, "ij"), 79));
  after(with_identity(segment(9, "ij"), 79));
  EXPECT_TRUE(result.duplicate);
  EXPECT_EQ(result.retransmitted, 0U);
  // No identity, no duplicate.
  after(segment(9, "ij"));
  EXPECT_FALSE(result.duplicate);
}

TEST_F(CopiesTest, DuplicatesWithoutPayload) {
  after(with_identity(segment(1), 5));
  EXPECT_FALSE(result.duplicate);
  after(with_identity(segment(1), 5));
  EXPECT_TRUE(result.duplicate);
}

TEST_F(CopiesTest, FirstWaitingCopyWins) {  // C3
  after(with_frame(segment(5, "efgh"), 1));
  after(with_frame(segment(4, "dXfYh"), 2));
  ASSERT_TRUE(result.conflict);
  EXPECT_EQ(result.conflict->offset, 4U);
  EXPECT_EQ(result.conflict->length, 3U);
  EXPECT_FALSE(result.conflict->second_used);
  ASSERT_EQ(stream.alternates().size(), 1U);
  EXPECT_EQ(alternate(0), "dXfYh");
  EXPECT_EQ(stream.alternates()[0].offset, 3U);
  EXPECT_EQ(stream.alternates()[0].frame, 2U);
  EXPECT_EQ(after(segment(1, "abc")), "|abc|d|efgh");
}

TEST_F(CopiesTest, CopyWithARightChecksumReplacesAWaitingBadOne) {  // C24
  after_bad(segment(5, "efgh"));
  EXPECT_FALSE(after_good(segment(6, "FG")).size());
  ASSERT_TRUE(result.conflict);
  EXPECT_TRUE(result.conflict->second_used);
  EXPECT_EQ(result.conflict->offset, 5U);
  EXPECT_EQ(result.conflict->length, 2U);
  ASSERT_EQ(stream.alternates().size(), 1U);
  EXPECT_EQ(alternate(0), "fg");
  EXPECT_EQ(after_bad(segment(6, "XY")), "");
  EXPECT_FALSE(result.conflict->second_used);
  EXPECT_EQ(after_good(segment(1, "abcd")), "|abcd");
  EXPECT_TRUE(stream.declare_gap(8));
  EXPECT_EQ(drain(), "<1>|FG");
  EXPECT_TRUE(stream.declare_gap(8));
  EXPECT_EQ(drain(), "<1>");
}

TEST_F(CopiesTest, LateCopyIsComparedBySum) {
  after(with_sum(segment(1, "abcd")));
  after(with_sum(segment(5, "efg")));
  after(with_sum(segment(1, "abcd")));
  EXPECT_FALSE(result.conflict);
  after(with_sum(with_frame(segment(1, "abXd"), 9)));
  ASSERT_TRUE(result.conflict);
  EXPECT_EQ(result.conflict->offset, 0U);
  EXPECT_EQ(result.conflict->length, 4U);
  EXPECT_FALSE(result.conflict->second_used);
  ASSERT_EQ(stream.alternates().size(), 1U);
  EXPECT_EQ(alternate(0), "abXd");
  EXPECT_EQ(stream.alternates()[0].frame, 9U);
  // Over both segments; not over half of one, nor without a sum.
  after(with_sum(segment(1, "abcdefg")));
  EXPECT_FALSE(result.conflict);
  after(with_sum(segment(1, "abcdefX")));
  EXPECT_TRUE(result.conflict);
  after(with_sum(segment(3, "XXefg")));
  EXPECT_FALSE(result.conflict);
  after(segment(1, "XXXX"));
  EXPECT_FALSE(result.conflict);
}

TEST_F(CopiesTest, SumsAreNotAddedBehindAnOddLength) {
  after(with_sum(segment(1, "abc")));
  after(with_sum(segment(4, "def")));
  after(with_sum(segment(1, "XXXXXX")));
  EXPECT_FALSE(result.conflict);
}

TEST_F(CopiesTest, SumOfACopyThatWasNotDeliveredSaysNothing) {
  after(with_sum(segment(3, "cd")));
  after(with_sum(segment(3, "CD")));  // loses
  EXPECT_TRUE(result.conflict);
  after(with_sum(segment(1, "ab")));
  after(with_sum(segment(3, "cd")));
  EXPECT_FALSE(result.conflict);
  after(with_sum(segment(3, "CD")));
  EXPECT_FALSE(result.conflict);
}

TEST_F(CopiesTest, AlternatesAreBoundedAndDroppedBehind) {
  for (int i = 0; i < 12; ++i) {
    const std::string first(2, 'a');
    const std::string second(2, 'b');
    const auto at = static_cast<std::uint32_t>(11 + 2 * i);
    after(segment(at, first));
    after(segment(at, second));
  }
  EXPECT_EQ(stream.alternates().size(), 8U);
  EXPECT_EQ(stream.alternates().front().offset, 18U);
  while (stream.declare_gap(34)) drain();
  const std::string rest(40'000, 'c');
  after(segment(35, rest));
  after(segment(40'035, rest));
  EXPECT_EQ(stream.alternates().size(), 8U);
  after(segment(80'035, "d"));
  EXPECT_TRUE(stream.alternates().empty());
}

TEST_F(CopiesTest, SuspectSegmentWaitsForABetterCopy) {
  EXPECT_EQ(after_good(segment(1, "ab")), "|ab");
  EXPECT_EQ(after_bad(segment(3, "XX")), "");
  EXPECT_TRUE(result.suspect);
  ASSERT_TRUE(stream.hole());
  EXPECT_TRUE(stream.hole()->suspect);
  EXPECT_EQ(stream.hole()->end, 4U);
  EXPECT_EQ(stream.next_offset(), 2U);
  EXPECT_EQ(stream.available_offset(), 2U);
  EXPECT_EQ(after_good(segment(5, "ef")), "");
  EXPECT_EQ(stream.available_offset(), 2U);
  EXPECT_EQ(after_good(segment(3, "cd")), "|cd|ef");
  EXPECT_TRUE(result.conflict);
}

// What was acknowledged is another copy.
TEST_F(CopiesTest, SuspectSegmentIsAHoleAlthoughAcknowledged) {
  after_good(segment(1, "ab"));
  EXPECT_EQ(after_bad(segment(3, "cd")), "");
  stream.acknowledged(6);
  EXPECT_EQ(drain(), "");
  EXPECT_EQ(after_bad(segment(5, "ef")), "");
  EXPECT_EQ(after_good(segment(7, "gh")), "");
  EXPECT_TRUE(stream.declare_gap(3));
  EXPECT_EQ(drain(), "<1>");
  EXPECT_FALSE(stream.declare_gap(3));
  EXPECT_TRUE(stream.declare_gap(6));
  EXPECT_EQ(drain(), "<1>");
  EXPECT_TRUE(stream.declare_gap(6));
  EXPECT_EQ(drain(), "<2>|gh");
  EXPECT_EQ(after_good(segment(3, "cdef")), "");
  EXPECT_EQ(result.too_late, 4U);
  EXPECT_FALSE(result.conflict);
}

TEST_F(CopiesTest, FinOfASuspectSegmentIsBelievedWhenAcknowledged) {
  for (const StreamOffset acknowledged : {StreamOffset{4}, StreamOffset{5}}) {
    Reassembler each;
    Drain out(each);
    each.push(with_checksum(segment(1, "ab"), ChecksumStatus::good), 0);
    out();
    each.push(with_checksum(segment(3, "cd", tcp::ack | tcp::fin), ChecksumStatus::bad), 0);
    EXPECT_FALSE(each.fin_offset());
    EXPECT_TRUE(each.declare_gap(acknowledged));
    EXPECT_EQ(out(), "<2>");
    EXPECT_EQ(each.fin_reached(), acknowledged == 5);
  }
}

// The handshake's checksums are right, all behind it wrong: they are offloaded.
TEST_F(CopiesTest, SuspectSegmentsAreDeliveredWhereBadChecksumsBecomeUsual) {  // C24
  after_good(segment(1));
  EXPECT_EQ(after_bad(segment(1, "ab")), "");
  EXPECT_EQ(after_bad(segment(3, "cd")), "");
  EXPECT_EQ(after_bad(segment(5, "ef")), "");
  EXPECT_TRUE(stream.declare_gap(4));
  EXPECT_EQ(drain(), "|ab");
  EXPECT_TRUE(stream.declare_gap(6));
  EXPECT_EQ(drain(), "|cd");
  EXPECT_TRUE(stream.declare_gap(6));
  EXPECT_EQ(drain(), "|ef");
}

// Two of the first three are no rule, so what they hold is unknown.
TEST_F(CopiesTest, TwoBadChecksumsBesideARightOneAreDamage) {
  after_good(segment(1));
  EXPECT_EQ(after_bad(segment(1, "ab")), "");
  EXPECT_EQ(after_bad(segment(3, "cd")), "");
  EXPECT_TRUE(stream.declare_gap(5));
  EXPECT_EQ(drain(), "<2>");
  EXPECT_TRUE(stream.declare_gap(5));
  EXPECT_EQ(drain(), "<2>");
}

// A capture that begins with a damaged packet, cut in two on its way: too few checksums are known to tell.
TEST_F(CopiesTest, FirstSegmentsWithBadChecksumsWaitForABetterCopy) {
  Reassembler joined;
  Drain out(joined);
  EXPECT_TRUE(joined.push(with_checksum(segment(1, "xb"), ChecksumStatus::bad), 0).suspect);
  joined.push(with_checksum(segment(3, "cx"), ChecksumStatus::bad), 0);
  EXPECT_EQ(out(), "");
  for (const char* const octets : {"e", "f", "g"}) {
    joined.push(
        with_checksum(segment(static_cast<std::uint32_t>(octets[0] - 'a' + 1), octets), ChecksumStatus::good),
        0);
  }
  EXPECT_TRUE(joined.declare_gap(7));
  EXPECT_EQ(out(), "<2>");
  EXPECT_TRUE(joined.declare_gap(7));
  EXPECT_EQ(out(), "<2>|e|f|g");
}

TEST_F(CopiesTest, BadChecksumsAreNotSuspectWhereTheyAreUsual) {  // C24
  Reassembler offload;
  Drain out(offload);
  offload.push(with_checksum(segment(0, "", tcp::syn), ChecksumStatus::bad), 0);
  EXPECT_FALSE(offload.push(with_checksum(segment(1, "ab"), ChecksumStatus::bad), 0).suspect);
  EXPECT_EQ(out(), "|ab");
  offload.push(with_checksum(segment(3, "cd"), ChecksumStatus::good), 0);
  EXPECT_EQ(out(), "|cd");
  offload.push(with_checksum(segment(5, "ef"), ChecksumStatus::bad), 0);
  EXPECT_EQ(out(), "|ef");
}

TEST_F(CopiesTest, CutSegmentsLeaveHolesOfKnownLength) {  // C20
  EXPECT_EQ(after(cut(segment(1, "abcdef"), 2)), "|ab{4}");
  EXPECT_EQ(result.fresh, 6U);
  EXPECT_EQ(after(cut(segment(7, "ghij"), 0)), "{4}");
  EXPECT_EQ(after(segment(1, "abcdefghij")), "");
  EXPECT_EQ(result.retransmitted, 10U);
  EXPECT_EQ(after(cut(segment(15, "op"), 1)), "");
  EXPECT_EQ(after(segment(11, "klmn")), "|klmn|o{1}");
  EXPECT_TRUE(drain.contiguous());
}

TEST_F(CopiesTest, FullerCopyReplacesAWaitingCutOne) {
  after(cut(segment(3, "cdefgh"), 2));
  after(cut(segment(5, "efgh"), 1));
  EXPECT_FALSE(result.conflict);
  EXPECT_EQ(after(segment(1, "ab")), "|ab|cd|e{3}");
  after(cut(segment(11, "klmnop"), 2));
  after(segment(11, "klmnop"));
  EXPECT_EQ(after(segment(9, "ij")), "|ij|klmnop");
}

TEST_F(CopiesTest, InOrderSegmentOverWaitingOctets) {
  after(segment(4, "dX"));
  EXPECT_EQ(after(segment(1, "abcdefg")), "|abc|dXfg");
  ASSERT_TRUE(result.conflict);
  EXPECT_EQ(result.conflict->offset, 4U);
  EXPECT_EQ(result.conflict->length, 1U);
  EXPECT_EQ(alternate(0), "defg");
}

}  // namespace
}  // namespace iwarp::stream
