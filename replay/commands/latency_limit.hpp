// Limits of how long live requests may take: --latency-limit read:p99:2 is twice what was recorded,
// --latency-limit read:p50:1ms a time.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "compare/comparison.hpp"

namespace iwarp::replay {

struct LatencyLimit {
  WorkKind kind = WorkKind::read;  // or atomic
  bool p99 = false;                // else the median
  std::optional<double> factor;    // of what was recorded
  TimeNs time = 0;                 // where there is no factor

  bool operator==(const LatencyLimit&) const = default;
};

// OP:PERCENTILE:FACTOR|TIME; nothing where it is none, and why in `error`.
[[nodiscard]] std::optional<LatencyLimit> parse_latency_limit(const std::string& text, std::string& error);

// A sentence for each stream and limit that its live requests exceed.
[[nodiscard]] std::vector<std::string> too_slow(const std::vector<LatencyLimit>& limits,
                                                const StreamsComparison& comparison,
                                                const std::vector<StreamLog>& recorded);

}  // namespace iwarp::replay
