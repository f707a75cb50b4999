// iwarp-analyze: protocol state, operations and broken rules of captured iWARP traffic.
// SPDX-License-Identifier: GPL-2.0-or-later
#include "options.hpp"
#include "program/exit_status.hpp"
#include "run.hpp"

int main(int argc, char** argv) {
  int status = iwarp::program::exit_done;
  const auto options = iwarp::cli::parse_options(argc, argv, status);
  return options ? iwarp::cli::run(*options) : status;
}
