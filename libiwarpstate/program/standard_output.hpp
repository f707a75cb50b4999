// Results go to standard output, and somebody has to be told when they cannot.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <string>
#include <string_view>

namespace iwarp::program {

// Writes all of it. Returns 0, or the errno that kept it from being written whole.
[[nodiscard]] int write_whole(int descriptor, std::string_view octets) noexcept;

// What there is to say when standard output failed with this errno; empty where it did not, and where its
// reader went away, which is no failure (| head).
[[nodiscard]] std::string standard_output_failure(int error);

// Writes it to standard output, behind what stdio has for it; returns what there is to say of that.
[[nodiscard]] std::string print(std::string_view octets);

}  // namespace iwarp::program
