// Whatever the network did, and whatever the capture lacks: the parts of a latency add up to it.
//
// IWARP_SEEDS, IWARP_FIRST_SEED: as in conforming_traffic_test.cpp.
// SPDX-License-Identifier: GPL-2.0-or-later
#include <gtest/gtest.h>

#include <iwarp/analyzer.hpp>
#include <iwarp/latency_parts.hpp>

#include "replay/properties/conforming_traffic.hpp"
#include "replay/properties/seeds.hpp"

namespace iwarp::rnic::test {
namespace {

using namespace iwarp::test;

// Returns how many latencies there were.
std::size_t expect_sums(const Segments& segments) {
  Analyzer analyzer;
  LatencyTracker tracker;
  std::size_t count = 0;
  const auto take = [&](Events events) {
    for (const Event& event : events) {
      tracker.add(event);
      const LatencyParts* const parts = tracker.parts();
      if (parts == nullptr) continue;
      ++count;
      EXPECT_EQ(parts->total(), event.operation.delivery(event.time_ns));
      for (const LatencyParts::Part& part : parts->parts) EXPECT_GE(part.ns, 0);
      for (const LatencyParts::Part& part : parts->parts) EXPECT_LE(part.frames[0], event.frame);
    }
  };
  for (const OwnedSegment& each : segments) take(analyzer.add(each.segment()));
  take(analyzer.finish());
  return count;
}

TEST(LatencyPartsOfConformingTraffic, AddUp) {
  std::size_t count = 0;
  for_each_seed(20, [&](std::uint64_t seed) {
    const ConformingTraffic traffic = conforming_traffic(seed);
    count += expect_sums(traffic.segments);
    std::uint64_t kind = 0;
    for (const CaptureDamage& damage : capture_damages()) {
      SCOPED_TRACE(damage.name);
      Segments segments = traffic.segments;
      Numbers numbers(seed * 100 + ++kind);
      damage.apply(segments, numbers);
      number_frames(segments);
      count += expect_sums(segments);
    }
  });
  EXPECT_GT(count, 100U);
}

}  // namespace
}  // namespace iwarp::rnic::test
