// SPDX-License-Identifier: GPL-2.0-or-later
#include "capture/frames.hpp"

#include <algorithm>

namespace iwarp::test {

Bytes be16(unsigned value) {
  Bytes out;
  put16(out, value);
  return out;
}

Bytes be32(std::uint32_t value) {
  Bytes out;
  put32(out, value);
  return out;
}

std::uint16_t internet_sum(ByteView octets) {
  std::uint32_t sum = 0;
  for (std::size_t i = 0; i < octets.size(); ++i) {
    sum += i % 2 == 0 ? octets[i] * 256U : octets[i];
    if (sum > 0xffff) sum -= 0xffff;
  }
  return static_cast<std::uint16_t>(sum);
}

std::uint16_t pseudo_sum(const Bytes& source, const Bytes& destination, std::size_t length) {
  return internet_sum(cat(source, destination, be32(static_cast<std::uint32_t>(length)), be32(6)));
}

Bytes tcp_segment(const Tcp& tcp, const Bytes& source, const Bytes& destination) {
  const auto words = static_cast<unsigned>(5 + tcp.options.size() / 4);
  Bytes out;
  put16(out, tcp.source_port);
  put16(out, tcp.destination_port);
  put32(out, tcp.sequence);
  put32(out, tcp.acknowledgement);
  put8(out, tcp.header_words.value_or(words) << 4U);
  put8(out, tcp.flags);
  put16(out, tcp.window);
  put16(out, 0);
  put16(out, 0);
  out = cat(out, tcp.options, tcp.payload);
  const Bytes pseudo = be16(pseudo_sum(source, destination, out.size()));
  const unsigned checksum = tcp.checksum.value_or(0xffffU - internet_sum(cat(pseudo, out)));
  store_be16(&out[16], static_cast<std::uint16_t>(checksum));
  return out;
}

Bytes ipv4(const Ip4& ip, const Bytes& payload) {
  const std::size_t header = 20 + ip.options.size();
  Bytes out;
  put8(out, 0x40U | static_cast<unsigned>(header / 4));
  put8(out, 0);
  put16(out, ip.total_length.value_or(static_cast<unsigned>(header + payload.size())));
  put16(out, ip.identification);
  put16(out, ip.flags_and_offset);
  put8(out, 64);
  put8(out, ip.protocol);
  put16(out, 0);
  out = cat(out, ip.source, ip.destination, ip.options);
  store_be16(&out[10], static_cast<std::uint16_t>(0xffffU - internet_sum(out)));
  return cat(out, payload);
}

Bytes ipv6(const Ip6& ip, const Bytes& payload) {
  Bytes out = hex("60000000");
  put16(out, ip.payload_length.value_or(static_cast<unsigned>(payload.size())));
  put8(out, ip.next_header);
  put8(out, 64);
  return cat(out, ip.source, ip.destination, payload);
}

Bytes ethernet(unsigned type, const Bytes& payload) {
  return cat(hex("02 00 00 00 00 02 02 00 00 00 00 01"), be16(type), payload);
}

Bytes udp(unsigned destination_port, const Bytes& payload) {
  return cat(be16(50000), be16(destination_port), be16(static_cast<unsigned>(8 + payload.size())), be16(0),
             payload);
}

Bytes tcp4(const Tcp& tcp, const Ip4& ip) {
  return ipv4(ip, tcp_segment(tcp, ip.source, ip.destination));
}

Bytes tcp6(const Tcp& tcp, const Ip6& ip) {
  return ipv6(ip, tcp_segment(tcp, ip.source, ip.destination));
}

bool Decoding::frame(std::uint32_t link_type, const Bytes& octets, std::size_t captured) {
  // A copy of exact size, so that a sanitizer sees any read behind its end.
  const Bytes kept(octets.begin(),
                   octets.begin() + static_cast<std::ptrdiff_t>(std::min(captured, octets.size())));
  Record record;
  record.number = ++number_;
  record.time_ns = has_time ? time_ns : 0;
  record.has_time = has_time;
  record.link_type = link_type;
  record.octets = kept;
  record.wire_length = octets.size();
  if (!decoder_.decode(record, segment)) return false;
  payload.assign(segment.payload.begin(), segment.payload.end());
  segment.payload = {};
  return true;
}

bool Decoding::ethernet_frame(unsigned type, const Bytes& octets, std::size_t captured) {
  return frame(capture::link_type::ethernet, ethernet(type, octets), captured);
}

}  // namespace iwarp::test
