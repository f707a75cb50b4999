// What scenarios about framing compare and expect: the log of an analysed conversation in words, the octets
// of an FPDU as its slices tell, and a conversation that has just finished its start-up.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "support/analysed.hpp"

namespace iwarp::test {

// Everything, or only what is left when markers and TCP borders are taken away: no offsets, no marker counts.
enum class Compare : std::uint8_t {
  streams,
  contents
};

// FPDUs, messages, operations and findings (from `note` on) in order, a line each, without frame numbers and
// times: equal for conversations that differ only in how TCP carried them.
[[nodiscard]] std::vector<std::string> log_of(const Analysed& result, Compare compare = Compare::streams);

// The same FPDUs only, of one side.
[[nodiscard]] std::vector<std::string> fpdus_of(const Analysed& result, Side side,
                                                Compare compare = Compare::streams);

// The octets of an FPDU put together from its slices; `segments` is the capture.
[[nodiscard]] Bytes octets_of(const Analysed& result, const std::vector<OwnedSegment>& segments,
                              const Event& fpdu);
// The same without the markers that stand in it (RFC 5044 §4.3).
[[nodiscard]] Bytes without_markers(const Bytes& octets, std::uint64_t stream_offset);

// Handshake and start-up done: the next octets are FPDUs, and none is too long for TCP unless `handshake`
// says so.
[[nodiscard]] Conversation operating(const Startup& request = {}, const Startup& reply = {},
                                     const Handshake& handshake = {.mss_a = 65495, .mss_b = 65495});

// The state behind the last packet, the capture going on.
[[nodiscard]] ConnectionState state_so_far(const Conversation& conversation);

[[nodiscard]] inline AnalyzerOptions strict() {
  AnalyzerOptions options;
  options.strict = true;
  return options;
}

// IDs from `note` on, by default and strict: a scenario names both.
inline void expect_ids(const Conversation& conversation, const Ids& expected, const Ids& expected_strict) {
  const Analysed result(conversation);
  EXPECT_EQ(result.ids(Severity::note), expected) << result.told();
  const Analysed severe(conversation, strict());
  EXPECT_EQ(severe.ids(Severity::note), expected_strict) << severe.told();
}
inline void expect_ids(const Conversation& conversation, const Ids& expected) {
  expect_ids(conversation, expected, expected);
}

// Every finding of `id` has this severity, and there is one.
inline void expect_severity(const Analysed& result, std::string_view id, Severity severity) {
  EXPECT_TRUE(result.has(id)) << id << "\n" << result.told();
  for (const Event& event : result.findings(id)) EXPECT_EQ(event.finding.severity, severity) << result.told();
}

// Every Terminate's reason is borne out by the captured octets.
inline void expect_explained(const Analysed& result) {
  EXPECT_FALSE(result.has("RDMAP-TERMWHY")) << result.told();
  EXPECT_EQ(result.undecidable("RDMAP-TERMWHY"), 0U);
}

// FPDUs of one side.
[[nodiscard]] inline std::vector<Event> fpdu_events(const Analysed& result, Side side) {
  std::vector<Event> found = result.fpdus();
  std::erase_if(found, [side](const Event& event) { return event.side != side; });
  return found;
}

}  // namespace iwarp::test
