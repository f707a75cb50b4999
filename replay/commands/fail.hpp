// What a command says when it cannot do what it was asked.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstdio>
#include <string>

#include "program/exit_status.hpp"

namespace iwarp::replay {

// Its exit status.
inline int fail(const std::string& error) {
  std::fprintf(stderr, "iwarp-replay: %s\n", error.c_str());
  return program::exit_failed;
}

}  // namespace iwarp::replay
