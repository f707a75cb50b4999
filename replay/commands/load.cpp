// SPDX-License-Identifier: GPL-2.0-or-later
#include "commands/load.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "commands/fail.hpp"
#include "commands/options.hpp"
#include "plan/anonymise.hpp"
#include "plan/combine.hpp"
#include "plan/plan_file.hpp"
#include "plan/planner.hpp"
#include "program/interrupt.hpp"
#include "program/standard_output.hpp"

namespace iwarp::replay {
namespace {

// Captures have a magic number that is no text; a plan is text, or begins as plans do. What comes through a
// pipe is a capture: looking at it would take it away.
bool is_plan(const std::string& path) {
  std::error_code not_there;
  if (path == "-" || !std::filesystem::is_regular_file(path, not_there)) return false;
  std::ifstream file(path, std::ios::binary);
  std::string beginning(64, '\0');
  file.read(beginning.data(), static_cast<std::streamsize>(beginning.size()));
  beginning.resize(static_cast<std::size_t>(file.gcount()));
  if (looks_like_plan(beginning)) return true;
  return beginning.size() >= 4 && std::ranges::all_of(beginning, [](char each) {
           return each == '\n' || each == '\t' || each == '\r' || (each >= ' ' && each <= '~');
         });
}

void tell_damage(const std::string& damage) {
  if (!damage.empty()) tell(damage);
}

}  // namespace

std::optional<LoadedPlan> load_plan(const std::string& path, std::string& error,
                                    const PlannerOptions& planner) {
  if (is_plan(path)) {
    auto plan = read_plan(path, error);
    return plan ? std::optional(LoadedPlan{std::move(*plan)}) : std::nullopt;
  }
  auto made = plan_capture(path, planner, error, program::interrupted);
  if (!made) return std::nullopt;
  tell_damage(made->damage);
  return LoadedPlan{std::move(made->plan), !made->damage.empty()};
}

std::optional<LoadedPlan> load_plan_to_run(const Options& options, std::string& error) {
  PlannerOptions planner;
  planner.keep_faults = options.keep_broken == KeepBroken::exactly;
  auto loaded = load_plans(options.inputs, error, planner);
  if (loaded) choose_payload(options, loaded->plan);
  return loaded;
}

std::optional<LoadedPlan> load_plans(const std::vector<std::string>& paths, std::string& error,
                                     const PlannerOptions& planner) {
  std::optional<LoadedPlan> all;
  for (const std::string& each : paths) {
    auto loaded = load_plan(each, error, planner);
    if (!loaded) return std::nullopt;
    if (!all) {
      all = std::move(loaded);
      continue;
    }
    all->numbered_from.push_back(put_behind(all->plan, loaded->plan));
    all->damaged = all->damaged || loaded->damaged;
  }
  return all;
}

void choose_payload(const Options& options, Plan& plan) {
  if (!options.payload_seed) return;
  plan.seed = *options.payload_seed;
  AnonymiseOptions seeded;
  seeded.rename_addresses = seeded.forget_origin = false;
  seeded.private_data = PrivateDataChoice::keep;
  anonymise(plan, seeded);
}

std::optional<std::vector<StreamLog>> load_logs(const std::string& path, std::string& error) {
  if (!is_plan(path)) return logs_of_capture(path, error, 0, program::interrupted);
  const auto plan = read_plan(path, error);
  if (!plan) return std::nullopt;
  std::vector<StreamLog> logs = expected_logs(*plan);
  for (StreamLog& log : logs) {
    for (auto& entries : log.entries) {
      for (LogEntry& entry : entries) entry.known.clear();  // the plan's, which goes
    }
  }
  return logs;
}

std::optional<RecordedLogs> load_recorded_logs(const std::string& path, std::string& error) {
  if (!is_plan(path)) {
    auto captured = recorded_logs_of_capture(path, error, program::interrupted);
    if (captured) tell_damage(captured->damage);
    return captured;
  }
  auto plan = read_plan(path, error);
  if (!plan) return std::nullopt;
  RecordedLogs recorded;
  recorded.plan = std::make_unique<const Plan>(std::move(*plan));
  recorded.logs = expected_logs(*recorded.plan);
  recorded.from_plan = true;
  return recorded;
}

std::optional<RecordedLogs> load_live_logs(const std::string& path, std::string& error) {
  if (is_plan(path)) return load_recorded_logs(path, error);
  std::string damage;
  auto logs = logs_of_capture(path, error, live_payload_cap, program::interrupted, &damage);
  if (!logs) return std::nullopt;
  tell_damage(damage);
  return RecordedLogs{nullptr, std::move(*logs), std::move(damage)};
}

}  // namespace iwarp::replay
