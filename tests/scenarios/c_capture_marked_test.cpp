// Scenario C13, swept: a marked stream of which the beginning was not captured says what it says as a whole,
// from the first FPDU on that is found. Short FPDUs follow each other between two markers as if there were
// none.
// SPDX-License-Identifier: GPL-2.0-or-later
#include "framing_log.hpp"
#include "support/random_traffic.hpp"

namespace iwarp::test {
namespace {

constexpr Side a = Side::a;
constexpr Side b = Side::b;

// `segments` from the `missing`th on, as a capture of its own.
std::vector<OwnedSegment> late(const std::vector<OwnedSegment>& segments, std::size_t missing) {
  return {segments.begin() + static_cast<std::ptrdiff_t>(missing), segments.end()};
}

// FPDUs in words, whichever side the capture's first frame makes of their sender.
std::vector<std::string> contents_of(const Analysed& result, Side side) {
  std::vector<std::string> lines = fpdus_of(result, side, Compare::contents);
  for (std::string& line : lines) line.erase(0, 1);
  return lines;
}

// The FPDUs of `side` in `whole` are, from some on, those of a late capture, which has `least` of them.
void expect_tail(const Analysed& result, const Analysed& whole, Side side, std::size_t least) {
  const bool same_sides = result.state().endpoints == whole.state().endpoints;
  const std::vector<std::string> found = contents_of(result, same_sides ? side : other(side));
  std::vector<std::string> expected = contents_of(whole, side);
  ASSERT_LE(found.size(), expected.size());
  EXPECT_GE(found.size(), least);
  expected.erase(expected.begin(), expected.end() - static_cast<std::ptrdiff_t>(found.size()));
  EXPECT_TRUE(found == expected);
}

// FPDUs that begin in `first_frame` or later.
std::size_t count_from(const Analysed& whole, Side side, FrameNumber first_frame) {
  std::size_t count = 0;
  for (const Event& event : fpdu_events(whole, side)) {
    if (whole.analysis().slices(event).front().frame >= first_frame) ++count;
  }
  return count;
}

// Every capture that begins behind the start-up, of the conversation `c`. `may_miss`: FPDUs lost until the
// phase is found.
void join_everywhere(const Conversation& c, std::size_t may_miss = 0) {
  const std::vector<OwnedSegment> segments = c.segments();
  const Analysed whole(segments);
  const Ids expected = whole.ids(Severity::warning);
  for (std::size_t missing = 5; missing + 3 < segments.size(); ++missing) {
    SCOPED_TRACE(testing::Message() << "from frame " << missing + 1 << " of " << segments.size());
    const Analysed result(late(segments, missing));
    EXPECT_EQ(result.ids(Severity::warning), expected) << result.told();
    for (const Side side : {a, b}) {
      const std::size_t there = count_from(whole, side, segments[missing].meta.frame);
      expect_tail(result, whole, side, there > may_miss ? there - may_miss : 0);
    }
  }
}

Conversation sends_of(std::size_t size, const Startup& reply, unsigned fill = 256) {
  Conversation c = operating({.crc = reply.crc}, reply);
  for (std::uint32_t msn = 1; msn <= 40; ++msn) {
    c.fpdu(a, send(msn, fill < 256 ? Bytes(size, static_cast<Byte>(fill)) : pattern(size, msn)));
  }
  c.close();
  return c;
}

TEST(ScenarioC, C13_OneFpduASegment) {
  for (const std::size_t size : {20U, 22U, 24U, 36U, 60U, 61U, 84U, 100U, 150U, 200U, 300U, 400U, 480U, 481U,
                                 700U, 1000U, 1398U, 1400U}) {
    SCOPED_TRACE(size);
    join_everywhere(sends_of(size, {.markers = true}));
    join_everywhere(sends_of(size, {.markers = true}, 0));
  }
}

TEST(ScenarioC, C13_OneFpduASegmentOfEverySize) {
  for (std::size_t size = 20; size <= 1400; size += 28) {
    SCOPED_TRACE(size);
    const std::vector<OwnedSegment> segments = sends_of(size, {.markers = true}).segments();
    const Analysed whole(segments);
    for (const std::size_t missing : {5U, 6U, 9U, 14U, 17U, 23U}) {
      const Analysed result(late(segments, missing));
      EXPECT_EQ(result.ids(Severity::warning), Ids{}) << result.told();
      EXPECT_EQ(result.side(a).markers, Mode::on);
      expect_tail(result, whole, a, 45 - missing);
    }
  }
}

TEST(ScenarioC, C13_SeveralFpdusASegment) {
  for (const std::size_t size : {20U, 50U, 100U, 230U}) {
    for (const std::size_t packed : {2U, 3U, 5U}) {
      SCOPED_TRACE(testing::Message() << packed << " of " << size);
      Conversation c = operating({}, {.markers = true});
      for (std::uint32_t msn = 1; msn <= 60;) {
        std::vector<Bytes> ulpdus;
        for (std::size_t i = 0; i < packed; ++i, ++msn) ulpdus.push_back(send(msn, pattern(size, msn)));
        c.packed(a, ulpdus);
      }
      c.close();
      join_everywhere(c, packed);
    }
  }
}

TEST(ScenarioC, C13_FpdusOverSeveralSegments) {
  for (const std::size_t size : {40U, 180U, 700U, 1400U}) {
    for (const std::size_t cut : {100U, 256U, 512U, 700U}) {
      SCOPED_TRACE(testing::Message() << size << " in segments of " << cut);
      Conversation c = operating({}, {.markers = true});
      for (std::uint32_t msn = 1; msn <= 40; ++msn) {
        c.fpdu(a, send(msn, pattern(msn % 3 == 0 ? size : 40 + msn, msn)), Cuts::every(cut));
      }
      c.close();
      join_everywhere(c, 1);
    }
  }
}

TEST(ScenarioC, C13_FpdusThatDoNotBeginSegments) {
  for (const std::size_t size : {20U, 45U, 100U, 300U, 900U}) {
    for (const std::size_t cut : {333U, 536U, 1448U}) {
      SCOPED_TRACE(testing::Message() << size << " in segments of " << cut);
      Conversation c = operating({}, {.markers = true});
      std::vector<Bytes> octets;
      for (std::uint32_t msn = 1; msn <= 100; ++msn)
        octets.push_back(c.frame(a, send(msn, pattern(size, msn))));
      c.send(a, cat(octets), Cuts::every(cut));
      c.close();
      join_everywhere(c, 4096 / size);
    }
  }
}

TEST(ScenarioC, C13_OneFpduASegmentWithoutCrc) {
  for (const std::size_t size : {20U, 60U, 100U, 200U, 400U, 1000U, 1400U}) {
    SCOPED_TRACE(size);
    join_everywhere(sends_of(size, {.markers = true, .crc = false}), 1 + 4096 / size);
  }
}

TEST(ScenarioC, C13_RandomTraffic) {
  for (std::uint64_t seed = 1; seed <= 12; ++seed) {
    for (const bool markers_b : {false, true}) {
      SCOPED_TRACE(testing::Message() << "seed " << seed << (markers_b ? ", both marked" : ""));
      const std::vector<OwnedSegment> segments =
          random_traffic(seed, {.markers_a = true, .markers_b = markers_b}).segments();
      const Analysed whole(segments);
      for (std::size_t missing = 5; missing + 3 < segments.size(); missing += 1 + segments.size() / 40) {
        SCOPED_TRACE(missing);
        const Analysed result(late(segments, missing));
        EXPECT_EQ(result.ids(Severity::warning), Ids{}) << result.told();
        for (const Side side : {a, b}) expect_tail(result, whole, side, 0);
      }
    }
  }
}

TEST(ScenarioC, C13_OneDirectionOnly) {
  for (const std::size_t size : {20U, 100U, 400U}) {
    SCOPED_TRACE(size);
    Conversation c;
    c.capture(b, false);
    c.handshake();
    c.startup({}, {.markers = true});
    for (std::uint32_t msn = 1; msn <= 40; ++msn) c.fpdu(a, send(msn, pattern(size, msn)));
    const std::vector<OwnedSegment> segments = c.segments();
    const Analysed whole(segments);
    ASSERT_EQ(whole.fpdus().size(), 40U);
    for (std::size_t missing = 3; missing < 20; ++missing) {
      const Analysed result(late(segments, missing));
      EXPECT_EQ(result.ids(Severity::warning), Ids{}) << result.told();
      expect_tail(result, whole, a, 43 - missing);
    }
  }
}

// A word of the first FPDU with a marker, its MSN 12, stands as far behind its beginning as it says: a
// marker, too, as far as its CRC can tell. Where the capture ends before the next marker, nothing decides.
TEST(ScenarioC, C13_WhichWordIsTheMarkerIsNotGuessed) {
  const std::vector<OwnedSegment> segments = sends_of(20, {.markers = true}).segments();
  for (std::size_t end = 6; end <= segments.size(); ++end) {
    SCOPED_TRACE(end);
    const Analysed result(
        std::vector(segments.begin() + 5, segments.begin() + static_cast<std::ptrdiff_t>(end)));
    EXPECT_EQ(result.ids(Severity::warning), Ids{}) << result.told();
  }
}

// The same where a hole follows, so that nothing decides any more: the FPDU is marked, not damaged. Whole its
// CRC tells, wherever its marker stands; cut, its marker.
TEST(ScenarioC, C13_WhichWordIsTheMarkerNothingDecidesAnyMore) {
  for (const bool cut : {false, true}) {
    for (std::size_t before = 20; before < 500; before += 4) {
      SCOPED_TRACE(testing::Message() << before << (cut ? ", cut" : ""));
      Conversation c;
      c.unseen([&] {
        c.handshake();
        c.startup({}, {.markers = true});
        c.fpdu(a, send(7, pattern(before)));
      });
      for (std::uint32_t msn = 8; msn < 12; ++msn) c.fpdu(a, send(msn));
      const Bytes octets = c.frame(a, send(12, pattern(60)));
      const Packets open = c.send(a, octets);
      if (cut) c.cut(open, octets.size() - 3);
      c.drop(c.fpdu(a, send(13, pattern(3000))));
      c.fpdu(a, send(14, pattern(30)));
      c.fpdu(b, send(1));
      c.ack(a);
      const Analysed result(c);
      for (const Event& each : result.fpdus()) EXPECT_NE(each.fpdu.crc, CrcStatus::bad);
      EXPECT_EQ(result.ids(Severity::warning), Ids{}) << result.told();
    }
  }
}

// Markers stand in what was not captured of an FPDU: it ends further on than it would without, and what seems
// to follow it are its own last octets, which may look like a ULPDU_Length.
TEST(ScenarioC, C13_ACutFpduWithMarkersThatNobodySaw) {
  for (std::size_t size = 600; size < 660; ++size) {
    SCOPED_TRACE(size);
    Conversation c;
    c.unseen([&] {
      c.handshake();
      c.startup({}, {.markers = true});
      c.fpdu(a, send(10, pattern(400)));
    });
    c.fpdu(a, send(11, pattern(20)));
    Bytes payload = pattern(size);
    for (std::size_t i = 0; i < 8; ++i) payload[size - 1 - i] = i % 2 == 0 ? 2 : 0;
    const Bytes octets = c.frame(a, send(12, payload));
    const Packets pieces = c.send(a, octets, {octets.size() - 80});
    c.cut(pieces[0], 100);
    c.fpdu(a, send(13, pattern(30)));
    c.ack(b);
    const Analysed result(c);
    EXPECT_EQ(result.ids(Severity::warning), Ids{}) << result.told();
  }
}

// What is unmarked stays so: a damaged FPDU right behind the first one is damaged.
TEST(ScenarioC, C13_DamagedFpduOfAnUnmarkedStream) {
  for (const std::size_t size : {20U, 100U, 400U, 1400U}) {
    for (const std::uint32_t damaged : {2U, 3U, 4U}) {
      SCOPED_TRACE(testing::Message() << size << ", the " << damaged << "th");
      Conversation c;
      c.unseen([&] {
        c.handshake();
        c.startup();
      });
      for (std::uint32_t msn = 1; msn <= 10; ++msn) {
        c.fpdu(a, send(msn, pattern(size, msn)), {.crc = msn == damaged ? Crc::wrong : Crc::right});
      }
      c.close();
      const Analysed result(c);
      EXPECT_EQ(result.ids(), (Ids{"MPA-CRC"})) << result.told();
      EXPECT_EQ(result.fpdus().size(), 10U);
      EXPECT_EQ(result.side(a).markers, Mode::off);
    }
  }
}

}  // namespace
}  // namespace iwarp::test
