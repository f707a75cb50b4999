// Octets are placed when they come, messages are delivered in order (RFC 5041 §5.3): behind a hole an FPDU
// that is there is reported at once, and confirmed or revoked when the hole is over (C4).
// SPDX-License-Identifier: GPL-2.0-or-later
#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "scenarios/established.hpp"

namespace iwarp::test {
namespace {

using established::a;
using established::b;
using established::Established;

// "placed in 12", "delivered in 15": what became of the FPDU with this MSN.
struct Fate {
  FrameNumber placed_event = 0;  // frame at which it was told as placed; 0: it was not
  FrameNumber delivered = 0;
  FrameNumber lies_in = 0;
  bool ahead = false;
  bool revoked = false;
  bool operator==(const Fate&) const = default;
};

Fate fate_of(const Analysed& result, Side side, std::uint32_t msn) {
  Fate fate;
  std::uint32_t number = 0;
  for (const Event& event : result.events()) {
    if (event.side != side) continue;
    if (event.kind == EventKind::placed && event.fpdu.ddp.msn == msn) {
      fate.placed_event = event.frame;
      fate.lies_in = event.fpdu.placed.frame;
      number = event.fpdu.number;
    }
    if (event.kind == EventKind::fpdu && event.fpdu.ddp.msn == msn) {
      fate.delivered = event.frame;
      fate.lies_in = event.fpdu.placed.frame;
      fate.ahead = event.fpdu.ahead;
      EXPECT_EQ(fate.ahead, number == event.fpdu.number);
    }
    if (event.kind == EventKind::revoked && event.revoked.number == number) fate.revoked = true;
  }
  return fate;
}

class Placed : public testing::TestWithParam<Startup> {
 protected:
  Established c{GetParam(), GetParam()};
};

TEST_P(Placed, C4_BehindAHoleAtOnce) {
  c.fpdu(a, send(1));
  const Packets lost = c.lose(a, c.frame(a, send(2, pattern(200))));
  const Packets third = c.fpdu(a, send(3, pattern(300)));
  const Packets two = c.packed(a, {send(4, pattern(40)), send(5, pattern(50))});
  const Packets again = c.resend(lost);
  c.close();
  const Analysed result(c);
  EXPECT_EQ(result.ids(), Ids{}) << result.told();
  EXPECT_EQ(fate_of(result, a, 1).ahead, false);
  EXPECT_EQ(fate_of(result, a, 3), (Fate{c.at(third), c.at(again), c.at(third), true, false}));
  EXPECT_EQ(fate_of(result, a, 4), (Fate{c.at(two), c.at(again), c.at(two), true, false}));
  EXPECT_EQ(fate_of(result, a, 5), (Fate{c.at(two), c.at(again), c.at(two), true, false}));
  EXPECT_EQ(fate_of(result, a, 2), (Fate{0, c.at(again), c.at(again), false, false}));
  EXPECT_EQ(result.side(a).placed_ahead, 0U);
}

TEST_P(Placed, C4_TheOtherDirectionIsNotHeldUp) {
  c.fpdu(a, send(1));
  c.drop(c.fpdu(a, send(2, pattern(200))));
  const Packets answer = c.fpdu(b, send(1, pattern(70)));  // acknowledges what was not captured
  const Packets more = c.fpdu(b, send(2, pattern(70)), {30});
  const Packets last = c.fpdu(b, send(3));
  c.close();
  const Analysed result(c);
  EXPECT_EQ(fate_of(result, b, 1).placed_event, c.at(answer));
  EXPECT_EQ(fate_of(result, b, 2).placed_event, c.at(more));  // the second of its segments
  EXPECT_EQ(fate_of(result, b, 3).placed_event, c.at(last));
  EXPECT_EQ(fate_of(result, b, 3).lies_in, c.at(last));
  EXPECT_TRUE(fate_of(result, b, 3).ahead);
  EXPECT_EQ(result.ids(), Ids{}) << result.told();
}

TEST_P(Placed, C4_OverSeveralSegments) {
  c.fpdu(a, send(1));
  c.drop(c.fpdu(a, send(2, pattern(200))));
  const Packets parts = c.fpdu(a, send(3, pattern(4000)), {1448, 1448});
  const Packets next = c.fpdu(a, send(4));
  c.close();
  const Analysed result(c);
  EXPECT_EQ(fate_of(result, a, 3).placed_event, c.at(parts));
  EXPECT_EQ(fate_of(result, a, 4).placed_event, c.at(next));
  const std::vector<Event> placed = result.of(EventKind::placed);
  ASSERT_FALSE(placed.empty());
  EXPECT_EQ(result.analysis().slices(placed[0]).size(), 3U);
}

TEST_P(Placed, C4_NothingInTheMiddleOfAnFpdu) {
  c.fpdu(a, send(1));
  const Packets parts = c.fpdu(a, send(2, pattern(4000)), {1448, 1448});
  c.drop(parts[0]);
  c.ack(b);
  for (int i = 0; i < 20; ++i) c.ack(b);
  c.close();
  const Analysed result(c);
  EXPECT_EQ(result.of(EventKind::placed).size(), 0U);
}

// The hole ends inside an FPDU, whose tail is there: siw sends the last four octets in a segment of their
// own.
TEST_P(Placed, C4_BehindTheTailOfAnFpdu) {
  for (const std::size_t tail : {4U, 17U, 100U, 1000U}) {
    SCOPED_TRACE(tail);
    Established stream{GetParam(), GetParam()};
    stream.fpdu(a, send(1));
    const Bytes cut = stream.frame(a, send(2, pattern(1428)));
    const Packets parts = stream.send(a, cut, {cut.size() - tail});
    stream.drop(parts[0]);
    const Bytes whole = stream.frame(a, send(3, pattern(1400)));
    const Packets third = stream.send(a, whole, {whole.size() - 4});
    const Packets fourth = stream.fpdu(a, send(4, pattern(40)));
    const Packets fifth = stream.fpdu(a, send(5));
    stream.close();
    const Analysed result(stream);
    EXPECT_EQ(fate_of(result, a, 3).placed_event, stream.at(third));
    EXPECT_EQ(fate_of(result, a, 4).placed_event, stream.at(fourth));
    EXPECT_EQ(fate_of(result, a, 5).placed_event, stream.at(fifth));
    EXPECT_FALSE(fate_of(result, a, 3).revoked);
    EXPECT_EQ(result.ids(), Ids{}) << result.told();
  }
}

INSTANTIATE_TEST_SUITE_P(Modes, Placed,
                         testing::Values(Startup{.crc = true}, Startup{.markers = true, .crc = true},
                                         Startup{.crc = false}, Startup{.markers = true, .crc = false}));

// What looks like an FPDU, CRC and all, may be the payload of one that began in the hole.
TEST(PlacedAhead, C4_RevokedWhereTheHoleShowsOtherwise) {
  Established c;
  c.fpdu(a, send(1));
  const Bytes stored = FpduStream().add(send(9, pattern(100)));
  const Bytes whole = c.frame(a, send(2, cat(pattern(500), stored, pattern(30))));
  constexpr std::size_t begin = 2 + 18 + 500;
  const Packets parts = c.lose(a, whole, {begin, stored.size()});
  const Packets middle = c.resend(parts[1]);
  const Packets rest = c.resend(parts[0]);
  const Packets end = c.resend(parts[2]);
  c.fpdu(a, send(3));
  c.close();
  const Analysed result(c);
  EXPECT_EQ(fate_of(result, a, 9), (Fate{c.at(middle), 0, c.at(middle), false, true}));
  EXPECT_EQ(fate_of(result, a, 2).delivered, c.at(end));
  EXPECT_EQ(result.side(a).placed_ahead, 0U);
  EXPECT_EQ(result.messages(wire::Opcode::send).size(), 3U);
  EXPECT_EQ(result.ids(), Ids{}) << result.told();
  (void)rest;
}

TEST(PlacedAhead, C4_TheStateSaysHowMuch) {
  Established c;
  c.fpdu(a, send(1));
  const Packets lost = c.lose(a, c.frame(a, send(2)));
  c.fpdu(a, send(3));
  c.fpdu(a, send(4));
  const Analysed during(c);
  c.resend(lost);
  const Analysed after(c);
  const auto ahead = [](const Analysed& result) {
    std::uint64_t most = 0;
    std::uint64_t now = 0;
    for (const Event& event : result.events()) {
      if (event.kind == EventKind::placed) most = std::max(most, ++now);
      if (event.kind == EventKind::fpdu && event.fpdu.ahead) --now;
    }
    return std::pair(most, now);
  };
  EXPECT_EQ(ahead(after), (std::pair<std::uint64_t, std::uint64_t>(2, 0)));
  EXPECT_EQ(after.side(a).placed_ahead, 0U);
  EXPECT_EQ(during.of(EventKind::placed).size(), 2U);
}

// What Analysis::begun_in says of each frame when it was the last one added.
std::map<FrameNumber, FpduFact> begun_of(const Conversation& c) {
  std::map<FrameNumber, FpduFact> begun;
  Analyzer analyzer;
  for (const OwnedSegment& each : c.segments()) {
    analyzer.add(each.segment());
    const Analysis& analysis = analyzer.analysis();
    const ConnectionState* const connection = analysis.connection_of_last_segment();
    const FrameNumber frame = analysis.last_frame();
    const Side side = connection->endpoints[0] == each.meta.source ? a : b;
    if (const auto fact = analysis.begun_in(connection->id, side, frame)) begun.emplace(frame, *fact);
  }
  return begun;
}

TEST_P(Placed, AnFpduThatBeginsInAFrameIsKnownByItsHeader) {
  c.fpdu(a, send(1));
  const Packets begun = c.fpdu(a, write(7, 0x1000, pattern(500)), {100, 200});
  const Packets lost = c.lose(a, c.frame(a, send(2, pattern(200))));
  c.fpdu(a, send(3));  // shows where FPDUs begin behind the hole
  const Packets ahead = c.fpdu(a, write(8, 0x2000, pattern(600)), {100});
  c.resend(lost);
  c.close();
  const auto all = begun_of(c);
  ASSERT_EQ(all.size(), 2U);
  const FpduFact& first = all.at(c.at(begun[0]));
  EXPECT_EQ(first.ddp.stag, 7U);
  EXPECT_EQ(first.ddp.to, 0x1000U);
  EXPECT_EQ(first.payload_length, 500U);
  EXPECT_EQ(first.placed.frame, 0U);
  EXPECT_TRUE(first.cut);
  EXPECT_EQ(all.at(c.at(ahead[0])).ddp.stag, 8U);
}

// Neither its length alone, nor payload that is no header.
TEST_P(Placed, NothingIsKnownToBeginWithoutItsHeader) {
  c.fpdu(a, write(7, 0, pattern(500)), {4});
  c.fpdu(a, write(7, 0, pattern(500)), {100});
  c.close();
  EXPECT_EQ(begun_of(c).size(), 1U);
}

}  // namespace
}  // namespace iwarp::test
