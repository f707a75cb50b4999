// SPDX-License-Identifier: GPL-2.0-or-later
#include "engine/in_memory.hpp"

#include <algorithm>
#include <map>
#include <vector>

namespace iwarp::replay {
namespace {

// 198.18.0.0/15 is for tests (RFC 2544).
std::vector<IpAddress> addresses_of(const Plan& plan) {
  std::map<IpAddress, std::size_t> hosts;
  for (const PlannedHost& each : plan.hosts) ++hosts[each.address];
  std::vector<IpAddress> all;
  for (std::size_t host = 0; host < plan.hosts.size(); ++host) {
    const IpAddress& recorded = plan.hosts[host].address;
    IpAddress made;
    made.octets = {198, 18, static_cast<Byte>(host >> 8U), static_cast<Byte>(host + 1)};
    all.push_back(hosts[recorded] == 1 && recorded != IpAddress() ? recorded : made);
  }
  return all;
}

}  // namespace

Placement placed_in(SimulatedNetwork& network, const Plan& plan) {
  Placement placement;
  placement.network = [&network, all = addresses_of(plan)](std::uint32_t host) -> Network& {
    return network.host(all[host]);
  };
  placement.listen_at = [all = addresses_of(plan)](std::uint32_t host) { return Endpoint{all[host], 0}; };
  return placement;
}

Network& clock_of(SimulatedNetwork& network, const Plan& plan) {
  return network.host(addresses_of(plan).front());
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
