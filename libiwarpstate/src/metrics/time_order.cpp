// SPDX-License-Identifier: GPL-2.0-or-later
#include <iwarp/metrics/time_order.hpp>

#include <algorithm>

namespace iwarp {

std::size_t TimeOrder::settle() {
  const auto earlier = [](const auto& one, const auto& another) { return one.first < another.first; };
  if (!std::is_sorted(late_.begin(), late_.end(), earlier))
    std::stable_sort(late_.begin(), late_.end(), earlier);
  const auto first =
      late_.empty() ? times_.end() : std::upper_bound(times_.begin(), times_.end(), late_.front().first);
  const auto changed = static_cast<std::size_t>(first - times_.begin());
  // From the end on, so that nothing is moved twice.
  std::size_t from = times_.size();
  std::size_t into = from + late_.size();
  times_.resize(into);
  rows_.resize(into);
  for (std::size_t next = late_.size(); next > 0;) {
    const auto& [time, row] = late_[next - 1];
    const bool moves = from > changed && times_[from - 1] > time;
    --into;
    times_[into] = moves ? times_[from - 1] : time;
    rows_[into] = moves ? rows_[from - 1] : row;
    --(moves ? from : next);
  }
  late_.clear();
  return changed;
}

PlaceRange TimeOrder::between(TimeNs from, TimeNs upto) const noexcept {
  const auto begin = std::lower_bound(times_.begin(), times_.end(), from);
  const auto end = std::lower_bound(begin, times_.end(), std::max(from, upto));
  return {static_cast<std::size_t>(begin - times_.begin()), static_cast<std::size_t>(end - times_.begin())};
}

}  // namespace iwarp
