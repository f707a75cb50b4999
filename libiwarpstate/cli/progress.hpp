// Progress: a bar on a terminal's standard error while captures are read.
//
// Threads: update() of different captures may be called at once; hide() from anywhere.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <chrono>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include <iwarp/capture/record.hpp>

#include "program/status_line.hpp"

namespace iwarp::cli {

class Progress {
 public:
  // Without `shown` all calls do nothing.
  Progress(bool shown, std::size_t captures);
  ~Progress() { hide(); }
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  [[nodiscard]] bool shown() const noexcept { return line_.shown(); }
  // How far capture number `capture` has come; `totals` stands behind that, where its end is not known.
  // Draws, but not more often than the eye sees.
  void update(std::size_t capture, const capture::Progress& progress, std::uint64_t frames,
              const std::string& totals = {});
  void finish(std::size_t capture);
  // Takes the bar off the screen, until the next update().
  void hide();

 private:
  using Clock = std::chrono::steady_clock;
  struct Part {
    double done = 0;  // 0 to 1
    std::uint64_t octets = 0;
    std::uint64_t frames = 0;
    bool measurable = true;
    std::string totals;
  };

  void draw();

  std::mutex mutex_;
  std::vector<Part> parts_;
  Clock::time_point begun_ = Clock::now();
  Clock::time_point drawn_ = begun_;
  program::StatusLine line_;
};

}  // namespace iwarp::cli
