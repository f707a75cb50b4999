// LatencyClasses: latencies by kind and size of the operation, of any range of time in O(log n).
//
// Memory: some 9 octets an operation whose latency is known.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <optional>
#include <vector>

#include <iwarp/metrics.hpp>
#include <iwarp/metrics/operation_levels.hpp>

#include "scale/time_scale.hpp"

namespace iwarp::gui {

// Of the octets of an operation: up to 256, 4096, 65 536, 1 048 576, and more.
inline constexpr std::size_t size_classes = 5;
[[nodiscard]] std::size_t size_class_of(std::uint64_t octets) noexcept;
[[nodiscard]] const char* size_class_name(std::size_t size_class) noexcept;

struct LatencyClass {
  OperationKind kind = OperationKind::read;
  std::size_t size_class = 0;
  PackedTimes times;
  DurationLevels durations;
  ValueLevels latency;

  [[nodiscard]] PlaceRange between(TimeSpan span) const noexcept;
};

// Those that there are, by kind, then size.
[[nodiscard]] std::vector<LatencyClass> latency_classes(const OperationTable& table,
                                                        const OperationLevels& levels);

// Of some range: what people ask of it.
struct LatencySummary {
  std::uint64_t count = 0;
  std::uint64_t p50 = 0, p90 = 0, p99 = 0;  // where not exact: at most one sixteenth too much
  std::uint64_t max = 0;                    // always exact
  bool exact = true;
};

// Latencies of ranges of classes together. Few are kept themselves, as many as the report keeps: both then
// say the same.
class LatencySample {
 public:
  static constexpr std::size_t few = 4096;

  // REQUIRES: the places are of that class.
  void add(const LatencyClass& from, PlaceRange places);

  [[nodiscard]] const DurationCounts& counts() const noexcept { return counts_; }
  [[nodiscard]] LatencySummary summary() const;

 private:
  DurationCounts counts_;
  std::vector<std::uint64_t> values_;
  std::uint64_t count_ = 0;
  std::uint64_t greatest_ = 0;
};

// The place in [begin, end) of the longest latency; nothing: none is known. O(log² n).
[[nodiscard]] std::optional<std::size_t> place_of_greatest(const ValueLevels& values, PlaceRange places);

}  // namespace iwarp::gui
