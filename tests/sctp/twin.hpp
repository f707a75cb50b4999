// The same DDP segments over TCP and over SCTP: random traffic of random_traffic.hpp, taken out of its TCP
// segments and put into DATA chunks, bundled, fragmented, out of order and repeated by a seed.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstdint>
#include <vector>

#include "support/random_traffic.hpp"
#include "support/sctp_conversation.hpp"

namespace iwarp::test {

// What a side hands to its LLP next.
struct Submitted {
  Side side = Side::a;
  Bytes ulpdu;
};
// What the sides of this traffic submit, in the order of its capture. REQUIRES: an FPDU a segment, no
// markers.
[[nodiscard]] std::vector<Submitted> submitted(const Conversation& conversation);

struct SctpCarriage {
  std::uint64_t seed = 0;  // 0: a chunk a packet, in order, once
  bool shut_down = true;
};
// One session for each script, on streams 0, 1 …, all of one association.
[[nodiscard]] SctpConversation carried(const std::vector<std::vector<Submitted>>& scripts,
                                       const SctpCarriage& carriage);

}  // namespace iwarp::test
