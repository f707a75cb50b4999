// NVMe over RDMA (NVMe over Fabrics 1.1a §7.3): capsules in Sends.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "host/frame.hpp"

namespace iwarp::dissector {

// Looks up Wireshark's NVMe/RDMA dissector.
void find_nvme();

// Gives it a Send where the connection's Private Data told that it carries
// NVMe capsules. True: it took it.
[[nodiscard]] bool call_nvme(const Frame& frame, proto_tree* tree, tvbuff_t* capsule, const Event& fpdu);

}  // namespace iwarp::dissector
