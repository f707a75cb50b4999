// What a run came to: as text for people, and as JSON (docs/schema/replay-report-1.json).
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "commands/options.hpp"
#include "commands/selection.hpp"
#include "compare/comparison.hpp"
#include "engine/live_log.hpp"
#include "engine/replay.hpp"
#include "inject/witness.hpp"

namespace iwarp::replay {

enum class InjectedHow : std::uint8_t {
  broken,
  not_reached,  // the run did not come to its place
  unbroken,     // it was done, and no rule is broken by it there
  unanswered,   // broken, and the run ended before the peer could show what it makes of it
  overtaken     // broken, and what the peer did is about another fault of the stream
};

// What came of an injection.
struct Injected {
  Injection injection;
  InjectedHow how = InjectedHow::not_reached;
  Verdict verdict = {};  // of the peer, where the rule was broken

  [[nodiscard]] bool is_done() const noexcept {
    return how != InjectedHow::not_reached && how != InjectedHow::unbroken;
  }
};

// One loop of a run.
struct LoopReport {
  Outcome outcome = Outcome::running;
  std::vector<StreamLog> logs;
  StreamsComparison comparison;
  std::vector<LiveLog::Found> found;
  std::vector<std::string> troubles;
  std::vector<std::string> too_slow;  // beyond --latency-limit
  std::vector<std::string> notes;
  std::vector<std::string> waits;
  Punctuality punctuality;
  std::vector<Injected> injected;
  std::uint64_t posted = 0;
  std::uint64_t octets = 0;
  TimeNs took = 0;

  // Nothing differs in what was run.
  [[nodiscard]] bool agrees() const {
    return comparison.same() && outcome != Outcome::gave_up && too_slow.empty();
  }
  [[nodiscard]] std::size_t matched() const;
  // Recorded requests that the end of the run kept from being made again.
  [[nodiscard]] std::size_t not_run() const;
  // An injection that was asked for could not be had.
  [[nodiscard]] bool lacks_injection() const;
  // A peer did not do what is due.
  [[nodiscard]] bool deviates() const;
  // It ended where the user wanted it to, and nothing, or not everything, was compared. A limit is part of
  // what was asked for.
  [[nodiscard]] bool unfinished() const {
    if (outcome == Outcome::interrupted) return not_run() != 0 || matched() == 0;
    return outcome == Outcome::limited && matched() == 0;
  }
};

enum class RunVerdict : std::uint8_t {
  same,
  diverged,
  unfinished  // nothing diverged, but not everything was run, or nothing
};

// What came of a run of one loop or more.
struct RunResult {
  // REQUIRES: they outlive this object.
  const Options& options;
  const Plan& plan;
  const std::vector<std::uint32_t>& streams;  // of the plan, that were run
  const std::vector<StreamLog>& expected;     // beside them
  const std::vector<BrokenStream>& broken;
  const LoopReport& report;  // of the first loop that diverged, else of the latest whole one
  std::uint64_t loops = 0;   // run
  std::uint64_t diverged_loops = 0;
  std::uint64_t first_diverged = 0;  // from 1; 0: none
  std::uint64_t whole_loops = 0;     // not stopped
  bool stopped = false;              // before all loops were run

  // Of the streams that were run.
  [[nodiscard]] RunVerdict verdict_of_run() const;
  // Of all: where streams were left out, nothing is the same as a whole.
  [[nodiscard]] RunVerdict verdict() const {
    const RunVerdict run = verdict_of_run();
    return run == RunVerdict::same && left_out() != 0 ? RunVerdict::unfinished : run;
  }
  // Streams that were not run, as their recording breaks rules.
  [[nodiscard]] std::size_t left_out() const noexcept {
    return static_cast<std::size_t>(std::ranges::count(broken, BrokenFate::left_out, &BrokenStream::fate));
  }
};

// Without its notes.
void print(const RunResult& result, std::FILE* out);
[[nodiscard]] nlohmann::ordered_json to_json(const RunResult& result);

}  // namespace iwarp::replay
