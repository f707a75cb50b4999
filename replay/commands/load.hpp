// Plans and stream logs of the files that a command names.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "compare/stream_log.hpp"
#include "plan/plan.hpp"
#include "plan/recording.hpp"

namespace iwarp::replay {

struct Options;

// Of a capture or a plan file, told apart by how they begin; "-" is a capture on standard input. Nothing:
// `error` says why; an interrupt is a reason. What can be read of a damaged capture is used; the damage is
// told on standard error.
struct LoadedPlan {
  Plan plan;
  bool damaged = false;
  std::vector<std::uint32_t> numbered_from = {0};  // by file: the number of its stream 0
};
[[nodiscard]] std::optional<LoadedPlan> load_plan(const std::string& path, std::string& error,
                                                  const PlannerOptions& planner = {});
// … of several, one behind the other. REQUIRES: there is one.
[[nodiscard]] std::optional<LoadedPlan> load_plans(const std::vector<std::string>& paths, std::string& error,
                                                   const PlannerOptions& planner = {});
// The one that the options name, with the payload that they ask for.
[[nodiscard]] std::optional<LoadedPlan> load_plan_to_run(const Options& options, std::string& error);
// --payload: seeded, where that was asked for.
void choose_payload(const Options& options, Plan& plan);
[[nodiscard]] std::optional<std::vector<StreamLog>> load_logs(const std::string& path, std::string& error);
// … with payload: what is known of what was recorded, and what is compared with that. Damage is reported,
// too.
[[nodiscard]] std::optional<RecordedLogs> load_recorded_logs(const std::string& path, std::string& error);
[[nodiscard]] std::optional<RecordedLogs> load_live_logs(const std::string& path, std::string& error);

// Octets of payload that are kept of a live run, or a live capture, to be compared.
inline constexpr std::uint64_t live_payload_cap = std::uint64_t{256} << 20U;

}  // namespace iwarp::replay
