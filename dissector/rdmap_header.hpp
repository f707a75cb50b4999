// What follows the DDP header: the header of an RDMAP message, as items.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <optional>

#include "fpdu_place.hpp"

namespace iwarp::dissector {

// The RDMAP header of the FPDU's opcode, where it has one. `order`: of the bits of a Terminate.
void render_rdmap_header(const Frame& frame, proto_tree* tree, const FpduPlace& place, const Event& event,
                         std::optional<wire::BitOrder> order);

}  // namespace iwarp::dissector
