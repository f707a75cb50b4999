// Crossing: what one end had sent that the other one had not heard when it ended the stream by a Terminate or
// a RST. On the wire that is a matter of nanoseconds; a replay that plays both ends makes it so whatever its
// pace: the end that hears last takes in nothing of it before both have said what crosses.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "plan/plan.hpp"

namespace iwarp::replay {

// Works by number.
struct Crossing {
  std::uint32_t end = 0;    // the peer's Terminate or RST
  std::uint32_t first = 0;  // of the requests that it had not heard
  std::uint32_t last = 0;
  // The first one brings the end about: an RNIC terminates when it comes (RFC 5040 §7).
  bool caused = false;

  [[nodiscard]] bool has(std::uint32_t work) const noexcept { return first <= work && work <= last; }
};

// A Read or an Atomic that was.
[[nodiscard]] bool is_answered(const PlannedWork& work) noexcept;

// By Role of who sent what crosses; nothing where all had been heard, or a capture does not tell.
using Crossings = std::array<std::optional<Crossing>, 2>;
[[nodiscard]] Crossings crossings_of(const Plan& plan, std::uint32_t stream);

}  // namespace iwarp::replay
