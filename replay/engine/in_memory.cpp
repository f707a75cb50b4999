// SPDX-License-Identifier: GPL-2.0-or-later
#include "engine/in_memory.hpp"

#include <algorithm>

namespace iwarp::replay {
namespace {

// 198.18.0.0/15 is for tests (RFC 2544).
IpAddress address_of(const Plan& plan, std::uint32_t host) {
  const IpAddress& recorded = plan.hosts[host].address;
  const auto same = std::ranges::count(plan.hosts, recorded, &PlannedHost::address);
  if (same == 1 && recorded != IpAddress()) return recorded;
  IpAddress address;
  address.octets = {198, 18, static_cast<Byte>(host >> 8U), static_cast<Byte>(host + 1)};
  return address;
}

}  // namespace

Placement placed_in(SimulatedNetwork& network, const Plan& plan) {
  Placement placement;
  placement.network = [&](std::uint32_t host) -> Network& { return network.host(address_of(plan, host)); };
  placement.listen_at = [&](std::uint32_t host) { return Endpoint{address_of(plan, host), 0}; };
  return placement;
}

Network& clock_of(SimulatedNetwork& network, const Plan& plan) {
  return network.host(address_of(plan, 0));
}

void pass_time(Network& clock, Replay& replay, TimeNs deadline) {
  const TimeNs until = std::min(replay.next_due(), deadline);
  if (!clock.wait(until) && clock.now() < until) replay.starve();
}

void pass_the_rest(Network& clock, Replay& replay) {
  constexpr TimeNs on_its_way = 1'000'000;
  const TimeNs end = clock.now() + on_its_way;
  while (clock.wait(end)) replay.run();
}

}  // namespace iwarp::replay
