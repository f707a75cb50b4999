// SPDX-License-Identifier: GPL-2.0-or-later
#include "inject/rehearsal.hpp"

namespace iwarp::replay {
namespace {

// An address for each host of a plan: 198.18.0.0/15 is for tests (RFC 2544).
IpAddress address_of(std::uint32_t host) {
  IpAddress address;
  address.octets = {198, 18, static_cast<Byte>(host >> 8U), static_cast<Byte>(host + 1)};
  return address;
}

}  // namespace

Rehearsed rehearse(const Plan& plan, const std::vector<std::uint32_t>& streams, const ReplayOptions& options,
                   CapturePoint& point, const std::function<bool()>& cancelled, LiveLog* log) {
  Rehearsed result;
  SimulatedNetwork network;
  network.capture_in_the_middle(point);
  Placement placement;
  placement.network = [&](std::uint32_t host) -> Network& { return network.host(address_of(host)); };
  placement.listen_at = [&](std::uint32_t host) { return Endpoint{address_of(host), 0}; };
  Replay replay(plan, streams, options, placement);
  if (!replay.start(result.error)) return result;
  Network& clock = network.host(address_of(0));
  for (replay.run(); !replay.done(); replay.run()) {
    if (cancelled && cancelled()) {
      replay.interrupt();
      break;
    }
    const TimeNs due = replay.next_due();
    if (!clock.wait(due) && clock.now() < due) replay.starve();
    if (replay.done()) break;
  }
  // What was said last is still on its way.
  const TimeNs end = clock.now() + 1'000'000;
  while (clock.wait(end)) replay.run();
  result.outcome = replay.outcome();
  result.error = replay.failure();
  result.troubles = replay.stage().troubles;
  result.waits = replay.waits();
  if (log != nullptr) result.logs = replay.arrange(log->finish());
  return result;
}

}  // namespace iwarp::replay
