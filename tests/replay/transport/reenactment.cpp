// SPDX-License-Identifier: GPL-2.0-or-later
#include "replay/transport/reenactment.hpp"

#include <array>

namespace iwarp::test {

bool reenact(const Conversation& conversation, replay::Network& network, Station& a, Station& b,
             TimeNs limit) {
  const TimeNs end = network.now() + limit;
  const std::array<Station*, 2> stations = {&a, &b};
  std::array<std::size_t, 2> said{};
  const auto wait_until = [&](const auto& condition) {
    for (;;) {
      a.receive();
      b.receive();
      if (condition()) return true;
      if (network.now() >= end) return false;
      static_cast<void>(network.wait(end));
    }
  };
  const std::vector<OwnedSegment> segments = conversation.segments();
  const Endpoint opener = segments.front().meta.source;
  for (const OwnedSegment& each : segments) {
    const std::size_t from = each.meta.source == opener ? 0 : 1;
    Station& sender = *stations[from];
    const bool fin = (each.meta.flags & tcp::fin) != 0;
    if (each.octets.empty() && !fin) continue;
    if (!wait_until([&] {
          return sender.saw(replay::Arrival::established) && sender.incoming.size() == said[1 - from] &&
                 (!stations[1 - from]->closed || sender.saw(replay::Arrival::closed));
        })) {
      return false;
    }
    if (!each.octets.empty()) {
      said[from] += each.octets.size();
      if (!wait_until([&] { return sender.transport->send(each.octets) == each.octets.size(); }))
        return false;
    }
    if (fin) {
      sender.transport->close(replay::Close::graceful);
      sender.closed = true;
    }
  }
  return wait_until([&] { return a.saw(replay::Arrival::closed) && b.saw(replay::Arrival::closed); });
}

}  // namespace iwarp::test
