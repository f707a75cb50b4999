// SPDX-License-Identifier: GPL-2.0-or-later
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <numeric>
#include <utility>

#include "commands/commands.hpp"
#include "commands/fail.hpp"
#include "commands/load.hpp"
#include "commands/result_file.hpp"
#include "commands/shell_command.hpp"
#include "compare/comparison.hpp"
#include "compare/render.hpp"
#include "engine/live_log.hpp"
#include "inject/injector.hpp"
#include "inject/rehearsal.hpp"
#include "inject/trial.hpp"
#include "plan/plan_file.hpp"
#include "program/interrupt.hpp"
#include "program/status_line.hpp"
#include "shrink/shrink.hpp"

namespace iwarp::replay {
namespace {

// How a run of both roles in memory fails: by its first divergence, whatever that is in detail.
class InMemory {
 public:
  // Why one of these cannot be injected into the plan; empty: all can.
  static std::string why_not(const std::vector<Wanted>& wanted, const Plan& plan,
                             const ReplayOptions& replay) {
    std::string why;
    for (const Wanted& each : wanted) {
      if (!choose(each, plan, streams_of(plan), {true, true}, replay, why)) return why;
    }
    return {};
  }

  InMemory(const Options& options, std::vector<Wanted> wanted, CompareOptions compared)
      : options_(options), wanted_(std::move(wanted)), compared_(std::move(compared)) {}

  std::string operator()(const Plan& plan) const {
    ReplayOptions replay = options_.replay;
    const std::vector<std::uint32_t> streams = streams_of(plan);
    Injector injector(plan, options_.replay);
    for (const Wanted& each : wanted_) {
      std::string why;
      const auto injection = choose(each, plan, streams, {true, true}, options_.replay, why);
      if (injection) injector.add(*injection);
    }
    replay.mutator = injector.hook();
    LiveLog log;
    const Rehearsed run = rehearse(plan, streams, replay, log, program::interrupted, &log);
    const std::vector<StreamLog>& logs = run.logs;
    if (!run.error.empty() || run.outcome == Outcome::interrupted) return {};  // that is no run
    std::vector<StreamLog> expected;
    for (const std::uint32_t each : streams) expected.push_back(expected_log(plan, each));
    const StreamsComparison comparison = compare(expected, logs, compared_);
    for (const StreamsComparison::Each& each : comparison.streams) {
      const Difference* const first = each.recorded && each.live ? each.comparison.first() : nullptr;
      if (first == nullptr) continue;
      std::string fields;
      for (const LogField field : first->fields) fields += std::string(" ") + log_field_name(field);
      if (first->of_startup()) return difference_class_name(first->what) + fields;
      const auto role = static_cast<std::size_t>(first->role);
      const LogEntry& entry = first->recorded ? expected[*each.recorded].entries[role][*first->recorded]
                                              : logs[*each.live].entries[role][*first->live];
      return std::string(difference_class_name(first->what)) + " " + work_kind_name(entry.kind) + fields;
    }
    return run.outcome == Outcome::gave_up ? "the run does not come to its end" : "";
  }

 private:
  // Those that are run.
  static std::vector<std::uint32_t> streams_of(const Plan& plan) {
    std::vector<std::uint32_t> streams(plan.streams.size());
    std::iota(streams.begin(), streams.end(), 0U);
    std::erase_if(streams, [&](std::uint32_t each) { return refusal(plan.streams[each]) != nullptr; });
    return streams;
  }

  const Options& options_;
  std::vector<Wanted> wanted_;
  CompareOptions compared_;
};

// How a program fails that is given the plan as a file: by its exit status.
class ByCommand {
 public:
  explicit ByCommand(const Options& options) : options_(options) {
    std::string pattern = (std::filesystem::temp_directory_path() / "iwarp-shrink-XXXXXX").string();
    if (::mkdtemp(pattern.data()) != nullptr) folder_ = pattern;
  }
  ~ByCommand() {
    std::error_code ignored;
    if (!folder_.empty()) std::filesystem::remove_all(folder_, ignored);
  }
  ByCommand(const ByCommand&) = delete;
  ByCommand& operator=(const ByCommand&) = delete;

  [[nodiscard]] bool ready() const { return !folder_.empty(); }

  // Why it tells nothing about plans; empty where it does.
  [[nodiscard]] const std::string& error() const { return error_; }

