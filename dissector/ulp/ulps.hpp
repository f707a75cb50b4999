// What messages carry: the dissectors of upper layer protocols.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "host/frame.hpp"

namespace iwarp::dissector {

// Looks the dissectors up. To be called when all protocols are registered.
void find_ulps();

// Hands payloads to the dissectors of ULPs, which go on with columns and tree. `tree` is the frame's own.
void call_ulps(const Frame& frame, proto_tree* tree);

}  // namespace iwarp::dissector
