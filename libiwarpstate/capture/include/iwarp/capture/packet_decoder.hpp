// From a captured frame to the TCP segment inside it, or the SCTP packet.
//
// Understands
//   link layers  Ethernet, Linux cooked (SLL, SLL2), raw IP, BSD and OpenBSD loopback
//   below IP     802.1Q and 802.1ad tags, MPLS label stacks
//   IP           IPv4 with options, IPv6 with extension headers, jumbograms (RFC 2675), fragments of both
//   tunnels      IP in IP, GRE (RFC 2784, RFC 2890) with IP, MPLS, Ethernet or ERSPAN inside, VXLAN (RFC
//   7348) offloading   super-frames whose IP length is 0, TCP checksums not filled in yet, Ethernet padding
//
// Everything in the frame is untrusted: no octet outside it is read, and what is malformed is counted, not
// reported one by one.
//
// Threads: an object may be used by one thread at a time; different objects are independent.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>

#include <iwarp/capture/record.hpp>
#include <iwarp/sctp_packet.hpp>
#include <iwarp/segment.hpp>

#pragma GCC visibility push(default)
namespace iwarp::capture {

// Bounds on the IP fragments kept while their datagrams are incomplete.
struct FragmentLimits {
  std::size_t octets = std::size_t{16} << 20;
  std::size_t datagrams = 4096;
  TimeNs lifetime_ns = 60'000'000'000;  // RFC 8200 §4.5; RFC 791 lets it be as short as 15 s
};

// Datagrams given up while fragments of them were kept.
struct FragmentLosses {
  std::uint64_t evicted = 0;  // the oldest one, when a bound of FragmentLimits was reached
  std::uint64_t expired = 0;  // incomplete for longer than the lifetime
  std::uint64_t overlapping =
      0;  // two of its fragments told different things about the same octets (RFC 5722)
};

class PacketDecoder {
 public:
  explicit PacketDecoder(FragmentLimits limits = {});
  ~PacketDecoder();
  PacketDecoder(const PacketDecoder&) = delete;
  PacketDecoder& operator=(const PacketDecoder&) = delete;

  // True when the frame carries a TCP segment, or completes the fragments of one: all fields of `segment` are
  // set then. Otherwise the frame is counted under a reason for skipped(), or it is a fragment that waits for
  // the others. segment.payload points into record.octets or into the decoder; it is valid until the next
  // call and while record.octets is. A record without a time gets the time of the last one that had any (0
  // before the first).
  [[nodiscard]] bool decode(const Record& record, TcpSegment& segment);

  // The same for those who take SCTP, too: without this its frames are "not TCP". What the result names is
  // set, under the same conditions; packet.octets as segment.payload.
  enum class Decoded : std::uint8_t {
    nothing,
    tcp,
    sctp
  };
  [[nodiscard]] Decoded decode(const Record& record, TcpSegment& segment, SctpPacket& packet);

  // Frames that had no part in a segment, by reason: "not IP", "not TCP", "unknown link type 147", "IP header
  // cut" … Fragments are judged as what they make together; "fragment of an incomplete datagram" counts those
  // whose datagram was given up or is incomplete now.
  [[nodiscard]] std::map<std::string, std::uint64_t> skipped() const;

  // Frames that only brought fragments of segments which later frames completed. With them, segments and
  // skipped() make all frames.
  [[nodiscard]] std::uint64_t reassembled() const noexcept;

  [[nodiscard]] FragmentLosses fragment_losses() const noexcept;

 private:
  class [[gnu::visibility("hidden")]] Implementation;
  std::unique_ptr<Implementation> implementation_;
};

}  // namespace iwarp::capture
#pragma GCC visibility pop
