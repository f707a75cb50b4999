// The StartupScanner by itself: candidates in streaming octets, and what is only a quote.
// SPDX-License-Identifier: GPL-2.0-or-later
#include <gtest/gtest.h>

#include "mpa/startup_scanner.hpp"
#include "support/octets.hpp"

namespace iwarp::mpa {
namespace {

using test::cat;
using test::part;
using test::pattern;
using test::reply_frame;
using test::request_frame;
using test::text;

constexpr StreamOffset start = 500;

StartupScanner scanner_at(StreamOffset at = start, bool expected = true) {
  StartupScanner scanner;
  scanner.start(at, expected);
  return scanner;
}

TEST(StartupScanner, FindsAFrameAtTheStart) {
  StartupScanner scanner = scanner_at();
  scanner.push(request_frame({.markers = true, .private_data = text("data")}), true);
  ASSERT_TRUE(scanner.complete());
  EXPECT_TRUE(scanner.expected());
  EXPECT_TRUE(scanner.at_segment_start());
  EXPECT_EQ(scanner.kind(), wire::StartupKind::request);
  EXPECT_EQ(scanner.begin(), start);
  EXPECT_EQ(scanner.end(), start + 24);
  const wire::StartupFrame frame = scanner.frame();
  EXPECT_TRUE(frame.markers);
  EXPECT_TRUE(frame.crc);
  EXPECT_EQ(frame.revision, 1U);
  EXPECT_EQ(Bytes(frame.private_data.begin(), frame.private_data.end()), text("data"));
  EXPECT_TRUE(scanner.behind().empty());
}

TEST(StartupScanner, AnyPiecesGiveTheSameFrame) {
  const Bytes octets = cat({reply_frame({.private_data = pattern(100)}), text("behind")});
  for (std::size_t size = 1; size <= octets.size(); ++size) {
    StartupScanner scanner = scanner_at();
    for (std::size_t at = 0; at < octets.size(); at += size) {
      EXPECT_FALSE(at < 120 && scanner.complete());
      scanner.push(part(octets, at, size), true);
    }
    ASSERT_TRUE(scanner.complete()) << size;
    EXPECT_EQ(scanner.kind(), wire::StartupKind::reply);
    EXPECT_EQ(scanner.private_data_received(), 100U);
    EXPECT_TRUE(scanner.expected());
    EXPECT_EQ(Bytes(scanner.behind().begin(), scanner.behind().end()), text("behind"));
  }
}

TEST(StartupScanner, FindsAFrameBehindOtherOctets) {
  const Bytes before = pattern(5000);
  for (std::size_t size : {1U, 7U, 16U, 100U, 1448U}) {
    StartupScanner scanner = scanner_at();
    for (std::size_t at = 0; at < before.size(); at += size) scanner.push(part(before, at, size), true);
    EXPECT_FALSE(scanner.has_candidate());
    EXPECT_GE(scanner.held_from() + 16, start + before.size()) << "only what may begin a key is kept";
    for (std::size_t at = 0; at < 20; at += size) scanner.push(part(request_frame(), at, size), true);
    ASSERT_TRUE(scanner.complete()) << size;
    EXPECT_FALSE(scanner.expected());
    EXPECT_TRUE(scanner.at_segment_start());
    EXPECT_EQ(scanner.begin(), start + before.size());
  }
}

TEST(StartupScanner, FrameInsideASegmentDoesNotBeginOne) {
  StartupScanner scanner = scanner_at();
  scanner.push(cat({text("here it comes: "), request_frame()}), true);
  ASSERT_TRUE(scanner.complete());
  EXPECT_FALSE(scanner.at_segment_start());
  EXPECT_FALSE(scanner.expected());
  EXPECT_EQ(scanner.begin(), start + 15);
}

TEST(StartupScanner, TextThatQuotesTheKeyIsPassedOver) {
  StartupScanner scanner = scanner_at();
  scanner.push(text("the keys are \"MPA ID Req Frame\" and \"MPA ID Rep Frame\", as you know"), true);
  EXPECT_FALSE(scanner.has_candidate());
  scanner.push(request_frame(), true);
  ASSERT_TRUE(scanner.complete());
  EXPECT_TRUE(scanner.at_segment_start());
}

TEST(StartupScanner, QuoteWhoseHeaderComesLater) {
  StartupScanner scanner = scanner_at();
  scanner.push(text("the key is MPA ID Req Frame"), true);
  EXPECT_TRUE(scanner.has_candidate());
  scanner.push(text(", and so on"), true);
  EXPECT_FALSE(scanner.has_candidate());
}

TEST(StartupScanner, KeyAtASegmentStartComesBeforeOneInsideText) {
  StartupScanner scanner = scanner_at();
  scanner.push(cat({text("like this: "), part(request_frame({.private_data = pattern(400)}), 0, 60)}), true);
  EXPECT_TRUE(scanner.has_candidate());
  EXPECT_FALSE(scanner.complete());
  scanner.push(request_frame(), true);
  ASSERT_TRUE(scanner.complete());
  EXPECT_EQ(scanner.begin(), start + 71);
}

TEST(StartupScanner, UnsoundFrameWhereOneIsExpectedIsKept) {
  StartupScanner scanner = scanner_at();
  scanner.push(request_frame({.revision = 77, .private_data = pattern(600)}), true);
  ASSERT_TRUE(scanner.complete());
  EXPECT_FALSE(scanner.sound());
  EXPECT_EQ(scanner.private_data_length(), 600U);
}

TEST(StartupScanner, UnsoundFrameThatNobodyExpectsAnyMoreIsNot) {
  StartupScanner scanner = scanner_at();
  scanner.push(text("MPA ID Req Frame is the key"), true);
  EXPECT_TRUE(scanner.has_candidate());
  scanner.expect_nothing();
  EXPECT_FALSE(scanner.has_candidate());
  StartupScanner sound = scanner_at();
  sound.push(request_frame(), true);
  sound.expect_nothing();
  EXPECT_TRUE(sound.complete());
  EXPECT_FALSE(sound.expected());
}

TEST(StartupScanner, OctetsOfPrivateDataThatAreAbsent) {
  const Bytes octets = request_frame({.private_data = pattern(100)});
  StartupScanner scanner = scanner_at();
  scanner.push(part(octets, 0, 50), true);
  scanner.push_absent(30);
  ASSERT_TRUE(scanner.header_complete());
  EXPECT_FALSE(scanner.complete());
  scanner.push(part(octets, 80), true);
  ASSERT_TRUE(scanner.complete());
  EXPECT_EQ(scanner.end(), start + 120);
}

TEST(StartupScanner, AbsentOctetsBeforeTheHeaderIsThereEndACandidate) {
  StartupScanner scanner = scanner_at();
  scanner.push(part(request_frame(), 0, 17), true);
  EXPECT_TRUE(scanner.has_candidate());
  scanner.push_absent(3);
  EXPECT_FALSE(scanner.has_candidate());
  scanner.push(request_frame(), true);
  ASSERT_TRUE(scanner.complete());
  EXPECT_FALSE(scanner.expected());
  EXPECT_EQ(scanner.begin(), start + 20);
}

TEST(StartupScanner, OctetsBehindAnUnfinishedFrame) {
  StartupScanner scanner = scanner_at();
  scanner.push(part(request_frame({.private_data = pattern(100)}), 0, 80), true);
  scanner.push(text("0123456789"), true);
  const ByteView next = scanner.octets_from(start + 80);
  EXPECT_EQ(Bytes(next.begin(), next.end()), text("0123456789"));
  EXPECT_TRUE(scanner.octets_from(start + 90).empty());
  EXPECT_TRUE(scanner.octets_from(start - 1).empty());
}

TEST(StartupScanner, RemembersHowTheDirectionBegan) {
  StartupScanner scanner = scanner_at();
  scanner.push(text("H"), true);
  scanner.push(text("TTP/1.1"), true);
  EXPECT_EQ(scanner.first_word(), 0x48545450U);
  EXPECT_EQ(scanner.seen(), 8U);
}

TEST(StartupScanner, KeepsTheHeaderAloneOnceItIsSettled) {
  StartupScanner scanner = scanner_at();
  scanner.push(cat({request_frame({.private_data = pattern(300)}), text("behind")}), true);
  scanner.settle();
  EXPECT_TRUE(scanner.complete());
  EXPECT_EQ(scanner.kind(), wire::StartupKind::request);
  EXPECT_EQ(scanner.begin(), start);
  EXPECT_EQ(scanner.end(), start + 320);
  EXPECT_TRUE(scanner.behind().empty());
  EXPECT_EQ(scanner.held_from(), scanner.position() - wire::startup_header_size);
}

// Of a frame that never became whole nothing is left, and what follows all the same is looked at anew.
TEST(StartupScanner, ForgetsAFrameThatIsNotWholeWhenItIsSettled) {
  StartupScanner scanner = scanner_at();
  scanner.push(part(request_frame({.private_data = pattern(300)}), 0, 100), true);
  ASSERT_TRUE(scanner.header_complete());
  scanner.settle();
  EXPECT_FALSE(scanner.has_candidate());
  EXPECT_TRUE(scanner.octets_from(start + 50).empty());
  scanner.push(reply_frame(), true);
  ASSERT_TRUE(scanner.complete());
  EXPECT_EQ(scanner.kind(), wire::StartupKind::reply);
  EXPECT_EQ(scanner.begin(), start + 100);
}

}  // namespace
}  // namespace iwarp::mpa
