// The frames that a frame needs to be understood: Wireshark saves them with it where it saves displayed
// packets.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "host/frame.hpp"

namespace iwarp::dissector {

// Names the frames that brought octets of what this one completes. In the first pass, too: with a display
// filter tshark asks there. An FPDU or start-up frame that lies in one frame costs nothing.
void name_dependencies(const Frame& frame);

}  // namespace iwarp::dissector
