// Streams as they would have been, had their ends kept the rules.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <vector>

#include "plan/plan.hpp"

namespace iwarp::replay {

// The plan with no violation in these streams, and none of what answered one: Terminates and RSTs from the
// first fault on are left out, a request that stayed unanswered because of it is to be answered, and a Reply
// that could not be read is a usual one. Streams keep their places, works do not. REQUIRES: `streams` are the
// plan's, ascending; so are `exact`, which stay as they are. What others had kept of their faults goes.
[[nodiscard]] Plan mended(const Plan& plan, const std::vector<std::uint32_t>& streams,
                          const std::vector<std::uint32_t>& exact = {});

}  // namespace iwarp::replay
