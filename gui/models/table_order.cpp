// SPDX-License-Identifier: GPL-2.0-or-later
#include "models/table_order.hpp"

#include <algorithm>

namespace iwarp::gui {
namespace {

constexpr std::size_t rows_between_looks = 1U << 15U;  // at whether it is still wanted

}  // namespace

SortEntry sort_entry(SortKey key, const Metrics& metrics, const Levels& levels, const TableOrder& order,
                     std::uint32_t row) {
  if (order.column < 0) return {row, row};
  const std::uint64_t value = key(metrics, levels, row, order.column);
  return {order.descending && value != unknown_key ? unknown_key - 1 - value : value, row};
}

std::vector<std::uint32_t> sorted_rows(SortKey key, const Metrics& metrics, const Levels& levels,
                                       const RowList& list, const TableOrder& order,
                                       std::span<const std::uint32_t> sorted,
                                       const std::atomic<bool>& stale) {
  std::vector<SortEntry> entries;
  entries.reserve(list.size());
  const auto wanted = [&stale] { return !stale.load(std::memory_order_relaxed); };
  while (wanted() && entries.size() < list.size()) {
    const std::size_t end = std::min(list.size(), entries.size() + rows_between_looks);
    while (entries.size() < end) {
      const std::size_t at = entries.size();
      const std::uint32_t row = at < sorted.size() ? sorted[at] : list[at];
      entries.push_back(sort_entry(key, metrics, levels, order, row));
    }
  }
  // Pieces, then pairs of them, so that one that is not wanted any more ends soon.
  std::vector<std::size_t> borders{0};
  if (!sorted.empty()) borders.push_back(sorted.size());
  const auto place = [&entries](std::size_t at) { return entries.begin() + static_cast<std::ptrdiff_t>(at); };
  while (wanted() && borders.back() < entries.size()) {
    const std::size_t begin = borders.back();
    borders.push_back(std::min(entries.size(), begin + rows_between_looks));
    std::sort(place(begin), place(borders.back()));
  }
  // What was sorted before comes last: it is merged once.
  while (wanted() && borders.size() > 2) {
    std::vector<std::size_t> fewer;
    const bool keeps_first = !sorted.empty() && borders.size() > 3;
    if (keeps_first) fewer.push_back(0);
    std::size_t at = keeps_first ? 1 : 0;
    for (; wanted() && at + 2 < borders.size(); at += 2) {
      std::inplace_merge(place(borders[at]), place(borders[at + 1]), place(borders[at + 2]));
      fewer.push_back(borders[at]);
    }
    for (; at < borders.size(); ++at) fewer.push_back(borders[at]);
    borders = std::move(fewer);
  }
  std::vector<std::uint32_t> rows;
  if (!wanted()) return rows;
  rows.reserve(entries.size());
  for (const SortEntry& entry : entries) rows.push_back(entry.row);
  return rows;
}

}  // namespace iwarp::gui
