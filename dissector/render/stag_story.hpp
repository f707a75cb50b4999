// What is known of the STags that a message names, and what it tells of others.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "host/frame.hpp"

namespace iwarp::dissector {

// `message`: a message event of the frame.
void render_stag_story(const Frame& frame, proto_tree* tree, const Event& message);

}  // namespace iwarp::dissector
