// Results go to standard output, and somebody has to be told when they cannot.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <sys/types.h>

#include <string>
#include <string_view>

namespace iwarp::program {

// Writes all of it. Returns 0, or the errno that kept it from being written whole: EINTR where an interrupt
// came (interrupt.hpp) and a full pipe was not read for a second.
[[nodiscard]] int write_whole(int descriptor, std::string_view octets) noexcept;

// open(2), but an interrupt ends the wait for the reader of a FIFO, whenever it comes: EINTR.
[[nodiscard]] int open_to_write(const char* path, int flags, mode_t mode) noexcept;

// Writes it to standard error.
void complain(std::string_view text) noexcept;

// What there is to say when standard output failed with this errno; empty where it did not, and where its
// reader went away, which is no failure (| head).
[[nodiscard]] std::string standard_output_failure(int error);

// Writes it to standard output, behind what stdio has for it; returns what there is to say of that.
[[nodiscard]] std::string print(std::string_view octets);

}  // namespace iwarp::program
