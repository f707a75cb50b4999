// A packet as it is on an Ethernet: link, IP and TCP headers with right lengths and checksums, then the
// payload.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstddef>

#include <iwarp/bytes.hpp>

#include "transport/packet.hpp"

namespace iwarp::replay {

// Octets of payload that IP's length field has room for, whatever the options.
inline constexpr std::size_t max_frame_payload = 65535 - 40 - 60;

// Appends the frame. MAC addresses are made of the IP addresses. Of a packet that is damaged the TCP checksum
// is wrong. REQUIRES: both addresses are of one IP version, payload.size() <= max_frame_payload.
void append_frame(Bytes& out, const Packet& packet);

}  // namespace iwarp::replay
