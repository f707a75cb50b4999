// TimeOrder: rows of a table in the order of their times, so that a range of time is a range of places.
//
// Rows are appended to a table when they are decided: nearly, but not always, in the order of time. What
// comes late is merged in; the places before it stay what they were.
//
// Threads: an object belongs to one thread at a time. Memory: as many bits a row as
// rows and times of 64 neighbours differ by, some 5 octets.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include <iwarp/ids.hpp>
#include <iwarp/metrics/packed_times.hpp>

#pragma GCC visibility push(default)
namespace iwarp {

// Places [begin, end).
struct PlaceRange {
  std::size_t begin = 0;
  std::size_t end = 0;

  [[nodiscard]] std::size_t size() const noexcept { return end - begin; }
  bool operator==(const PlaceRange&) const = default;
};

class TimeOrder {
 public:
  // Takes a further row; it has a place once settle() was called.
  void add(std::uint32_t row, TimeNs time_ns) { late_.emplace_back(time_ns, row); }
  // Returns the first place at which anything changed: those before have the rows that they had. Rows of the
  // same time are in the order in which they were added. O(rows added, and those later than the earliest).
  std::size_t settle();

  // Of settled rows.
  [[nodiscard]] std::size_t size() const noexcept { return rows_.size(); }
  [[nodiscard]] std::uint32_t row(std::size_t place) const noexcept {
    return static_cast<std::uint32_t>(rows_[place]);
  }
  [[nodiscard]] TimeNs time_ns(std::size_t place) const noexcept { return times_[place]; }
  // Those of the times [from, upto).
  [[nodiscard]] PlaceRange between(TimeNs from, TimeNs upto) const noexcept;

 private:
  PackedTimes times_;
  PackedNumbers rows_;
  std::vector<std::pair<TimeNs, std::uint32_t>> late_;  // added, not settled
};

}  // namespace iwarp
#pragma GCC visibility pop
