// Drawing the progress bar.
// SPDX-License-Identifier: GPL-2.0-or-later
#include "progress.hpp"

#include <algorithm>
#include <cstdio>
#include <string>

namespace iwarp::cli {

Progress::Progress(bool shown, std::size_t captures) : parts_(captures), line_(shown) {}

void Progress::update(std::size_t capture, const capture::Progress& progress, std::uint64_t frames,
                      const std::string& totals) {
  if (!line_.shown()) return;
  const std::scoped_lock lock(mutex_);
  Part& part = parts_[capture];
  part.octets = progress.consumed;
  part.frames = frames;
  part.measurable = progress.total.has_value();
  part.totals = totals;
  if (progress.total) {
    part.done = *progress.total == 0
                    ? 1
                    : static_cast<double>(progress.consumed) / static_cast<double>(*progress.total);
  }
  const auto now = Clock::now();
  // Short work needs no bar.
  if (now - begun_ < std::chrono::milliseconds(500) || now - drawn_ < std::chrono::milliseconds(100)) return;
  drawn_ = now;
  draw();
}

void Progress::finish(std::size_t capture) {
  if (!line_.shown()) return;
  const std::scoped_lock lock(mutex_);
  parts_[capture].done = 1;
}

void Progress::draw() {
  double done = 0;
  std::uint64_t octets = 0;
  std::uint64_t frames = 0;
  bool measurable = true;
  std::string totals;
  for (const Part& part : parts_) {
    done += std::min(part.done, 1.0) / static_cast<double>(parts_.size());
    octets += part.octets;
    frames += part.frames;
    measurable = measurable && part.measurable;
    totals += part.totals;
  }
  const double seconds = std::chrono::duration<double>(Clock::now() - begun_).count();
  const double megabytes = static_cast<double>(octets) / 1e6;
  char text[160];
  if (measurable) {
    constexpr int width = 30;
    const int filled = static_cast<int>(done * width);
    const std::string bar = std::string(static_cast<std::size_t>(filled), '#') +
                            std::string(static_cast<std::size_t>(width - filled), '.');
    std::snprintf(text, sizeof text, "[%s] %3.0f%%  %llu frames, %.0f MB/s", bar.c_str(), done * 100,
                  static_cast<unsigned long long>(frames), megabytes / seconds);
  } else {
    std::snprintf(text, sizeof text, "%llu frames, %.1f MB", static_cast<unsigned long long>(frames),
                  megabytes);
  }
  // A line that is broken could not be taken off again.
  line_.show((measurable ? text : text + totals).substr(0, program::terminal_columns()));
}

void Progress::hide() {
  if (!line_.shown()) return;
  const std::scoped_lock lock(mutex_);
  line_.hide();
}

}  // namespace iwarp::cli
