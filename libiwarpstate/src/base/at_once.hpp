// Whether somebody who was held up goes on as soon as he may.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <algorithm>
#include <optional>

#include <iwarp/ids.hpp>

namespace iwarp {

// `pause`: between what let him go on and his next octets, at the capture point; `held`: how long he waited
// before that; `round_trip`: from the capture point to him and back, where it is known. What is sent takes a
// little longer than the handshake that this is measured by, since it is larger: hence twice the time.
[[nodiscard]] inline bool is_at_once(TimeNs pause, TimeNs held, std::optional<TimeNs> round_trip) noexcept {
  constexpr TimeNs short_pause = 10'000;
  return pause <= std::max({held, short_pause, 2 * round_trip.value_or(0)});
}

}  // namespace iwarp
