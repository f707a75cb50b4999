// A plan that has something for every breach.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "plan/plan.hpp"

namespace iwarp::replay {

// Stream 0: messages of every kind both ways, then the initiator closes. Stream 1: the same kinds of end, by
// a Terminate of the initiator.
[[nodiscard]] Plan built_in_plan();
// The same in text, to be looked at or changed.
[[nodiscard]] const char* built_in_plan_text() noexcept;

}  // namespace iwarp::replay
