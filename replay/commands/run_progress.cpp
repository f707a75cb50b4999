// SPDX-License-Identifier: GPL-2.0-or-later
#include "commands/run_progress.hpp"

#include <algorithm>
#include <cstdio>

namespace iwarp::replay {

void RunProgress::begin(TimeNs now, TimeNs period, bool bar) {
  period_ = period;
  if (period_ != 0) next_line_ = now + period_;
  if (bar && bar_.shown()) next_bar_ = Clock::now() + std::chrono::seconds(1);
}

void RunProgress::say_line(TimeNs now, const RunFigures& figures) {
  next_line_ += period_ * std::max<TimeNs>(1, (now - next_line_) / period_ + 1);
  bar_.hide();
  std::fprintf(stderr, "%s\n", stats_line(figures, in_line_).c_str());
  in_line_ = figures;
}

void RunProgress::show_bar(const RunFigures& figures) {
  next_bar_ = Clock::now() + std::chrono::milliseconds(200);
  bar_.show(bar_line(figures, on_bar_, program::terminal_columns()));
  on_bar_ = figures;
}

}  // namespace iwarp::replay
