// Findings as expert items: one kind for each check of findings.def.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "render.hpp"

namespace iwarp::dissector {

void register_expert(int protocol);

// Whether somebody collects expert items, tree or no tree.
[[nodiscard]] bool is_expert_tapped();

// Adds the finding below `tree` and as an expert item of `item`.
void render_finding(const Frame& frame, proto_tree* tree, proto_item* item, const Finding& finding);

}  // namespace iwarp::dissector
