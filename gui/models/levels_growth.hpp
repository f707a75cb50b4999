// LevelsGrowth: takes rows of the tables into Levels, a piece at a time.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <iwarp/export/filter.hpp>

#include "models/levels.hpp"

namespace iwarp::gui {

struct LevelsGrowth {
  // `filter` is that of the scope, or nothing; `like`: levels of another scope, or nothing. What counts as a
  // whole in both (a filter of operations lets all messages through) is taken from there, nothing else is
  // yet.
  [[nodiscard]] static std::unique_ptr<Levels> begin(Scope scope, const Filter* filter, const Levels* like);
  // Takes some more rows; false: there were none.
  [[nodiscard]] static bool grow(Levels& levels, const Metrics& metrics, const Filter* filter);
};

}  // namespace iwarp::gui
