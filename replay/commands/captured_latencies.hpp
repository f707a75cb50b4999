// What the log of a plan takes from the capture that the plan was made from.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "commands/selection.hpp"
#include "compare/stream_log.hpp"
#include "plan/plan.hpp"

namespace iwarp::replay {

// Adds latencies to `expected`, the logs of the plan's `streams`, and has those of `exact` say what was
// captured. `inputs` were read for the plan, `numbered_from` is the number of each one's stream 0. Inputs
// without packets leave the logs as they are.
void add_captured(const std::vector<std::string>& inputs, const std::vector<std::uint32_t>& numbered_from,
                  const Plan& plan, const std::vector<std::uint32_t>& streams,
                  const std::vector<ExactSide>& exact, std::vector<StreamLog>& expected);

}  // namespace iwarp::replay
