// Octets that had come before: of which frame, and of what.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "host/frame.hpp"

namespace iwarp::dissector {

void render_retransmission(const Frame& frame, proto_tree* tree);

}  // namespace iwarp::dissector
