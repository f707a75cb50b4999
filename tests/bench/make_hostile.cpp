// Writes the captures that growth.py measures.
//
//   make_hostile                    their names and what grows in each, a line each
//   make_hostile NAME OCTETS FILE   one of about so many octets
//
// SPDX-License-Identifier: GPL-2.0-or-later
#include <cstdio>
#include <cstdlib>

#include "support/hostile_captures.hpp"
#include "support/pcap_file.hpp"

int main(int argc, char** argv) {
  using namespace iwarp::test;
  if (argc == 1) {
    for (const HostileCapture& each : hostile_captures()) std::printf("%s %s\n", each.name, each.what);
    return 0;
  }
  if (argc != 4) {
    std::fputs("usage: make_hostile [NAME OCTETS FILE]\n", stderr);
    return 2;
  }
  const iwarp::Bytes octets = pcap_file(hostile_capture(argv[1], std::strtoull(argv[2], nullptr, 10)));
  return write_file(argv[3], octets) ? 0 : 2;
}
