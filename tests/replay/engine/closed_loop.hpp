// Both roles of a plan in one process, over the simulated network in virtual time.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "compare/stream_log.hpp"
#include "engine/live_log.hpp"
#include "engine/replay.hpp"
#include "support/octets.hpp"
#include "transport/simulated_network.hpp"

namespace iwarp::replay {

struct LoopOptions {
  ReplayOptions replay = {};
  SimulatedOptions network = {};
  std::vector<std::uint32_t> streams = {};  // none: all
  // Before anything is sent, such as to capture elsewhere, too.
  std::function<void(SimulatedNetwork&)> made = nullptr;
  // Between the network and the log, if any.
  std::function<std::unique_ptr<CapturePoint>(CapturePoint& log)> middle = nullptr;
};

struct LoopResult {
  Outcome outcome = Outcome::running;
  std::string error;
  std::vector<StreamLog> logs;
  std::vector<LiveLog::Found> found;
  std::vector<std::string> troubles;
  std::vector<std::string> waits;
  std::uint64_t posted = 0;
  Punctuality punctuality;
  TimeNs took = 0;
  Bytes file;  // pcapng
};

// An address of its own for each host of a plan.
[[nodiscard]] IpAddress host_address(std::uint32_t host);
[[nodiscard]] LoopResult closed_loop(const Plan& plan, const LoopOptions& options = {});
// So many streams like the plan's first one, at the same time.
[[nodiscard]] Plan many_of(const Plan& plan, std::uint32_t count);
// The streams that a conforming replay can show.
[[nodiscard]] std::vector<std::uint32_t> conforming(const Plan& plan);

}  // namespace iwarp::replay
