// SPDX-License-Identifier: GPL-2.0-or-later
#include "inject/campaign.hpp"

#include "inject/injector.hpp"
#include "inject/trial.hpp"

namespace iwarp::replay {
namespace {

// A peer that serves one connection after the other may reset those that come too soon.
constexpr int tries = 6;

// Sees nothing.
class Blind final : public CapturePoint {
 public:
  void captured(const Packet& /*packet*/, TimeNs /*now*/) override {}
};

}  // namespace

Campaign::Campaign(const Plan& plan, const ReplayOptions& options, const std::array<bool, 2>& plays,
                   RunStream run, std::optional<std::uint32_t> only, PauseFor pause)
    : plan_(plan), options_(options), plays_(plays), run_(std::move(run)), pause_(std::move(pause)) {
  for (std::uint32_t i = 0; i < plan_.streams.size(); ++i) {
    if (only && plan_.streams[i].number != *only) continue;
    if (refusal(plan_.streams[i]) == nullptr) streams_.push_back(i);
  }
}

bool Campaign::healthy(std::string& error) {
  if (streams_.empty()) {
    error = "there is no stream that a replay that keeps the rules can show";
    return false;
  }
  Blind point;
  Rehearsed run;
  for (int i = 0; i < tries; ++i) {
    pause_before(i);
    run = run_(plan_, streams_.front(), options_, point);
    if (!run.error.empty() || run.outcome == Outcome::complete || run.outcome == Outcome::interrupted) break;
  }
  if (!run.error.empty()) {
    error = run.error;
  } else if (run.outcome == Outcome::interrupted) {
    error = "interrupted";
  } else if (run.outcome != Outcome::complete) {
    error = "the plan does not come to its end with this peer even without a fault";
    if (!run.waits.empty()) error += ": " + run.waits.front();
  }
  return error.empty();
}

Attempt Campaign::attempt(const Wanted& wanted, std::string& error) {
  Attempt attempt;
  attempt.wanted = wanted;
  ReplayOptions options = options_;
  provide(*wanted.breach, options);
  attempt.injection = choose(wanted, plan_, streams_, plays_, options, attempt.why_not);
  if (!attempt.injection) {
    const std::string name = wanted.breach->name() + " ";
    if (attempt.why_not.starts_with(name)) attempt.why_not.erase(0, name.size());
    attempt.verdict.expected = expectation(wanted.breach->oracle);
    return attempt;
  }
  if (gone_) {
    attempt.verdict.expected = expectation(wanted.breach->oracle);
    attempt.why_not = "no peer connects any more";
    return attempt;
  }
  for (int i = 0; i < tries; ++i) {
    pause_before(i);
    if (try_once(attempt, options, error) || !error.empty()) return attempt;
  }
  gone_ = unconnected_;
  return attempt;
}

// Twice as long each time.
void Campaign::pause_before(int attempt) const {
  constexpr TimeNs shortest = 100'000'000;
  if (pause_ && attempt > 0) pause_(shortest << static_cast<unsigned>(attempt - 1));
}

bool Campaign::try_once(Attempt& attempt, const ReplayOptions& options, std::string& error) {
  Injector injector(plan_, options);
  injector.add(*attempt.injection);
  ReplayOptions with = options;
  with.mutator = injector.hook();
  Witness witness;
  const Rehearsed run = run_(plan_, attempt.injection->stream, with, witness);
  const Seen seen = witness.finish(run.ends);
  error = run.error;
  unconnected_ = run.unconnected;
  if (!error.empty()) return false;
  attempt.found = seen.found;
  attempt.why_not.clear();
  attempt.verdict = judge(*attempt.injection, seen.of, end_of_run(run.outcome, run.waits.empty()));
  const auto peer = static_cast<std::size_t>(other(attempt.injection->role));
  // Nobody was there: the host resets, or a program that was about to end lets go of what it had not seen.
  const bool refused =
      (seen.of[peer].rst || seen.of[peer].fin) && seen.of[peer].startups == 0 && seen.of[peer].fpdus == 0;
  if (!injector.not_done().empty()) {
    // What the peer asked for, or did, did not let it come to this.
    attempt.verdict.conformance = Conformance::not_tried;
    if (run.unconnected) attempt.why_not = "no peer connected";
    if (run.unconnected) return false;
    attempt.why_not =
        attempt.wanted.breach->needs.markers ? "the peer asks for no markers" : "the run did not come to it";
    return !refused;
  }
  if (!refused && !is_found(*attempt.injection, seen)) {
    attempt.verdict.conformance = Conformance::not_tried;
    attempt.why_not = "no rule was broken by it";
    return true;
  }
  // For who is to close that is right: of a live peer where it stays so, while others would find it there
  // again.
  return !refused || (!pause_ && attempt.injection->breach->oracle.answer == Answer::closes);
}

}  // namespace iwarp::replay
