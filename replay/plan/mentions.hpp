// STags in payloads: where a Send, a Write or Private Data tells the peer of an STag that is used later, or
// echoes one. Only a search can find them (no RFC says what a ULP's octets mean), so each is told with what
// stands around it.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "plan/plan.hpp"

namespace iwarp::replay {

// Fills the mentions of all works and start-ups. REQUIRES: hosts of streams are set.
void find_mentions(Plan& plan);

// The TO and length that stand beside the STag `stag` of `owner_side`'s memory cover this use.
[[nodiscard]] inline bool covers(const Mention& mention, std::uint64_t to, std::uint64_t length) noexcept {
  return mention.to_offset && mention.length_offset && to >= mention.to &&
         to - mention.to <= mention.length && length <= mention.length - (to - mention.to);
}

}  // namespace iwarp::replay
