// iwarp-replay: captured iWARP traffic made again through a soft-RNIC, and what differs.
// SPDX-License-Identifier: GPL-2.0-or-later
#include "commands/commands.hpp"

int main(int argc, char** argv) {
  using namespace iwarp::replay;
  int status = 0;
  const auto options = parse_options(argc, argv, status);
  return options ? run_any(*options) : status;
}
