// A Terminate or a RST crosses what the peer still sends: which requests had come by then is a matter of
// nanoseconds in the recording. A replay shows it again whatever its pace: nothing diverges.
//
// IWARP_SEEDS: how many seeds (300), each at three timings; IWARP_FIRST_SEED: where to begin (1).
// IWARP_KEEP: a folder for captures that fail.
// SPDX-License-Identifier: GPL-2.0-or-later
#include <gtest/gtest.h>

#include <array>
#include <string>
#include <vector>

#include "compare/comparison.hpp"
#include "compare/render.hpp"
#include "replay/engine/closed_loop.hpp"
#include "replay/planned.hpp"
#include "replay/properties/conforming_traffic.hpp"
#include "replay/properties/seeds.hpp"
#include "support/capture_damage.hpp"

namespace iwarp::replay {
namespace {

struct Pace {
  const char* name;
  Timing timing;
};
constexpr std::array<Pace, 3> paces = {
    {{"topspeed", Timing::topspeed}, {"causal", Timing::causal}, {"original", Timing::original}}};

// Empty where the run shows what was recorded.
std::string divergence(const Plan& plan, const std::vector<std::uint32_t>& streams, Timing timing) {
  LoopOptions options;
  options.streams = streams;
  options.replay.timing = timing;
  const LoopResult result = closed_loop(plan, options);
  if (!result.error.empty()) return result.error;
  std::vector<StreamLog> expected;
  for (const std::uint32_t each : streams) expected.push_back(expected_log(plan, each));
  // The laboratory's windows are other STags for the same memory, which a plan does not know.
  CompareOptions compared;
  std::string error;
  EXPECT_TRUE(compared.ignore.add("field:payload", error) && compared.ignore.add("field:atomic", error));
  const StreamsComparison comparison = compare(expected, result.logs, compared);
  std::string text;
  if (result.outcome != Outcome::complete)
    text +=
        "no end: " + testing::PrintToString(result.waits) + testing::PrintToString(result.troubles) + "\n";
  if (!comparison.same()) text += to_text(comparison, expected, result.logs);
  return text;
}

void expect_same(std::uint64_t seed) {
  rnic::test::ConformingTraffic traffic = rnic::test::crossing_traffic(seed);
  iwarp::test::number_frames(traffic.segments);
  const Plan plan = plan_of(traffic.segments);
  const std::vector<std::uint32_t> streams = conforming(plan);
  EXPECT_EQ(streams.size(), plan.streams.size());
  for (const Pace& pace : paces) {
    const std::string text = divergence(plan, streams, pace.timing);
    if (text.empty()) continue;
    iwarp::test::keep_capture(traffic.segments, "crossing-" + std::to_string(seed));
    ADD_FAILURE() << "seed " << seed << ", end: " << traffic.end << ", " << pace.name << '\n' << text;
  }
}

// Two Writes to one STag, of which the Terminate quoted the first; Reads for which a Send with Invalidate
// waited and which nobody answered; Terminates before answers that were due; resets from both ends; a segment
// that was sent again, with an acknowledgement of the Terminate.
TEST(H17_Crossing, WhatOnceDiverged) {
  for (const std::uint64_t seed : {54U, 193U, 685U, 1016U, 1416U, 1467U, 1497U, 1582U}) expect_same(seed);
}

TEST(H17_Crossing, IsShownAgainAtEachPace) {
  rnic::test::for_each_seed(iwarp::test::fewer_if_sanitized(300), expect_same);
}

}  // namespace
}  // namespace iwarp::replay
