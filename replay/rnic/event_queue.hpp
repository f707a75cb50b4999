// Where the parts of an RNIC put what happens, until the Consumer polls it. Beyond `capacity` events are
// lost, and counted.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "rnic/ring.hpp"

namespace iwarp::rnic {

template <typename Event>
class EventQueue {
 public:
  void add(const Event& event) {
    if (events_.size() >= capacity) {
      ++lost_;
    } else {
      events_.push_back(event);
    }
  }

  [[nodiscard]] std::optional<Event> poll() {
    if (events_.empty()) return std::nullopt;
    const Event first = events_.front();
    events_.pop_front();
    return first;
  }

  [[nodiscard]] std::uint64_t lost() const noexcept { return lost_; }

 private:
  static constexpr std::size_t capacity = 65536;
  Ring<Event> events_;
  std::uint64_t lost_ = 0;
};

}  // namespace iwarp::rnic
