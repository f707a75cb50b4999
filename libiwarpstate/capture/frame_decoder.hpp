// Goes through the headers of one frame down to TCP or SCTP. Each kind of header is one function, which
// checks that the header is there, passes over it and calls the next one; link_layer.cpp, ip.cpp, tunnel.cpp,
// tcp.cpp and sctp.cpp define them.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <iwarp/bytes.hpp>
#include <iwarp/capture/packet_decoder.hpp>
#include <iwarp/capture/record.hpp>
#include <iwarp/sctp_packet.hpp>
#include <iwarp/segment.hpp>

#include "fragment_table.hpp"
#include "packet_copies.hpp"
#include "skip_reason.hpp"

namespace iwarp::capture {

// Where the way through a frame has come to.
struct Position {
  const Byte* at = nullptr;
  std::size_t captured = 0;  // octets readable at `at`
  std::uint64_t wire = 0;    // octets there were on the wire, as the headers so far say; >= captured

  std::uint32_t network = 0;  // TcpSegment::network so far
  unsigned headers = 0;       // passed so far
  std::uint32_t frames = 1;   // that brought these octets: more where fragments were put together
  std::size_t datagrams = 0;  // put together from fragments so far
  TimeNs time_ns = 0;

  // Of the innermost IP header so far.
  const Byte* source = nullptr;
  const Byte* destination = nullptr;
  std::uint16_t identification = 0;  // IPv4; 0 for IPv6
  std::uint8_t version = 0;
  bool is_source_routed = false;  // the checksum is made with a destination not in the IP header

  // REQUIRES: count <= captured.
  void advance(std::size_t count) noexcept {
    at += count;
    captured -= count;
    wire -= count;
  }

  // The headers say that `length` octets follow; what is captured behind them is padding.
  void limit(std::uint64_t length) noexcept {
    wire = length;
    if (captured > length) captured = static_cast<std::size_t>(length);
  }
};

class FrameDecoder {
 public:
  explicit FrameDecoder(FragmentLimits limits) noexcept : fragments_(limits) {}

  // `packet`: set in the place of `segment` where is_sctp() says so; nullptr: SCTP is not wanted.
  [[nodiscard]] SkipReason decode(const Record& record, TcpSegment& segment, SctpPacket* packet);
  [[nodiscard]] bool is_sctp() const noexcept { return is_sctp_; }

  // Frames that the last call of decode() was about: the record's own, and earlier ones whose fragments it
  // completed.
  [[nodiscard]] std::uint32_t frames() const noexcept { return frames_; }
  // See FragmentTable.
  [[nodiscard]] std::uint64_t incomplete_frames() const noexcept { return fragments_.incomplete_frames(); }

  [[nodiscard]] const FragmentLosses& fragment_losses() const noexcept { return fragments_.losses(); }

 private:
  SkipReason link_layer(std::uint32_t type, Position& position, TcpSegment& segment);
  SkipReason ethernet(Position& position, TcpSegment& segment);
  SkipReason ether_type(Position& position, std::uint16_t type, TcpSegment& segment);
  SkipReason logical_link(Position& position, TcpSegment& segment);
  SkipReason linux_cooked(Position& position, TcpSegment& segment);
  SkipReason linux_cooked_2(Position& position, TcpSegment& segment);
  SkipReason loopback(Position& position, TcpSegment& segment);
  SkipReason label_stack(Position& position, TcpSegment& segment);

  SkipReason ip(Position& position, TcpSegment& segment);  // either version
  SkipReason ipv4(Position& position, TcpSegment& segment);
  SkipReason ipv6(Position& position, TcpSegment& segment);
  SkipReason ip_payload(Position& position, std::uint8_t protocol, TcpSegment& segment);
  SkipReason ipv6_fragment(Position& position, TcpSegment& segment);
  SkipReason fragment(Position& position, DatagramKey& key, const Fragment& fragment, TcpSegment& segment);

  SkipReason gre(Position& position, TcpSegment& segment);
  SkipReason erspan(Position& position, std::size_t header_octets, TcpSegment& segment);
  SkipReason udp(Position& position, TcpSegment& segment);
  SkipReason vxlan(Position& position, TcpSegment& segment);
  SkipReason geneve(Position& position, TcpSegment& segment);

  SkipReason tcp(const Position& position, TcpSegment& segment) noexcept;
  SkipReason sctp(const Position& position) noexcept;

  // Counts a header. True when the frame has more than any real frame.
  [[nodiscard]] static bool is_too_deep(Position& position) noexcept { return ++position.headers > 40; }

  FragmentTable fragments_;
  // Datagrams put together in the current frame, the outermost first.
  std::vector<Bytes> datagrams_;
  PacketCopies copies_;
  TimeNs last_time_ns_ = 0;
  std::uint32_t frames_ = 1;
  SctpPacket* sctp_ = nullptr;
  bool is_sctp_ = false;
};

// What goes into TcpSegment::network. MPLS labels do not: they differ between the directions.
enum class NetworkId : std::uint32_t {
  vlan = 1,
  vni = 2,
  gre_key = 3,
  geneve_vni = 4
};

// `network` with one more id. Never 0. Different VLANs and VNIs alone never collide.
[[nodiscard]] constexpr std::uint32_t mix_network(std::uint32_t network, NetworkId kind,
                                                  std::uint32_t id) noexcept {
  std::uint32_t mixed = network ^ (id + (static_cast<std::uint32_t>(kind) << 24));
  mixed *= 0x9e3779b1U;
  mixed ^= mixed >> 15;
  return mixed == 0 ? 1 : mixed;
}

// EtherTypes, which GRE uses too.
namespace ether {
inline constexpr std::uint16_t ipv4 = 0x0800;
inline constexpr std::uint16_t vlan = 0x8100;
inline constexpr std::uint16_t ipv6 = 0x86dd;
inline constexpr std::uint16_t mpls = 0x8847;
inline constexpr std::uint16_t mpls_multicast = 0x8848;
inline constexpr std::uint16_t provider_vlan = 0x88a8;
inline constexpr std::uint16_t old_provider_vlan = 0x9100;
inline constexpr std::uint16_t bridged = 0x6558;  // an Ethernet frame
inline constexpr std::uint16_t erspan = 0x88be;
inline constexpr std::uint16_t erspan_3 = 0x22eb;
}  // namespace ether

}  // namespace iwarp::capture
