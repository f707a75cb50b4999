// FrameNumbers: a frame's number in the file, and the one that Wireshark gives it.
//
// They are the same, unless a read filter (tshark -2 -R) drops frames: in the first pass every frame comes,
// and a dropped one's number is given again to the next. The analyzer counts the frames of the file, so that
// none is taken for another; what is shown are Wireshark's numbers.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstdint>
#include <vector>

#include <iwarp/ids.hpp>

namespace iwarp::dissector {

class FrameNumbers {
 public:
  // The next frame of the file, which Wireshark calls `shown`. Returns its number in the file.
  FrameNumber add(std::uint32_t shown);

  // Of the last frame of the file that was called `shown`: those before it were dropped.
  [[nodiscard]] FrameNumber in_file(std::uint32_t shown) const noexcept;
  // What Wireshark calls a frame of the file; 0: it was dropped.
  [[nodiscard]] std::uint32_t shown(FrameNumber in_file) const noexcept;

 private:
  // From the frame called `shown` on, so many were dropped.
  struct Step {
    std::uint32_t shown = 0;
    std::uint32_t dropped = 0;
  };

  std::vector<Step> steps_;  // ascending; empty without a read filter
  std::uint32_t last_ = 0;
};

}  // namespace iwarp::dissector
