// Plans put together: one behind the other, and several copies of streams at once.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstdint>
#include <vector>

#include "plan/plan.hpp"

namespace iwarp::replay {

// Puts `more` behind what `plan` has, in time too: it begins when the former ends. Its streams are numbered
// on; its hosts are RNICs of their own, as its STags are, whatever their addresses. Returns what was added to
// the numbers of its streams. Of the seeds that of `plan` counts.
std::uint32_t put_behind(Plan& plan, const Plan& more);

// Adds `count` - 1 copies of these streams (places in the plan), each with hosts of its own. Copy K, from 0,
// starts K `count`-ths of `ramp` behind the beginning. Returns the places of all, copy by copy.
[[nodiscard]] std::vector<std::uint32_t> add_copies(Plan& plan, const std::vector<std::uint32_t>& streams,
                                                    std::uint32_t count, TimeNs ramp);

}  // namespace iwarp::replay
