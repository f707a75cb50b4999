// The command line of iwarp-view.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <QSize>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <iwarp/ids.hpp>

#include "models/loader.hpp"

namespace iwarp::gui {

enum class ThemeChoice {
  desktop,
  light,
  dark
};

// Durations from the first frame of a capture.
struct RangeChoice {
  TimeNs from = 0;
  std::optional<TimeNs> upto;
};

struct Options {
  std::vector<std::string> captures;
  std::string interface;       // to capture from; empty: none
  std::string capture_filter;  // of its packets; empty: all
  std::string view;            // of the registry; empty: none was named
  std::optional<ConnectionId> stream;
  std::optional<FrameNumber> frame;
  std::string filter;  // that is right
  std::optional<RangeChoice> range;
  std::string compare;     // the capture to compare with; empty: none
  std::string screenshot;  // empty: none
  bool bench = false;
  bool follow = false;  // read on when a file ends: it grows
  QSize size{1280, 800};
  double scale = 1;
  ThemeChoice theme = ThemeChoice::desktop;
  LoadOptions load;
};

// What was asked for; nothing where the program ends with `status`, all said.
[[nodiscard]] std::optional<Options> parse_options(int argc, const char* const* argv, int& status);

}  // namespace iwarp::gui
