// SPDX-License-Identifier: GPL-2.0-or-later
#include "bridge/frame_numbers.hpp"

#include <algorithm>

namespace iwarp::dissector {

FrameNumber FrameNumbers::add(std::uint32_t shown) {
  if (shown == last_) {
    if (steps_.empty() || steps_.back().shown != shown)
      steps_.push_back({shown, steps_.empty() ? 0 : steps_.back().dropped});
    ++steps_.back().dropped;
  }
  last_ = shown;
  return in_file(shown);
}

FrameNumber FrameNumbers::in_file(std::uint32_t shown) const noexcept {
  const auto behind =
      std::upper_bound(steps_.begin(), steps_.end(), shown,
                       [](std::uint32_t number, const Step& step) { return number < step.shown; });
  return FrameNumber{shown} + (behind == steps_.begin() ? 0 : std::prev(behind)->dropped);
}

std::uint32_t FrameNumbers::shown(FrameNumber in_file) const noexcept {
  const auto behind = std::upper_bound(
      steps_.begin(), steps_.end(), in_file,
      [](FrameNumber number, const Step& step) { return number < FrameNumber{step.shown} + step.dropped; });
  const auto number =
      static_cast<std::uint32_t>(in_file - (behind == steps_.begin() ? 0 : std::prev(behind)->dropped));
  return behind != steps_.end() && number >= behind->shown ? 0 : number;
}

}  // namespace iwarp::dissector
