// TableOrder: rows of a table in the order of a column, made in any thread.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <atomic>
#include <cstdint>
#include <span>
#include <vector>

#include "models/levels.hpp"

namespace iwarp::gui {

// Stands for what is not known: always last, whatever the order.
inline constexpr std::uint64_t unknown_key = ~std::uint64_t{0};

// Greater for what comes later. Any thread may call it.
using SortKey = std::uint64_t (*)(const Metrics& metrics, const Levels& levels, std::uint32_t row,
                                  int column);

// How a table is sorted.
struct TableOrder {
  int column = -1;  // -1: as the table is
  bool descending = false;

  bool operator==(const TableOrder&) const = default;
};

// A row and where it belongs; rows with the same key stay in the order of the table.
struct SortEntry {
  std::uint64_t key;
  std::uint32_t row;

  bool operator<(const SortEntry& other) const noexcept {
    return key != other.key ? key < other.key : row < other.row;
  }
};
[[nodiscard]] SortEntry sort_entry(SortKey key, const Metrics& metrics, const Levels& levels,
                                   const TableOrder& order, std::uint32_t row);

// The rows of the list in that order. `sorted`: those of its first rows as they were sorted before; of no
// others, and with the same keys. Empty where `stale` became true: looked at every few milliseconds.
[[nodiscard]] std::vector<std::uint32_t> sorted_rows(SortKey key, const Metrics& metrics,
                                                     const Levels& levels, const RowList& list,
                                                     const TableOrder& order,
                                                     std::span<const std::uint32_t> sorted,
                                                     const std::atomic<bool>& stale);

}  // namespace iwarp::gui
