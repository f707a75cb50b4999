// SPDX-License-Identifier: GPL-2.0-or-later
#include "commands/progress_bar.hpp"

#include <algorithm>
#include <cstdio>

namespace iwarp::replay {
namespace {

constexpr std::size_t bar_width = 20;

double rate(std::uint64_t now, std::uint64_t before, TimeNs time) {
  return time <= 0 ? 0 : static_cast<double>(now - std::min(now, before)) * 1e9 / static_cast<double>(time);
}

double megaoctets(double octets) {
  return octets / 1e6;
}

}  // namespace

std::string stats_line(const RunFigures& now, const RunFigures& before) {
  const TimeNs time = now.elapsed - before.elapsed;
  const std::string planned = now.loops == 0 ? "" : " of " + std::to_string(now.planned * now.loops);
  char text[256];
  std::snprintf(text, sizeof text,
                "loop %llu, %.3f s: %llu%s requests posted (%.0f/s), %llu complete, %.1f MB (%.1f MB/s)",
                static_cast<unsigned long long>(now.loop), static_cast<double>(now.elapsed) / 1e9,
                static_cast<unsigned long long>(now.posted), planned.c_str(),
                rate(now.posted, before.posted, time), static_cast<unsigned long long>(now.completed),
                megaoctets(static_cast<double>(now.octets)),
                megaoctets(rate(now.octets, before.octets, time)));
  return now.diverged == 0 ? text : text + (", " + std::to_string(now.diverged) + " loops diverged");
}

std::string bar_line(const RunFigures& now, const RunFigures& before, std::size_t width) {
  const TimeNs time = now.elapsed - before.elapsed;
  const double part =
      now.planned == 0 ? 1
                       : std::min(1.0, static_cast<double>(now.of_loop) / static_cast<double>(now.planned));
  const auto filled = static_cast<std::size_t>(part * static_cast<double>(bar_width));
  std::string text = "[" + std::string(filled, '=');
  if (filled < bar_width) text += ">" + std::string(bar_width - filled - 1, ' ');
  char rest[200];
  std::snprintf(rest, sizeof rest, "] %3.0f %%  %llu of %llu requests, %.0f/s, %.1f MB/s", part * 100,
                static_cast<unsigned long long>(now.of_loop), static_cast<unsigned long long>(now.planned),
                rate(now.posted, before.posted, time), megaoctets(rate(now.octets, before.octets, time)));
  text += rest;
  if (now.loops != 1) {
    text += ", loop " + std::to_string(now.loop);
    if (now.loops != 0) text += " of " + std::to_string(now.loops);
  }
  text += " (Ctrl-C: end with a report)";
  return text.substr(0, width);
}

}  // namespace iwarp::replay
