// What follows the DDP header: the header of an RDMAP message, as items.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <optional>

#include "host/fpdu_place.hpp"

namespace iwarp::dissector {

// Whether an RDMAP header is due behind the DDP header, and whether not all of it is there: cut by the
// snapshot length, or never sent.
[[nodiscard]] bool has_rdmap_header(const FpduFact& fpdu) noexcept;
[[nodiscard]] bool is_rdmap_header_cut(const FpduFact& fpdu) noexcept;

// The RDMAP header of the FPDU's opcode, where it has one. `order`: of the bits of a Terminate.
void render_rdmap_header(const Frame& frame, proto_tree* tree, const FpduPlace& place, const Event& event,
                         std::optional<wire::BitOrder> order);

}  // namespace iwarp::dissector
