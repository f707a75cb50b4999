// Ctrl-C and termination ask a run to end with a report; a second time they end the program.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

namespace iwarp::replay {

void watch_signals();
[[nodiscard]] bool interrupted() noexcept;

}  // namespace iwarp::replay
