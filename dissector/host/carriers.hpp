// The protocols below iWARP: where one of them is switched off in Wireshark, nothing is shown above it.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "host/frame.hpp"

namespace iwarp::dissector {

void find_carriers();
// Whether all are enabled that carry the frame's segment or packet, as far as they can be disabled by name:
// Ethernet, IP, TCP and SCTP.
[[nodiscard]] bool are_carriers_enabled(const Frame& frame) noexcept;

}  // namespace iwarp::dissector
