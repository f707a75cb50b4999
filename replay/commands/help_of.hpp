// What --help prints of one command: its part of help.hpp.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <functional>
#include <string>
#include <string_view>

namespace iwarp::replay {

// `has` tells whether the command has that option ("--speed", "-o").
[[nodiscard]] std::string help_of(std::string_view command,
                                  const std::function<bool(const std::string& option)>& has);
// "--max-gap D", as the help has it; the name alone where it does not.
[[nodiscard]] std::string synopsis_of(const std::string& option);

}  // namespace iwarp::replay
