// How a command ends that prints a result, or cannot do what it was asked.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <string>
#include <string_view>

#include "program/exit_status.hpp"
#include "program/printable.hpp"
#include "program/standard_output.hpp"

namespace iwarp::replay {

// One sentence on standard error; names of files stand in it as they are.
inline void tell(const std::string& sentence) {
  program::complain("iwarp-replay: " + program::printable(sentence) + "\n");
}

// Its exit status.
inline int fail(const std::string& error) {
  tell(error);
  return program::exit_failed;
}

// Of damaged input the result is printed, but there may have been more of it.
[[nodiscard]] constexpr int status_of(int status, bool damaged) noexcept {
  return damaged ? program::exit_failed : status;
}

// Prints a result; returns `status`, or the one of a failure where standard output did not take it.
[[nodiscard]] inline int print_result(std::string_view text, int status) {
  const std::string failure = program::print(text);
  return failure.empty() ? status : fail(failure);
}

}  // namespace iwarp::replay
