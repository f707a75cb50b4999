// A Terminate folded (RFC 5040 §5.4).
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "state/fold.hpp"

namespace iwarp {

// The event's segment is the first of a Terminate.
void fold_terminate(const Fold& fold);

}  // namespace iwarp
