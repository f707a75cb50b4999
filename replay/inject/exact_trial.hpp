// Whether what was recorded of a side can be sent again as it was: a trial in memory tells.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "engine/options.hpp"
#include "plan/plan.hpp"

namespace iwarp::replay {

// What a trial shows.
struct ExactTrial {
  std::string why_not;  // it cannot be had; else empty
  std::string lacking;  // rules that the recording breaks and the trial does not, such as "MPA-PAD, DDP-ZERO"
};
// A run of this stream (place in the plan) in which these roles send what was kept of them
// (PlannedStream::kept): it can be had where it comes to its end, breaks all rules by errors that they broke
// in the recording, and at least one in all. Two soft-RNICs in memory stand for both ends.
[[nodiscard]] ExactTrial try_exactly(const Plan& plan, std::uint32_t stream, const std::vector<Role>& roles,
                                     const ReplayOptions& options);

}  // namespace iwarp::replay
