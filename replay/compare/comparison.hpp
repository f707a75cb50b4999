// Comparison of two stream logs of one stream: what was recorded, or expected, against what was seen.
//
// Requests are matched by what they are, for each role alone (nothing orders the two sides). STags and
// TOs are the same where both are as their owner advertised them; where an STag was never advertised, one
// renaming has to fit, and one distance of its TOs. MSNs are compared by their steps. So one message too few
// is one difference.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "compare/ignore.hpp"
#include "compare/renaming.hpp"

namespace iwarp::replay {

struct Difference {
  DifferenceClass what = DifferenceClass::missing;
  Role role = Role::initiator;
  std::optional<std::size_t> recorded;  // place among the role's entries
  std::optional<std::size_t> live;
  std::vector<LogField> fields;  // of `different`, and of a Terminate that is another one
  std::optional<Reason> reason;  // of `undecidable`
  // LogField::payload, private_data: the first octet that differs.
  std::optional<std::uint64_t> payload_at = std::nullopt;
  // LogField::stag, to, source_stag, source_to: what the live one should name, as its owner advertised it.
  std::optional<LiveAddress> advertised = std::nullopt;

  // Of the start-up, not of a request: neither log has a place of it.
  [[nodiscard]] bool of_startup() const noexcept { return !recorded && !live; }
};

// A request that is the same in both logs.
struct Match {
  Role role = Role::initiator;
  std::size_t recorded = 0;
  std::size_t live = 0;
  bool payload = false;  // its known octets are, too; else there was nothing to compare
};

// Latency of requests that both logs have, side by side.
struct LatencyPair {
  WorkKind kind = WorkKind::read;
  std::size_t count = 0;
  TimeNs recorded_median_ns = 0;
  TimeNs live_median_ns = 0;
  TimeNs recorded_p99_ns = 0;
  TimeNs live_p99_ns = 0;
};

struct CompareOptions {
  IgnoreRules ignore;
  std::size_t max_differences = 1000;  // listed; all are counted
  // Whole streams may have come behind the end of what could be read.
  bool recorded_damaged = false;
  bool live_damaged = false;
};

struct Comparison {
  std::array<std::size_t, static_cast<std::size_t>(DifferenceClass::count)> counts{};
  std::vector<Difference> differences;  // as they came to pass; the first one first
  std::size_t matched = 0;              // entries that are the same in both
  std::vector<Match> matches;           // these, by role, in order
  std::vector<LatencyPair> latencies;
  // Where nothing differs: whatever there was to compare was lacking in one of them, or left out by rules.
  bool nothing_compared = false;

  // Nothing differs, but for what cannot be decided.
  [[nodiscard]] bool same() const noexcept;
  // The first divergence; undecidables do not count. nullptr: there is none.
  [[nodiscard]] const Difference* first() const noexcept;
};

[[nodiscard]] Comparison compare(const StreamLog& recorded, const StreamLog& live,
                                 const CompareOptions& options = {});

// All streams of two captures or plans, paired in their order; whole streams may be missing.
struct StreamsComparison {
  struct Each {
    std::optional<std::size_t> recorded;  // places in the two lists
    std::optional<std::size_t> live;
    Comparison comparison;              // where both are there
    std::optional<Reason> undecidable;  // where the other one may just be behind the end of its capture
  };
  std::vector<Each> streams;

  [[nodiscard]] bool same() const noexcept;
  // In no stream.
  [[nodiscard]] bool nothing_compared() const noexcept;
};
// Rules that only the live logs break by errors, by stream and role. They change no verdict.
[[nodiscard]] std::vector<PlannedViolation> broken_only_live(const StreamsComparison& comparison,
                                                             const std::vector<StreamLog>& recorded,
                                                             const std::vector<StreamLog>& live);
[[nodiscard]] StreamsComparison compare(const std::vector<StreamLog>& recorded,
                                        const std::vector<StreamLog>& live,
                                        const CompareOptions& options = {});

}  // namespace iwarp::replay
