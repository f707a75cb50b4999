// Exit status of every command of the project.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

namespace iwarp::program {

inline constexpr int exit_done = 0;  // it did what was asked
inline constexpr int exit_no = 1;    // it did, and the answer is "no"
inline constexpr int exit_failed =
    2;  // it could not: bad arguments, unreadable or damaged input, the network

}  // namespace iwarp::program
