// The members of a TcpSegment and of what it consists of, for base::Packer.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <iwarp/segment.hpp>

namespace iwarp {

template <typename Codec>
void members(Codec& codec, Placement& placement) {
  auto& [frame, time_ns] = placement;
  codec(frame, time_ns);
}

template <typename Codec>
void members(Codec& codec, IpAddress& address) {
  auto& [octets, version] = address;
  codec(octets, version);
}

template <typename Codec>
void members(Codec& codec, Endpoint& endpoint) {
  auto& [address, port] = endpoint;
  codec(address, port);
}

// All but the payload, which the segment does not own.
template <typename Codec>
void members(Codec& codec, TcpSegment& segment) {
  auto& [frame, time_ns, source, destination, network, sequence, acknowledgement, window, flags, mss,
         window_scale, timestamps, checksum, packet_identity, payload, wire_length, sum] = segment;
  codec(frame, time_ns, source, destination, network, sequence, acknowledgement, window, flags, mss,
        window_scale, timestamps, checksum, packet_identity, wire_length, sum);
}

}  // namespace iwarp
