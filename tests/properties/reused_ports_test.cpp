// Two healthy sessions, one after the other, on the same addresses and ports, as a capture shows them that
// lacks the end of the first or the SYNs of the second, or has these in another order: whoever is taken for
// whom, nobody broke a rule. IWARP_SEEDS: more seeds than the default run has; IWARP_KEEP: a folder for
// captures that fail.
// SPDX-License-Identifier: GPL-2.0-or-later
#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>
#include <string>
#include <utility>

#include "support/analysed.hpp"
#include "support/capture_damage.hpp"
#include "support/random_traffic.hpp"
#include "support/seeds.hpp"

namespace iwarp::test {
namespace {

enum class Syns {
  captured,
  lost,
  late,  // behind some segments of their session
};

Segments session(std::uint64_t seed) {
  Carriage carriage;
  if (seed % 3 == 0) carriage = {.seed = 77 + seed, .retransmit = seed % 2 == 1, .reorder = seed % 4 == 0};
  return random_traffic(seed, traffic_of(seed), carriage).segments();
}

// As if its sequence numbers had begun so much higher.
struct Higher {
  std::uint32_t of_initiator = 0;
  std::uint32_t of_responder = 0;
};

void renumber(Segments& segments, const Higher& higher) {
  const Endpoint initiator = segments.front().meta.source;
  for (OwnedSegment& segment : segments) {
    const bool forward = segment.meta.source == initiator;
    segment.meta.sequence += forward ? higher.of_initiator : higher.of_responder;
    if ((segment.meta.flags & tcp::ack) != 0)
      segment.meta.acknowledgement += forward ? higher.of_responder : higher.of_initiator;
  }
}

// How far the numbers of a session came.
Higher reach_of(const Segments& segments) {
  Higher reach;
  const Endpoint initiator = segments.front().meta.source;
  const std::uint32_t from_initiator = segments[0].meta.sequence;
  const std::uint32_t from_responder = segments[1].meta.sequence;
  for (const OwnedSegment& segment : segments) {
    const bool forward = segment.meta.source == initiator;
    std::uint32_t& to = forward ? reach.of_initiator : reach.of_responder;
    const std::uint32_t begin = segment.meta.sequence - (forward ? from_initiator : from_responder);
    to = std::max(to, begin + segment.meta.wire_length);
  }
  return reach;
}

// One goes on every 64 ns, and ports in TIME-WAIT are taken with numbers that are 65537 higher than those
// before at least: so does Linux (RFC 6528, RFC 6191).
Higher by_clock(TimeNs elapsed, const Higher& carried) {
  constexpr std::uint32_t beyond = 65'537;
  const auto ticks = static_cast<std::uint32_t>(elapsed / 64);
  return {std::max(ticks, carried.of_initiator + beyond), std::max(ticks, carried.of_responder + beyond)};
}

bool is_syn(const OwnedSegment& segment) {
  return (segment.meta.flags & tcp::syn) != 0;
}

void damage_syns(Segments& segments, Numbers& numbers, Syns how) {
  if (how == Syns::lost) {
    const bool both = numbers.one_in(2);
    std::erase_if(segments, [&](const OwnedSegment& segment) {
      return is_syn(segment) && (both || (segment.meta.flags & tcp::ack) == 0);
    });
  }
  if (how != Syns::late) return;
  for (std::size_t at = 2; at > 0; --at) {
    if (segments.size() < 8 || !is_syn(segments[at - 1])) continue;
    const std::size_t later = at + 1 + numbers.below(5);
    std::rotate(segments.begin() + static_cast<std::ptrdiff_t>(at) - 1,
                segments.begin() + static_cast<std::ptrdiff_t>(at),
                segments.begin() + static_cast<std::ptrdiff_t>(later));
  }
}

Segments two_sessions(std::uint64_t seed, Syns how) {
  Numbers numbers(seed);
  Segments first = session(2 * seed);
  Segments second = session(2 * seed + 1);
  const Higher carried = reach_of(first);
  first.resize(first.size() - numbers.below(static_cast<std::uint32_t>(first.size() / 2)));
  damage_syns(second, numbers, how);
  if (numbers.one_in(3)) lose(second, numbers, 30);
  // From at once to what TIME-WAIT asks for.
  const TimeNs pause = numbers.one_in(2) ? 100'000 : TimeNs{1 + numbers.below(120)} * 1'000'000'000;
  const TimeNs later = first.back().meta.time_ns + pause - second.front().meta.time_ns;
  renumber(second, numbers.one_in(2)
                       ? by_clock(first.back().meta.time_ns + pause - first.front().meta.time_ns, carried)
                       : Higher{static_cast<std::uint32_t>(numbers.next()),
                                static_cast<std::uint32_t>(numbers.next())});
  TimeNs before = first.back().meta.time_ns;
  for (OwnedSegment& segment : second)
    before = segment.meta.time_ns = std::max(before + 1, segment.meta.time_ns + later);
  std::move(second.begin(), second.end(), std::back_inserter(first));
  number_frames(first);
  return first;
}

void expect_no_fault(Syns how) {
  const std::uint64_t seeds = seeds_from("IWARP_SEEDS", 60);
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    const Segments segments = two_sessions(seed, how);
    const Analysed result(segments);
    EXPECT_GE(result.analysis().connection_count(), 2U) << "seed " << seed;
    EXPECT_EQ(result.ids(), Ids{}) << "seed " << seed << '\n' << result.told();
    if (result.ids().empty()) continue;
    const std::string test = testing::UnitTest::GetInstance()->current_test_info()->name();
    keep_capture(segments, test + '-' + std::to_string(seed));
  }
}

TEST(ReusedPorts, WithItsSyns) {
  expect_no_fault(Syns::captured);
}
TEST(ReusedPorts, WithoutASyn) {
  expect_no_fault(Syns::lost);
}
TEST(ReusedPorts, WithSynsInAnotherOrder) {
  expect_no_fault(Syns::late);
}

}  // namespace
}  // namespace iwarp::test
