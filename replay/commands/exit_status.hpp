// Exit status of the program. SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

namespace iwarp::replay {

inline constexpr int exit_same = 0;      // it did what was asked
inline constexpr int exit_diverged = 1;  // it did, and the answer is no
inline constexpr int exit_failed = 2;    // it could not: arguments, files, the network

}  // namespace iwarp::replay
