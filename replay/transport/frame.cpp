// SPDX-License-Identifier: GPL-2.0-or-later
#include "transport/frame.hpp"

namespace iwarp::replay {
namespace {

constexpr std::size_t tcp_size = 20;
constexpr std::size_t ipv4_size = 20;
constexpr Byte tcp_protocol = 6;
constexpr Byte hop_limit = 64;

void put8(Bytes& out, unsigned value) {
  out.push_back(static_cast<Byte>(value));
}
void put16(Bytes& out, unsigned value) {
  put8(out, value >> 8U);
  put8(out, value);
}
void put32(Bytes& out, std::uint32_t value) {
  put16(out, value >> 16U);
  put16(out, value);
}

ByteView octets_of(const IpAddress& address) noexcept {
  return ByteView(address.octets).first(address.version == 4 ? 4 : 16);
}

void put(Bytes& out, ByteView octets) {
  out.insert(out.end(), octets.begin(), octets.end());
}

// Locally administered (IEEE 802c): 02, the IP version, then the end of the address.
void put_mac(Bytes& out, const IpAddress& address) {
  put8(out, 0x02);
  put8(out, address.version);
  const ByteView octets = octets_of(address);
  put(out, octets.last(4));
}

std::size_t options_size(const Packet& packet) noexcept {
  return (packet.max_segment != 0 ? 4U : 0U) + (packet.window_shift ? 4U : 0U);
}

// RFC 9293 §3.2, RFC 7323 §2.2.
void put_options(Bytes& out, const Packet& packet) {
  if (packet.max_segment != 0) {
    put16(out, 0x0204);
    put16(out, packet.max_segment);
  }
  if (packet.window_shift) {
    put8(out, 1);
    put16(out, 0x0303);
    put8(out, *packet.window_shift);
  }
}

// RFC 1071 §2, with payload_sum()'s order of octets.
std::uint16_t folded(std::uint64_t sum) noexcept {
  while (sum > 0xffff) sum = (sum & 0xffff) + (sum >> 16U);
  return static_cast<std::uint16_t>(sum);
}

void store_checksum(Byte* at, std::uint64_t sum) noexcept {
  const auto checksum = static_cast<std::uint16_t>(~folded(sum));
  at[0] = static_cast<Byte>(checksum);
  at[1] = static_cast<Byte>(checksum >> 8U);
}

void put_ip(Bytes& out, const Packet& packet, std::size_t tcp_length) {
  if (packet.source.address.version == 6) {  // RFC 8200 §3
    put32(out, 0x60000000);
    put16(out, static_cast<unsigned>(tcp_length));
    put8(out, tcp_protocol);
    put8(out, hop_limit);
    put(out, octets_of(packet.source.address));
    put(out, octets_of(packet.destination.address));
    return;
  }
  const std::size_t at = out.size();  // RFC 791 §3.1
  put16(out, 0x4500);
  put16(out, static_cast<unsigned>(ipv4_size + tcp_length));
  put16(out, packet.identification);
  put16(out, 0x4000);  // do not fragment
  put8(out, hop_limit);
  put8(out, tcp_protocol);
  put16(out, 0);
  put(out, octets_of(packet.source.address));
  put(out, octets_of(packet.destination.address));
  store_checksum(&out[at + 10], payload_sum(ByteView(out).subspan(at, ipv4_size)));
}

std::uint64_t pseudo_header_sum(const Packet& packet, std::size_t tcp_length) noexcept {
  Byte rest[8] = {};
  store_be32(rest, static_cast<std::uint32_t>(tcp_length));
  rest[7] = tcp_protocol;
  return payload_sum(octets_of(packet.source.address)) + payload_sum(octets_of(packet.destination.address)) +
         payload_sum(rest);
}

}  // namespace

void append_frame(Bytes& out, const Packet& packet) {
  const std::size_t header = tcp_size + options_size(packet);
  const std::size_t tcp_length = header + packet.payload.size();
  out.reserve(out.size() + 14 + 40 + tcp_length);
  put_mac(out, packet.destination.address);
  put_mac(out, packet.source.address);
  put16(out, packet.source.address.version == 6 ? 0x86dd : 0x0800);
  put_ip(out, packet, tcp_length);

  const std::size_t at = out.size();
  put16(out, packet.source.port);
  put16(out, packet.destination.port);
  put32(out, packet.sequence);
  put32(out, packet.has(tcp::ack) ? packet.acknowledgement : 0);
  put8(out, static_cast<unsigned>(header / 4) << 4U);
  put8(out, packet.flags);
  put16(out, packet.window);
  put32(out, 0);
  put_options(out, packet);
  put(out, packet.payload);
  store_checksum(&out[at + 16],
                 pseudo_header_sum(packet, tcp_length) + payload_sum(ByteView(out).subspan(at, tcp_length)));
  if (packet.checksum_wrong) out[at + 17] ^= 0x5a;
}

}  // namespace iwarp::replay
