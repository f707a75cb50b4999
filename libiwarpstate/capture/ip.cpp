// IPv4, IPv6, and fragments of both.
// SPDX-License-Identifier: GPL-2.0-or-later
#include <algorithm>
#include <cstring>

#include "frame_decoder.hpp"

namespace iwarp::capture {
namespace {

constexpr std::size_t min_ipv4_octets = 20;
constexpr std::size_t ipv6_octets = 40;
constexpr std::size_t min_extension_octets = 8;

constexpr std::uint16_t more_fragments = 0x2000;   // IPv4
constexpr std::uint16_t fragment_offset = 0x1fff;  // IPv4, in units of 8 octets

enum Protocol : std::uint8_t {
  hop_by_hop = 0,
  ipv4_inside = 4,
  tcp_inside = 6,
  udp_inside = 17,
  ipv6_inside = 41,
  routing = 43,
  ipv6_fragment_header = 44,
  gre_inside = 47,
  authentication = 51,
  destination_options = 60,
  sctp_inside = 132,
  mobility = 135,
  host_identity = 139,
  shim6 = 140,
};

// RFC 791 §3.1: loose and strict source routes. The destination field holds the next hop.
bool has_source_route(ByteView options) noexcept {
  constexpr Byte end = 0, no_operation = 1, loose = 131, strict = 137;
  while (!options.empty() && options[0] != end) {
    if (options[0] == loose || options[0] == strict) return true;
    const std::size_t length = options[0] == no_operation ? 1 : options.size() < 2 ? 0 : options[1];
    if (length == 0 || length > options.size()) break;
    options = options.subspan(length);
  }
  return false;
}

// The jumbo payload length in a hop-by-hop options header (RFC 2675 §2), 0 when there is none.
std::uint32_t jumbo_length(ByteView header) noexcept {
  constexpr Byte pad1 = 0, jumbo_payload = 0xc2;
  ByteView options = header.subspan(2);
  while (options.size() >= 2) {
    if (options[0] == pad1) {
      options = options.subspan(1);
      continue;
    }
    const std::size_t length = options[1] + std::size_t{2};
    if (length > options.size()) break;
    if (options[0] == jumbo_payload && length == 6) return load_be32(options.data() + 2);
    options = options.subspan(length);
  }
  return 0;
}

}  // namespace

SkipReason FrameDecoder::ip(Position& position, TcpSegment& segment) {
  if (position.captured == 0) return SkipReason::ip_header_cut;
  switch (position.at[0] >> 4) {
    case 4: return ipv4(position, segment);
    case 6: return ipv6(position, segment);
    default: return SkipReason::not_ip;
  }
}

SkipReason FrameDecoder::ipv4(Position& position, TcpSegment& segment) {
  if (is_too_deep(position)) return SkipReason::nested_too_deep;
  if (position.captured < min_ipv4_octets) return SkipReason::ip_header_cut;
  const Byte* const header = position.at;
  const std::size_t header_octets = (header[0] & 0x0fU) * std::size_t{4};
  if (header[0] >> 4 != 4 || header_octets < min_ipv4_octets) return SkipReason::malformed_ipv4;
  if (position.captured < header_octets) return SkipReason::ip_header_cut;

  // Length 0: a super-frame, captured before the NIC cut it up (or BIG TCP: too long for the field).
  const std::uint16_t total_length = load_be16(header + 2);
  if (total_length != 0) {
    if (total_length < header_octets) return SkipReason::malformed_ipv4;
    position.limit(total_length);
  }
  position.source = header + 12;
  position.destination = header + 16;
  position.version = 4;
  position.identification = load_be16(header + 4);
  position.is_source_routed = header_octets > min_ipv4_octets &&
                              has_source_route({header + min_ipv4_octets, header_octets - min_ipv4_octets});
  position.advance(header_octets);

  const std::uint8_t protocol = header[9];
  const std::uint16_t flags_and_offset = load_be16(header + 6);
  if ((flags_and_offset & (more_fragments | fragment_offset)) == 0) [[likely]] {
    return ip_payload(position, protocol, segment);
  }
  if (total_length == 0) return SkipReason::malformed_fragment;
  DatagramKey key;
  key.identification = position.identification;
  key.protocol = protocol;
  const Fragment part{.octets = {position.at, position.captured},
                      .length = static_cast<std::uint32_t>(position.wire),
                      .offset = (flags_and_offset & fragment_offset) * 8U,
                      .more = (flags_and_offset & more_fragments) != 0,
                      .protocol = protocol,
                      .frames = position.frames,
                      .time_ns = position.time_ns};
  return fragment(position, key, part, segment);
}

SkipReason FrameDecoder::ipv6(Position& position, TcpSegment& segment) {
  if (is_too_deep(position)) return SkipReason::nested_too_deep;
  if (position.captured < ipv6_octets) return SkipReason::ip_header_cut;
  const Byte* const header = position.at;
  if (header[0] >> 4 != 6) return SkipReason::malformed_ipv6;
  const std::uint16_t payload_length = load_be16(header + 4);
  if (payload_length != 0) position.limit(ipv6_octets + payload_length);
  position.source = header + 8;
  position.destination = header + 24;
  position.version = 6;
  position.identification = 0;
  position.is_source_routed = false;
  position.advance(ipv6_octets);

  std::uint8_t protocol = header[6];
  // Payload length 0: a jumbogram, or else a super-frame, whose length is that of the frame. Neither can be
  // in fragments (RFC 2675 §3).
  if (payload_length == 0 && protocol == hop_by_hop && position.captured >= min_extension_octets) {
    const std::size_t options_octets = (position.at[1] + std::size_t{1}) * 8;
    if (options_octets <= position.captured) {
      const std::uint32_t jumbo = jumbo_length({position.at, options_octets});
      if (jumbo != 0 && jumbo < options_octets) return SkipReason::malformed_extension;
      if (jumbo != 0) position.limit(jumbo);
    }
  }
  if (payload_length == 0 && protocol == ipv6_fragment_header) return SkipReason::malformed_fragment;
  return ip_payload(position, protocol, segment);
}

// RFC 8200 §4: extension headers, until one that is not.
SkipReason FrameDecoder::ip_payload(Position& position, std::uint8_t protocol, TcpSegment& segment) {
  while (true) {
    switch (protocol) {
      case tcp_inside: return tcp(position, segment);
      case udp_inside: return udp(position, segment);
      case sctp_inside: return sctp(position);
      case gre_inside: return gre(position, segment);
      case ipv4_inside: return ipv4(position, segment);
      case ipv6_inside: return ipv6(position, segment);
      case ipv6_fragment_header:
        if (position.version == 4) return SkipReason::not_tcp;
        return ipv6_fragment(position, segment);
      case hop_by_hop:
      case routing:
      case destination_options:
      case mobility:
      case host_identity:
      case shim6:
        if (position.version == 4) return SkipReason::not_tcp;
        [[fallthrough]];
      case authentication: break;
      default: return SkipReason::not_tcp;
    }
    if (is_too_deep(position)) return SkipReason::nested_too_deep;
    if (position.wire < min_extension_octets) return SkipReason::malformed_extension;
    if (position.captured < min_extension_octets) return SkipReason::ip_header_cut;
    const Byte* const header = position.at;
    const std::size_t header_octets = protocol == authentication
                                          ? (header[1] + std::size_t{2}) * 4  // RFC 4302
                                          : (header[1] + std::size_t{1}) * 8;
    if (position.wire < header_octets) return SkipReason::malformed_extension;
    if (position.captured < header_octets) return SkipReason::ip_header_cut;
    if (protocol == routing && header[3] != 0) position.is_source_routed = true;  // segments left
    protocol = header[0];
    position.advance(header_octets);
  }
}

SkipReason FrameDecoder::ipv6_fragment(Position& position, TcpSegment& segment) {
  if (is_too_deep(position)) return SkipReason::nested_too_deep;
  if (position.wire < min_extension_octets) return SkipReason::malformed_extension;
  if (position.captured < min_extension_octets) return SkipReason::ip_header_cut;
  const Byte* const header = position.at;
  const std::uint16_t offset_and_more = load_be16(header + 2);
  const std::uint8_t protocol = header[0];
  const std::uint32_t identification = load_be32(header + 4);
  position.advance(min_extension_octets);
  const bool more = (offset_and_more & 1) != 0;
  const std::uint32_t offset = offset_and_more & 0xfff8U;
  // RFC 6946: an atomic fragment is a whole datagram and has nothing to do with others of its number.
  if (offset == 0 && !more) return ip_payload(position, protocol, segment);
  if (position.wire > 0xffff) return SkipReason::malformed_fragment;
  DatagramKey key;
  key.identification = identification;
  const Fragment part{.octets = {position.at, position.captured},
                      .length = static_cast<std::uint32_t>(position.wire),
                      .offset = offset,
                      .more = more,
                      .protocol = protocol,
                      .frames = position.frames,
                      .time_ns = position.time_ns};
  return fragment(position, key, part, segment);
}

SkipReason FrameDecoder::fragment(Position& position, DatagramKey& key, const Fragment& fragment,
                                  TcpSegment& segment) {
  const std::size_t address_octets = position.version == 4 ? 4 : 16;
  std::copy_n(position.source, address_octets, key.source.begin());
  std::copy_n(position.destination, address_octets, key.destination.begin());
  key.network = position.network;
  key.version = position.version;
  Datagram datagram;
  switch (fragments_.add(key, fragment, datagram)) {
    case FragmentTable::Outcome::waiting: return SkipReason::incomplete_datagram;
    case FragmentTable::Outcome::duplicate: return SkipReason::duplicate_fragment;
    case FragmentTable::Outcome::malformed: return SkipReason::malformed_fragment;
    case FragmentTable::Outcome::complete: break;
  }
  // A copy, because a fragment inside this datagram may change the table under it.
  if (datagrams_.size() == position.datagrams) datagrams_.emplace_back();
  Bytes& copy = datagrams_[position.datagrams++];
  copy.assign(datagram.octets.begin(), datagram.octets.end());
  position.at = copy.data();
  position.captured = copy.size();
  position.wire = datagram.length;
  position.frames = datagram.frames;
  return ip_payload(position, datagram.protocol, segment);
}

}  // namespace iwarp::capture
