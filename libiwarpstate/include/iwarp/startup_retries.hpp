// Connections whose start-up in revision 2 came to nothing, and those of the same ends that were then opened
// in revision 1: initiators do that towards responders that know nothing else. It takes two connections to
// see one, so what each of them shows is read where it is followed (startup_attempt), and put together in one
// place for all of a capture (StartupRetries).
//
// Threads: startup_attempt() shares nothing; one thread at a time uses a StartupRetries. Throws what
// allocation throws.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include <iwarp/event.hpp>
#include <iwarp/state.hpp>

#pragma GCC visibility push(default)
namespace iwarp {

struct StartupAttempt {
  ConnectionId stream = 0;
  Endpoint initiator;
  Endpoint responder;
  Side responder_side = Side::b;
  std::uint8_t revision = 0;
  Placement request;
  // When it was over without an FPDU; nothing: the Request has just come.
  std::optional<TimeNs> failed_ns;
};
// What the event shows of its connection; nothing: neither. `connection`: after the event, nullptr where it
// is not followed. That it is over may be said by more than one event.
[[nodiscard]] std::optional<StartupAttempt> startup_attempt(const Event& event,
                                                            const ConnectionState* connection);

class StartupRetries {
 public:
  // Takes the attempts in the order of the capture, `stream` being what findings shall call it. PERF-FALLBACK
  // on the attempt's connection, caused by the responder, where it is the second one.
  [[nodiscard]] std::optional<Event> add(const StartupAttempt& attempt);

 private:
  static constexpr std::size_t max_failed = 256;

  std::vector<StartupAttempt> failed_;  // a ring: the oldest gives way
  std::size_t next_ = 0;                // its place
};

}  // namespace iwarp
#pragma GCC visibility pop
