// The table of breaches as text and as markdown (docs/injections.md).
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <string>

#include "inject/rules.hpp"

namespace iwarp::replay {

[[nodiscard]] std::string breaches_as_text();
[[nodiscard]] std::string breaches_as_markdown();
// What it needs, in words: "not the first of its queue; CRC"; empty where it needs nothing.
[[nodiscard]] std::string needs_in_words(const Needs& needs);

}  // namespace iwarp::replay
