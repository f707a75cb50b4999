// Healthy traffic through a capture that lacks frames, begins late, cuts, swaps, skews or repeats them:
// whatever is missing or wrong, nobody broke a rule. IWARP_SEEDS: more seeds than the default run has;
// IWARP_KEEP: a folder for captures that fail.
// SPDX-License-Identifier: GPL-2.0-or-later
#include <gtest/gtest.h>

#include <functional>

#include "support/analysed.hpp"
#include "support/capture_damage.hpp"
#include "support/random_traffic.hpp"
#include "support/seeds.hpp"

namespace iwarp::test {
namespace {

using Damage = std::function<void(Segments&, Numbers&)>;

std::uint64_t seed_count() {
  return seeds_from("IWARP_SEEDS", 60);
}

void expect_no_fault_of(std::uint64_t seed, const Damage& damage) {
  for (const bool alike : {false, true}) {
    Traffic traffic = traffic_of(seed);
    traffic.alike = alike;
    Carriage carriage;
    if (seed % 3 != 0) carriage = {.seed = 77 + seed, .retransmit = seed % 3 == 2, .reorder = seed % 4 == 1};
    Segments segments = random_traffic(seed, traffic, carriage).segments();
    Numbers numbers(seed);
    damage(segments, numbers);
    if (segments.empty()) continue;
    number_frames(segments);
    const Analysed result(segments);
    if (!result.ids().empty()) {
      const std::string test = testing::UnitTest::GetInstance()->current_test_info()->name();
      keep_capture(segments, test + '-' + std::to_string(seed) + (alike ? "-alike" : ""));
    }
    EXPECT_EQ(result.ids(), Ids{}) << "seed " << seed << (alike ? " alike\n" : "\n") << result.told();
  }
}

void expect_no_fault(const Damage& damage) {
  for (std::uint64_t seed = 1; seed <= seed_count(); ++seed) expect_no_fault_of(seed, damage);
}

// Behind a hole, payload at the beginning of a segment reads like a header: a marker says that it is none.
TEST(CaptureDamage, AMarkerThatPointsElsewhereDeniesAHeader) {
  expect_no_fault_of(2623, cut_frames);
}

TEST(CaptureDamage, OneFrameLost) {
  expect_no_fault(lose_one);
}
TEST(CaptureDamage, FewFramesLost) {
  expect_no_fault([](Segments& s, Numbers& n) { lose(s, n, 40); });
}
TEST(CaptureDamage, ManyFramesLost) {
  expect_no_fault([](Segments& s, Numbers& n) { lose(s, n, 8); });
}
TEST(CaptureDamage, FramesLostBehindTheStart) {
  expect_no_fault([](Segments& s, Numbers& n) { lose(s, n, 12, 8); });
}
TEST(CaptureDamage, BegunLate) {
  expect_no_fault(begin_late);
}
TEST(CaptureDamage, BegunLateWithFramesLost) {
  expect_no_fault([](Segments& s, Numbers& n) {
    begin_late(s, n);
    lose(s, n, 15);
  });
}
TEST(CaptureDamage, EndedEarlyWithFramesLost) {
  expect_no_fault([](Segments& s, Numbers& n) {
    end_early(s, n);
    lose(s, n, 20);
  });
}
TEST(CaptureDamage, FramesSwapped) {
  expect_no_fault(swap_neighbours);
}
TEST(CaptureDamage, FramesSwappedAndLost) {
  expect_no_fault([](Segments& s, Numbers& n) {
    swap_neighbours(s, n);
    lose(s, n, 15);
  });
}
TEST(CaptureDamage, FramesCut) {
  expect_no_fault(cut);
}
TEST(CaptureDamage, FramesCutAndLost) {
  expect_no_fault([](Segments& s, Numbers& n) {
    cut(s, n);
    lose(s, n, 15);
  });
}
TEST(CaptureDamage, OneDirectionWithFramesLost) {
  expect_no_fault([](Segments& s, Numbers& n) {
    keep_one_direction(s, n);
    lose(s, n, 20);
  });
}

TEST(CaptureDamage, FramesLostInARow) {
  expect_no_fault(lose_in_a_row);
}
TEST(CaptureDamage, OneDirectionLossy) {
  expect_no_fault([](Segments& s, Numbers& n) { lose_of_one_direction(s, n, 3); });
}
TEST(CaptureDamage, OneDirectionSkewed) {
  expect_no_fault([](Segments& s, Numbers& n) {
    skew(s, n);
    lose(s, n, 20);
  });
}
TEST(CaptureDamage, FramesRepeatedAndCorrupted) {
  expect_no_fault([](Segments& s, Numbers& n) {
    repeat(s, n);
    corrupt(s, n);
  });
}

}  // namespace
}  // namespace iwarp::test
