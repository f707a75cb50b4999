// Healthy traffic through a capture that lacks frames, begins late, cuts frames or swaps them: whatever is missing,
// nobody broke a rule. IWARP_SEEDS: more seeds than the default run has; IWARP_KEEP: a folder for captures that fail.
// SPDX-License-Identifier: GPL-2.0-or-later
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <functional>

#include "support/analysed.hpp"
#include "support/pcap_file.hpp"
#include "support/random_traffic.hpp"

namespace iwarp::test {
namespace {

using Segments = std::vector<OwnedSegment>;
using Damage = std::function<void(Segments&, Numbers&)>;

std::uint64_t seed_count() {
  const char* const more = std::getenv("IWARP_SEEDS");
  return more == nullptr ? 60 : std::strtoull(more, nullptr, 10);
}

void lose(Segments& segments, Numbers& numbers, std::uint32_t one_in, std::size_t from = 0) {
  std::size_t at = 0;
  std::erase_if(segments, [&](const OwnedSegment&) { return at++ >= from && numbers.one_in(one_in); });
}

void lose_one(Segments& segments, Numbers& numbers) {
  segments.erase(segments.begin() + numbers.below(static_cast<std::uint32_t>(segments.size())));
}

void begin_late(Segments& segments, Numbers& numbers) {
  const std::uint32_t most = static_cast<std::uint32_t>(segments.size() / 2);
  segments.erase(segments.begin(), segments.begin() + 1 + numbers.below(most));
}

void end_early(Segments& segments, Numbers& numbers) {
  segments.resize(segments.size() - numbers.below(static_cast<std::uint32_t>(segments.size() / 2)));
}

void swap_neighbours(Segments& segments, Numbers& numbers) {
  for (std::size_t i = 1; i < segments.size(); ++i) {
    if (numbers.one_in(5)) std::swap(segments[i - 1], segments[i]);
  }
}

void cut(Segments& segments, Numbers& numbers) {
  const std::size_t kept = numbers.below(120);
  for (OwnedSegment& each : segments) each.captured = kept;
}

void keep_one_direction(Segments& segments, Numbers& numbers) {
  const std::uint16_t port = segments.front().meta.source.port;
  const bool first = numbers.one_in(2);
  std::erase_if(segments, [=](const OwnedSegment& each) { return (each.meta.source.port == port) != first; });
}

void keep(const Segments& segments, std::uint64_t seed, bool alike) {
  const char* const folder = std::getenv("IWARP_KEEP");
  if (folder == nullptr) return;
  const std::string test = testing::UnitTest::GetInstance()->current_test_info()->name();
  const std::string name = test + '-' + std::to_string(seed) + (alike ? "-alike.pcap" : ".pcap");
  EXPECT_TRUE(write_file(std::string(folder) + '/' + name, pcap_file(segments)));
}

void expect_no_fault(const Damage& damage) {
  for (std::uint64_t seed = 1; seed <= seed_count(); ++seed) {
    for (const bool alike : {false, true}) {
      Traffic traffic = traffic_of(seed);
      traffic.alike = alike;
      Carriage carriage;
      if (seed % 3 != 0) carriage = {.seed = 77 + seed, .retransmit = seed % 3 == 2, .reorder = seed % 4 == 1};
      Segments segments = random_traffic(seed, traffic, carriage).segments();
      Numbers numbers(seed);
      damage(segments, numbers);
      if (segments.empty()) continue;
      FrameNumber number = 0;
      for (OwnedSegment& each : segments) each.meta.frame = ++number;
      const Analysed result(segments);
      if (!result.ids().empty()) keep(segments, seed, alike);
      EXPECT_EQ(result.ids(), Ids{}) << "seed " << seed << (alike ? " alike\n" : "\n") << result.told();
    }
  }
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

}  // namespace
}  // namespace iwarp::test
