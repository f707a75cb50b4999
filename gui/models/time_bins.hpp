// TimeBins: what happened when, in a bounded number of bins, however long it goes on.
//
// Bins are multiples of a width; when there would be too many, two become one and the width doubles. So a
// moment costs O(1) amortised, and the whole is never larger than that. Cells are added with `+=`.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "scale/time_scale.hpp"

namespace iwarp::gui {

template <typename Cell>
class TimeBins {
 public:
  // REQUIRES: most >= 4.
  explicit TimeBins(std::size_t most) : most_(static_cast<std::int64_t>(most)) {}

  [[nodiscard]] std::size_t size() const noexcept { return cells_.size(); }
  [[nodiscard]] const Cell& operator[](std::size_t bin) const noexcept { return cells_[bin]; }
  [[nodiscard]] std::uint64_t width_ns() const noexcept { return std::uint64_t{1} << shift_; }
  [[nodiscard]] TimeSpan span(std::size_t bin) const noexcept {
    const std::int64_t number = first_ + static_cast<std::int64_t>(bin);
    return {start_of(number), start_of(number + 1)};
  }
  // Bins that have some time of [from, upto): [begin, end).
  [[nodiscard]] std::pair<std::size_t, std::size_t> bins_of(TimeSpan times) const noexcept {
    if (times.empty() || cells_.empty()) return {0, 0};
    const auto place = [this](std::int64_t number) {
      return static_cast<std::size_t>(
          std::clamp<std::int64_t>(number - first_, 0, static_cast<std::int64_t>(size())));
    };
    return {place(times.from >> shift_), place(((times.upto - 1) >> shift_) + 1)};
  }

  void add(TimeNs time, const Cell& cell) {
    std::int64_t number = time >> shift_;
    if (cells_.empty()) first_ = number;
    const auto last = [this] { return first_ + static_cast<std::int64_t>(cells_.size()) - 1; };
    while (std::max(number, cells_.empty() ? number : last()) - std::min(number, first_) >= most_) {
      halve();
      number = time >> shift_;
    }
    if (number < first_) {
      cells_.insert(cells_.begin(), static_cast<std::size_t>(first_ - number), Cell());
      first_ = number;
    }
    if (number - first_ >= static_cast<std::int64_t>(cells_.size())) {
      cells_.resize(static_cast<std::size_t>(number - first_) + 1);
    }
    cells_[static_cast<std::size_t>(number - first_)] += cell;
  }

 private:
  [[nodiscard]] TimeNs start_of(std::int64_t number) const noexcept {
    constexpr TimeNs most = std::numeric_limits<TimeNs>::max();
    if (number > (most >> shift_)) return most;
    return static_cast<TimeNs>(static_cast<std::uint64_t>(number) << shift_);
  }

  void halve() {
    std::vector<Cell> halved;
    const std::int64_t first = first_ >> 1;
    for (std::size_t bin = 0; bin < cells_.size(); ++bin) {
      const auto place = static_cast<std::size_t>(((first_ + static_cast<std::int64_t>(bin)) >> 1) - first);
      if (place >= halved.size()) halved.resize(place + 1);
      halved[place] += cells_[bin];
    }
    cells_ = std::move(halved);
    first_ = first;
    ++shift_;
  }

  std::int64_t most_;
  std::int64_t first_ = 0;  // number of the first bin
  unsigned shift_ = 16;     // bins are no shorter than 65 µs
  std::vector<Cell> cells_;
};

}  // namespace iwarp::gui
