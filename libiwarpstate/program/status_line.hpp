// StatusLine: one line on a terminal's standard error that is drawn over itself while work goes on.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstddef>
#include <string>

namespace iwarp::program {

// Somebody looks at standard error.
[[nodiscard]] bool on_terminal() noexcept;
// Columns that a line there may have without being broken.
[[nodiscard]] std::size_t terminal_columns() noexcept;

// Threads: one at a time.
class StatusLine {
 public:
  // Without `shown` all calls do nothing.
  explicit StatusLine(bool shown = on_terminal()) : shown_(shown) {}
  ~StatusLine() { hide(); }
  StatusLine(const StatusLine&) = delete;
  StatusLine& operator=(const StatusLine&) = delete;

  [[nodiscard]] bool shown() const noexcept { return shown_; }
  // In the place of the last one.
  void show(const std::string& text);
  // Takes it off the screen, until the next show().
  void hide();

 private:
  const bool shown_;
  bool visible_ = false;
};

}  // namespace iwarp::program
