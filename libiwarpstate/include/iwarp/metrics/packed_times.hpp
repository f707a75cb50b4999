// PackedTimes: times that do not decrease, some 3 octets each, and searches in them.
//
// Threads: an object belongs to one thread at a time.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <iwarp/ids.hpp>
#include <iwarp/packed_numbers.hpp>

#pragma GCC visibility push(default)
namespace iwarp {

class PackedTimes {
 public:
  [[nodiscard]] std::size_t size() const noexcept { return times_.size(); }
  [[nodiscard]] TimeNs operator[](std::size_t place) const noexcept {
    return static_cast<TimeNs>(times_[place]);
  }

  // REQUIRES: it is not before the last one.
  void push_back(TimeNs time) {
    if (size() % width == 0) landmarks_.push_back(time);
    times_.push_back(static_cast<std::uint64_t>(time));
  }
  // REQUIRES: size <= this->size().
  void truncate(std::size_t size) {
    times_.truncate(size);
    landmarks_.resize((size + width - 1) / width);
  }

  // The first place from `begin` on with that time or a later one; size(): there is none. O(log n).
  [[nodiscard]] std::size_t first_at(TimeNs time, std::size_t begin = 0) const noexcept {
    return search(begin, time, false);
  }
  // … with a later one.
  [[nodiscard]] std::size_t first_behind(TimeNs time, std::size_t begin = 0) const noexcept {
    return search(begin, time, true);
  }

 private:
  static constexpr std::size_t width = PackedGroup::width;

  [[nodiscard]] std::size_t search(std::size_t begin, TimeNs time, bool behind) const noexcept;

  PackedNumbers times_;
  std::vector<TimeNs> landmarks_;  // every 64th: a search looks at few others
};

}  // namespace iwarp
#pragma GCC visibility pop
