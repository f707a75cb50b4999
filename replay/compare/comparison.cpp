// SPDX-License-Identifier: GPL-2.0-or-later
#include "compare/comparison.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <utility>

#include "compare/role_comparison.hpp"
#include "compare/startup_comparison.hpp"
#include "compare/stream_pairs.hpp"

namespace iwarp::replay {
namespace {

void tell_private_data(const StreamLog& recorded, const StreamLog& live, Role role, Advertised& advertised) {
  const auto& a = recorded.private_data[static_cast<std::size_t>(role)];
  const auto& b = live.private_data[static_cast<std::size_t>(role)];
  if (!a) return;
  for (const Mention& each : a->advertised) {
    if (b) {
      advertised.take(role, each, b->octets, a->octets.size());
    } else {
      advertised.doubt(role, each.stag);
    }
  }
}

// Start-ups and ends alone are a session, too.
bool compared_nothing(const Comparison& comparison, const StreamLog& recorded, const StreamLog& live,
                      const IgnoreRules& ignore) {
  if (comparison.matched != 0 || !comparison.same()) return false;
  const std::vector<Difference>& doubts = comparison.differences;
  const bool limited =
      std::ranges::all_of(doubts, [](const Difference& each) { return each.reason == Reason::limit; });
  if (!doubts.empty() && limited) return false;  // that was asked for
  bool any = !doubts.empty();
  for (const StreamLog* log : {&recorded, &live}) {
    for (const auto& entries : log->entries) {
      any = any || !entries.empty();
      if (std::ranges::any_of(entries, [](const LogEntry& each) { return !is_close(each.kind); }))
        return true;
    }
  }
  const bool startup = recorded.startup == live.startup && live.startup != StartupEnd::unknown &&
                       !ignore.ignores(LogField::startup, Role::responder) &&
                       !ignore.ignores(Role::responder);
  return any && !startup;
}

// Puts what only the live log has where the run had come by then, by the requests of both sides; and an end
// of the stream behind what else there is. An end by which a side gave up waiting explains nothing.
void place_extras(const std::array<RoleComparison, 2>& roles, const StreamLog& live,
                  std::vector<RoleComparison::Placed>& all) {
  std::vector<std::pair<TimeNs, FrameNumber>> progress;
  for (const RoleComparison& each : roles) each.add_progress(progress);
  std::ranges::sort(progress);
  FrameNumber furthest = 0;
  for (auto& [time, frame] : progress) furthest = frame = std::max(furthest, frame);
  for (RoleComparison::Placed& each : all) {
    if (each.difference.recorded || !each.difference.live) continue;
    const LogEntry& entry =
        live.entries[static_cast<std::size_t>(each.difference.role)][*each.difference.live];
    each.end = is_close(entry.kind) || entry.kind == WorkKind::terminate;
    const auto behind =
        std::ranges::upper_bound(progress, entry.time_ns, {}, &std::pair<TimeNs, FrameNumber>::first);
    each.frame = behind == progress.begin() ? 0 : std::prev(behind)->second;
    if (each.end && live.timed_out) each.frame = ~FrameNumber{0};
  }
}

TimeNs quantile(std::vector<TimeNs> values, std::size_t percent) {
  std::ranges::sort(values);
  return values[std::min(values.size() - 1, values.size() * percent / 100)];
}

LatencyPair summary_of(WorkKind kind, const std::vector<std::pair<TimeNs, TimeNs>>& both) {
  std::vector<TimeNs> recorded;
  std::vector<TimeNs> live;
  for (const auto& [a, b] : both) {
    recorded.push_back(a);
    live.push_back(b);
  }
  return {kind,
          both.size(),
          quantile(recorded, 50),
          quantile(live, 50),
          quantile(recorded, 99),
          quantile(live, 99)};
}

}  // namespace

bool Comparison::same() const noexcept {
  return first() == nullptr;
}

const Difference* Comparison::first() const noexcept {
  const auto found = std::ranges::find_if(
      differences, [](const Difference& each) { return each.what != DifferenceClass::undecidable; });
  return found == differences.end() ? nullptr : &*found;
}

bool StreamsComparison::same() const noexcept {
  return std::ranges::all_of(streams, [](const Each& each) {
    return each.undecidable || (each.recorded && each.live && each.comparison.same());
  });
}

bool StreamsComparison::nothing_compared() const noexcept {
  return std::ranges::all_of(streams, [](const Each& each) {
    return each.undecidable || (each.recorded && each.live && each.comparison.nothing_compared);
  });
}

Comparison compare(const StreamLog& recorded, const StreamLog& live, const CompareOptions& options) {
  Comparison comparison;
  std::vector<RoleComparison::Placed> all;
  std::map<WorkKind, std::vector<std::pair<TimeNs, TimeNs>>> latencies;
  Advertised advertised;
  std::array<RoleComparison, 2> roles = {
      RoleComparison(recorded, live, Role::initiator, options.ignore, advertised),
      RoleComparison(recorded, live, Role::responder, options.ignore, advertised)};
  for (RoleComparison& each : roles) {
    each.pair();
    each.tell(advertised);
  }
  for (const Role role : {Role::initiator, Role::responder})
    tell_private_data(recorded, live, role, advertised);
  for (const Role role : {Role::initiator, Role::responder}) {
    if (options.ignore.ignores(role)) continue;
    const auto add = [&](std::optional<Difference> each) {
      if (each && !options.ignore.ignores(each->what)) all.push_back({std::move(*each), 0});
    };
    if (role == Role::responder) add(difference_of_startup(recorded, live, options.ignore));
    add(difference_of_private_data(recorded, live, role, options.ignore));
    RoleComparison& one = roles[static_cast<std::size_t>(role)];
    one.judge();
    comparison.matched += one.matches.size();
    std::ranges::move(one.matches, std::back_inserter(comparison.matches));
    std::ranges::move(one.differences, std::back_inserter(all));
    for (auto& [kind, both] : one.latencies) std::ranges::copy(both, std::back_inserter(latencies[kind]));
  }
  place_extras(roles, live, all);
  std::ranges::stable_sort(all, {}, [](const auto& each) { return std::pair(each.frame, each.end); });
  for (RoleComparison::Placed& each : all) {
    ++comparison.counts[static_cast<std::size_t>(each.difference.what)];
    const bool first = comparison.first() == nullptr && each.difference.what != DifferenceClass::undecidable;
    if (comparison.differences.size() < options.max_differences || first) {
      comparison.differences.push_back(std::move(each.difference));
    }
  }
  for (const auto& [kind, both] : latencies) comparison.latencies.push_back(summary_of(kind, both));
  comparison.nothing_compared = compared_nothing(comparison, recorded, live, options.ignore);
  return comparison;
}

std::vector<PlannedViolation> broken_only_live(const StreamsComparison& comparison,
                                               const std::vector<StreamLog>& recorded,
                                               const std::vector<StreamLog>& live) {
  std::vector<PlannedViolation> out;
  for (const StreamsComparison::Each& each : comparison.streams) {
    if (!each.live) continue;
    for (const PlannedViolation& broken : live[*each.live].violations) {
      const auto same = [&](const PlannedViolation& other) {
        return other.check == broken.check && other.role == broken.role;
      };
      if (!each.recorded || std::ranges::none_of(recorded[*each.recorded].violations, same))
        out.push_back(broken);
    }
  }
  return out;
}

StreamsComparison compare(const std::vector<StreamLog>& recorded, const std::vector<StreamLog>& live,
                          const CompareOptions& options) {
  StreamsComparison out;
  for (const StreamPair& pair : paired_streams(recorded, live)) {
    StreamsComparison::Each& each = out.streams.emplace_back();
    each.recorded = pair.recorded;
    each.live = pair.live;
    if (each.recorded && each.live)
      each.comparison = compare(recorded[*each.recorded], live[*each.live], options);
    const bool cut_away = each.live ? !each.recorded && options.recorded_damaged : options.live_damaged;
    if (cut_away || pair.cut_away) each.undecidable = Reason::capture_end;
  }
  return out;
}

}  // namespace iwarp::replay
