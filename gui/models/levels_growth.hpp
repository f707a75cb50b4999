// LevelsGrowth: takes rows of the tables into Levels, a piece at a time.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <iwarp/export/filter.hpp>

#include "models/levels.hpp"

namespace iwarp::gui {

struct LevelsGrowth {
  // Nothing of these is taken yet.
  [[nodiscard]] static std::unique_ptr<Levels> begin(Scope scope);
  // Takes some more rows; false: there were none. `filter` is that of the scope, or nothing.
  [[nodiscard]] static bool grow(Levels& levels, const Metrics& metrics, const Filter* filter);
};

}  // namespace iwarp::gui
