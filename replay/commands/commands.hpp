// The program's commands: each returns its exit status. SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "commands/options.hpp"

namespace iwarp::replay {

[[nodiscard]] int plan_command(const Options& options);
[[nodiscard]] int run_command(const Options& options);
[[nodiscard]] int compare_command(const Options& options);

}  // namespace iwarp::replay
