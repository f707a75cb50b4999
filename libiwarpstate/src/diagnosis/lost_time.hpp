// LostTime: how long something held a stream up. Of spans that overlap each moment counts once, as far as
// they come in order of their ends.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>

#include <iwarp/ids.hpp>

namespace iwarp {

struct LostTime {
  TimeNs ns = 0;
  std::uint64_t count = 0;
  TimeNs longest = 0;
  TimeNs begin_ns = 0;  // of the longest …
  TimeNs end_ns = 0;
  std::array<FrameNumber, 2> frames{};  // … that show it

  // `within`: of that span.
  void add(TimeNs begin, TimeNs end, TimeNs within, const std::array<FrameNumber, 2>& shown_by) noexcept {
    if (within <= 0) return;
    ++count;
    if (end > upto_) {
      ns += std::min(within, end - std::max(begin, upto_));
      upto_ = end;
    }
    if (within <= longest) return;
    longest = within;
    begin_ns = begin;
    end_ns = end;
    frames = shown_by;
  }

 private:
  TimeNs upto_ = std::numeric_limits<TimeNs>::min() / 2;
};

}  // namespace iwarp
