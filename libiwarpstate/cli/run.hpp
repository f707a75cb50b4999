// The whole command behind its options.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "options.hpp"

namespace iwarp::cli {

// Analyses all captures, or prints a list. Returns the exit status.
[[nodiscard]] int run(const Options& options);

}  // namespace iwarp::cli
