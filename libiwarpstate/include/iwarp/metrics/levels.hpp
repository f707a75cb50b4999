// Levels: what holds for any range of a sequence of values, without a look at each of them.
//
// Over the values lie nodes of 64, over these nodes of 64 of them, and so on. A range is a few whole nodes of
// each level, at most 126 of them: O(log n), wherever it begins and ends.
//
// Values are appended; truncate() takes the last ones away again, so that a sequence that is sorted anew from
// some place on costs only what lies behind that.
//
// Threads: an object belongs to one thread at a time. It is built from columns (metrics.hpp) by those who
// show them, not by who analyses.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <iwarp/metrics/duration_buckets.hpp>
#include <iwarp/packed_numbers.hpp>

#pragma GCC visibility push(default)
namespace iwarp {

inline constexpr std::size_t level_width = 64;

// Stands for a value that is not known: counted by nobody.
inline constexpr std::uint64_t no_value = ~std::uint64_t{0};

// Of the values of a range that are known.
struct Extent {
  std::uint64_t count = 0;
  std::uint64_t least = no_value;  // of none: no_value
  std::uint64_t greatest = 0;
  std::uint64_t sum = 0;  // modulo 2^64
  std::uint64_t last = no_value;

  void add(std::uint64_t value) noexcept {
    if (value == no_value) return;
    ++count;
    least = std::min(least, value);
    greatest = std::max(greatest, value);
    sum += value;
    last = value;
  }
  // Of what comes behind this.
  void add(const Extent& next) noexcept {
    count += next.count;
    least = std::min(least, next.least);
    greatest = std::max(greatest, next.greatest);
    sum += next.sum;
    if (next.count > 0) last = next.last;
  }
  bool operator==(const Extent&) const = default;
};

// {count, least, greatest, sum, last} of any range. Memory: 0.7 octets a value, and what its range needs.
class ValueLevels {
 public:
  [[nodiscard]] std::size_t size() const noexcept { return values_.size(); }
  [[nodiscard]] std::uint64_t operator[](std::size_t at) const noexcept { return values_[at] - 1; }

  void push_back(std::uint64_t value);
  // REQUIRES: size <= this->size().
  void truncate(std::size_t size);

  // REQUIRES: begin <= end <= size().
  [[nodiscard]] Extent over(std::size_t begin, std::size_t end) const noexcept;
  // The nodes and values that over() looks at, for who measures its work.
  [[nodiscard]] std::size_t visited(std::size_t begin, std::size_t end) const noexcept;

 private:
  PackedNumbers values_;                    // each one more: no_value is 0
  std::vector<std::vector<Extent>> nodes_;  // by level; full ones only
};

// How many durations fell into each bucket.
class DurationCounts {
 public:
  void add(unsigned bucket, std::uint64_t count = 1) noexcept {
    counts_[bucket] += count;
    total_ += count;
  }
  [[nodiscard]] std::uint64_t operator[](unsigned bucket) const noexcept { return counts_[bucket]; }
  [[nodiscard]] std::uint64_t total() const noexcept { return total_; }
  // The greatest value of the bucket that holds the least value which `percent` of all do not exceed.
  // REQUIRES: total() > 0, 0 < percent <= 100.
  [[nodiscard]] std::uint64_t percentile(double percent) const noexcept;

 private:
  std::array<std::uint64_t, duration_buckets> counts_{};
  std::uint64_t total_ = 0;
};

// Histograms of any range of durations. Memory: some 3 octets a duration.
class DurationLevels {
 public:
  [[nodiscard]] std::size_t size() const noexcept { return buckets_.size(); }

  // no_value: not known.
  void push_back(std::uint64_t duration);
  // REQUIRES: size <= this->size().
  void truncate(std::size_t size);

  // Adds those of the range to `counts`. REQUIRES: begin <= end <= size().
  void add_to(DurationCounts& counts, std::size_t begin, std::size_t end) const noexcept;
  // The nodes, and the pieces of 64 values, that add_to() looks at, for who measures its work.
  [[nodiscard]] std::size_t visited(std::size_t begin, std::size_t end) const noexcept;

 private:
  // A node has counts of the buckets from the first to the last that it has any of: more than 64 numbers. So
  // the lowest ones have more values than that.
  static constexpr std::size_t lowest_width = 512;
  struct Node {
    std::uint32_t place;  // of its counts
    std::uint16_t first;  // bucket
    std::uint16_t size;   // buckets
  };
  template <typename Count>
  struct Level {
    std::vector<Node> nodes;  // full ones only
    std::vector<Count> counts;

    void push_back(const DurationCounts& all);
    void truncate(std::size_t size);
    void add_to(DurationCounts& all, std::size_t node) const noexcept;
  };

  void add_values(DurationCounts& counts, std::size_t begin, std::size_t end) const noexcept;

  std::vector<std::uint16_t> buckets_;
  Level<std::uint16_t> lowest_;
  std::vector<Level<std::uint32_t>> above_;  // by level
};

}  // namespace iwarp
#pragma GCC visibility pop
