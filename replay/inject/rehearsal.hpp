// Rehearsal: both roles of a plan in memory and virtual time: no socket, the same every time.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <array>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "engine/live_log.hpp"
#include "engine/replay.hpp"
#include "transport/simulated_network.hpp"

namespace iwarp::replay {

struct Rehearsed {
  bool unconnected = false;  // the live initiator did not come
  std::string error;         // why it could not be had; else empty
  Outcome outcome = Outcome::running;
  std::vector<std::string> troubles;
  std::vector<std::string> waits;
  std::optional<std::array<Endpoint, 2>> ends;  // of the first stream, by Role; nothing: no connection
  std::vector<StreamLog> logs;                  // beside the streams, where a log was given
};

// `point` sees the packets half-way. `cancelled` ends it. `log`, if any, is `point` or behind it, and is
// finished.
[[nodiscard]] Rehearsed rehearse(const Plan& plan, const std::vector<std::uint32_t>& streams,
                                 const ReplayOptions& options, CapturePoint& point,
                                 const std::function<bool()>& cancelled = nullptr, LiveLog* log = nullptr);

}  // namespace iwarp::replay
