// SPDX-License-Identifier: GPL-2.0-or-later
#include "replay/transport/station.hpp"

#include <algorithm>

namespace iwarp::test {

using replay::Arrival;

IpAddress address(const std::string& text) {
  return endpoint(text, 0).address;
}

bool Station::saw(Arrival arrival) const {
  return std::find(events.begin(), events.end(), arrival) != events.end();
}

bool Station::done() const {
  if (saw(Arrival::reset) || saw(Arrival::lost)) return true;
  return sent == outgoing.size() && (!closes || closed) && saw(Arrival::closed);
}

void Station::receive() {
  for (;;) {
    const replay::Received received = transport->receive();
    if (received.arrival == Arrival::nothing) return;
    if (received.arrival == Arrival::octets) {
      incoming.insert(incoming.end(), received.octets.begin(), received.octets.end());
      if (moods != nullptr && moods->one_in(3)) return;
    } else {
      events.push_back(received.arrival);
      if (received.arrival == Arrival::established) max_segment = received.max_segment;
    }
  }
}

void Station::act() {
  if (!transport) return;
  if (moods == nullptr || !moods->one_in(4)) receive();
  while (sent < outgoing.size() && (moods == nullptr || !moods->one_in(5))) {
    std::size_t size = outgoing.size() - sent;
    if (!calls.empty()) size = std::min(size, calls[std::min(next_call, calls.size() - 1)]);
    const std::size_t taken = transport->send(ByteView(outgoing).subspan(sent, size));
    if (taken == 0) break;
    sent += taken;
    ++next_call;
  }
  if (closes && !closed && sent == outgoing.size() && saw(Arrival::established) &&
      (!waits_for_peer || saw(Arrival::closed))) {
    closed = true;
    transport->close(replay::Close::graceful);
  }
}

bool play(replay::Network& network, std::span<Station* const> stations, TimeNs limit) {
  const TimeNs end = network.now() + limit;
  for (;;) {
    for (Station* const each : stations) each->act();
    if (std::all_of(stations.begin(), stations.end(), [](const Station* each) { return each->done(); }))
      return true;
    if (network.now() >= end) return false;
    static_cast<void>(network.wait(network.now() + 20 * millisecond));
  }
}

bool connect(replay::Network& from_network, Station& from, replay::Network& to_network, Station& to,
             const Endpoint& at, TimeNs limit) {
  const auto listener = to_network.listen(at);
  from.transport = from_network.connect(listener->local());
  const TimeNs end = from_network.now() + limit;
  while (!to.transport || !from.saw(Arrival::established)) {
    if (from_network.now() >= end) return false;
    static_cast<void>(from_network.wait(end));
    if (!to.transport) to.transport = listener->accept();
    from.receive();
  }
  return true;
}

}  // namespace iwarp::test
