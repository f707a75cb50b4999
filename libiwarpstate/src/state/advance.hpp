// The fold itself: apply() with somebody to hear what it concludes.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <iwarp/state.hpp>

#include "state/conclusions.hpp"

namespace iwarp {

// Changes `state` exactly as apply(state, event) does, whatever `conclusions` is.
void advance(ConnectionState& state, const Event& event, Conclusions& conclusions);

}  // namespace iwarp
