// Ctrl-C, termination and the end of the terminal ask the work to end with what is known so far; a second
// time they end the program.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

namespace iwarp::program {

// Installs the handlers of SIGINT, SIGTERM and, unless nohup(1) has it ignored, SIGHUP; and lets writes to a
// closed pipe fail instead of killing.
void watch_signals();
// Whether one of them came. Any thread.
[[nodiscard]] bool interrupted() noexcept;

}  // namespace iwarp::program
