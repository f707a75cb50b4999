// SPDX-License-Identifier: GPL-2.0-or-later
#include "models/tap.hpp"

namespace iwarp::gui {
namespace {

constexpr std::uint32_t least_samples = 4;
constexpr TimeNs least_difference_ns = 20'000;
constexpr TimeNs least_ratio = 8;

}  // namespace

Tap tap_of(const std::array<TurnAround, 2>& turns) noexcept {
  Tap tap;
  tap.turns = turns;
  if (turns[0].samples < least_samples || turns[1].samples < least_samples) return tap;
  const bool first = turns[0].least_ns < turns[1].least_ns;
  const TimeNs near = turns[first ? 0 : 1].least_ns;
  const TimeNs far = turns[first ? 1 : 0].least_ns;
  if (near <= 0) return tap;  // no host answers in no time: both clocks are a replay's own
  if (far - near < least_difference_ns || far / least_ratio < near) return tap;
  tap.at = first ? Role::initiator : Role::responder;
  tap.one_way_ns = (far - near) / 2;
  return tap;
}

}  // namespace iwarp::gui
