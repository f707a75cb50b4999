// SPDX-License-Identifier: GPL-2.0-or-later
#include <iwarp/metrics/operation_levels.hpp>

namespace iwarp {

void OperationLevels::extend(const OperationTable& table, std::size_t end) {
  for (; taken_ < end; ++taken_) order_.add(static_cast<std::uint32_t>(taken_), table.time_ns(taken_));
  settle(table);
}

void OperationLevels::extend(const OperationTable& table, std::span<const std::uint32_t> rows) {
  for (const std::uint32_t row : rows) order_.add(row, table.time_ns(row));
  settle(table);
}

void OperationLevels::settle(const OperationTable& table) {
  const std::size_t changed = order_.settle();
  latency_.truncate(changed);
  durations_.truncate(changed);
  outstanding_.truncate(changed);
  length_.truncate(changed);
  for (std::size_t place = changed; place < order_.size(); ++place) {
    const std::uint32_t row = order_.row(place);
    const TimeNs latency = table.latency_ns(row);
    const std::uint64_t known =
        latency == OperationTable::unknown ? no_value : static_cast<std::uint64_t>(latency);
    latency_.push_back(known);
    durations_.push_back(known);
    const std::uint32_t outstanding = table.outstanding(row);
    outstanding_.push_back(outstanding == 0 ? no_value : outstanding);
    length_.push_back(table.length(row));
  }
}

}  // namespace iwarp
