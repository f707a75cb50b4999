// The order of the two directions: what waits for what, and for how long.
// SPDX-License-Identifier: GPL-2.0-or-later
#include "stream/causal_order.hpp"

#include <gtest/gtest.h>

#include <deque>

#include "stream/segments.hpp"

namespace iwarp::stream {
namespace {

using test::segment;

// Drives a CausalOrder and both streams as an analysis does. What comes out is written down in order: "a:ab"
// for octets of side a, "a<3>" for a gap, "a." for a segment that brought nothing.
struct CausalOrderTest : testing::Test {
  explicit CausalOrderTest(CausalOrderOptions options = {}) : order(options) {}

  // `side` sends `text` at stream offset `at`, having received everything before `ack`. No answer begins
  // with offset 0 at the sequence number 0: side a's stream begins at 1000, side b's at 5000.
  std::string add(Side side, StreamOffset at, std::string_view text, StreamOffset ack,
                  std::uint8_t flags = tcp::ack) {
    const bool a = side == Side::a;
    TcpSegment next = segment(static_cast<std::uint32_t>((a ? 1000 : 5000) + at), text, flags);
    next.acknowledgement = static_cast<std::uint32_t>((a ? 5000 : 1000) + ack);
    next.time_ns = time_ns;
    next.frame = ++frame;
    order.add(side, next, streams);
    return run();
  }
  std::string flush() {
    order.flush();
    return run();
  }
  std::string run() {
    log.clear();
    for (CausalOrder::Step step; order.next(step, streams);) {
      const unsigned own = index(step.side);
      if (step.kind == CausalOrder::Kind::missing_end) continue;
      if (step.kind == CausalOrder::Kind::missing) {
        limit |= step.limit;
        shown_by = step.shown_by.frame;
        drain(step.side, order.read_limit(step.side, streams));
        while (streams[own].declare_gap(step.upto)) drain(step.side, order.read_limit(step.side, streams));
      } else {
        const Side peer = other(step.side);
        drain(step.side);
        streams[index(peer)].acknowledged(step.ack);
        drain(peer, {step.ack, step.segment->frame});
        streams[own].push(*step.segment, step.ack);
        last_ack = step.ack;
        last_frame = step.segment->frame;
        if (!drain(step.side)) put(step.side, ".");
      }
    }
    for (const Side side : {Side::a, Side::b}) drain(side);
    return log;
  }
  bool drain(Side side, const ReadLimit& upto = {}) {
    const std::string text = test::Drain(streams[index(side)], upto)();
    if (!text.empty()) put(side, (text[0] == '<' ? "" : ":") + text);
    return !text.empty();
  }
  void put(Side side, const std::string& what) {
    log += (log.empty() ? "" : " ") + std::string(side == Side::a ? "a" : "b") + what;
  }
  void handshake() {
    add(Side::a, ~StreamOffset{0}, "", 0, tcp::syn);
    add(Side::b, ~StreamOffset{0}, "", 0, tcp::syn | tcp::ack);
    EXPECT_EQ(add(Side::a, 0, "", 0), "a.");
  }

