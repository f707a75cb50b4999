// SPDX-License-Identifier: GPL-2.0-or-later
#include "stream_numbers.hpp"

#include <algorithm>

namespace iwarp::cli {

void StreamNumbers::begin(std::size_t share, FrameNumber frame) {
  const std::lock_guard lock(shares_[share].mutex);
  shares_[share].began.push_back(frame);
}

void StreamNumbers::pass(std::size_t share, FrameNumber frame) noexcept {
  shares_[share].passed.store(frame, std::memory_order_release);
  shares_[share].passed.notify_all();
}

ConnectionId StreamNumbers::number_of(std::size_t share, ConnectionId own) const {
  FrameNumber frame = 0;
  {
    const std::lock_guard lock(shares_[share].mutex);
    frame = shares_[share].began[own];
  }
  ConnectionId number = own;
  for (std::size_t each = 0; each < shares_.size(); ++each) {
    if (each == share) continue;
    const Share& other = shares_[each];
    for (FrameNumber passed = other.passed.load(std::memory_order_acquire); passed < frame;
         passed = other.passed.load(std::memory_order_acquire)) {
      other.passed.wait(passed, std::memory_order_acquire);
    }
    const std::lock_guard lock(other.mutex);
    number += static_cast<ConnectionId>(std::lower_bound(other.began.begin(), other.began.end(), frame) -
                                        other.began.begin());
  }
  return number;
}

ConnectionId StreamNumbers::count() const {
  std::size_t count = 0;
  for (const Share& share : shares_) {
    const std::lock_guard lock(share.mutex);
    count += share.began.size();
  }
  return static_cast<ConnectionId>(count);
}

}  // namespace iwarp::cli
