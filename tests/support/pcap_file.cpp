// Frames and records of the pcap format.
// SPDX-License-Identifier: GPL-2.0-or-later
#include "support/pcap_file.hpp"

#include <algorithm>
#include <fstream>

#include "support/put.hpp"

namespace iwarp::test {
namespace {

constexpr std::size_t ethernet_size = 14;
constexpr std::size_t vlan_tag_size = 4;
constexpr std::size_t ipv4_size = 20;
constexpr std::size_t ipv6_size = 40;
constexpr std::size_t tcp_size = 20;
constexpr std::size_t mss_option_size = 4;
constexpr unsigned tcp_protocol = 6;

// One's complement sum of RFC 1071, and the checksum field that it makes.
std::uint32_t add_words(std::uint32_t sum, ByteView octets) {
  for (std::size_t i = 0; i < octets.size(); i += 2) {
    sum += static_cast<std::uint32_t>(octets[i]) << 8U;
    if (i + 1 < octets.size()) sum += octets[i + 1];
    sum = (sum & 0xffffU) + (sum >> 16U);
  }
  return sum;
}

void put_address(Bytes& out, const IpAddress& address) {
  const std::size_t size = address.version == 4 ? 4 : 16;
  out.insert(out.end(), address.octets.begin(), address.octets.begin() + static_cast<std::ptrdiff_t>(size));
}

Bytes ethernet_header(const TcpSegment& meta) {
  Bytes out = hex("02000000000b 02000000000a");
  if (meta.network != 0) {
    put16(out, 0x8100);
    put16(out, meta.network & 0x0fffU);
  }
  put16(out, meta.source.address.version == 4 ? 0x0800 : 0x86dd);
  return out;
}

Bytes ip_header(const OwnedSegment& owned, std::size_t tcp_length) {
  const TcpSegment& meta = owned.meta;
  Bytes out;
  if (meta.source.address.version == 4) {
    put16(out, 0x4500);
    put16(out, static_cast<unsigned>(ipv4_size + tcp_length));
    put16(out, owned.ip_id);
    put16(out, 0x4000);  // do not fragment
    put8(out, 64);
    put8(out, tcp_protocol);
    put16(out, 0);
    put_address(out, meta.source.address);
    put_address(out, meta.destination.address);
    store_be16(out.data() + 10, static_cast<std::uint16_t>(~add_words(0, out)));
  } else {
    put32(out, 0x60000000);
    put16(out, static_cast<unsigned>(tcp_length));
    put8(out, tcp_protocol);
    put8(out, 64);
    put_address(out, meta.source.address);
    put_address(out, meta.destination.address);
  }
  return out;
}

void put_le32(Bytes& out, std::uint64_t value) {
  for (unsigned shift = 0; shift < 32; shift += 8) put8(out, static_cast<unsigned>(value >> shift & 0xffU));
}

}  // namespace

std::size_t headers_size(const TcpSegment& meta) {
  return ethernet_size + (meta.network != 0 ? vlan_tag_size : 0) +
         (meta.source.address.version == 4 ? ipv4_size : ipv6_size) + tcp_size +
         (meta.mss != 0 ? mss_option_size : 0);
}

Bytes tcp_octets(const OwnedSegment& owned) {
  const TcpSegment& meta = owned.meta;
  const std::size_t header = tcp_size + (meta.mss != 0 ? mss_option_size : 0);
  Bytes out;
  put16(out, meta.source.port);
  put16(out, meta.destination.port);
  put32(out, meta.sequence);
  put32(out, (meta.flags & tcp::ack) != 0 ? meta.acknowledgement : 0);
  put8(out, static_cast<unsigned>(header / 4) << 4U);
  put8(out, meta.flags);
  put16(out, meta.window);
  put32(out, 0);  // checksum and urgent pointer
  if (meta.mss != 0) {
    put16(out, 0x0204);
    put16(out, meta.mss);
  }
  out.insert(out.end(), owned.octets.begin(), owned.octets.end());

  Bytes pseudo;
  put_address(pseudo, meta.source.address);
  put_address(pseudo, meta.destination.address);
  put32(pseudo, tcp_protocol);
  put32(pseudo, static_cast<std::uint32_t>(out.size()));
  const std::uint32_t pseudo_sum = add_words(0, pseudo);
  std::uint32_t field = ~add_words(pseudo_sum, out);
  if (meta.checksum == ChecksumStatus::bad) field ^= 0x5555U;
  if (meta.checksum == ChecksumStatus::offloaded) field = pseudo_sum;
  store_be16(out.data() + 16, static_cast<std::uint16_t>(field));
  return out;
}

Bytes ip_packet(const OwnedSegment& segment) {
  const Bytes octets = tcp_octets(segment);
  return cat(ip_header(segment, octets.size()), octets);
}

Bytes pcap_file(std::uint32_t link_type, const std::vector<FrameRecord>& records) {
  constexpr std::uint32_t nanoseconds_magic = 0xa1b23c4d;
  constexpr std::int64_t second = 1'000'000'000;
  Bytes out;
  put_le32(out, nanoseconds_magic);
  put_le32(out, 2U | 4U << 16U);  // version 2.4
  put_le32(out, 0);
  put_le32(out, 0);
  put_le32(out, 0x40000);
  put_le32(out, link_type);
  for (const FrameRecord& each : records) {
    const std::size_t captured = std::min(each.captured, each.octets.size());
    put_le32(out, static_cast<std::uint64_t>(each.time_ns / second));
    put_le32(out, static_cast<std::uint64_t>(each.time_ns % second));
    put_le32(out, captured);
    put_le32(out, each.octets.size());
    out.insert(out.end(), each.octets.begin(), each.octets.begin() + static_cast<std::ptrdiff_t>(captured));
  }
  return out;
}

Bytes pcapng_file(std::uint32_t link_type, const std::vector<FrameRecord>& records) {
  Bytes out;
  const auto block = [&out](std::uint32_t type, Bytes body) {
    body.resize((body.size() + 3) / 4 * 4);
    put_le32(out, type);
    put_le32(out, body.size() + 12);
    out.insert(out.end(), body.begin(), body.end());
    put_le32(out, body.size() + 12);
  };
  block(0x0a0d0d0a, hex("4d3c2b1a 0100 0000 8*ff"));  // section, version 1.0, length unknown
  for (const char* resolution : {"0900 0100 09 000000 00000000", "0900 0100 06 000000 00000000"}) {
    Bytes body;
    put_le32(body, link_type);
    put_le32(body, 0);
    block(1, cat(body, hex(resolution)));
  }
  for (const FrameRecord& each : records) {
    const auto ticks = static_cast<std::uint64_t>(each.interface == 0 ? each.time_ns : each.time_ns / 1000);
    const std::size_t captured = std::min(each.captured, each.octets.size());
    Bytes body;
    put_le32(body, each.interface);
    put_le32(body, ticks >> 32U);
    put_le32(body, ticks & 0xffffffffU);
    put_le32(body, captured);
    put_le32(body, each.octets.size());
    block(6, cat(body, part(each.octets, 0, captured)));
  }
  return out;
}

Bytes pcap_file(const std::vector<OwnedSegment>& segments) {
  constexpr std::uint32_t ethernet_link = 1;
  std::vector<FrameRecord> records;
  for (const OwnedSegment& each : segments) {
    const Bytes frame = cat(ethernet_header(each.meta), ip_packet(each));
    const std::size_t missing = each.octets.size() - std::min(each.captured, each.octets.size());
    records.push_back({each.meta.time_ns, frame, frame.size() - missing});
  }
  return pcap_file(ethernet_link, records);
}

bool write_file(const std::string& path, const Bytes& octets) {
  std::ofstream file(path, std::ios::binary);
  for (const Byte octet : octets) file.put(static_cast<char>(octet));
  return static_cast<bool>(file.flush());
}

}  // namespace iwarp::test
