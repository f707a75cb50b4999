// The fields that Wireshark's own dissectors of MPA, DDP and RDMAP have (old_names.def), as hidden items:
// display filters written for them go on matching.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "host/fpdu_place.hpp"
#include "host/frame.hpp"

namespace iwarp::dissector {

// Looks the fields up; those that this Wireshark lacks are left out.
void find_old_names();

// Whether a filter, a column or a tap asks for one of them, or the tree is shown.
[[nodiscard]] bool are_old_names_wanted(proto_tree* tree);

// Of an fpdu event; `behind` are the conclusions that follow it.
void put_old_names(const Frame& frame, proto_tree* tree, const FpduPlace& place, const Event& event,
                   Events behind);
// `frame_octets`: the start-up frame's own.
void put_old_names(proto_tree* tree, Range frame_octets, const StartupFact& startup, Events behind);

}  // namespace iwarp::dissector
