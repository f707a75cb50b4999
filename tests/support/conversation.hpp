// A TCP conversation as a capture shows it, written down like a script:
//
//   Conversation c;
//   c.handshake();
//   c.startup({.crc = true}, {.crc = true});               // Request by a, Reply by b
//   c.fpdu(Side::a, send(1, text("hello")));
//   const Packets lost = c.lose(Side::a, c.frame(Side::a, send(2, pattern(4000))), {1448});
//   c.fpdu(Side::a, send(3));                              // b keeps acknowledging what is before the hole
//   c.ack(Side::b);
//   c.resend(lost);
//   c.close();
//   for (const OwnedSegment& each : c.segments()) analyzer.add(each.segment());
//
// Sequence and acknowledgement numbers, frame numbers, times and IP identifications come by themselves; each
// can be set in packet(). Nothing here uses the code under test.
//
// Every action returns the packets that it sent. They keep their place in the capture until they are moved.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <iwarp/bytes.hpp>
#include <iwarp/segment.hpp>

#include "support/octets.hpp"

namespace iwarp::test {

// "192.0.2.1" or "2001:db8::1". Aborts on anything else.
[[nodiscard]] Endpoint endpoint(const std::string& address, std::uint16_t port);

// A TCP segment with its octets.
struct OwnedSegment {
  TcpSegment meta;                  // all but payload
  Bytes octets;                     // its payload on the wire
  std::size_t captured = SIZE_MAX;  // payload octets in the capture, at most all of them
  std::uint16_t ip_id = 0;          // IPv4 identification

  // What a capture source makes of it. The payload points into this object.
  [[nodiscard]] TcpSegment segment() const;
};

// Where send() cuts octets into TCP segments: after so many, then so many; what is left goes into one more.
// Cuts::every(1448) cuts again and again. No cuts: one segment, as a sender with TSO hands it to its NIC.
struct Cuts {
  Cuts() = default;
  Cuts(std::initializer_list<std::size_t> sizes) : sizes_(sizes) {}
  [[nodiscard]] static Cuts every(std::size_t size) {
    Cuts cuts;
    cuts.repeat_ = size;
    return cuts;
  }
  [[nodiscard]] std::vector<Bytes> apply(const Bytes& octets) const;

 private:
  std::vector<std::size_t> sizes_ = {};
  std::size_t repeat_ = 0;
};

// Packets of one action, in the order in which they were sent. packets[1] is the second one alone.
struct Packets {
  std::size_t first = 0;
  std::size_t count = 0;
  [[nodiscard]] Packets operator[](std::size_t i) const { return {first + i, 1}; }
};

struct Handshake {
  unsigned mss_a = 1460;  // 0: no option
  unsigned mss_b = 1460;
  std::uint32_t isn_a = 1000;
  std::uint32_t isn_b = 900000;
  Side opener = Side::a;  // who sends the SYN
  Bytes syn_payload = {};
};

class Conversation {
 public:
  struct Options {
    Endpoint a = endpoint("192.0.2.1", 40000);
    Endpoint b = endpoint("192.0.2.2", 18515);
    std::uint32_t isn_a = 1000;  // for conversations whose handshake is not played
    std::uint32_t isn_b = 900000;
    TimeNs start_ns = 1'700'000'000'000'000'000;
    TimeNs step_ns = 10'000;  // from a packet to the next
    FrameNumber first_frame = 1;
    std::uint32_t network = 0;
  };

  Conversation() : Conversation(Options{}) {}
  explicit Conversation(const Options& options);

  // --- TCP ---------------------------------------------------------------------------------------------

  // SYN, SYN and ACK, ACK. A second call begins another connection on the same ports.
  Packets handshake(const Handshake& handshake = {});
  // The next octets of `side`, with ACK and PSH.
  Packets send(Side side, const Bytes& octets, const Cuts& cuts = {});
  // The same, but dropped before capture point and receiver: resend() it later.
  Packets lose(Side side, const Bytes& octets, const Cuts& cuts = {});
  // An ACK without payload: of all that came without a hole, or of `octets` of the peer's stream.
  Packets ack(Side side);
  Packets ack(Side side, StreamOffset octets);
  Packets fin(Side side);
  Packets rst(Side side);
  // FIN by `first`, FIN by the other side, ACK.
  Packets close(Side first = Side::a);
  // The same octets in new packets; or any part of what `side` sent so far, cut as one likes.
  Packets resend(Packets packets);
  Packets resend(Side side, StreamOffset from, std::size_t count, const Cuts& cuts = {});
  // Octets at any place of the stream: what `side` sends afterwards is not moved by them.
  Packets inject(Side side, StreamOffset at, const Bytes& octets);

  // --- MPA ---------------------------------------------------------------------------------------------

