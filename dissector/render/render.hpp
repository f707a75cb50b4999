// Rendering: what one frame brought, from the event log into epan's tree and columns.
//
// Nothing is parsed and no state is kept here. epan may leave any of these functions by longjmp.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "host/frame.hpp"

namespace iwarp::dissector {

// The protocol's item alone. Protocol Hierarchy Statistics count those of trees that nobody looks at, too.
proto_item* render_protocol(const Frame& frame, proto_tree* tree);
// The whole subtree of a frame. `tree` is the frame's own.
void render_tree(const Frame& frame, proto_tree* tree);
// Protocol and Info.
void render_columns(const Frame& frame);
// The findings in words, behind what stands in Info.
void render_findings_column(const Frame& frame);

// One event each; `behind` are the conclusions that follow it in the log.
void render_startup(const Frame& frame, proto_tree* tree, const Event& event, Events behind);
void render_fpdu(const Frame& frame, proto_tree* tree, const Event& event, Events behind);
void render_conclusions(const Frame& frame, proto_tree* tree, Events conclusions);
void render_state(const Frame& frame, proto_tree* tree, const ConnectionState& state);

}  // namespace iwarp::dissector
