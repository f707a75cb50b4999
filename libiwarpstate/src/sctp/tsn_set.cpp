// SPDX-License-Identifier: GPL-2.0-or-later
#include "sctp/tsn_set.hpp"

#include <algorithm>

namespace iwarp::sctp {

void TsnSet::begin(std::uint32_t initial) noexcept {
  begun_ = true;
  first_ = (std::uint64_t{1} << 32U) + initial;
  latest_ = first_ - 1;
}

bool TsnSet::add(Tsn tsn) {
  if (begun_ && tsn < first_) return false;  // of another association
  if (ranges_.empty() && !begun_) latest_ = tsn;
  latest_ = std::max(latest_, tsn);
  // The first range that ends behind the TSN, or right before it.
  const auto at = std::lower_bound(ranges_.begin(), ranges_.end(), tsn,
                                   [](const Range& range, Tsn value) { return range.end < value; });
  if (at == ranges_.end() || at->begin > tsn + 1) {
    ranges_.insert(at, {tsn, tsn + 1});
  } else if (at->begin <= tsn && tsn < at->end) {
    return false;
  } else if (at->begin == tsn + 1) {
    at->begin = tsn;
  } else {
    at->end = tsn + 1;
    const auto next = at + 1;
    if (next != ranges_.end() && next->begin == at->end) {
      at->end = next->end;
      ranges_.erase(next);
    }
  }
  if (ranges_.size() > max_holes) {
    filled_ = true;
    ranges_[1].begin = ranges_[0].begin;
    ranges_.erase(ranges_.begin());
  }
  return true;
}

bool TsnSet::missing_behind(Tsn tsn) const noexcept {
  if (ranges_.empty()) return false;
  if (begun_ && ranges_.front().begin > first_ && ranges_.front().begin > tsn + 1) return true;
  return ranges_.size() > 1 && ranges_.back().begin > tsn + 1;
}

}  // namespace iwarp::sctp
