// Everything below IP: link layers, VLAN tags, MPLS.
// SPDX-License-Identifier: GPL-2.0-or-later
#include <algorithm>

#include "frame_decoder.hpp"

namespace iwarp::capture {
namespace {

constexpr std::size_t ethernet_octets = 14;
constexpr std::uint16_t min_ether_type = 0x0600;  // below: the length of an IEEE 802.3 frame
constexpr std::uint16_t vlan_id_mask = 0x0fff;

constexpr std::size_t cooked_octets = 16;
constexpr std::size_t cooked_2_octets = 20;
constexpr std::uint16_t cooked_llc = 0x0004;          // the frame begins with an LLC header
constexpr std::uint16_t hardware_type_netlink = 824;  // no network protocol inside

constexpr std::uint32_t mpls_bottom_of_stack = 0x100;

// AF_INET is 2 everywhere, AF_INET6 is 10 on Linux and has these values on the BSDs and macOS.
constexpr bool is_ip_family(std::uint32_t family) {
  return family == 2 || family == 10 || family == 24 || family == 28 || family == 30;
}

}  // namespace

SkipReason FrameDecoder::decode(const Record& record, TcpSegment& segment, SctpPacket* packet) {
  if (record.has_time) last_time_ns_ = record.time_ns;
  segment.frame = record.number;
  if (packet != nullptr) packet->frame = record.number;
  sctp_ = packet;
  is_sctp_ = false;
  Position position;
  position.at = record.octets.data();
  position.captured = record.octets.size();
  position.wire = std::max<std::uint64_t>(record.wire_length, record.octets.size());
  position.time_ns = last_time_ns_;
  const SkipReason reason = link_layer(record.link_type, position, segment);
  frames_ = position.frames;
  return reason;
}

SkipReason FrameDecoder::link_layer(std::uint32_t type, Position& position, TcpSegment& segment) {
  switch (type) {
    case link_type::ethernet: return ethernet(position, segment);
    case link_type::linux_sll: return linux_cooked(position, segment);
    case link_type::linux_sll2: return linux_cooked_2(position, segment);
    case link_type::raw:
    case link_type::raw_bsd:
    case link_type::raw_openbsd: return ip(position, segment);
    case link_type::ipv4: return ipv4(position, segment);
    case link_type::ipv6: return ipv6(position, segment);
    case link_type::null:
    case link_type::loop: return loopback(position, segment);
    default: return SkipReason::unknown_link_type;
  }
}

SkipReason FrameDecoder::ethernet(Position& position, TcpSegment& segment) {
  if (position.captured < ethernet_octets) return SkipReason::link_header_cut;
  const std::uint16_t type = load_be16(position.at + 12);
  position.advance(ethernet_octets);
  if (type < min_ether_type) return logical_link(position, segment);
  return ether_type(position, type, segment);
}

SkipReason FrameDecoder::ether_type(Position& position, std::uint16_t type, TcpSegment& segment) {
  while (true) {
    if (is_too_deep(position)) return SkipReason::nested_too_deep;
    switch (type) {
      case ether::ipv4: return ipv4(position, segment);
      case ether::ipv6: return ipv6(position, segment);
      case ether::mpls:
      case ether::mpls_multicast: return label_stack(position, segment);
      case ether::vlan:
      case ether::provider_vlan:
      case ether::old_provider_vlan: {
        if (position.captured < 4) return SkipReason::link_header_cut;
        const std::uint16_t vlan = load_be16(position.at) & vlan_id_mask;
        // Identifier 0 tags the priority only (IEEE 802.1Q): the frame is in no VLAN of its own.
        if (vlan != 0) position.network = mix_network(position.network, NetworkId::vlan, vlan);
        type = load_be16(position.at + 2);
        position.advance(4);
        if (type < min_ether_type) return logical_link(position, segment);
        break;
      }
      default: return SkipReason::not_ip;
    }
  }
}

// IEEE 802.2 with the SNAP extension (RFC 1042): the EtherType follows.
SkipReason FrameDecoder::logical_link(Position& position, TcpSegment& segment) {
  constexpr std::size_t header_octets = 8;
  if (position.captured < header_octets) return SkipReason::link_header_cut;
  const Byte* const at = position.at;
  const bool is_snap = load_be32(at) == 0xaaaa0300 && load_be16(at + 4) == 0;
  const std::uint16_t type = load_be16(at + 6);
  if (!is_snap || type < min_ether_type) return SkipReason::not_ip;
  position.advance(header_octets);
  return ether_type(position, type, segment);
}

// https://www.tcpdump.org/linktypes/LINKTYPE_LINUX_SLL.html
SkipReason FrameDecoder::linux_cooked(Position& position, TcpSegment& segment) {
  if (position.captured < cooked_octets) return SkipReason::link_header_cut;
  const std::uint16_t hardware_type = load_be16(position.at + 2);
  const std::uint16_t type = load_be16(position.at + 14);
  if (hardware_type == hardware_type_netlink) return SkipReason::not_ip;
  position.advance(cooked_octets);
  return type == cooked_llc ? logical_link(position, segment) : ether_type(position, type, segment);
}

// https://www.tcpdump.org/linktypes/LINKTYPE_LINUX_SLL2.html
SkipReason FrameDecoder::linux_cooked_2(Position& position, TcpSegment& segment) {
  if (position.captured < cooked_2_octets) return SkipReason::link_header_cut;
  const std::uint16_t type = load_be16(position.at);
  const std::uint16_t hardware_type = load_be16(position.at + 8);
  if (hardware_type == hardware_type_netlink) return SkipReason::not_ip;
  position.advance(cooked_2_octets);
  return type == cooked_llc ? logical_link(position, segment) : ether_type(position, type, segment);
}

// The family is in the order of the capturing host, which may not be that of the file.
SkipReason FrameDecoder::loopback(Position& position, TcpSegment& segment) {
  if (position.captured < 4) return SkipReason::link_header_cut;
  if (!is_ip_family(load_le32(position.at)) && !is_ip_family(load_be32(position.at))) {
    return SkipReason::not_ip;
  }
  position.advance(4);
  return ip(position, segment);
}

// RFC 3032 §2.1. What follows the stack is not named; IP shows by its version.
SkipReason FrameDecoder::label_stack(Position& position, TcpSegment& segment) {
  bool is_bottom = false;
  while (!is_bottom) {
    if (is_too_deep(position)) return SkipReason::nested_too_deep;
    if (position.captured < 4) return SkipReason::link_header_cut;
    is_bottom = (load_be32(position.at) & mpls_bottom_of_stack) != 0;
    position.advance(4);
  }
  return ip(position, segment);
}

}  // namespace iwarp::capture
