// SPDX-License-Identifier: GPL-2.0-or-later
#include "inject/exact_trial.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include "inject/recorded_fpdus.hpp"
#include "inject/rehearsal.hpp"
#include "inject/witness.hpp"

namespace iwarp::replay {

namespace {

constexpr TimeNs short_patience = 1'000'000'000;

// What is asked of a run in memory: neither rates nor limits.
ReplayOptions rehearsed_options(const ReplayOptions& options) {
  ReplayOptions rehearsed;
  rehearsed.timing = Timing::topspeed;
  rehearsed.patience = short_patience;
  rehearsed.startup = options.startup;
  rehearsed.recorded_segments = options.recorded_segments;
  rehearsed.max_memory = options.max_memory;
  return rehearsed;
}

std::string list(const std::set<std::string>& checks) {
  std::string text;
  for (const std::string& each : checks) text += (text.empty() ? "" : ", ") + each;
  return text;
}

}  // namespace

ExactTrial try_exactly(const Plan& plan, std::uint32_t stream, const std::vector<Role>& roles,
                       const ReplayOptions& options) {
  const PlannedStream& planned = plan.streams[stream];
  if (!plan.keeps_faults) return {"a plan has not the octets of faults, its capture has", {}};
  ReplayOptions rehearsed = rehearsed_options(options);
  RecordedFpdus recorded(plan, rehearsed);
  for (const Role each : roles) recorded.add(stream, each);
  rehearsed.mutator = recorded.hook();
  Witness witness;
  const Rehearsed run = rehearse(plan, {stream}, rehearsed, witness);
  if (!run.error.empty()) return {run.error, {}};
  std::set<std::pair<std::string, Role>> found;
  for (const Seen::Found& each : witness.finish(run.ends).found)
    found.emplace(check_info(each.check).id, each.role);
  std::set<std::string> errors;  // that do not come again
  std::set<std::string> lacking;
  std::size_t again = 0;
  for (const PlannedViolation& each : planned.violations) {
    if (std::ranges::find(roles, each.role) == roles.end()) continue;
    if (found.contains({each.check, each.role})) {
      ++again;
      continue;
    }
    lacking.insert(each.check);
    if (each.severity >= Severity::error) errors.insert(each.check);
  }
  if (!errors.empty() || again == 0)
    return {list(errors.empty() ? lacking : errors) + " is in no message that could be sent again", {}};
  if (run.outcome != Outcome::complete) return {"what was sent then does not come to its end again", {}};
  return {{}, list(lacking)};
}

}  // namespace iwarp::replay
