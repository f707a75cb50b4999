// Tunnels with a header of their own: GRE, ERSPAN, VXLAN, Geneve. IP in IP is in ip.cpp.
// SPDX-License-Identifier: GPL-2.0-or-later
#include "frame_decoder.hpp"

namespace iwarp::capture {
namespace {

// RFC 2784 §2, RFC 2890 §2; "routing present" is RFC 1701's.
constexpr std::uint16_t gre_checksum = 0x8000;
constexpr std::uint16_t gre_routing = 0x4000;
constexpr std::uint16_t gre_key = 0x2000;
constexpr std::uint16_t gre_sequence = 0x1000;
constexpr std::uint16_t gre_version = 0x0007;

// RFC 7348 §5, and the port Linux used before it.
constexpr std::uint16_t vxlan_port = 4789;
constexpr std::uint16_t old_vxlan_port = 8472;
constexpr Byte vxlan_has_vni = 0x08;
constexpr std::size_t udp_octets = 8;
constexpr std::size_t vxlan_octets = 8;

// RFC 8926 §3.
constexpr std::uint16_t geneve_port = 6081;
constexpr std::size_t geneve_octets = 8;
constexpr Byte geneve_version = 0xc0;
constexpr Byte geneve_options = 0x3f;  // their length in words

// Cisco's mirror sessions, draft-foschiano-erspan.
constexpr std::size_t erspan_2_octets = 8;
constexpr std::size_t erspan_3_octets = 12;
constexpr std::size_t erspan_3_platform_octets = 8;

}  // namespace

SkipReason FrameDecoder::gre(Position& position, TcpSegment& segment) {
  if (position.captured < 4) return SkipReason::tunnel_header_cut;
  const std::uint16_t flags = load_be16(position.at);
  const std::uint16_t type = load_be16(position.at + 2);
  if ((flags & (gre_version | gre_routing)) != 0) return SkipReason::malformed_tunnel;
  const std::size_t key_at = (flags & gre_checksum) != 0 ? 8 : 4;
  const std::size_t sequence_at = key_at + ((flags & gre_key) != 0 ? 4 : 0);
  const std::size_t header_octets = sequence_at + ((flags & gre_sequence) != 0 ? 4 : 0);
  if (position.captured < header_octets) return SkipReason::tunnel_header_cut;
  if ((flags & gre_key) != 0) {
    position.network = mix_network(position.network, NetworkId::gre_key, load_be32(position.at + key_at));
  }
  position.advance(header_octets);
  if (is_too_deep(position)) return SkipReason::nested_too_deep;

  switch (type) {
    case ether::bridged: return ethernet(position, segment);
    case ether::erspan:  // type I has no sequence number and no header of its own
      return erspan(position, (flags & gre_sequence) != 0 ? erspan_2_octets : 0, segment);
    case ether::erspan_3: {
      if (position.captured < erspan_3_octets) return SkipReason::tunnel_header_cut;
      const bool has_platform_header = (position.at[erspan_3_octets - 1] & 1) != 0;
      return erspan(position, erspan_3_octets + (has_platform_header ? erspan_3_platform_octets : 0),
                    segment);
    }
    default: return ether_type(position, type, segment);
  }
}

// Sessions are not networks: the directions of a conversation may be mirrored in two of them.
SkipReason FrameDecoder::erspan(Position& position, std::size_t header_octets, TcpSegment& segment) {
  if (position.captured < header_octets) return SkipReason::tunnel_header_cut;
  position.advance(header_octets);
  return ethernet(position, segment);
}

// The UDP length is not looked at: it is wrong in super-frames, and the inner IP header tells the length.
SkipReason FrameDecoder::udp(Position& position, TcpSegment& segment) {
  if (position.captured < udp_octets) return SkipReason::not_tcp;
  const std::uint16_t port = load_be16(position.at + 2);
  const bool is_vxlan = port == vxlan_port || port == old_vxlan_port;
  if (!is_vxlan && port != geneve_port) return SkipReason::not_tcp;
  position.advance(udp_octets);
  return is_vxlan ? vxlan(position, segment) : geneve(position, segment);
}

SkipReason FrameDecoder::vxlan(Position& position, TcpSegment& segment) {
  if (position.captured < vxlan_octets) return SkipReason::tunnel_header_cut;
  if ((position.at[0] & vxlan_has_vni) == 0) return SkipReason::malformed_tunnel;
  position.network = mix_network(position.network, NetworkId::vni, load_be32(position.at + 4) >> 8);
  position.advance(vxlan_octets);
  if (is_too_deep(position)) return SkipReason::nested_too_deep;
  return ethernet(position, segment);
}

SkipReason FrameDecoder::geneve(Position& position, TcpSegment& segment) {
  if (position.captured < geneve_octets) return SkipReason::tunnel_header_cut;
  const Byte* const header = position.at;
  if ((header[0] & geneve_version) != 0) return SkipReason::malformed_tunnel;
  const std::size_t header_octets = geneve_octets + (header[0] & geneve_options) * std::size_t{4};
  const std::uint16_t type = load_be16(header + 2);
  if (position.captured < header_octets) return SkipReason::tunnel_header_cut;
  position.network = mix_network(position.network, NetworkId::geneve_vni, load_be32(header + 4) >> 8);
  position.advance(header_octets);
  if (is_too_deep(position)) return SkipReason::nested_too_deep;
  return type == ether::bridged ? ethernet(position, segment) : ether_type(position, type, segment);
}

}  // namespace iwarp::capture
