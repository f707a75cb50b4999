// How long to wait for an acknowledgement: RFC 6298, with the bounds of the options.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <algorithm>
#include <optional>

#include <iwarp/ids.hpp>

namespace iwarp::replay {

struct RetransmissionTimes {
  TimeNs initial = 1'000'000'000;
  TimeNs min = 200'000'000;
  TimeNs max = 60'000'000'000;
};

class RetransmissionTimer {
 public:
  explicit RetransmissionTimer(const RetransmissionTimes& times) noexcept
      : times_(times), timeout_(times.initial) {}

  [[nodiscard]] TimeNs timeout() const noexcept { return timeout_; }

  // A round trip of something that was sent once (Karn's algorithm, §3).
  void measured(TimeNs round_trip) noexcept {
    if (!smoothed_) {  // §2.2
      smoothed_ = round_trip;
      variation_ = round_trip / 2;
    } else {  // §2.3
      variation_ += (std::max(*smoothed_ - round_trip, round_trip - *smoothed_) - variation_) / 4;
      *smoothed_ += (round_trip - *smoothed_) / 8;
    }
    restart();
  }
  // §5.5
  void expired() noexcept { timeout_ = std::min(2 * timeout_, times_.max); }
  // Something new was acknowledged: no back-off any more.
  void restart() noexcept {
    timeout_ = smoothed_ ? std::clamp(*smoothed_ + 4 * variation_, times_.min, times_.max) : times_.initial;
  }

 private:
  RetransmissionTimes times_;
  TimeNs timeout_;
  std::optional<TimeNs> smoothed_ = std::nullopt;
  TimeNs variation_ = 0;
};

}  // namespace iwarp::replay
