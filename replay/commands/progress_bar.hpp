// What a run tells about itself while it goes on: a line for --stats, a bar on a terminal.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstdint>
#include <string>

#include <iwarp/ids.hpp>

namespace iwarp::replay {

struct RunFigures {
  std::uint64_t loop = 1;
  std::uint64_t loops = 1;    // 0: endless
  TimeNs elapsed = 0;         // of the run
  std::uint64_t planned = 0;  // in a loop
  std::uint64_t posted = 0;   // as those below, in all loops
  std::uint64_t completed = 0;
  std::uint64_t octets = 0;
  std::uint64_t of_loop = 0;   // posted in this one
  std::uint64_t diverged = 0;  // loops
};

// "loop 1, 2.000 s: 240 of 1200 requests posted (120/s), 238 complete, 1.5 MB (0.8 MB/s)"; rates are since
// `before`, all else is of the run. Endless loops plan no number.
[[nodiscard]] std::string stats_line(const RunFigures& now, const RunFigures& before);
// "[=======>            ]  38 %  456 of 1200 requests, 120/s, 0.8 MB/s, loop 1 of 3 (Ctrl-C: end with a
// report)", at most `width` columns.
[[nodiscard]] std::string bar_line(const RunFigures& now, const RunFigures& before, std::size_t width);

}  // namespace iwarp::replay
