// Histogram: the distribution of durations in a bounded amount of memory.
//
// The first max_kept durations are kept, and while there are no more percentiles are exact. Beyond that they
// come from buckets (metrics/duration_buckets.hpp) and are off by at most one sixteenth; count, least and
// greatest stay exact. Negative durations (capture time ran backward) count as zero.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <vector>

#include <iwarp/ids.hpp>
#include <iwarp/metrics/duration_buckets.hpp>

namespace iwarp::report {

class Histogram {
 public:
  static constexpr std::size_t max_kept = 4096;

  void add(TimeNs duration) {
    const auto value = static_cast<std::uint64_t>(std::max<TimeNs>(duration, 0));
    if (kept_.size() < max_kept) kept_.push_back(value);
    ++buckets_[duration_bucket(value)];
    ++count_;
    least_ = std::min(least_, value);
    greatest_ = std::max(greatest_, value);
  }

  // As if every duration of the other one had been added.
  void merge(const Histogram& other) {
    const std::size_t room = std::min(max_kept - kept_.size(), other.kept_.size());
    kept_.insert(kept_.end(), other.kept_.begin(), other.kept_.begin() + static_cast<std::ptrdiff_t>(room));
    for (std::size_t at = 0; at < buckets_.size(); ++at) buckets_[at] += other.buckets_[at];
    count_ += other.count_;
    least_ = std::min(least_, other.least_);
    greatest_ = std::max(greatest_, other.greatest_);
  }

  [[nodiscard]] std::uint64_t count() const noexcept { return count_; }
  // REQUIRES of these: count() > 0.
  [[nodiscard]] std::uint64_t least() const noexcept { return least_; }
  [[nodiscard]] std::uint64_t greatest() const noexcept { return greatest_; }

  // Whether percentile() gives one of the values themselves.
  [[nodiscard]] bool exact() const noexcept { return count_ <= kept_.size(); }

  // The least value that `percent` of all values do not exceed, or somewhat more where !exact().
  // REQUIRES: 0 < percent <= 100.
  [[nodiscard]] std::uint64_t percentile(unsigned percent) const {
    const std::uint64_t rank = std::max<std::uint64_t>(1, (count_ * percent + 99) / 100);
    if (exact()) {
      std::vector<std::uint64_t> sorted = kept_;
      const auto wanted = sorted.begin() + static_cast<std::ptrdiff_t>(rank - 1);
      std::nth_element(sorted.begin(), wanted, sorted.end());
      return *wanted;
    }
    std::uint64_t seen = 0;
    for (unsigned at = 0; at < buckets_.size(); ++at) {
      seen += buckets_[at];
      if (seen >= rank) return std::clamp(duration_bucket_end(at), least_, greatest_);
    }
    return greatest_;
  }

 private:
  std::array<std::uint64_t, duration_buckets> buckets_{};
  std::vector<std::uint64_t> kept_;  // the first of them
  std::uint64_t count_ = 0;
  std::uint64_t least_ = std::numeric_limits<std::uint64_t>::max();
  std::uint64_t greatest_ = 0;
};

}  // namespace iwarp::report
