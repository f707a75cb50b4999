// A plan's role played by an RDMA device, the kernel's siw or hardware, through librdmacm and libibverbs.
//
// The device does MPA, DDP and RDMAP, and gives STags as it likes; the plan's memory is called by them, in
// what is posted and in payloads. What no RNIC shows its application is not compared: the peer's Writes,
// Reads and Terminates, FIN and RST.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "compare/stream_log.hpp"
#include "engine/options.hpp"
#include "engine/replay.hpp"
#include "plan/plan.hpp"

namespace iwarp::replay::verbs {

struct Setup {
  Role role = Role::initiator;
  std::string device = {};  // empty: whichever the address belongs to
  Endpoint at = {};         // to connect to, or to listen at
  ReplayOptions replay = {};
  TimeNs epoch = 0;  // logs' times are this, and the monotonic clock's
  std::function<bool()> interrupted = {};
  std::function<void(const Endpoint&)> listening = {};
};

struct Result {
  bool started = false;  // else `error` says why not
  std::string error = {};
  Outcome outcome = Outcome::running;
  std::vector<StreamLog> logs = {};  // beside the streams
  std::vector<std::string> troubles = {};
  std::vector<std::string> notes = {};
  std::vector<std::string> waits = {};
  std::uint64_t posted = 0;
  std::uint64_t octets = 0;
  TimeNs took = 0;
};

// Whether this program was built with it.
[[nodiscard]] bool built() noexcept;
[[nodiscard]] Result run(const Plan& plan, const std::vector<std::uint32_t>& streams, const Setup& setup);

// Leaves of the log of a planned stream what an application sees that plays `role`.
void keep_visible(StreamLog& log, const PlannedStream& stream, Role role);

}  // namespace iwarp::replay::verbs
