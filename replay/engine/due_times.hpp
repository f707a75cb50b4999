// DueTimes: when recorded moments are due in a run: from one fixed beginning, so that nothing drifts.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <utility>
#include <vector>

#include "engine/options.hpp"
#include "plan/plan.hpp"

namespace iwarp::replay {

// When the stream's first frame was recorded.
[[nodiscard]] TimeNs begin_of(const PlannedStream& stream);

class DueTimes {
 public:
  // Time 0 of the streams' recording is `begun`. Pauses of all of them longer than the options' longest one
  // are shortened to it; then everything is divided by the speed.
  DueTimes(const Plan& plan, const std::vector<std::uint32_t>& streams, const ReplayOptions& options,
           TimeNs begun);

  [[nodiscard]] TimeNs at(TimeNs recorded) const;
  // A recorded pause of one application.
  [[nodiscard]] TimeNs pause(TimeNs recorded) const;

 private:
  [[nodiscard]] TimeNs scaled(TimeNs recorded) const;

  TimeNs begun_;
  TimeNs first_ = 0;
  double speed_;
  TimeNs longest_;
  std::vector<std::pair<TimeNs, TimeNs>> cuts_;  // the end of a long pause; what is left out up to there
};

}  // namespace iwarp::replay
