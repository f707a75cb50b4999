// FrameTimes: when each frame was captured, and which frame was captured first at a time or later.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstdint>

#include <iwarp/ids.hpp>
#include <iwarp/packed_numbers.hpp>

namespace iwarp {

class FrameTimes {
 public:
  // REQUIRES: frame numbers do not decrease. Frames passed over have the time of the one before them.
  void add(FrameNumber frame, TimeNs time_ns) {
    if (frame < times_.size()) return;
    if (time_ns < last_ns_ && times_.size() > 0) ordered_ = false;
    while (times_.size() < frame) times_.push_back(static_cast<std::uint64_t>(last_ns_));
    times_.push_back(static_cast<std::uint64_t>(time_ns));
    last_ns_ = time_ns;
  }

  // Of a frame behind the last one: that one's.
  [[nodiscard]] TimeNs of(FrameNumber frame) const noexcept {
    return frame < times_.size() ? static_cast<TimeNs>(times_[frame]) : last_ns_;
  }

  // end_of_capture: there is none. Where capture time never ran backward, a search in O(log n).
  [[nodiscard]] FrameNumber first_at(TimeNs time_ns) const noexcept {
    FrameNumber first = 1;  // there is no frame 0
    FrameNumber end = times_.size();
    while (!ordered_ && first < end && of(first) < time_ns) ++first;
    while (ordered_ && first < end) {
      const FrameNumber middle = first + (end - first) / 2;
      if (of(middle) < time_ns) {
        first = middle + 1;
      } else {
        end = middle;
      }
    }
    return first < times_.size() ? first : end_of_capture;
  }

 private:
  PackedNumbers times_;  // by frame
  TimeNs last_ns_ = 0;   // of the last one
  bool ordered_ = true;
};

}  // namespace iwarp
