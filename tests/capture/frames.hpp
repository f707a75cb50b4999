// Frames for the capture tests: Ethernet, IPv4, IPv6 and TCP octets from fields, all of which can be set
// wrong. Made from the RFCs' figures, without the code under test; checksums by RFC 1071's definition.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include <iwarp/capture/packet_decoder.hpp>

#include "support/octets.hpp"
#include "support/put.hpp"

namespace iwarp::test {

using capture::PacketDecoder;
using capture::Record;

[[nodiscard]] Bytes be16(unsigned value);
[[nodiscard]] Bytes be32(std::uint32_t value);

// Folded sum of big-endian words, not inverted.
[[nodiscard]] std::uint16_t internet_sum(ByteView octets);

struct Tcp {
  unsigned source_port = 40000;
  unsigned destination_port = 4420;
  std::uint32_t sequence = 1000;
  std::uint32_t acknowledgement = 2000;
  unsigned flags = 0x18;
  unsigned window = 512;
  Bytes options = {};  // a multiple of four octets
  Bytes payload = {};
  std::optional<unsigned> header_words = {};  // data offset
  std::optional<unsigned> checksum = {};      // by default the right one
};

struct Ip4 {
  Bytes source = hex("c0000201");       // 192.0.2.1
  Bytes destination = hex("c0000202");  // 192.0.2.2
  unsigned identification = 0x1234;
  unsigned flags_and_offset = 0x4000;  // "don't fragment"
  unsigned protocol = 6;
  Bytes options = {};
  std::optional<unsigned> total_length = {};
};

struct Ip6 {
  Bytes source = hex("20010db8 00000000 00000000 00000001");       // 2001:db8::1
  Bytes destination = hex("20010db8 00000000 00000000 00000002");  // 2001:db8::2
  unsigned next_header = 6;
  std::optional<unsigned> payload_length = {};
};

// Sum of pseudo-header, not inverted.
[[nodiscard]] std::uint16_t pseudo_sum(const Bytes& source, const Bytes& destination, std::size_t length);

[[nodiscard]] Bytes tcp_segment(const Tcp& tcp, const Bytes& source, const Bytes& destination);
[[nodiscard]] Bytes ipv4(const Ip4& ip, const Bytes& payload);
[[nodiscard]] Bytes ipv6(const Ip6& ip, const Bytes& payload);
[[nodiscard]] Bytes ethernet(unsigned type, const Bytes& payload);
[[nodiscard]] Bytes udp(unsigned destination_port, const Bytes& payload);

// IP packets with a TCP segment inside.
[[nodiscard]] Bytes tcp4(const Tcp& tcp, const Ip4& ip = {});
[[nodiscard]] Bytes tcp6(const Tcp& tcp, const Ip6& ip = {});

// One decoder and what it said of the last frame.
class Decoding {
 public:
  Decoding() = default;
  explicit Decoding(capture::FragmentLimits limits) : decoder_(limits) {}

  // True when there is a segment. `captured`: octets kept by the snapshot length.
  bool frame(std::uint32_t link_type, const Bytes& octets, std::size_t captured = SIZE_MAX);
  bool ethernet_frame(unsigned type, const Bytes& payload, std::size_t captured = SIZE_MAX);

  TcpSegment segment = {};
  Bytes payload = {};  // copied out of segment
  TimeNs time_ns = 1'000;
  bool has_time = true;

  [[nodiscard]] std::map<std::string, std::uint64_t> skipped() const { return decoder_.skipped(); }
  [[nodiscard]] const PacketDecoder& decoder() const { return decoder_; }

 private:
  PacketDecoder decoder_ = PacketDecoder();
  FrameNumber number_ = 0;
};

using Skipped = std::map<std::string, std::uint64_t>;

}  // namespace iwarp::test