  CausalOrder order;
  StreamPair streams;
  TimeNs time_ns = 1000;
  FrameNumber frame = 0;
  std::string log;
  bool limit = false;
  StreamOffset last_ack = 0;
  FrameNumber last_frame = 0;
  FrameNumber shown_by = 0;  // of the last gap
};

TEST_F(CausalOrderTest, SegmentsInOrderPassThrough) {
  handshake();
  EXPECT_EQ(add(Side::a, 0, "ask", 0), "a:|ask");
  EXPECT_EQ(add(Side::b, 0, "answer", 3), "b:|answer");
  EXPECT_EQ(last_ack, 3U);
  EXPECT_EQ(add(Side::a, 3, "", 6), "a.");
  EXPECT_EQ(last_ack, 6U);
  EXPECT_EQ(order.waiting_segments(), 0U);
}

TEST_F(CausalOrderTest, DirectSegmentIsNotCopied) {
  const TcpSegment syn = segment(999, "", tcp::syn);
  order.add(Side::a, syn, streams);
  CausalOrder::Step step;
  ASSERT_TRUE(order.next(step, streams));
  EXPECT_EQ(step.segment, &syn);
  EXPECT_FALSE(order.next(step, streams));
}

TEST_F(CausalOrderTest, AnswerCapturedFirstWaitsForItsQuestion) {  // E16, H8
  handshake();
  EXPECT_EQ(add(Side::b, 0, "answer", 3), "");
  EXPECT_EQ(add(Side::b, 6, "more", 3), "");
  EXPECT_EQ(order.waiting_segments(), 2U);
  EXPECT_EQ(order.waiting_octets(), 10U);
  EXPECT_EQ(add(Side::a, 0, "ask", 0), "a:|ask b:|answer b:|more");
  EXPECT_EQ(order.waiting_segments(), 0U);
}

TEST_F(CausalOrderTest, WaitingSegmentOwnsItsPayload) {
  handshake();
  std::string gone = "answer";
  add(Side::b, 0, gone, 3);
  gone = "XXXXXX";
  EXPECT_EQ(add(Side::a, 0, "ask", 0), "a:|ask b:|answer");
}

TEST_F(CausalOrderTest, AnyMergeOfTheDirectionsGivesTheSameOrder) {  // H8, C22
  struct Sent {
    Side side;
    StreamOffset at;
    std::string_view text;
    StreamOffset ack;
  };
  const std::array<Sent, 3> from_a{{{Side::a, 0, "1", 0}, {Side::a, 1, "3", 1}, {Side::a, 2, "5", 2}}};
  const std::array<Sent, 3> from_b{{{Side::b, 0, "2", 1}, {Side::b, 1, "4", 2}, {Side::b, 2, "6", 3}}};
  for (unsigned merge = 0; merge < 64; ++merge) {
    order = CausalOrder();
    streams = {};
    handshake();
    std::string all;
    std::size_t a = 0;
    std::size_t b = 0;
    for (unsigned bit = 0; a < 3 || b < 3; ++bit) {
      const bool take_a = b == 3 || (a < 3 && (merge >> bit & 1) != 0);
      const Sent& next = take_a ? from_a[a++] : from_b[b++];
      all += add(next.side, next.at, next.text, next.ack) + " ";
    }
    std::erase_if(all, [](char c) { return c < '0' || c > '9'; });
    EXPECT_EQ(all, "123456") << "merge " << merge;
  }
}

TEST_F(CausalOrderTest, AcknowledgedOctetsThatNeverComeAreMissing) {  // C4
  handshake();
  add(Side::a, 0, "ab", 0);
  EXPECT_EQ(add(Side::a, 5, "fg", 0), "a.");
  EXPECT_EQ(add(Side::b, 0, "answer", 7), "");
  for (int i = 0; i < 15; ++i) EXPECT_EQ(add(Side::a, 7, "", 0), "a.");
  EXPECT_EQ(add(Side::a, 7, "", 0), "a. a<3>|fg b:|answer");
  EXPECT_FALSE(limit);
}

// What its sender had not received, and was captured later, is read after the segment that waited, though the
// hole before it is given up first.
TEST_F(CausalOrderTest, OctetsBehindAHoleAreReadInTheirTurn) {
  handshake();
  add(Side::a, 0, "ab", 0);
  EXPECT_EQ(add(Side::a, 5, "fg", 0), "a.");
  EXPECT_EQ(add(Side::b, 0, "answer", 7), "");
  EXPECT_EQ(add(Side::a, 7, "hi", 0), "a.");
  EXPECT_EQ(add(Side::b, 6, "reply", 9), "");
  EXPECT_EQ(add(Side::a, 9, "jk", 0), "a.");
  EXPECT_EQ(flush(), "a<3>|fg b:|answer a:|hi b:|reply a:|jk");
}

// … and before it what was captured first.
TEST_F(CausalOrderTest, OctetsBehindAHoleThatCameFirstAreReadFirst) {
  handshake();
  add(Side::a, 0, "ab", 0);
  EXPECT_EQ(add(Side::a, 5, "fg", 0), "a.");
  EXPECT_EQ(add(Side::a, 7, "hi", 0), "a.");
  EXPECT_EQ(add(Side::b, 0, "answer", 7), "");
  EXPECT_EQ(add(Side::b, 6, "reply", 11), "");
  EXPECT_EQ(add(Side::a, 9, "jk", 0), "a.");
  EXPECT_EQ(flush(), "a<3>|fg|hi b:|answer a:|jk b:|reply");
}

TEST_F(CausalOrderTest, CaptureTimeEndsTheWait) {
  handshake();
  EXPECT_EQ(add(Side::a, 3, "", 0), "a.");  // it went on
  EXPECT_EQ(add(Side::b, 0, "answer", 3), "");
  time_ns += 99'999'999;
  EXPECT_EQ(add(Side::b, 6, "", 3), "");
  time_ns -= 200'000'000;  // C22: no reason to go on
  EXPECT_EQ(add(Side::b, 6, "", 3), "");
  time_ns += 200'000'001;
  EXPECT_EQ(add(Side::b, 6, "", 3), "a<3> b:|answer b. b. b.");
}

// Two mirrors, one of them late: nothing is missing yet.
TEST_F(CausalOrderTest, ADirectionThatLagsIsWaitedForLonger) {
  handshake();
  EXPECT_EQ(add(Side::b, 0, "answer", 3), "");
  for (int i = 0; i < 100; ++i) EXPECT_EQ(add(Side::b, 6, "", 3), "");
  time_ns += 999'999'999;
  EXPECT_EQ(add(Side::b, 6, "", 3), "");
  EXPECT_EQ(add(Side::a, 0, "ask", 0).substr(0, 16), "a:|ask b:|answer");
}

TEST_F(CausalOrderTest, ADirectionThatLagsForASecondIsMissing) {
  handshake();
  EXPECT_EQ(add(Side::b, 0, "answer", 3), "");
  time_ns += 1'000'000'000;
  EXPECT_EQ(add(Side::b, 6, "", 3), "a<3> b:|answer b.");
}

TEST_F(CausalOrderTest, FlushEndsTheWait) {
  handshake();
  add(Side::b, 0, "answer", 3);
  EXPECT_EQ(flush(), "a<3> b:|answer");
  EXPECT_EQ(flush(), "");
  // And only once.
  EXPECT_EQ(add(Side::b, 6, "again", 5), "");
}

TEST_F(CausalOrderTest, NothingWaitsForADirectionNeverSeen) {
  EXPECT_EQ(add(Side::b, 0, "answer", 300), "b:|answer");
  EXPECT_EQ(last_ack, 0U);
}

TEST_F(CausalOrderTest, SilentDirectionIsWaitedForThreeTimes) {
  handshake();
  StreamOffset at = 0;
  StreamOffset ack = 10;
  for (int round = 0; round < 3; ++round, ack += 10) {
    EXPECT_EQ(add(Side::b, at++, "x", ack), "") << round;
    std::string got;
    time_ns += 1'000'000'000;
    for (int i = 0; i < 16; ++i) got += add(Side::b, at++, "x", ack);
    EXPECT_EQ(got.substr(0, 9), "a<10> b:|") << got;
  }
  EXPECT_EQ(add(Side::b, at++, "y", ack), "b:|y");
  EXPECT_EQ(add(Side::b, at++, "y", ack + 10), "b:|y");
  // It shows up: waited for again.
  EXPECT_EQ(add(Side::a, ack + 10, "A", 0), "a.");
  EXPECT_EQ(add(Side::b, at++, "z", ack + 20), "");
}

TEST_F(CausalOrderTest, OneOctetAheadMayBeTheFin) {
  handshake();
  add(Side::a, 0, "ask", 0);
  EXPECT_EQ(add(Side::b, 0, "answer", 4), "");
  EXPECT_EQ(flush(), "b:|answer");
  EXPECT_EQ(last_ack, 3U);
  // Not waited for again.
  EXPECT_EQ(add(Side::b, 6, "more", 4), "b:|more");
}

TEST_F(CausalOrderTest, AnswerWaitsForTheFinItAcknowledges) {
  handshake();
  add(Side::a, 0, "ask", 0);
  EXPECT_EQ(add(Side::b, 0, "", 4, tcp::ack | tcp::fin), "");
  EXPECT_EQ(add(Side::a, 3, "", 0, tcp::ack | tcp::fin), "a. b.");
  EXPECT_EQ(add(Side::a, 4, "", 1), "a.");
  EXPECT_EQ(last_ack, 0U);
}

TEST_F(CausalOrderTest, ImplausibleAcknowledgementsAreIgnored) {
  handshake();
  add(Side::a, 0, "ask", 0);
  EXPECT_EQ(add(Side::b, 0, "x", 3 + (16U << 20U) + 1), "b:|x");
  EXPECT_EQ(last_ack, 0U);
  EXPECT_EQ(add(Side::b, 1, "x", 0x50000000), "b:|x");
  EXPECT_EQ(add(Side::b, 2, "x", 3 + (16U << 20U)), "");
}

TEST_F(CausalOrderTest, WithoutTheAckFlagNothingWaits) {
  handshake();
  EXPECT_EQ(add(Side::b, 0, "", 700, tcp::rst), "b.");
  EXPECT_EQ(add(Side::b, 0, "x", 700, tcp::psh), "b:|x");
}

TEST_F(CausalOrderTest, ResetWaitsForWhatItAcknowledges) {
  handshake();
  EXPECT_EQ(add(Side::b, 0, "", 3, tcp::rst | tcp::ack), "");
  EXPECT_EQ(add(Side::a, 0, "ask", 0), "a:|ask b.");
}

TEST_F(CausalOrderTest, EarlierSegmentsOfTheDirectionPass) {
  handshake();
  // b answered "more" when it had "ask"; its first octets and a's question come later in the file.
  EXPECT_EQ(add(Side::b, 3, "more", 3), "");
  EXPECT_EQ(add(Side::b, 0, "hi!", 0), "b:|hi!");
  EXPECT_EQ(add(Side::b, 7, "end", 0), "");  // not before what waits
  EXPECT_EQ(add(Side::a, 0, "ask", 3), "a:|ask b:|more b:|end");
}

TEST_F(CausalOrderTest, BothDirectionsCapturedLateAndReordered) {
  handshake();
  EXPECT_EQ(add(Side::a, 0, "x1", 2), "");  // has y1, not seen
  EXPECT_EQ(add(Side::b, 2, "y2", 2), "");  // has x1, which waits
  EXPECT_EQ(add(Side::b, 0, "y1", 0), "b:|y1 a:|x1 b:|y2");
}

TEST_F(CausalOrderTest, SegmentsThatWaitForEachOtherAreLetGo) {
  handshake();
  EXPECT_EQ(add(Side::a, 0, "x1", 2), "");  // has y1, whose first copy was not captured
  EXPECT_EQ(add(Side::b, 0, "y1", 2), "b:|y1 a:|x1");
}

TEST_F(CausalOrderTest, OctetsHeldHereAreNotMissing) {
  handshake();
  EXPECT_EQ(add(Side::a, 5, "x1", 2), "");   // has y1
  EXPECT_EQ(add(Side::b, 0, "y1", 40), "");  // repeated; has octets of a that were not captured
  EXPECT_EQ(flush(), "a<5> b:|y1 a:|x1");
  EXPECT_EQ(shown_by, 4U);  // the segment behind the hole, which waits itself
  EXPECT_EQ(add(Side::b, 2, "y2", 40), "");
  EXPECT_EQ(flush(), "a<33> b:|y2");
  EXPECT_EQ(shown_by, 6U);  // nothing is behind it: the one that acknowledges it
}

// However many holes it has: segments of it wait behind them.
TEST_F(CausalOrderTest, DirectionThatWaitsIsNotSilent) {
  handshake();
  for (StreamOffset at = 10; at <= 50; at += 10) {
    EXPECT_EQ(add(Side::b, at, "y", at), "");
    EXPECT_EQ(add(Side::a, at, "x", at), "");
  }
  EXPECT_EQ(add(Side::b, 51, "z", 100), "");
  EXPECT_EQ(
      flush(),
      "a<10> b. b<10>|y a:|x a<9> b. b<9>|y a:|x a<9> b. b<9>|y a:|x a<9> b. b<9>|y a:|x a<9> b. b<9>|y "
      "a:|x a<49> b:|z");
}

// Its receiver dropped it: what was acknowledged is another copy, which may come yet.
TEST_F(CausalOrderTest, SuspectOctetsAreMissing) {
  handshake();
  TcpSegment good = segment(1000, "ab");
  good.checksum = ChecksumStatus::good;
  order.add(Side::a, good, streams);
  run();
  TcpSegment bad = segment(1002, "cd");
  bad.checksum = ChecksumStatus::bad;
  order.add(Side::a, bad, streams);
  EXPECT_EQ(run(), "a.");
  EXPECT_EQ(add(Side::b, 0, "x", 2), "b:|x");
  EXPECT_EQ(add(Side::b, 1, "x", 4), "");
  EXPECT_EQ(add(Side::a, 2, "CD", 0), "a:|CD b:|x");
  good.sequence += 4;
  order.add(Side::a, good, streams);
  EXPECT_EQ(run(), "a:|ab");
  bad.sequence += 4;
  order.add(Side::a, bad, streams);
  EXPECT_EQ(run(), "a.");
  EXPECT_EQ(add(Side::b, 2, "y", 8), "");
  EXPECT_EQ(flush(), "a<2> b:|y");
}

TEST_F(CausalOrderTest, OffsetsBeyondFourGibioctets) {
  handshake();
  for (StreamOffset at = 1U << 30U; at <= StreamOffset{6} << 30U; at += 1U << 30U) {
    while (streams[0].declare_gap(at)) drain(Side::a);
    EXPECT_EQ(add(Side::b, at >> 30U, "x", at + 3), "");
    EXPECT_EQ(add(Side::a, at, "ask", 0).substr(0, 6), "a:|ask");
    EXPECT_EQ(last_ack, at + 3);
  }
}

struct SmallOrderTest : CausalOrderTest {
  SmallOrderTest() : CausalOrderTest({.reorder_frames = 1000, .max_segments = 4, .max_octets = 100}) {}
};

TEST_F(SmallOrderTest, NoMoreSegmentsThanTheCapWait) {
  handshake();
  for (StreamOffset i = 0; i < 4; ++i) EXPECT_EQ(add(Side::b, i, "x", 3), "");
  EXPECT_EQ(add(Side::b, 4, "x", 3), "a<3> b:|x b:|x b:|x b:|x b:|x");
  EXPECT_TRUE(limit);
}

TEST_F(SmallOrderTest, NoMoreOctetsThanTheCapWait) {
  handshake();
  EXPECT_EQ(add(Side::b, 0, std::string(60, 'x'), 3), "");
  EXPECT_EQ(add(Side::b, 60, std::string(60, 'x'), 3).substr(0, 4), "a<3>");
  EXPECT_TRUE(limit);
}

}  // namespace
}  // namespace iwarp::stream
