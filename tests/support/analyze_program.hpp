// Runs the iwarp-analyze of this build.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <string>

namespace iwarp::test {

struct ProgramRun {
  int status = -1;  // exit status
  std::string out;  // standard output
};

// `arguments` and the shell command `before` that feeds its standard input are for a shell; it runs in
// `folder`.
[[nodiscard]] ProgramRun run_analyze(const std::string& arguments, const std::string& folder = ".",
                                     const std::string& before = "true");

}  // namespace iwarp::test
