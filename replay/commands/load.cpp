// SPDX-License-Identifier: GPL-2.0-or-later
#include "commands/load.hpp"

#include <algorithm>
#include <cstdio>
#include <fstream>

#include "plan/plan_file.hpp"
#include "plan/planner.hpp"

namespace iwarp::replay {
namespace {

// Captures have a magic number that is no text; a plan is text, or begins as plans do.
bool is_plan(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::string beginning(64, '\0');
  file.read(beginning.data(), static_cast<std::streamsize>(beginning.size()));
  beginning.resize(static_cast<std::size_t>(file.gcount()));
  if (looks_like_plan(beginning)) return true;
  return beginning.size() >= 4 && std::ranges::all_of(beginning, [](char each) {
           return each == '\n' || each == '\t' || each == '\r' || (each >= ' ' && each <= '~');
         });
}

// One sentence on standard error.
void tell(const std::string& damage) {
  if (!damage.empty()) std::fprintf(stderr, "iwarp-replay: %s\n", damage.c_str());
}

}  // namespace

std::optional<Plan> load_plan(const std::string& path, std::string& error) {
  if (is_plan(path)) return read_plan(path, error);
  auto made = plan_capture(path, {}, error);
  if (!made) return std::nullopt;
  tell(made->damage);
  return std::move(made->plan);
}

std::optional<std::vector<EventLog>> load_logs(const std::string& path, std::string& error) {
  if (!is_plan(path)) return logs_of_capture(path, error);
  const auto plan = read_plan(path, error);
  if (!plan) return std::nullopt;
  std::vector<EventLog> logs = expected_logs(*plan);
  for (EventLog& log : logs) {
    for (auto& entries : log.entries) {
      for (LogEntry& entry : entries) entry.known.clear();  // the plan's, which goes
    }
  }
  return logs;
}

std::optional<RecordedLogs> load_recorded_logs(const std::string& path, std::string& error) {
  if (!is_plan(path)) {
    auto captured = recorded_logs_of_capture(path, error);
    if (captured) tell(captured->damage);
    return captured;
  }
  auto plan = read_plan(path, error);
  if (!plan) return std::nullopt;
  RecordedLogs recorded;
  recorded.plan = std::make_unique<const Plan>(std::move(*plan));
  recorded.logs = expected_logs(*recorded.plan);
  return recorded;
}

std::optional<RecordedLogs> load_live_logs(const std::string& path, std::string& error) {
  if (is_plan(path)) return load_recorded_logs(path, error);
  std::string damage;
  auto logs = logs_of_capture(path, error, live_payload_cap, &damage);
  if (!logs) return std::nullopt;
  tell(damage);
  return RecordedLogs{nullptr, std::move(*logs), std::move(damage)};
}

}  // namespace iwarp::replay
