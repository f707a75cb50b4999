// The field that breaks a rule: where Wireshark's users expect the expert item of a finding, and its octets
// marked.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <iwarp/finding.hpp>

#include "compat/epan.hpp"

namespace iwarp::dissector {

// The item of that field below `tree`, an FPDU's or a start-up frame's; nullptr where the rule is about no
// field of it, or where epan did not make the item, since nobody looks at it.
[[nodiscard]] proto_item* offending_item(proto_tree* tree, const Finding& finding);

}  // namespace iwarp::dissector
