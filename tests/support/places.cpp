// SPDX-License-Identifier: GPL-2.0-or-later
#include "support/places.hpp"

namespace iwarp::test::places {

std::string source() {
  return IWARP_SOURCE_DIR;
}

std::string captures() {
  return source() + "/captures";
}

std::string tests() {
  return source() + "/tests";
}

std::string analyze() {
#ifdef IWARP_ANALYZE_PROGRAM
  return IWARP_ANALYZE_PROGRAM;
#else
  return "iwarp-analyze";
#endif
}

std::string replay() {
#ifdef IWARP_REPLAY_PROGRAM
  return IWARP_REPLAY_PROGRAM;
#else
  return {};
#endif
}

}  // namespace iwarp::test::places
