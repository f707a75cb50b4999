// A marked stream says what its unmarked twin says, whatever the phase.
// SPDX-License-Identifier: GPL-2.0-or-later
#include <gtest/gtest.h>

#include <set>

#include "support/analysed.hpp"
#include "support/normalised.hpp"
#include "support/random_traffic.hpp"

namespace iwarp::test {
namespace {

TEST(Markers, RandomTrafficWithAndWithout) {
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    SCOPED_TRACE(seed);
    const Analysed unmarked(random_traffic(seed, {.crc = seed % 2 == 0}));
    const auto expected = normalised(unmarked.events(), Positions::dropped);
    for (const bool a : {false, true}) {
      const Traffic traffic{.markers_a = a, .markers_b = !a || seed % 3 == 0, .crc = seed % 2 == 0};
      ASSERT_EQ(normalised(Analysed(random_traffic(seed, traffic)).events(), Positions::dropped), expected);
    }
  }
}

// A filler of every length moves what follows to every phase that an FPDU can begin at.
TEST(Markers, EveryPhase) {
  std::set<std::uint64_t> phases;
  for (std::size_t filler = 0; filler < 520; filler += 4) {
    SCOPED_TRACE(filler);
    const auto play = [&](bool markers) {
      Conversation c;
      c.handshake({.mss_a = 9000, .mss_b = 9000});
      c.startup({}, {.markers = markers});
      c.fpdu(Side::a, send(1, pattern(filler)));
      if (markers) phases.insert(c.stream(Side::a).position() % 512);
      c.packed(Side::a, {send(2, pattern(14)), write(7, 0x100, pattern(1100)), send(3, pattern(601)),
                         read_request(1, {.sink_stag = 5, .size = 3, .source_stag = 6}), send(4)});
      c.fpdu(Side::b, read_response(5, 0, pattern(3)));
      c.close();
      const Analysed result(c);
      EXPECT_EQ(result.ids(Severity::note), Ids{}) << result.told();
      return normalised(result.events(), Positions::dropped);
    };
    ASSERT_EQ(play(true), play(false));
  }
  EXPECT_EQ(phases.size(), 127U);  // all multiples of four but the one right behind a marker
}

}  // namespace
}  // namespace iwarp::test
