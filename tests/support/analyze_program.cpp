// SPDX-License-Identifier: GPL-2.0-or-later
#include "support/analyze_program.hpp"

#include <sys/wait.h>

#include <cstdio>

#include "support/places.hpp"

namespace iwarp::test {

ProgramRun run_analyze(const std::string& arguments, const std::string& folder, const std::string& before) {
  ProgramRun run;
  const std::string command =
      "cd '" + folder + "' && " + before + " | '" + places::analyze() + "' " + arguments + " 2>/dev/null";
  FILE* const pipe = ::popen(command.c_str(), "r");
  if (pipe == nullptr) return run;
  char buffer[65536];
  for (std::size_t got = 0; (got = std::fread(buffer, 1, sizeof buffer, pipe)) > 0;)
    run.out.append(buffer, got);
  const int ended = ::pclose(pipe);
  run.status = WIFEXITED(ended) ? WEXITSTATUS(ended) : -1;
  return run;
}

}  // namespace iwarp::test
