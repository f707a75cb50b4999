// SPDX-License-Identifier: GPL-2.0-or-later
#include "commands/selection.hpp"

#include <algorithm>

#include <iwarp/export/names.hpp>

#include "commands/fail.hpp"
#include "plan/mend.hpp"

namespace iwarp::replay {
namespace {

// What a live peer in place of the end that broke the rules does is its own; here nobody breaks them.
bool is_to_be_mended(const std::vector<PlannedViolation>& faults, const Options& options) {
  const auto of_live_peer = [&](const PlannedViolation& fault) {
    return options.as && fault.role != *options.as;
  };
  return options.keep_broken || std::ranges::all_of(faults, of_live_peer);
}

}  // namespace

std::optional<Selection> select_streams(Plan& plan, const Options& options, std::string& error) {
  if (plan.streams.empty()) {
    error = options.input + " has no iWARP stream; iwarp-analyze says what is in it";
    return std::nullopt;
  }
  Selection selection;
  bool there = false;
  std::vector<std::uint32_t> mended_streams;
  for (std::uint32_t i = 0; i < plan.streams.size(); ++i) {
    const PlannedStream& stream = plan.streams[i];
    if (options.stream && stream.number != *options.stream) continue;
    there = true;
    const std::vector<const PlannedViolation*> found = faults(stream);
    if (!found.empty()) {
      BrokenStream& broken = selection.broken.emplace_back();
      broken.number = stream.number;
      for (const PlannedViolation* const each : found) broken.faults.push_back(*each);
      broken.left_out = !is_to_be_mended(broken.faults, options);
      if (broken.left_out) {
        tell("stream " + std::to_string(stream.number) + " is left out: its " +
             words_of(broken.faults.front()) +
             ", which a replay that keeps the rules cannot show; --keep-broken runs it without that");
        continue;
      }
      mended_streams.push_back(i);
    }
    selection.streams.push_back(i);
  }
  if (!there) {
    error = "there is no stream " + std::to_string(*options.stream) + "; iwarp-analyze " + options.input +
            " lists what there is";
    return std::nullopt;
  }
  if (selection.streams.empty()) {
    error = "no stream is left to run";
    return std::nullopt;
  }
  if (!mended_streams.empty()) plan = mended(plan, mended_streams);
  return selection;
}

std::string words_of(const PlannedViolation& fault) {
  return std::string(role_name(fault.role)) + " breaks " + fault.check + " in frame " +
         std::to_string(fault.frame) + " (" + fault.text + ")";
}

}  // namespace iwarp::replay
