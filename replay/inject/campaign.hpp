// Campaign: every breach of the table put to a peer, each on a connection of its own, and what the peer made
// of it.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "inject/rehearsal.hpp"
#include "inject/witness.hpp"

namespace iwarp::replay {

struct Attempt {
  Wanted wanted;
  std::optional<Injection> injection;  // where it was put
  std::string why_not;                 // it was not tried
  Verdict verdict;
  std::vector<Seen::Found> found;  // by the analyzer, in this run
};

// Who runs a stream of a plan and lets a capture point see it: in memory, or against a live peer.
using RunStream = std::function<Rehearsed(const Plan& plan, std::uint32_t stream,
                                          const ReplayOptions& options, CapturePoint& point)>;

// Lets time go by for a peer that may not be there again yet.
using PauseFor = std::function<void(TimeNs length)>;

class Campaign {
 public:
  // REQUIRES: `plan` outlives this object. `plays`: by Role, who is ours. `only`: number of a stream.
  // `pause`: of a live peer alone.
  Campaign(const Plan& plan, const ReplayOptions& options, const std::array<bool, 2>& plays, RunStream run,
           std::optional<std::uint32_t> only = std::nullopt, PauseFor pause = {});

  // The plan without any breach comes to its end with this peer. False: `error` says why not.
  [[nodiscard]] bool healthy(std::string& error);
  // An error of the environment is in `error`, and the rest is in vain. A rule that needs a peer is not tried
  // once it is gone.
  [[nodiscard]] Attempt attempt(const Wanted& wanted, std::string& error);
  // The live initiator did not come for a rule, however long it was waited for.
  [[nodiscard]] bool gone() const noexcept { return gone_; }

 private:
  // False: the peer was not there for it.
  void pause_before(int attempt) const;
  [[nodiscard]] bool try_once(Attempt& attempt, const ReplayOptions& options, std::string& error);
  const Plan& plan_;
  ReplayOptions options_;
  std::vector<std::uint32_t> streams_;  // that a replay that keeps the rules can show
  std::array<bool, 2> plays_;
  RunStream run_;
  PauseFor pause_;
  bool unconnected_ = false;  // in the latest run
  bool gone_ = false;
};

}  // namespace iwarp::replay
