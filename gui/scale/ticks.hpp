// Ticks of axes: at round values, in the units of people, as many as there is room for.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <string>
#include <vector>

#include "scale/time_scale.hpp"

namespace iwarp::gui {

struct TimeTick {
  TimeNs time = 0;
  std::string label;
};

struct TimeTicks {
  // Where labels count from something nearer than the origin, since their last digits alone differ: "12.345 s
  // +". Empty: they count from the origin.
  std::string base;
  std::vector<TimeTick> ticks;
  std::uint64_t step_ns = 1;
};

// Ticks of the scale's span, `spacing` pixels or more apart, counted from `origin` (the capture's first
// frame).
[[nodiscard]] TimeTicks time_ticks(const TimeScale& scale, TimeNs origin, double spacing);

// Round values (1, 2 or 5 times a power of ten) that divide [least, greatest] into at most `most` parts,
// ascending. REQUIRES: most > 0. Empty where least >= greatest or they are not finite.
[[nodiscard]] std::vector<double> linear_ticks(double least, double greatest, int most);
// Powers of ten in [least, greatest]; 2 and 5 times them, too, where they are fewer than three, and all
// multiples of a range that is less than tenfold. REQUIRES: least > 0.
[[nodiscard]] std::vector<double> log_ticks(double least, double greatest);

}  // namespace iwarp::gui
