// SPDX-License-Identifier: GPL-2.0-or-later
#include "inject/trial.hpp"

#include <algorithm>

#include "inject/injector.hpp"
#include "inject/rehearsal.hpp"

namespace iwarp::replay {
namespace {

constexpr std::size_t most_trials = 16;

}  // namespace

std::optional<Trial> try_in_memory(const Injection& injection, const Plan& plan,
                                   const ReplayOptions& options) {
  Injector injector(plan, options);
  injector.add(injection);
  ReplayOptions rehearsed;  // neither rates nor limits
  rehearsed.timing = Timing::topspeed;
  rehearsed.startup = options.startup;
  rehearsed.recorded_segments = options.recorded_segments;
  rehearsed.max_memory = options.max_memory;
  rehearsed.mutator = injector.hook();
  Witness witness;
  const Rehearsed run = rehearse(plan, {injection.stream}, rehearsed, witness);
  if (!run.error.empty() || !injector.not_done().empty()) return std::nullopt;
  return Trial{witness.finish(run.ends), end_of_run(run.outcome, run.waits.empty())};
}

bool is_found(const Injection& injection, const Seen& seen) {
  return std::ranges::any_of(seen.found, [&](const Seen::Found& each) {
    return each.check == injection.breach->check && each.role == injection.role;
  });
}

bool is_found_alone(const Injection& injection, const Seen& seen) {
  return is_found(injection, seen) && std::ranges::all_of(seen.found, [&](const Seen::Found& each) {
           return each.severity < Severity::warning ||
                  (each.check == injection.breach->check && each.role == injection.role);
         });
}

std::optional<Injection> choose(const Wanted& wanted, const Plan& plan,
                                const std::vector<std::uint32_t>& streams, const std::array<bool, 2>& plays,
                                const ReplayOptions& options, std::string& error) {
  const std::vector<Injection> all = places(wanted, plan, streams, plays, options, most_trials, error);
  if (all.empty()) return std::nullopt;
  if (wanted.place.message != 0) return all.front();
  std::optional<Injection> broken_alone;
  for (const Injection& each : all) {
    const std::optional<Trial> trial = try_in_memory(each, plan, options);
    if (!trial || !is_found_alone(each, trial->seen)) continue;
    if (judge(each, trial->seen.of, trial->end).conformance == Conformance::conforms) return each;
    if (!broken_alone) broken_alone = each;
  }
  if (broken_alone && plays[0] && plays[1]) return broken_alone;
  error = wanted.breach->name() +
          " needs a place where it alone is broken, and is answered as is due: none of " +
          std::to_string(all.size()) + " tried in memory is, the first being " + describe(all.front(), plan);
  return std::nullopt;
}

}  // namespace iwarp::replay
