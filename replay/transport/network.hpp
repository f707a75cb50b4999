// Network: where transports come from, and the clock they live by.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <limits>
#include <memory>
#include <vector>

#include <iwarp/ids.hpp>
#include <iwarp/segment.hpp>

#include "transport/transport.hpp"

namespace iwarp::replay {

// A deadline that never comes.
inline constexpr TimeNs never = std::numeric_limits<TimeNs>::max();

// Hands out connections that peers open.
class Listener {
 public:
  Listener() = default;
  Listener(const Listener&) = delete;
  Listener& operator=(const Listener&) = delete;
  // Connections that nobody accepted are reset.
  virtual ~Listener() = default;
  // The next one that came, or nullptr for now. Its first arrival is `established`.
  [[nodiscard]] virtual std::unique_ptr<Transport> accept() = 0;
  [[nodiscard]] virtual Endpoint local() const = 0;  // with the port that was chosen
};

// Outlives its transports and listeners.
class Network {
 public:
  Network() = default;
  Network(const Network&) = delete;
  Network& operator=(const Network&) = delete;
  virtual ~Network() = default;

  // Nanoseconds of a clock that never goes back; its origin is the network's own.
  [[nodiscard]] virtual TimeNs now() const = 0;

  // Returns true when something arrived or can be sent again anywhere; what was left unread or unsent earlier
  // is not told again. Nothing arrives outside it: who polls calls it with a deadline in the past. Returns
  // false at `deadline`, or when a signal came. In virtual time it returns at once and now() has moved; false
  // before the deadline means that nothing can happen any more.
  virtual bool wait(TimeNs deadline) = 0;

  // The transports that wait() returned for, each once, until nullptr: so nobody has to ask them all. Has to
  // be followed by receive() until Arrival::nothing, and by send() where it had returned less than it was
  // given.
  [[nodiscard]] virtual Transport* ready() = 0;
  // Appends the networks whose ready() has one, of all those that wait() of this one is for, in a fixed
  // order.
  virtual void ready_networks(std::vector<Network*>& out) = 0;

  // Begins to open a connection: receive() tells when it is established, or that it was refused. Throws
  // std::system_error where not even that can be tried.
  [[nodiscard]] virtual std::unique_ptr<Transport> connect(const Endpoint& peer) = 0;
  // Port 0: any free one. Throws std::system_error, naming the address.
  [[nodiscard]] virtual std::unique_ptr<Listener> listen(const Endpoint& local) = 0;
};

}  // namespace iwarp::replay
