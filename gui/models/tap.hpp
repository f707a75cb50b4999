// Tap: at which end of a connection a capture was taken, as far as its times tell.
//
// Beside an end, that end's answers follow at once what comes in, and the other's after a round trip.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include <iwarp/ids.hpp>

namespace iwarp::gui {

// How soon an end was seen to answer (a SYN, or octets, by what acknowledges them).
struct TurnAround {
  TimeNs least_ns = 0;
  std::uint32_t samples = 0;

  void add(TimeNs delay_ns) noexcept {
    if (delay_ns < 0) return;
    if (samples == 0 || delay_ns < least_ns) least_ns = delay_ns;
    ++samples;
  }
};

struct Tap {
  std::optional<Role> at;           // nothing where times leave it open
  TimeNs one_way_ns = 0;            // about, from one end to the other; 0 where `at` is nothing
  std::array<TurnAround, 2> turns;  // by Role
};

// Decides only where both ends answered several times and one of them far sooner; two ends on one machine
// cannot be told apart.
[[nodiscard]] Tap tap_of(const std::array<TurnAround, 2>& turns) noexcept;

}  // namespace iwarp::gui
