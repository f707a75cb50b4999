// Histogram: the distribution of durations in a bounded amount of memory.
//
// The first max_kept durations are kept, and while there are no more percentiles are exact. Beyond that they
// come from sixteen buckets for each power of two and are off by at most one sixteenth; count, least and
// greatest stay exact. Negative durations (capture time ran backward) count as zero.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <limits>
#include <vector>

#include <iwarp/ids.hpp>

namespace iwarp::report {

class Histogram {
 public:
  static constexpr std::size_t max_kept = 4096;

  void add(TimeNs duration) {
    const auto value = static_cast<std::uint64_t>(std::max<TimeNs>(duration, 0));
    if (kept_.size() < max_kept) kept_.push_back(value);
    ++buckets_[bucket(value)];
    ++count_;
    least_ = std::min(least_, value);
    greatest_ = std::max(greatest_, value);
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
      if (seen >= rank) return std::clamp(upper_end(at), least_, greatest_);
    }
    return greatest_;
  }

 private:
  static constexpr unsigned part_bits = 4;
  static constexpr unsigned parts = 1U << part_bits;

  // Values below 16 have buckets of their own; above, the leading one and the four bits behind it count.
  [[nodiscard]] static unsigned bucket(std::uint64_t value) noexcept {
    if (value < parts) return static_cast<unsigned>(value);
    const auto shift = static_cast<unsigned>(std::bit_width(value)) - part_bits - 1;
    return parts * (shift + 1) + static_cast<unsigned>(value >> shift) - parts;
  }

  // The greatest value that falls into a bucket.
  [[nodiscard]] static std::uint64_t upper_end(unsigned at) noexcept {
    if (at < parts) return at;
    const unsigned shift = at / parts - 1;
    const std::uint64_t next = std::uint64_t{at % parts + parts + 1};
    return shift + part_bits + 1 >= 64 && at % parts == parts - 1 ? std::numeric_limits<std::uint64_t>::max()
                                                                  : (next << shift) - 1;
  }

  std::array<std::uint64_t, parts*(64 - part_bits + 1)> buckets_{};
  std::vector<std::uint64_t> kept_;  // the first of them
  std::uint64_t count_ = 0;
  std::uint64_t least_ = std::numeric_limits<std::uint64_t>::max();
  std::uint64_t greatest_ = 0;
};

}  // namespace iwarp::report
