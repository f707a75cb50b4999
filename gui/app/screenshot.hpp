// --screenshot: the picture of a capture, without a display.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "app/options.hpp"

namespace iwarp::gui {

// Before QApplication is made: no display is looked for, and nothing of the desktop changes the picture.
void prepare_screenshot();
// Returns the program's exit status; sentences go to standard error.
[[nodiscard]] int take_screenshot(const Options& options);

}  // namespace iwarp::gui
