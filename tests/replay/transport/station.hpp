// Stations: ends of connections that say what they have to say and keep what they hear, over any Network.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "support/random_traffic.hpp"
#include "transport/network.hpp"

namespace iwarp::test {

inline constexpr TimeNs microsecond = 1'000;
inline constexpr TimeNs millisecond = 1'000'000;
inline constexpr TimeNs second = 1'000'000'000;

[[nodiscard]] IpAddress address(const std::string& text);

struct Station {
  std::unique_ptr<replay::Transport> transport = nullptr;
  Bytes outgoing = {};
  std::vector<std::size_t> calls =
      {};                       // sizes of the calls of send(), the last one again and again; none: at once
  bool closes = true;           // gracefully, when all is sent
  bool waits_for_peer = false;  // … and the peer's FIN was seen
  Numbers* moods = nullptr;     // where set: sends and reads only now and then

  Bytes incoming = {};
  std::vector<replay::Arrival> events = {};  // all but octets
  std::size_t max_segment = 0;

  std::size_t sent = 0;
  std::size_t next_call = 0;
  bool closed = false;

  // Sends and receives what can be at the moment.
  void act();
  void receive();
  [[nodiscard]] bool saw(replay::Arrival arrival) const;
  // It sent all, and its connection has ended one way or the other.
  [[nodiscard]] bool done() const;
};

using Arrivals = std::vector<replay::Arrival>;

// Lets the stations act until all are done; false when that took longer than `limit` by the network's clock.
[[nodiscard]] bool play(replay::Network& network, std::span<Station* const> stations, TimeNs limit);

// Connects `from` to a listener on `at` until both have a transport; false when it cannot be had.
[[nodiscard]] bool connect(replay::Network& from_network, Station& from, replay::Network& to_network,
                           Station& to, const Endpoint& at, TimeNs limit = 1000 * second);

}  // namespace iwarp::test
