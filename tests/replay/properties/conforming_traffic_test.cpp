// Two soft-RNICs keep the rules, the network is a bad one, and the capture lacks frames, cuts them, swaps
// them, skews times, has frames twice or with wrong octets: nothing above a note is found, because nobody
// broke a rule.
//
// IWARP_SEEDS: how many seeds (100), each with every kind of damage; IWARP_FIRST_SEED: where to begin (1).
// IWARP_KEEP: a folder for captures that fail, whole and with as few frames as fail likewise.
// SPDX-License-Identifier: GPL-2.0-or-later
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <string>

#include "replay/properties/conforming_traffic.hpp"
#include "replay/properties/seeds.hpp"
#include "shrink/ddmin.hpp"
#include "support/analysed.hpp"

namespace iwarp::rnic::test {
namespace {

using namespace iwarp::test;

std::string above_note(const Analysed& result) {
  std::string lines;
  for (const Event& event : result.of(EventKind::finding)) {
    if (event.finding.severity < Severity::warning) continue;
    lines += "  frame " + std::to_string(event.frame) + (event.side == iwarp::Side::a ? " a: " : " b: ") +
             check_info(event.finding.check).id + " " + describe(event.finding) + "\n";
  }
  return lines;
}

bool finds(Segments segments, const std::string& id) {
  number_frames(segments);
  return std::ranges::count(Analysed(segments).ids(), id) != 0;
}

void keep(const Segments& segments, const std::string& id, const std::string& name) {
  if (std::getenv("IWARP_KEEP") == nullptr) return;
  keep_capture(segments, name);
  const Segments fewer = replay::ddmin<OwnedSegment>(
      segments, [&](const Segments& some) { return finds(some, id); }, [] { return false; });
  keep_capture(fewer, name + "-fewer");
}

void expect_no_fault(std::uint64_t seed) {
  const ConformingTraffic traffic = conforming_traffic(seed);
  // A run that is left open may be over before the handshake is; damage needs two frames.
  ASSERT_GE(traffic.segments.size(), 2U);
  std::uint64_t kind = 0;
  for (const CaptureDamage& damage : capture_damages()) {
    Segments segments = traffic.segments;
    Numbers numbers(seed * 100 + ++kind);
    damage.apply(segments, numbers);
    number_frames(segments);
    const Analysed result(segments);
    const Ids ids = result.ids();
    if (ids.empty()) continue;
    keep(segments, ids.front(), ids.front() + '-' + std::to_string(seed) + '-' + std::to_string(kind));
    ADD_FAILURE() << "seed " << seed << ", end: " << traffic.end << ", content: " << traffic.content
                  << ", capture: " << damage.name << '\n'
                  << above_note(result);
  }
}

TEST(H17_ConformingTraffic, NoDamageOfTheCaptureIsAFault) {
  for_each_seed(iwarp::test::fewer_if_sanitized(100), expect_no_fault);
}

// A marker behind a cut FPDU was taken for an FPDU; the answer to one of several atomic requests, of which a
// hole took some, for that to one of these.
TEST(H17_ConformingTraffic, WhatOnceWasTakenForAFault) {
  for (const std::uint64_t seed : {1'901'129U, 2'600'551U}) expect_no_fault(seed);
}

}  // namespace
}  // namespace iwarp::rnic::test
