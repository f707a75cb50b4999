// What the plugin registers with epan.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

namespace iwarp::dissector {

void register_protocol();  // epan calls it before any other protocol's handoff
void register_handoff();

}  // namespace iwarp::dissector
