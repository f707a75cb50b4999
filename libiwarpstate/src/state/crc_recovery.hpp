// An FPDU with a bad CRC is passed over, and what it may have been makes much doubtful: the next MSN, which
// requests are out. Where a good copy fills its place before anything else came, nothing was missed.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "state/fold.hpp"

namespace iwarp {

// Keeps what is known now, before the FPDU of this event is passed over.
void keep_known(const Fold& fold);

// Puts back what was known before the bad copy, if `event` is the good one and comes in its place. Done again
// it changes nothing. Both judging and folding want it done.
void put_back_known(ConnectionState& state, const Event& event);

// Whether this better copy is taken as if no bad one had come: put_back_known() found it in its place.
[[nodiscard]] bool comes_in_place(const SideState& side, const Event& event) noexcept;

// A better copy that comes later: doubts that were the bad one's alone, and that it settles.
void settle_doubts(const Fold& fold) noexcept;

}  // namespace iwarp
