// Work: what a picture cost, counted and not timed, so that tests can bound it on any machine.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstddef>

namespace iwarp::gui {

struct Work {
  std::size_t primitives = 0;  // lines, rectangles, texts handed to the painter; a raster is one
  std::size_t visited = 0;     // nodes, values and rows that were looked at

  Work& operator+=(const Work& more) noexcept {
    primitives += more.primitives;
    visited += more.visited;
    return *this;
  }
};

}  // namespace iwarp::gui
