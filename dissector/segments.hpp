// Links between the frames of a message of several segments.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "render.hpp"

namespace iwarp::dissector {

// Of a segment that does not end its message: the frame that does, and of a Read Response the request.
void render_segment_links(const Frame& frame, proto_tree* tree, const Event& fpdu);

}  // namespace iwarp::dissector
