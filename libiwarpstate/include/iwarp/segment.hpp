// TcpSegment: what a capture source hands to the Analyzer, one per captured TCP segment.
//
// The library opens no file and knows no link layer: iwarpstate_capture, the Wireshark plugin and tests
// each make TcpSegments their own way.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <string>

#include <iwarp/bytes.hpp>
#include <iwarp/ids.hpp>

#pragma GCC visibility push(default)
namespace iwarp {

struct IpAddress {
  std::array<Byte, 16> octets{};  // IPv4: the first four
  std::uint8_t version = 4;       // 4 or 6

  auto operator<=>(const IpAddress&) const = default;
};

struct Endpoint {
  IpAddress address;
  std::uint16_t port = 0;

  auto operator<=>(const Endpoint&) const = default;
};

// "192.0.2.1:4420" or "[2001:db8::1]:4420" (RFC 5952 text form).
[[nodiscard]] std::string to_string(const Endpoint& endpoint);
[[nodiscard]] std::string to_string(const IpAddress& address);

// TCP flag bits as on the wire (RFC 9293 §3.1).
namespace tcp {
inline constexpr std::uint8_t fin = 0x01;
inline constexpr std::uint8_t syn = 0x02;
inline constexpr std::uint8_t rst = 0x04;
inline constexpr std::uint8_t psh = 0x08;
inline constexpr std::uint8_t ack = 0x10;
inline constexpr std::uint8_t urg = 0x20;
}  // namespace tcp

// What the TCP checksum says of the captured copy.
enum class ChecksumStatus : std::uint8_t {
  unknown,    // not verified, or octets are missing (snaplen, fragment)
  good,       // verified right
  offloaded,  // holds only the pseudo-header's sum, or zero: the sender's NIC had yet to fill it in
  bad,        // verified wrong: a receiver will have dropped this copy
};

struct TcpSegment {
  FrameNumber frame = 0;
  TimeNs time_ns = 0;
  Endpoint source;
  Endpoint destination;
  // Tells apart equal addresses in different networks: 0, or a hash of VLAN tags and tunnel ids.
  std::uint32_t network = 0;

  std::uint32_t sequence = 0;         // as on the wire
  std::uint32_t acknowledgement = 0;  // meaningful when flags has tcp::ack
  std::uint16_t window = 0;           // as on the wire, unscaled
  std::uint8_t flags = 0;             // bits of namespace tcp
  std::uint16_t mss = 0;              // MSS option of a SYN, 0 when absent
  std::int8_t window_scale = -1;      // window scale option of a SYN (RFC 7323 §2.2), negative when absent
  bool timestamps = false;            // a SYN has the timestamps option (RFC 7323 §3.2)
  ChecksumStatus checksum = ChecksumStatus::unknown;

  // Same non-zero value only for copies of one transmitted packet (a mirror captured it twice): made of
  // what a true retransmission changes, IP identification, TCP header, or else the time. 0: cannot be told.
  std::uint64_t packet_identity = 0;

  // Octets as captured; shorter than wire_length when the snapshot length cut the frame. Read only during
  // Analyzer::add.
  ByteView payload;
  std::uint32_t wire_length = 0;  // payload octets the segment had on the wire, >= payload.size()

  // One's-complement style sum of the payload (see payload_sum()), 0 when not computed. Two copies of the
  // same range with different sums certainly differ.
  std::uint64_t payload_sum = 0;
};

// The sum for TcpSegment::payload_sum: 16-bit words with the first octet low, added in 64 bits, an odd last
// octet padded with zero. Folded to 16 bits it is the Internet checksum's sum with its octets exchanged
// (RFC 1071 §2 (B)): so one pass over the payload serves both. The sum of a range is the sum of its parts
// when all of them but the last have an even length.
[[nodiscard]] std::uint64_t payload_sum(ByteView octets) noexcept;

}  // namespace iwarp
#pragma GCC visibility pop
