// Registrations: the hosts' memory, rebuilt from the STags and ranges that their peers used. What was read
// before anything was put there is initial; what a Read showed that nobody had put there the owner's
// application did.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "plan/recording.hpp"

namespace iwarp::replay {

// Fills regions and stores of all hosts, and the waits of works that use an STag advertised on another
// stream. REQUIRES: hosts of streams, and mentions, are there.
void rebuild_registrations(Recording& recording);

}  // namespace iwarp::replay
