// SPDX-License-Identifier: GPL-2.0-or-later
#include "models/latency_curve.hpp"

#include <algorithm>
#include <cmath>

namespace iwarp::gui {

double LatencyAxis::part(double ns) const noexcept {
  return std::clamp((std::log10(std::max(1.0, ns)) - least) / (most - least), 0.0, 1.0);
}

LatencyCurve latency_curve(const DurationCounts& counts, const LatencyAxis& axis, std::size_t bars) {
  LatencyCurve curve;
  if (counts.total() == 0) return curve;
  curve.bars.resize(bars);
  for (unsigned bucket = 0; bucket < duration_buckets; ++bucket) {
    if (counts[bucket] == 0) continue;
    const double part = axis.part(static_cast<double>(duration_bucket_end(bucket)));
    curve.bars[static_cast<std::size_t>(part * static_cast<double>(bars - 1))] += counts[bucket];
  }
  std::uint64_t sum = 0;
  for (const std::uint64_t bar : curve.bars) {
    sum += bar;
    curve.until.push_back(static_cast<double>(sum) / static_cast<double>(counts.total()));
  }
  return curve;
}

std::vector<LatencyGroup> latency_groups(const std::vector<LatencyClass>& classes, TimeSpan range) {
  std::vector<LatencyGroup> parts(1);
  for (const LatencyClass& one : classes) {
    const PlaceRange places = one.between(range);
    if (places.size() == 0) continue;
    parts.front().sample.add(one, places);
    parts.push_back({std::pair(one.kind, one.size_class), {}});
    parts.back().sample.add(one, places);
  }
  if (parts.size() <= 2) parts.erase(parts.begin());
  return parts;
}

}  // namespace iwarp::gui
