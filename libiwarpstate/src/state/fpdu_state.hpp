// FPDUs folded: counters, the CRC's verdict, then the segment to its message.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "state/fold.hpp"

namespace iwarp {

void fold_fpdu(const Fold& fold);

}  // namespace iwarp
