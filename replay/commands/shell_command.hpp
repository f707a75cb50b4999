// A line that the shell runs, and that Ctrl-C ends.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <string>

namespace iwarp::replay {

struct ShellResult {
  std::string error;         // why it could not be run; else empty
  int status = 0;            // as of waitpid()
  bool interrupted = false;  // by a signal to this program, also where the line came to its end by then
};

// /bin/sh -c `line`, in the same process group: a terminal's Ctrl-C reaches it, too. Where the signal came to
// this program alone the shell is terminated. Unlike std::system(), which ignores SIGINT meanwhile.
[[nodiscard]] ShellResult run_shell(const std::string& line);

}  // namespace iwarp::replay
