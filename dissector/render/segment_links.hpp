// Links between the frames of a message of several segments.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "host/frame.hpp"

namespace iwarp::dissector {

// Of a segment that does not end its message: the frame that does, and of a Read Response the request.
void render_segment_links(const Frame& frame, proto_tree* tree, const Event& fpdu);
// Of the message that ends with `message`: the frames of its segments.
void render_segment_frames(const Frame& frame, proto_tree* tree, const Event& message);

}  // namespace iwarp::dissector
