// SctpPacket: what a capture source hands to the Analyzer for each captured SCTP packet (RFC 9260 §3).
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>

#include <iwarp/bytes.hpp>
#include <iwarp/ids.hpp>
#include <iwarp/segment.hpp>

#pragma GCC visibility push(default)
namespace iwarp {

struct SctpPacket {
  static constexpr std::size_t header_size = 12;  // ports, Verification Tag, checksum

  FrameNumber frame = 0;
  TimeNs time_ns = 0;
  Endpoint source;
  Endpoint destination;
  std::uint32_t network = 0;  // see TcpSegment

  // The packet from its common header on, as captured; shorter than wire_length when the snapshot length cut
  // the frame. Read only during Analyzer::add. REQUIRES: header_size octets at least.
  ByteView octets;
  std::uint32_t wire_length = 0;  // octets the packet had on the wire, >= octets.size()
};

}  // namespace iwarp
#pragma GCC visibility pop