  std::string operator()(const Plan& plan) {
    const std::string path = folder_ + "/plan";
    const bool first = !std::exchange(tried_, true);
    if (!error_.empty() || !write_plan(plan, path, options_.text, error_)) return {};
    std::string line = options_.command_line;
    const std::size_t at = line.find("{}");
    if (at == std::string::npos) {
      line += " '" + path + "'";
    } else {
      line.replace(at, 2, path);
    }
    const ShellResult ended = run_shell(line);
    if (ended.interrupted) return {};  // what became of it tells nothing
    const int status = ended.status;
    if (!ended.error.empty()) {
      error_ = "--command cannot be run: " + ended.error;
    } else if (WIFEXITED(status)) {
      // What the shell says of a command that is not there, or cannot be executed.
      if (WEXITSTATUS(status) == 126) error_ = "--command cannot be executed (exit status 126)";
      if (WEXITSTATUS(status) == 127) error_ = "--command was not found (exit status 127)";
    } else if (first) {
      error_ = "--command was ended by signal " + std::to_string(WTERMSIG(status)) +
               " at the whole plan; '|| exit 1' behind it makes that a failure of the plan";
    }
    if (!error_.empty() || (WIFEXITED(status) && WEXITSTATUS(status) == 0)) return {};
    if (WIFEXITED(status)) return "exit status " + std::to_string(WEXITSTATUS(status));
    return "signal " + std::to_string(WTERMSIG(status));
  }

 private:
  const Options& options_;
  std::string folder_;
  std::string error_;
  bool tried_ = false;
};

std::size_t works_in(const Plan& plan) {
  std::size_t works = 0;
  for (const PlannedStream& each : plan.streams) works += each.work.size();
  return works;
}

}  // namespace

int shrink_command(const Options& options) {
  std::string error;
  if (overwrites("-o", options.output, options.input, error)) return fail(error);
  CompareOptions compared;
  for (const std::string& rule : options.ignore) {
    if (!compared.ignore.add(rule, error)) return fail(error);
  }
  const auto loaded = load_plan_to_run(options, error);
  if (!loaded) return fail(error);
  const Plan* const plan = &loaded->plan;
  if (plan->streams.empty()) return fail(options.input + " has no iWARP stream");
  std::vector<Wanted> wanted;
  for (const std::string& each : options.inject) wanted.push_back(*parse_wanted(each, error));
  ByCommand by_command(options);
  if (!by_command.ready()) return fail("no temporary folder can be made");
  ShrinkTests tests;
  if (options.command_line.empty()) {
    if (error = InMemory::why_not(wanted, *plan, options.replay); !error.empty()) return fail(error);
    tests.failure = InMemory(options, wanted, compared);
  } else {
    tests.failure = [&](const Plan& part) { return by_command(part); };
  }
  program::StatusLine line;
  tests.cancelled = [&] { return program::interrupted() || !by_command.error().empty(); };
  tests.progress = [&](std::uint64_t trials, std::size_t streams, std::size_t works) {
    line.show(std::to_string(trials) + " trials, trying " + std::to_string(streams) + " streams with " +
              std::to_string(works) + " requests");
  };
  const Shrunk small = shrink(*plan, tests);
  line.hide();
  if (!by_command.error().empty()) return fail(by_command.error());
  if (small.failure.empty() && program::interrupted()) return fail("interrupted");
  if (small.failure.empty()) {
    tell(options.input + " does not fail, there is nothing to shrink");
    return status_of(program::exit_no, loaded->damaged);
  }
  if (options.output == "-") {
    const std::string octets = options.text ? to_text(small.plan) : to_octets(small.plan);
    if (const std::string failure = program::print(octets); !failure.empty()) return fail(failure);
  } else if (!write_plan(small.plan, options.output, options.text, error)) {
    return fail(error);
  }
  std::fprintf(stderr, "%s: %zu of %zu streams, %zu of %zu requests are left, after %llu trials%s\n",
               small.failure.c_str(), small.plan.streams.size(), plan->streams.size(), works_in(small.plan),
               works_in(*plan), static_cast<unsigned long long>(small.trials),
               program::interrupted() ? "; interrupted: it may not be the smallest" : "");
  if (works_in(small.plan) == 0) {
    std::fputs("it fails in the same way without any request: the requests are not what fails\n", stderr);
  }
  return status_of(program::exit_done, loaded->damaged);
}

}  // namespace iwarp::replay
