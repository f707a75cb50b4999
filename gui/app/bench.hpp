// --bench: how long views take to be painted while somebody zooms, pans and scrubs.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "app/options.hpp"

namespace iwarp::gui {

// Plays the same 600 steps in the view that the options name, or in each there is, without a display, and
// prints what they cost as one JSON object. Returns the exit status. REQUIRES: one capture.
[[nodiscard]] int run_bench(const Options& options);

}  // namespace iwarp::gui
