// FrameTimes: when each frame was captured, and which frame was captured first at a time or later.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <algorithm>
#include <vector>

#include <iwarp/ids.hpp>

namespace iwarp {

class FrameTimes {
 public:
  // REQUIRES: frame numbers do not decrease. Frames passed over have the time of the one before them.
  void add(FrameNumber frame, TimeNs time_ns) {
    if (frame < times_.size()) return;
    if (!times_.empty() && time_ns < times_.back()) ordered_ = false;
    times_.resize(frame, times_.empty() ? 0 : times_.back());
    times_.push_back(time_ns);
  }

  // Of a frame behind the last one: that one's.
  [[nodiscard]] TimeNs of(FrameNumber frame) const noexcept {
    return times_.empty() ? 0 : times_[std::min<FrameNumber>(frame, times_.size() - 1)];
  }

  // end_of_capture: there is none. Where capture time never ran backward, a search in O(log n).
  [[nodiscard]] FrameNumber first_at(TimeNs time_ns) const noexcept {
    const auto first = times_.empty() ? times_.begin() : times_.begin() + 1;  // there is no frame 0
    const auto found =
        ordered_ ? std::lower_bound(first, times_.end(), time_ns)
                 : std::find_if(first, times_.end(), [time_ns](TimeNs each) { return each >= time_ns; });
    return found == times_.end() ? end_of_capture : static_cast<FrameNumber>(found - times_.begin());
  }

 private:
  std::vector<TimeNs> times_;  // by frame
  bool ordered_ = true;
};

}  // namespace iwarp
