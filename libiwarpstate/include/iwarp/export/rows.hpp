// Rows of tables as records: for writers and filters, which know no other way to look at them.
//
// Threads: as Metrics has it. Any thread may ask for any row below the table's size().
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <iwarp/export/filter.hpp>
#include <iwarp/export/record.hpp>
#include <iwarp/metrics.hpp>

#pragma GCC visibility push(default)
namespace iwarp {

// The record of a row. It points to `event`, which is set and has to live as long.
[[nodiscard]] Record record_of(const MessageTable& table, std::size_t row, Event& event) noexcept;
[[nodiscard]] Record record_of(const OperationTable& table, std::size_t row, Event& event) noexcept;
[[nodiscard]] Record record_of(const FindingTable& table, std::size_t row, Event& event) noexcept;

// Appends those of the rows [begin, end) that `filter` matches. REQUIRES: end <= table.size().
template <typename Table>
void select(const Table& table, const Filter& filter, std::size_t begin, std::size_t end,
            std::vector<std::uint32_t>& rows) {
  Event event;
  for (std::size_t row = begin; row < end; ++row) {
    if (filter.matches(record_of(table, row, event))) rows.push_back(static_cast<std::uint32_t>(row));
  }
}

}  // namespace iwarp
#pragma GCC visibility pop
