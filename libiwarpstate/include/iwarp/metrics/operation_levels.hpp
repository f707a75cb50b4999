// OperationLevels: operations by time, all or some of them, with what a picture of any range of time needs.
//
//   OperationLevels levels;
//   levels.extend(metrics.operations(), metrics.operations().size());   // again and again, while it grows
//   for (each column of pixels) {
//     const PlaceRange places = levels.order().between(from, upto);
//     draw(levels.latency().over(places.begin, places.end));
//   }
//
// Threads: an object belongs to one thread at a time, which need not be the one that analyses.
// Memory: 41 octets an operation.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include <iwarp/metrics.hpp>
#include <iwarp/metrics/levels.hpp>
#include <iwarp/metrics/time_order.hpp>

#pragma GCC visibility push(default)
namespace iwarp {

class OperationLevels {
 public:
  // Takes the rows up to `end` that it has not taken. REQUIRES: end <= table.size(), always the same table.
  void extend(const OperationTable& table, std::size_t end);
  // Takes these rows alone, those that a filter matched: none of them was taken before.
  void extend(const OperationTable& table, std::span<const std::uint32_t> rows);

  // Places are those of this order.
  [[nodiscard]] const TimeOrder& order() const noexcept { return order_; }
  [[nodiscard]] const ValueLevels& latency() const noexcept { return latency_; }         // ns
  [[nodiscard]] const DurationLevels& durations() const noexcept { return durations_; }  // the same latencies
  [[nodiscard]] const ValueLevels& outstanding() const noexcept { return outstanding_; }  // when issued
  [[nodiscard]] const ValueLevels& length() const noexcept { return length_; }            // octets

 private:
  void settle(const OperationTable& table);

  TimeOrder order_;
  ValueLevels latency_;
  DurationLevels durations_;
  ValueLevels outstanding_;
  ValueLevels length_;
  std::size_t taken_ = 0;  // rows
};

}  // namespace iwarp
#pragma GCC visibility pop
