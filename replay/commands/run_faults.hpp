// RunFaults: what a run is to send wrong, by --inject, or octet for octet as it was recorded
// (--keep-broken=exact), and what came of it.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "commands/options.hpp"
#include "commands/run_report.hpp"
#include "commands/selection.hpp"
#include "engine/live_log.hpp"
#include "engine/replay.hpp"
#include "inject/injector.hpp"
#include "inject/recorded_fpdus.hpp"

namespace iwarp::replay {

class RunFaults {
 public:
  // Finds the place of each, and has `replay` send them. `plays`: by Role, whether it is played here.
  // REQUIRES: the plan outlives this object. False: `error` says which cannot be.
  [[nodiscard]] bool place(const Options& options, const Plan& plan,
                           const std::vector<std::uint32_t>& streams, const std::vector<ExactSide>& exact,
                           std::array<bool, 2> plays, ReplayOptions& replay, std::string& error);
  // One of them shows in a segment that is shorter than its FPDU.
  [[nodiscard]] bool needs_short_segments() const;
  // A loop begins whose log is that.
  void begin(LiveLog& log);
  // What came of them in the loop, into `report`, whose outcome and waits are known.
  void judge(const Replay& replay, const LiveLog& log, const std::vector<std::uint32_t>& streams,
             LoopReport& report) const;

 private:
  [[nodiscard]] std::vector<Injected> judged(const Replay& replay, const LiveLog& log,
                                             const std::vector<std::uint32_t>& streams,
                                             const LoopReport& report) const;

  const Plan* plan_ = nullptr;
  std::vector<Injection> injections_;
  std::unique_ptr<Injector> injector_;
  std::unique_ptr<RecordedFpdus> recorded_;
};

}  // namespace iwarp::replay
