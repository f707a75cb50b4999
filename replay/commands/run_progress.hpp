// RunProgress: what a run says while it goes on, a line now and then (--stats) and a bar on a terminal.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <chrono>

#include "commands/progress_bar.hpp"
#include "program/status_line.hpp"
#include "transport/network.hpp"

namespace iwarp::replay {

class RunProgress {
 public:
  // From `now` on, the network's time, a line every `period` of it; 0: none. `bar`: where the terminal has
  // one.
  void begin(TimeNs now, TimeNs period, bool bar);
  // Says what is due; figures() is asked for it, a RunFigures.
  template <typename Figures>
  void say(TimeNs now, const Figures& figures) {
    if (now >= next_line_) say_line(now, figures());
    if (bar_due()) show_bar(figures());
  }
  // Of the network, when the next line is due; never.
  [[nodiscard]] TimeNs next_line() const noexcept { return next_line_; }
  // Somebody watches the bar, whatever time the run has.
  [[nodiscard]] bool watched() const noexcept { return next_bar_ != Clock::time_point::max(); }
  void hide() { bar_.hide(); }

 private:
  using Clock = std::chrono::steady_clock;

  [[nodiscard]] bool bar_due() const { return watched() && Clock::now() >= next_bar_; }
  void say_line(TimeNs now, const RunFigures& figures);
  void show_bar(const RunFigures& figures);

  TimeNs period_ = 0;
  TimeNs next_line_ = never;
  Clock::time_point next_bar_ = Clock::time_point::max();
  program::StatusLine bar_;
  RunFigures in_line_;  // as the latest line has them
  RunFigures on_bar_;   // … and the bar
};

}  // namespace iwarp::replay
