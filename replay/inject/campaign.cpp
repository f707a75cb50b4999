// SPDX-License-Identifier: GPL-2.0-or-later
#include "inject/campaign.hpp"

#include "inject/injector.hpp"

namespace iwarp::replay {
namespace {

// Sees nothing.
class Blind final : public CapturePoint {
 public:
  void captured(const Packet& /*packet*/, TimeNs /*now*/) override {}
};

}  // namespace

Campaign::Campaign(const Plan& plan, const ReplayOptions& options, const std::array<bool, 2>& plays,
                   RunStream run, std::optional<std::uint32_t> only)
    : plan_(plan), options_(options), plays_(plays), run_(std::move(run)) {
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
  const Rehearsed run = run_(plan_, streams_.front(), options_, point);
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
    attempt.verdict.expected = expectation(wanted.breach->oracle);
    return attempt;
  }
  Injector injector(plan_, options);
  injector.add(*attempt.injection);
  ReplayOptions with = options;
  with.mutator = injector.hook();
  Witness witness;
  const Rehearsed run = run_(plan_, attempt.injection->stream, with, witness);
  Seen seen = witness.finish();
  if (!run.error.empty()) {
    error = run.error;
    return attempt;
  }
  attempt.found = seen.found;
  attempt.verdict = judge(*attempt.injection, seen, run.outcome == Outcome::complete);
  if (!injector.not_done().empty()) {
    // What the peer asked for, or would do, did not let it come to this.
    attempt.verdict.conformance = Conformance::not_tried;
    attempt.why_not = "the run did not come to it";
  }
  return attempt;
}

}  // namespace iwarp::replay
