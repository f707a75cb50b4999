// iSCSI Extensions for RDMA (RFC 7145) in Sends.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "host/frame.hpp"

namespace iwarp::dissector {

// Looks up Wireshark's iSER dissector, which otherwise sees InfiniBand only.
void find_iser();

// Gives it a Send that looks like iSER. True: it took it.
[[nodiscard]] bool call_iser(const Frame& frame, proto_tree* tree, tvbuff_t* message);

}  // namespace iwarp::dissector
