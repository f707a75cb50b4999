// What users set in Edit > Preferences > Protocols > iWARP, or with -o on a command line.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstdint>

namespace iwarp::dissector {

struct Preferences {
  bool state = true;         // the subtree with the state after each frame
  bool ids_in_info = false;  // a finding's ID in Info, before its words
  bool strict = false;       // deviations known from products at their full severity
};
// As set; read while frames are dissected.
[[nodiscard]] const Preferences& preferences() noexcept;

// Whether iWARP is looked for on a TCP connection between these ports.
[[nodiscard]] bool is_port_tried(std::uint16_t one, std::uint16_t other) noexcept;

// The file is read again after each change of a preference: Wireshark does so for all protocols.
void register_preferences(int protocol);

}  // namespace iwarp::dissector
