// Parts of a plan, as plans.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <vector>

#include "plan/plan.hpp"

namespace iwarp::replay {

// The plan with these streams and of them these works alone. Whatever waited for, or advertised, what is left
// out does so no more; hosts, regions' registrations and payloads follow. REQUIRES: both in order, works of
// these streams.
[[nodiscard]] Plan part_of(const Plan& plan, const std::vector<std::uint32_t>& streams,
                           const std::vector<WorkRef>& works);
// Without registrations that nothing in the plan uses, or tells of, any more; without octets of memory that
// nothing reads; and with the payloads alone that are left then.
[[nodiscard]] Plan without_idle_memory(const Plan& plan);

}  // namespace iwarp::replay
