// LatencyCurve: how many of some operations took how long, and which part of them took no longer, as bars of
// a logarithmic axis.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "models/latency_classes.hpp"

namespace iwarp::gui {

// In log10 of nanoseconds.
struct LatencyAxis {
  double least = 0, most = 1;
  // From 0 at its begin to 1 at its end.
  [[nodiscard]] double part(double ns) const noexcept;
};

struct LatencyCurve {
  std::vector<std::uint64_t> bars;
  std::vector<double> until;  // of all, those in this bar and before it: 1 in the last one
};

// REQUIRES: bars > 0. Of nothing, nothing.
[[nodiscard]] LatencyCurve latency_curve(const DurationCounts& counts, const LatencyAxis& axis,
                                         std::size_t bars);

// A part of a range of time: all operations in it, or those of one kind and size.
struct LatencyGroup {
  std::optional<std::pair<OperationKind, std::size_t>> of;  // size class; nothing: all
  LatencySample sample;
};

// All that there are in the range, then each class that has some; of one class alone only that. Empty:
// none is there.
[[nodiscard]] std::vector<LatencyGroup> latency_groups(const std::vector<LatencyClass>& classes,
                                                       TimeSpan range);

}  // namespace iwarp::gui
