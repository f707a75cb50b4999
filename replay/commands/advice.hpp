// What is said of a command line with a wrong word in it.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace CLI {
class App;
}

namespace iwarp::replay {

// The one of `names` that somebody meant who wrote `word`; empty where none is near.
[[nodiscard]] std::string meant_by(std::string_view word, const std::vector<std::string>& names);

// Of the words behind a command: the first option that it does not have, with the one that was meant, or
// whose it is; or one that lacks its value. Empty where there is no such thing.
[[nodiscard]] std::string wrong_option(const CLI::App& program, const CLI::App& command,
                                       std::span<const char* const> words);

}  // namespace iwarp::replay
