// What is to be done at which time, the earliest first; of equal times in the order in which they were set.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

#include <iwarp/ids.hpp>

namespace iwarp::rnic {

// Entries are not taken back: who sets a time anew leaves the old one, and knows it as stale when it comes.
template <typename What>
class TimerHeap {
 public:
  struct Entry {
    TimeNs at = 0;
    std::uint64_t serial = 0;
    What what = {};
  };

  void push(TimeNs at, What what) {
    entries_.push_back({at, next_serial_++, what});
    std::push_heap(entries_.begin(), entries_.end(), later);
  }
  [[nodiscard]] bool empty() const noexcept { return entries_.empty(); }
  // REQUIRES of both: not empty.
  [[nodiscard]] const Entry& front() const noexcept { return entries_.front(); }
  void pop_front() {
    std::pop_heap(entries_.begin(), entries_.end(), later);
    entries_.pop_back();
  }

 private:
  static bool later(const Entry& a, const Entry& b) noexcept {
    return a.at != b.at ? a.at > b.at : a.serial > b.serial;
  }
  std::vector<Entry> entries_;
  std::uint64_t next_serial_ = 0;
};

// One owner's time in such a heap. At most one entry of the heap is not stale: the one at armed().
template <typename What>
class Timer {
 public:
  static constexpr TimeNs none = std::numeric_limits<TimeNs>::max();

  Timer(TimerHeap<What>& heap, What owner) : heap_(heap), owner_(owner) {}

  // `none`: never.
  void set(TimeNs at) {
    at_ = at;
    if (at < armed_) arm();
  }
  [[nodiscard]] TimeNs at() const noexcept { return at_; }

  // The heap's first entry is this owner's, of that time. True: the time stands. False: it was another one
  // meanwhile, and is in the heap as such; the entry counts for nothing.
  [[nodiscard]] bool stands(TimeNs entry) noexcept {
    if (entry != armed_) return false;
    if (at_ == entry) return true;
    armed_ = none;
    if (at_ != none) arm();
    return false;
  }
  // Its entry was taken from the heap: it is over.
  void expire() noexcept { armed_ = at_ = none; }

 private:
  void arm() {
    armed_ = at_;
    heap_.push(at_, owner_);
  }
  TimerHeap<What>& heap_;
  What owner_;
  TimeNs at_ = none;
  TimeNs armed_ = none;
};

}  // namespace iwarp::rnic
