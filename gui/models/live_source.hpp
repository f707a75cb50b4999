// The packets of a network interface as they pass, as the frames of a document.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <string>
#include <vector>

#include "models/record_source.hpp"

namespace iwarp::gui {

// From now on, until it is cancelled or the interface is gone. `filter`: pcap-filter(7); empty: all packets.
// Frames are kept (KeptFrames).
[[nodiscard]] OpenSource live_source(std::string interface, std::string filter);

// Names of the interfaces that there are, and "any". Needs no rights.
[[nodiscard]] std::vector<std::string> live_interfaces();

// Where `sentence` says of live_source() that the right to capture is missing: the commands that help, the
// one that grants it first. Empty: it says something else.
[[nodiscard]] std::vector<std::string> commands_for_right(const std::string& interface,
                                                          const std::string& sentence);

}  // namespace iwarp::gui
