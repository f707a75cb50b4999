// SPDX-License-Identifier: GPL-2.0-or-later
#include "commands/selection.hpp"

#include <algorithm>
#include <iterator>

#include <iwarp/export/names.hpp>

#include "commands/fail.hpp"
#include "inject/exact_trial.hpp"
#include "plan/mend.hpp"

namespace iwarp::replay {
namespace {

// What a live peer in place of the end that broke the rules does is its own; here nobody breaks them.
bool is_to_be_mended(const std::vector<PlannedViolation>& faults, const Options& options) {
  const auto of_live_peer = [&](const PlannedViolation& fault) {
    return options.as && fault.role != *options.as;
  };
  return options.keep_broken != KeepBroken::no || std::ranges::all_of(faults, of_live_peer);
}

bool is_ours(const PlannedViolation& fault, const Options& options) noexcept {
  return !options.as || *options.as == fault.role;
}

// What a stream is left out for; where our side's are to be sent again, also what a replay that keeps the
// rules can do without: wrong framing, which it makes anew, and warnings.
std::vector<PlannedViolation> faults_of(const PlannedStream& stream, const Options& options) {
  std::vector<PlannedViolation> all;
  for (const PlannedViolation* const each : faults(stream)) all.push_back(*each);
  if (options.keep_broken != KeepBroken::exactly) return all;
  for (const PlannedViolation& each : stream.violations) {
    if (is_ours(each, options) && std::ranges::find(all, each) == all.end()) all.push_back(each);
  }
  return all;
}

std::vector<PlannedViolation> errors_of(const PlannedStream& stream) {
  std::vector<PlannedViolation> errors;
  std::ranges::copy_if(stream.violations, std::back_inserter(errors),
                       [](const PlannedViolation& each) { return each.severity == Severity::error; });
  return errors;
}

// Roles that are played here and broke a rule.
std::vector<Role> faulty_sides(const std::vector<PlannedViolation>& faults, const Options& options) {
  std::vector<Role> sides;
  for (const PlannedViolation& each : faults) {
    if (is_ours(each, options) && std::ranges::find(sides, each.role) == sides.end())
      sides.push_back(each.role);
  }
  return sides;
}

class Selector {
 public:
  Selector(const Plan& plan, const Options& options) : plan_(plan), options_(options) {}

  void take(std::uint32_t place) {
    const PlannedStream& stream = plan_.streams[place];
    BrokenStream broken{stream.number, faults_of(stream, options_)};
    if (!broken.faults.empty()) {
      broken.fate = fate_of(place, broken);
      made.broken.push_back(broken);
      if (broken.left_out()) {
        tell("stream " + std::to_string(stream.number) + " is left out: its " +
             words_of(broken.faults.front()) +
             ", which a replay that keeps the rules cannot show; --keep-broken runs it without that");
        return;
      }
      // Warnings, and what was framed wrong, are no reason to change what was recorded.
      if (broken.fate == BrokenFate::mended && refusal(stream) != nullptr) mended_streams.push_back(place);
    } else if (broken.faults = errors_of(stream); !broken.faults.empty()) {
      // Framed wrong: a run frames anew, without being asked to, and says so.
      broken.fate = BrokenFate::mended;
      made.broken.push_back(broken);
    }
    made.streams.push_back(place);
  }

  Selection made;
  std::vector<std::uint32_t> mended_streams;
  std::vector<std::uint32_t> exact_streams;

 private:
  BrokenFate fate_of(std::uint32_t place, BrokenStream& broken) {
    if (!is_to_be_mended(broken.faults, options_)) return BrokenFate::left_out;
    const std::vector<Role> sides = faulty_sides(broken.faults, options_);
    if (options_.keep_broken != KeepBroken::exactly || sides.empty()) return BrokenFate::mended;
    ExactTrial trial = try_exactly(plan_, place, sides, options_.replay);
    broken.not_exact = std::move(trial.why_not);
    broken.lacking = std::move(trial.lacking);
    if (!broken.not_exact.empty()) return BrokenFate::mended;
    for (const Role each : sides) made.exact.push_back({place, each});
    exact_streams.push_back(place);
    return BrokenFate::exact;
  }

  const Plan& plan_;
  const Options& options_;
};

}  // namespace

std::optional<Selection> select_streams(Plan& plan, const Options& options, std::string& error) {
  if (plan.streams.empty()) {
    error = options.input + " has no iWARP stream; iwarp-analyze says what is in it";
    return std::nullopt;
  }
  Selector selector(plan, options);
  bool there = false;
  for (std::uint32_t i = 0; i < plan.streams.size(); ++i) {
    if (options.stream && plan.streams[i].number != *options.stream) continue;
    there = true;
    selector.take(i);
  }
  if (!there) {
    error = "there is no stream " + std::to_string(*options.stream) + "; iwarp-analyze " + options.input +
            " lists what there is";
    return std::nullopt;
  }
  if (selector.made.streams.empty()) {
    error = "no stream is left to run";
    return std::nullopt;
  }
  const bool changed = !selector.mended_streams.empty() || options.keep_broken == KeepBroken::exactly;
  if (changed) plan = mended(plan, selector.mended_streams, selector.exact_streams);
  return std::move(selector.made);
}

std::string words_of(const PlannedViolation& fault) {
  return std::string(role_name(fault.role)) + " breaks " + fault.check + " in frame " +
         std::to_string(fault.frame) + " (" + fault.text + ")";
}

}  // namespace iwarp::replay
