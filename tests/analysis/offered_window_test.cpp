// When a receiver's window is too full for another segment of its peer's, from segments written by hand.
// SPDX-License-Identifier: GPL-2.0-or-later
#include "analysis/offered_window.hpp"

#include <array>

#include <gtest/gtest.h>

namespace iwarp::test {
namespace {

constexpr WindowTerms terms{.shift = 0, .max_segment = 1460};

class OfferedWindowOf : public testing::Test {
 protected:
  void ack(std::uint32_t acknowledgement, std::uint16_t window, const WindowTerms& by = terms) {
    TcpSegment segment = next();
    segment.flags = tcp::ack;
    segment.acknowledgement = acknowledgement;
    segment.window = window;
    of.offered(segment, by);
  }
  // The frames of a wait that is over with it, {0, 0} where none is.
  std::array<FrameNumber, 2> data(std::uint32_t sequence, std::uint32_t octets,
                                  const WindowTerms& by = terms) {
    TcpSegment segment = next();
    segment.sequence = sequence;
    segment.wire_length = octets;
    const auto wait = of.sent(segment, by);
    if (!wait) return {};
    return {wait->since.frame, wait->opened.frame};
  }

  OfferedWindow of;

 private:
  TcpSegment next() {
    TcpSegment segment;
    segment.frame = ++frame_;
    segment.time_ns = static_cast<TimeNs>(frame_) * 1000;
    return segment;
  }
  FrameNumber frame_ = 0;
};

using Frames = std::array<FrameNumber, 2>;
constexpr Frames no_wait{};

TEST_F(OfferedWindowOf, ASegmentThatDoesNotFitWaits) {
  ack(1000, 4000);                              // 1: up to 5000
  EXPECT_EQ(data(1000, 1460), no_wait);         // 2
  EXPECT_EQ(data(2460, 1460), no_wait);         // 3: room for 1080
  ack(2460, 4000);                              // 4: up to 6460
  EXPECT_EQ(data(3920, 1460), (Frames{3, 4}));  // 5: room for 1080 again
  ack(3920, 2500);                              // 6: up to 6420: an edge does not go back
  ack(3920, 2999);                              // 7: up to 6919: room for 1539
  EXPECT_EQ(data(5380, 1460), (Frames{5, 7}));
}

TEST_F(OfferedWindowOf, RoomForASegmentIsEnough) {
  ack(1000, 2920);
  EXPECT_EQ(data(1000, 1460), no_wait);  // room for 1460
  ack(2460, 2920);
  EXPECT_EQ(data(2460, 1460), no_wait);
}

// Windows of 128 octets each.
TEST_F(OfferedWindowOf, WindowsAreScaled) {
  constexpr WindowTerms scaled{.shift = 7, .max_segment = 1460};
  ack(1000, 23, scaled);                                // 2944
  EXPECT_EQ(data(1000, 1460, scaled), no_wait);         // room for 1484
  EXPECT_EQ(data(2460, 1460, scaled), no_wait);         // 3
  ack(2460, 23, scaled);                                // 4
  EXPECT_EQ(data(3920, 1000, scaled), (Frames{3, 4}));  // 5
}

// RFC 9293 §3.8.6.2.1: half of the largest window is enough, where segments could be larger than that.
TEST_F(OfferedWindowOf, SegmentsLargerThanTheWindow) {
  constexpr WindowTerms jumbo{.shift = 0, .max_segment = 65483};
  ack(1000, 40000, jumbo);
  EXPECT_EQ(data(1000, 20000, jumbo), no_wait);  // room for 20000
  EXPECT_EQ(data(21000, 10000, jumbo), no_wait);
  ack(31000, 40000, jumbo);
  EXPECT_EQ(data(31000, 20000, jumbo), (Frames{3, 4}));
}

TEST_F(OfferedWindowOf, AProbeIntoWhatIsLeftEndsNoWait) {
  ack(1000, 2000);
  EXPECT_EQ(data(1000, 1460), no_wait);  // 2
  EXPECT_EQ(data(2460, 1), no_wait);     // 3
  ack(2461, 2000);                       // 4
  EXPECT_EQ(data(2461, 1460), (Frames{2, 4}));
}

TEST_F(OfferedWindowOf, OctetsSentAgainEndNoWait) {
  ack(1000, 2000);
  EXPECT_EQ(data(1000, 1460), no_wait);
  ack(2460, 2000);
  EXPECT_EQ(data(1000, 1460), no_wait);
  EXPECT_EQ(data(2460, 1460), (Frames{2, 3}));
}

// An acknowledgement is missing: since when there was room nobody knows.
TEST_F(OfferedWindowOf, OctetsBeyondTheEdge) {
  ack(1000, 2000);
  EXPECT_EQ(data(1000, 1460), no_wait);
  EXPECT_EQ(data(2460, 1460), no_wait);
  ack(3920, 2000);
  EXPECT_EQ(data(3920, 1460), no_wait) << "the window before it was not seen to be full";
}

TEST_F(OfferedWindowOf, ClosedWindowsHaveEventsOfTheirOwn) {
  ack(1000, 2000);
  EXPECT_EQ(data(1000, 1460), no_wait);
  ack(2460, 0);
  ack(2460, 2000);
  EXPECT_EQ(data(2460, 1460), no_wait);
}

TEST_F(OfferedWindowOf, SequenceNumbersWrap) {
  ack(0xfffffc00U, 2000);                       // up to 976
  EXPECT_EQ(data(0xfffffc00U, 1460), no_wait);  // up to 436
  ack(436, 2000);
  EXPECT_EQ(data(436, 1460), (Frames{2, 3}));
}

}  // namespace
}  // namespace iwarp::test
