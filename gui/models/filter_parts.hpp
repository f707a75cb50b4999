// A filter as its parts that all must hold: what a person can take off one by one.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace iwarp::gui {

// "a and (b or c) && d": "a", "(b or c)", "d". One part where it is something else than that; none of an
// empty one. REQUIRES: the expression is right (Filter::parse).
[[nodiscard]] std::vector<std::string> filter_parts(std::string_view expression);
// The expression that holds where all of these do. Parts that are alternatives are put into parentheses.
[[nodiscard]] std::string joined(const std::vector<std::string>& parts);

}  // namespace iwarp::gui
