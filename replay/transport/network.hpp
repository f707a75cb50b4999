// Network: where transports come from, and the clock they live by.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <memory>

#include <iwarp/ids.hpp>
#include <iwarp/segment.hpp>

#include "transport/transport.hpp"

namespace iwarp::replay {

// Hands out connections that peers open.
class Listener {
 public:
  virtual ~Listener() = default;
  // The next one that came, or nullptr for now.
  [[nodiscard]] virtual std::unique_ptr<Transport> accept() = 0;
  [[nodiscard]] virtual Endpoint local() const = 0;  // with the port that was chosen
};

class Network {
 public:
  virtual ~Network() = default;

  // Nanoseconds of a clock that never goes back; its origin is the network's own.
  [[nodiscard]] virtual TimeNs now() const = 0;
  // Returns when something arrived or can be sent again anywhere, at `deadline` at the latest. In virtual time
  // it returns at once, and now() has moved.
  virtual void wait(TimeNs deadline) = 0;

  // Begins to open a connection: receive() tells when it is established, or that it was refused. Throws
  // std::system_error where not even that can be tried.
  [[nodiscard]] virtual std::unique_ptr<Transport> connect(const Endpoint& peer) = 0;
  // Port 0: any free one. Throws std::system_error, naming the address.
  [[nodiscard]] virtual std::unique_ptr<Listener> listen(const Endpoint& local) = 0;
};

}  // namespace iwarp::replay
