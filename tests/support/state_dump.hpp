// A ConnectionState as text, every field of it, so that two can be compared and a difference be read.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <string>

#include <iwarp/state.hpp>

namespace iwarp::testing {

[[nodiscard]] std::string dump(const ConnectionState& state);

}  // namespace iwarp::testing