  // Request by `initiator` and Reply by its peer. From here on fpdu() frames as they agreed: markers where
  // the other side asks for them, CRC when one of them wants it.
  Packets startup(const Startup& request = {}, const Startup& reply = {}, Side initiator = Side::a);
  // The same without sending anything: Full Operation begins with the next octets of both sides.
  void full_operation(const Startup& request = {}, const Startup& reply = {}, Side initiator = Side::a);
  // The octets of the next FPDU of `side`, for send() or lose(). They count as sent in the marker phase.
  [[nodiscard]] Bytes frame(Side side, const Bytes& ulpdu) { return stream(side).add(ulpdu); }
  [[nodiscard]] Bytes frame(Side side, const Bytes& ulpdu, const Framing& framing) {
    return stream(side).add(ulpdu, framing);
  }
  // One FPDU in a TCP segment of its own, or cut.
  Packets fpdu(Side side, const Bytes& ulpdu, const Cuts& cuts = {});
  Packets fpdu(Side side, const Bytes& ulpdu, const Framing& framing, const Cuts& cuts = {});
  // Several FPDUs: each in a TCP segment, or all packed into one (and then cut).
  Packets fpdus(Side side, const std::vector<Bytes>& ulpdus);
  Packets packed(Side side, const std::vector<Bytes>& ulpdus, const Cuts& cuts = {});
  // For break_marker(), garbage() and the like.
  [[nodiscard]] FpduStream& stream(Side side) { return sides_[index(side)].framing; }

  // --- what the capture makes of it --------------------------------------------------------------------

  // Off: packets are sent and received, but not captured.
  void capture(bool on);
  void capture(Side side, bool on) { sides_[index(side)].captured = on; }
  // Calls `script` with capturing off for both sides.
  template <typename Script>
  void unseen(Script script) {
    const std::array<bool, 2> before = {sides_[0].captured, sides_[1].captured};
    capture(false);
    script();
    capture(Side::a, before[0]);
    capture(Side::b, before[1]);
  }
  // Octets of later frames that are kept, Ethernet and IP headers included, as tcpdump -s; 0: all.
  void snaplen(std::size_t octets) { snaplen_ = octets; }
  // These packets were never captured; or only `payload` octets of each; or twice, by a mirror.
  void drop(Packets packets);
  void cut(Packets packets, std::size_t payload);
  void duplicate(Packets packets);
  // Changes the order in the capture: times and frame numbers follow the new order.
  void move_before(Packets packets, Packets other);
  void move_behind(Packets packets, Packets other);
  // The time as captured; other packets keep theirs.
  void set_time(Packets packets, TimeNs time_ns);

  // --- values ------------------------------------------------------------------------------------------

  // Time that passes before the next packet, beside the usual step.
  void wait(TimeNs ns) { waited_ns_ += ns; }
  // TCP window of the following packets of `side`.
  void window(Side side, std::uint16_t octets) { sides_[index(side)].window = octets; }
  // Octets that `side` has put into its stream: the offset of its next one.
  [[nodiscard]] StreamOffset sent(Side side) const { return sides_[index(side)].history.size(); }
  // Any field of one packet, e.g. packet(p[0]).meta.flags. A frame number or time set here stays; frame
  // numbers of later packets go on from it. Valid until the next packet is sent.
  [[nodiscard]] OwnedSegment& packet(Packets packets);

  // --- results -----------------------------------------------------------------------------------------

  // The capture, in order, as far as it goes now.
  [[nodiscard]] std::vector<OwnedSegment> segments() const;
  // The same as a capture file. REQUIRES: frame numbers were left alone, addresses are of one version.
  [[nodiscard]] Bytes to_pcap() const;
  // Writes it to `path`; returns whether that worked.
  [[nodiscard]] bool to_pcap(const std::string& path) const;

 private:
  struct Planned {
    OwnedSegment owned;
    Side side = Side::a;
    StreamOffset offset = 0;  // of its payload in the stream of `side`
    TimeNs gap_ns = 0;        // since the packet before
    bool captured = true;
    std::uint64_t transmission = 0;  // the same for mirror copies
  };
  struct Peer {
    Endpoint endpoint;
    std::uint32_t isn = 0;
    std::uint16_t window = 65535;
    bool captured = true;
    bool fin_sent = false;
    Bytes history = {};  // its stream
    // Ranges of it that the other side has received, ascending, apart from each other.
    std::vector<std::pair<StreamOffset, StreamOffset>> received = {};
    bool fin_received = false;
    FpduStream framing = FpduStream();
    std::uint16_t next_ip_id = 1;
  };

  Packets emit(Side side, StreamOffset offset, const Bytes& octets, std::uint8_t flags);
  Packets emit_cut(Side side, StreamOffset offset, const Bytes& octets, const Cuts& cuts);
  void receive(Peer& sender, StreamOffset from, StreamOffset to);
  [[nodiscard]] StreamOffset in_order(Side receiver) const;
  [[nodiscard]] std::uint32_t acknowledgement(Side side) const;
  [[nodiscard]] std::size_t place_of(std::size_t id) const;
  std::vector<std::size_t> take_out(Packets packets);

  Options options_;
  std::array<Peer, 2> sides_;
  std::vector<Planned> planned_ = {};    // by id
  std::vector<std::size_t> order_ = {};  // ids as captured
  TimeNs waited_ns_ = 0;
  std::size_t snaplen_ = 0;
  bool delivering_ = true;
};

// Several conversations in one capture: by time, frames numbered anew from 1.
[[nodiscard]] std::vector<OwnedSegment> merge(const std::vector<const Conversation*>& conversations);

}  // namespace iwarp::test
