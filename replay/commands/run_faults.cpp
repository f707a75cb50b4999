// SPDX-License-Identifier: GPL-2.0-or-later
#include "commands/run_faults.hpp"

#include <algorithm>

#include <iwarp/export/names.hpp>

#include "inject/trial.hpp"
#include "inject/witness.hpp"

namespace iwarp::replay {

bool RunFaults::place(const Options& options, const Plan& plan, const std::vector<std::uint32_t>& streams,
                      const std::vector<ExactSide>& exact, std::array<bool, 2> plays, ReplayOptions& replay,
                      std::string& error) {
  plan_ = &plan;
  if (!exact.empty()) {
    recorded_ = std::make_unique<RecordedFpdus>(plan, options.replay);
    for (const ExactSide& each : exact) recorded_->add(each.stream, each.role);
    replay.mutator = recorded_->hook();
  }
  if (options.inject.empty()) return true;
  injector_ = std::make_unique<Injector>(plan, options.replay);
  for (const std::string& each : options.inject) {
    const auto wanted = parse_wanted(each, error);
    if (!wanted) return false;
    const auto injection = choose(*wanted, plan, streams, plays, options.replay, error);
    if (!injection) return false;
    const bool is_exact = std::ranges::any_of(exact, [&](const ExactSide& side) {
      return side.stream == injection->stream && side.role == injection->role;
    });
    if (is_exact) {
      error = describe(*injection, plan) + " cannot be broken: --keep-broken=exact has that side send " +
              "what it sent; --keep-broken, without exact, lets it be";
      return false;
    }
    injections_.push_back(*injection);
    injector_->add(*injection);
  }
  replay.mutator = recorded_ ? recorded_->hook(injector_->hook()) : injector_->hook();
  return true;
}

bool RunFaults::needs_short_segments() const {
  return std::ranges::any_of(injections_,
                             [](const Injection& each) { return each.breach->check == CheckId::mpa_mulpdu; });
}

void RunFaults::begin(LiveLog& log) {
  if (injector_) log.watch_actions();
  if (injector_) injector_->begin_again();
  if (recorded_) recorded_->begin_again();
}

void RunFaults::judge(const Replay& replay, const LiveLog& log, const std::vector<std::uint32_t>& streams,
                      LoopReport& report) const {
  if (injector_) report.injected = judged(replay, log, streams, report);
  if (!recorded_) return;
  // What was to be sent as recorded, and the run did not come to it.
  for (const auto& [side, count] : recorded_->unsent()) {
    report.troubles.push_back(std::string("of what the ") + role_name(side.second) + " of stream " +
                              std::to_string(plan_->streams[side.first].number) + " had sent " +
                              std::to_string(count) + " FPDUs were not sent again");
  }
}

std::vector<Injected> RunFaults::judged(const Replay& replay, const LiveLog& log,
                                        const std::vector<std::uint32_t>& streams,
                                        const LoopReport& report) const {
  const std::vector<Injection> not_done = injector_->not_done();
  std::vector<Injected> all;
  for (const Injection& each : injections_) {
    Injected& injected = all.emplace_back(Injected{each});
    if (std::ranges::find(not_done, each) != not_done.end()) continue;
    const auto at = static_cast<std::size_t>(std::ranges::find(streams, each.stream) - streams.begin());
    const auto ends = replay.endpoints(at);
    if (!ends) continue;
    const std::array<ObservedActions, 2> actions = {log.actions_of(*ends, Role::initiator),
                                                    log.actions_of(*ends, Role::responder)};
    const bool found = actions[static_cast<std::size_t>(each.role)].broken.contains(each.breach->check);
    injected.how = found ? InjectedHow::broken : InjectedHow::unbroken;
    if (found)
      injected.verdict = replay::judge(each, actions, end_of_run(report.outcome, report.waits.empty()));
    if (found && injected.verdict.conformance == Conformance::not_tried)
      injected.how = InjectedHow::unanswered;
  }
  // What the peer does about the one is no answer to the other.
  for (Injected& each : all) {
    if (each.how != InjectedHow::broken || each.injection.breach->oracle.answer != Answer::carries_on)
      continue;
    const bool other = std::ranges::any_of(all, [&](const Injected& fault) {
      return fault.how == InjectedHow::broken && fault.injection.stream == each.injection.stream &&
             fault.injection.breach->oracle.answer != Answer::carries_on;
    });
    if (other) each.how = InjectedHow::overtaken;
    if (other) each.verdict.conformance = Conformance::not_tried;
  }
  return all;
}

}  // namespace iwarp::replay
