// A scripted conversation played again over any Network: each side sends its octets, in the same pieces, once
// it has received what the other one sent before them; then both close, in the same order.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "replay/transport/station.hpp"
#include "support/conversation.hpp"

namespace iwarp::test {

// `a` and `b`: connected. False when it does not end within `limit`.
[[nodiscard]] bool reenact(const Conversation& conversation, replay::Network& network, Station& a, Station& b,
                           TimeNs limit = 100'000 * second);

}  // namespace iwarp::test
