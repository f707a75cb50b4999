// Histogram: the distribution of durations in a fixed amount of memory.
//
// Sixteen buckets for each power of two: a percentile is off by at most one sixteenth; count, least and
// greatest are exact. Negative durations (capture time ran backward) count as zero.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <limits>

#include <iwarp/ids.hpp>

namespace iwarp::report {

class Histogram {
 public:
  void add(TimeNs duration) noexcept {
    const auto value = static_cast<std::uint64_t>(std::max<TimeNs>(duration, 0));
    ++buckets_[bucket(value)];
    ++count_;
    least_ = std::min(least_, value);
    greatest_ = std::max(greatest_, value);
  }

  [[nodiscard]] std::uint64_t count() const noexcept { return count_; }
  // REQUIRES of these: count() > 0.
  [[nodiscard]] std::uint64_t least() const noexcept { return least_; }
  [[nodiscard]] std::uint64_t greatest() const noexcept { return greatest_; }

  // A value that `percent` of all values do not exceed. REQUIRES: 0 < percent <= 100.
  [[nodiscard]] std::uint64_t percentile(unsigned percent) const noexcept {
    const std::uint64_t rank = std::max<std::uint64_t>(1, (count_ * percent + 99) / 100);
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
  std::uint64_t count_ = 0;
  std::uint64_t least_ = std::numeric_limits<std::uint64_t>::max();
  std::uint64_t greatest_ = 0;
};

}  // namespace iwarp::report
