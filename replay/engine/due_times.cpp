// SPDX-License-Identifier: GPL-2.0-or-later
#include "engine/due_times.hpp"

#include <algorithm>
#include <cmath>

namespace iwarp::replay {

TimeNs begin_of(const PlannedStream& stream) {
  TimeNs first = never;
  for (const std::optional<PlannedStartup>& each : stream.startup) {
    if (each) first = std::min(first, each->time_ns);
  }
  for (const PlannedWork& work : stream.work) first = std::min(first, work.time_ns);
  return first == never ? 0 : first;
}

DueTimes::DueTimes(const Plan& plan, const std::vector<std::uint32_t>& streams, const ReplayOptions& options,
                   TimeNs begun)
    : begun_(begun), first_(never), speed_(options.speed), longest_(options.max_gap) {
  std::vector<TimeNs> all;
  for (const std::uint32_t each : streams) {
    const PlannedStream& stream = plan.streams[each];
    first_ = std::min(first_, begin_of(stream));
    if (longest_ == never) continue;
    all.push_back(begin_of(stream));
    for (const PlannedWork& work : stream.work) all.push_back(work.time_ns);
  }
  if (first_ == never) first_ = 0;
  std::ranges::sort(all);
  TimeNs left_out = 0;
  for (std::size_t i = 1; i < all.size(); ++i) {
    if (all[i] - all[i - 1] <= longest_) continue;
    left_out += all[i] - all[i - 1] - longest_;
    cuts_.emplace_back(all[i], left_out);
  }
}

TimeNs DueTimes::scaled(TimeNs recorded) const {
  if (speed_ == 1) return recorded;
  const double scaled = static_cast<double>(recorded) / speed_;
  // Further away than any run lasts: a speed near 0.
  return scaled < 4e18 ? std::llround(scaled) : TimeNs{4'000'000'000'000'000'000};
}

TimeNs DueTimes::at(TimeNs recorded) const {
  const auto behind = std::ranges::upper_bound(cuts_, recorded, {}, &std::pair<TimeNs, TimeNs>::first);
  const TimeNs left_out = behind == cuts_.begin() ? 0 : std::prev(behind)->second;
  return begun_ + scaled(std::max<TimeNs>(recorded - first_ - left_out, 0));
}

TimeNs DueTimes::pause(TimeNs recorded) const {
  return scaled(std::clamp<TimeNs>(recorded, 0, longest_));
}

}  // namespace iwarp::replay
