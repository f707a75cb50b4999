// TCP segments as a capture file: Ethernet, IPv4 or IPv6, TCP, with right lengths and checksums.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <string>
#include <vector>

#include "support/conversation.hpp"

namespace iwarp::test {

// Octets of link, IP and TCP headers in front of the payload.
[[nodiscard]] std::size_t headers_size(const TcpSegment& meta);

// The segment as an IP packet, or its TCP header and payload alone.
[[nodiscard]] Bytes ip_packet(const OwnedSegment& segment);
[[nodiscard]] Bytes tcp_octets(const OwnedSegment& segment);

// A record of a capture file: a frame from its link header on.
struct FrameRecord {
  TimeNs time_ns = 0;
  Bytes octets = {};
  std::size_t captured = SIZE_MAX;  // octets that the file holds, at most all
  unsigned interface = 0;           // pcapng: 0 has nanoseconds, 1 microseconds
};
// A pcap file with nanoseconds, any link type.
[[nodiscard]] Bytes pcap_file(std::uint32_t link_type, const std::vector<FrameRecord>& records);

// A pcapng file with two interfaces.
[[nodiscard]] Bytes pcapng_file(std::uint32_t link_type, const std::vector<FrameRecord>& records);

// A pcap file with nanoseconds. meta.checksum `bad` gives a wrong TCP checksum, `offloaded` that of the
// pseudo-header alone. A non-zero meta.network becomes a VLAN tag (its low twelve bits).
[[nodiscard]] Bytes pcap_file(const std::vector<OwnedSegment>& segments);
[[nodiscard]] bool write_file(const std::string& path, const Bytes& octets);

}  // namespace iwarp::test
