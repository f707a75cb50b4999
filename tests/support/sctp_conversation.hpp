// An SCTP association that carries DDP, as a capture shows it: every octet made here from the figures of RFC
// 9260 §3 and RFC 5043 §5, without the code under test.
//
//   SctpConversation c;
//   c.associate();                                             // INIT to COOKIE ACK, Adaptation Indication 1
//   c.packet(Side::a, {c.control(Side::a, 3, 1)});             // Initiate on stream 3
//   c.packet(Side::b, {c.sack(Side::b), c.control(Side::b, 3, 2)});
//   c.packet(Side::a, {c.segment(Side::a, 3, send(1, text("hello")))});
//   c.packet(Side::a, {c.control(Side::a, 3, 4)});             // session Terminate
//
// TSNs and DDP-SSNs come by themselves, in the order in which chunks are made; packets are in the order in
// which they are put. Making chunks in another order than putting them is what unordered delivery means.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <iwarp/sctp_packet.hpp>

#include "support/conversation.hpp"
#include "support/octets.hpp"
#include "support/pcap_file.hpp"

namespace iwarp::test {

inline constexpr std::uint32_t ddp_segment_ppid = 16;
inline constexpr std::uint32_t session_control_ppid = 17;

// An SCTP packet with its octets.
struct OwnedPacket {
  SctpPacket meta;                  // all but octets
  Bytes octets;                     // from the common header on, on the wire
  std::size_t captured = SIZE_MAX;  // of them in the capture

  [[nodiscard]] SctpPacket packet() const;
};

// What a DATA chunk says wrong, or otherwise.
struct DataField {
  unsigned flags = 7;  // U, B and E
  std::optional<std::uint32_t> tsn = {};
  std::optional<unsigned> ssn = {};  // DDP-SSN
};

class SctpConversation {
 public:
  struct Options {
    Endpoint a = endpoint("192.0.2.1", 40000);
    Endpoint b = endpoint("192.0.2.2", 5001);
    std::uint32_t tag_a = 0x0a0a0a0a;  // a's Initiate Tag: of packets to a
    std::uint32_t tag_b = 0x0b0b0b0b;
    std::uint32_t tsn_a = 1000;
    std::uint32_t tsn_b = 0xfffffffeU;  // wraps soon
    TimeNs start_ns = 1'700'000'000'000'000'000;
    TimeNs step_ns = 10'000;
    FrameNumber first_frame = 1;
  };

  SctpConversation() : SctpConversation(Options{}) {}
  explicit SctpConversation(const Options& options);

  // --- chunks ------------------------------------------------------------------------------------------

  [[nodiscard]] Bytes chunk(unsigned type, unsigned flags, const Bytes& value) const;
  [[nodiscard]] Bytes data(Side side, unsigned stream, std::uint32_t ppid, const Bytes& user,
                           const DataField& field = {});
  // A DDP segment, or a session control message, with the stream's next DDP-SSN.
  [[nodiscard]] Bytes segment(Side side, unsigned stream, const Bytes& ulpdu, const DataField& field = {});
  [[nodiscard]] Bytes control(Side side, unsigned stream, unsigned function, const Bytes& private_data = {},
                              const DataField& field = {});
  // A DDP segment in fragments of so many octets of user data; what is left goes into one more.
  [[nodiscard]] std::vector<Bytes> fragments(Side side, unsigned stream, const Bytes& ulpdu,
                                             std::size_t size);
  [[nodiscard]] Bytes init(Side side, std::optional<std::uint32_t> adaptation = 1,
                           bool answers = false) const;
  // Acknowledges all DATA chunks that the peer made so far, or up to a TSN.
  [[nodiscard]] Bytes sack(Side side, std::optional<std::uint32_t> tsn = {}) const;
  [[nodiscard]] std::uint32_t next_tsn(Side side) const { return tsns_[index(side)]; }
  // The stream begins another session: DDP-SSNs count from 0 again.
  void new_session(unsigned stream);

  // --- packets -----------------------------------------------------------------------------------------

  // A packet with these chunks. Returns its place in packets().
  std::size_t packet(Side side, const std::vector<Bytes>& chunks, std::optional<std::uint32_t> tag = {});
  // INIT, INIT ACK, COOKIE ECHO, COOKIE ACK.
  void associate(std::optional<std::uint32_t> adaptation_a = 1,
                 std::optional<std::uint32_t> adaptation_b = 1);
  // Initiate by a and Accept by b.
  void open(unsigned stream, const Bytes& asked = {}, const Bytes& given = {});
  // Session Terminates of both, acknowledged.
  void close(unsigned stream);
  // SHUTDOWN, SHUTDOWN ACK, SHUTDOWN COMPLETE.
  void shut_down(Side side = Side::a);

  void wait(TimeNs ns) { now_ns_ += ns; }
  // The same octets once more.
  void repeat(std::size_t place);
  // Was never captured. Places of others stay.
  void drop(std::size_t place) { packets_[place].captured = 0; }
  [[nodiscard]] OwnedPacket& at(std::size_t place) { return packets_[place]; }

  // The capture in order, without what was dropped; frames are numbered anew.
  [[nodiscard]] std::vector<OwnedPacket> packets() const;
  [[nodiscard]] Bytes to_pcap() const;

 private:
  Options options_;
  std::array<std::uint32_t, 2> tsns_;
  std::map<std::pair<Side, unsigned>, unsigned> ssns_;
  std::vector<OwnedPacket> packets_;
  TimeNs now_ns_;
};

// The checksum is put in its place: CRC32c of the packet with zeros there.
void set_checksum(Bytes& packet);
// A frame: Ethernet, IPv4 or IPv6, and these octets.
[[nodiscard]] Bytes sctp_frame(const OwnedPacket& packet);
[[nodiscard]] FrameRecord sctp_record(const OwnedPacket& packet);

}  // namespace iwarp::test
