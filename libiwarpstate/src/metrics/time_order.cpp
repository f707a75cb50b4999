// SPDX-License-Identifier: GPL-2.0-or-later
#include <iwarp/metrics/time_order.hpp>

#include <algorithm>

namespace iwarp {

std::size_t TimeOrder::settle() {
  const auto earlier = [](const auto& one, const auto& another) { return one.first < another.first; };
  if (!std::is_sorted(late_.begin(), late_.end(), earlier))
    std::stable_sort(late_.begin(), late_.end(), earlier);
  const std::size_t changed = late_.empty() ? size() : times_.first_behind(late_.front().first);
  std::vector<std::pair<TimeNs, std::uint32_t>> behind;  // those whose places change
  behind.reserve(size() - changed);
  for (std::size_t place = changed; place < size(); ++place) behind.emplace_back(time_ns(place), row(place));
  times_.truncate(changed);
  rows_.truncate(changed);
  const auto append = [this](const auto& entry) {
    times_.push_back(entry.first);
    rows_.push_back(entry.second);
  };
  auto next = behind.begin();
  for (const auto& entry : late_) {
    for (; next != behind.end() && next->first <= entry.first; ++next) append(*next);
    append(entry);
  }
  std::for_each(next, behind.end(), append);
  late_.clear();
  return changed;
}

PlaceRange TimeOrder::between(TimeNs from, TimeNs upto) const noexcept {
  const std::size_t begin = times_.first_at(from);
  return {begin, times_.first_at(std::max(from, upto), begin)};
}

}  // namespace iwarp
