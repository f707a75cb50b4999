// SPDX-License-Identifier: GPL-2.0-or-later
#include "inject/rehearsal.hpp"

#include "engine/in_memory.hpp"

namespace iwarp::replay {

Rehearsed rehearse(const Plan& plan, const std::vector<std::uint32_t>& streams, const ReplayOptions& options,
                   CapturePoint& point, const std::function<bool()>& cancelled, LiveLog* log) {
  Rehearsed result;
  SimulatedNetwork network;
  network.capture_in_the_middle(point);
  const Placement placement = placed_in(network, plan);
  Replay replay(plan, streams, options, placement);
  if (!replay.start(result.error)) return result;
  Network& clock = clock_of(network, plan);
  for (replay.run(); !replay.done(); replay.run()) {
    if (cancelled && cancelled()) {
      replay.interrupt();
      break;
    }
    pass_time(clock, replay, never);
    if (replay.done()) break;
  }
  pass_the_rest(clock, replay);
  result.outcome = replay.outcome();
  result.error = replay.failure();
  result.troubles = replay.stage().troubles;
  result.waits = replay.waits();
  result.ends = replay.endpoints(0);
  if (log != nullptr) result.logs = replay.arrange(log->finish());
  return result;
}

}  // namespace iwarp::replay
