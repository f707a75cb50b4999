// A Terminate folded (RFC 5040 §5.4).
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "state/fold.hpp"

namespace iwarp {

// The event's segment is the first of a Terminate.
void fold_terminate(const Fold& fold);

// Its opcode alone tells that it is a Terminate, the snapshot length cut off the rest.
void fold_cut_terminate(const Fold& fold) noexcept;

}  // namespace iwarp
