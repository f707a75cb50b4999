// Tables for tshark -z and Wireshark's menu Statistics: streams, operations, findings.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "host/frame.hpp"

namespace iwarp::dissector {

void register_statistics();

// Tells the tables, where one is open, what the frame brought.
void tap_frame(const Frame& frame);

}  // namespace iwarp::dissector
