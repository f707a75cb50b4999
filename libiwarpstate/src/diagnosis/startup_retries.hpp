// StartupRetries: connections whose start-up in revision 2 came to nothing, and those of the same ends that
// were then opened in revision 1. Initiators do that towards responders that know nothing else.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <vector>

#include <iwarp/event.hpp>
#include <iwarp/state.hpp>

namespace iwarp {

class StartupRetries {
 public:
  // `connection`: the event's own, after it. The finding on it, where it is the second one.
  [[nodiscard]] std::optional<Event> add(const Event& event, const ConnectionState& connection);

 private:
  struct Attempt {
    ConnectionId connection = 0;
    Endpoint initiator;
    Endpoint responder;
    std::uint8_t revision = 0;
    Placement request;
    TimeNs failed_ns = 0;
  };
  static constexpr std::size_t max_attempts = 256;

  void note_failed(const Event& event, const ConnectionState& connection);
  [[nodiscard]] std::optional<Event> note_request(const Event& event, const ConnectionState& connection);

  std::vector<Attempt> failed_;  // a ring: the oldest gives way
  std::size_t next_ = 0;         // its place
};

}  // namespace iwarp
