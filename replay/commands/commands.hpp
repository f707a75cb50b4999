// The program's commands: each returns its exit status.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "commands/options.hpp"

namespace iwarp::replay {

[[nodiscard]] int plan_command(const Options& options);
[[nodiscard]] int run_command(const Options& options);
[[nodiscard]] int compare_command(const Options& options);
[[nodiscard]] int campaign_command(const Options& options);
[[nodiscard]] int shrink_command(const Options& options);
[[nodiscard]] int list_injections_command(const Options& options);
// The one that the options name.
[[nodiscard]] int run_any(const Options& options);

}  // namespace iwarp::replay
