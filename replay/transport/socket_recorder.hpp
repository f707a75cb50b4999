// SocketRecorder: a well-formed TCP capture of one connection, made of the octets that a socket sent and
// received: no privilege and no capture interface. It sees what this end sees, as if captured on this host.
//
// What a socket cannot tell is chosen so that a conclusion from it is not false:
//   sequence numbers      from a seed
//   our segments          begin where a call of sent() did, cut at the EMSS
//   the peer's segments   what was read at once; the MSS option that would limit them is the largest
//   our acknowledgements  at once for what was read
//   the peer's            what the system knows as acknowledged when the peer's octets are read: as if these
//                         had arrived just then. Less would make answers look sent before their questions
//                         came
//   the handshake         when it was over; windows do not change
//
// Everything else follows in the order of the calls, with their times, which do not go back.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>

#include <iwarp/bytes.hpp>
#include <iwarp/ids.hpp>

#include "transport/packet.hpp"
#include "transport/pcap_sink.hpp"

namespace iwarp::replay {

// Octets of a segment at most.
struct SegmentSizes {
  std::size_t sent = 0;        // the EMSS of our direction
  std::size_t advertised = 0;  // by our SYN, to the peer
};

class SocketRecorder {
 public:
  // REQUIRES: `point` outlives this object.
  SocketRecorder(CapturePoint& point, std::uint64_t seed);

  void established(const Endpoint& local, const Endpoint& peer, bool opened_here, const SegmentSizes& sizes,
                   TimeNs now);
  // Instead: our SYN was answered with RST.
  void refused(const Endpoint& local, const Endpoint& peer, TimeNs now);

  void sent(ByteView octets, TimeNs now);
  void received(ByteView octets, TimeNs now);
  void finished(TimeNs now);       // we sent FIN
  void peer_finished(TimeNs now);  // we read it
  void reset(TimeNs now);
  void peer_reset(TimeNs now);
  // All of our octets so far but the last `outstanding` are acknowledged; the FIN counts as one octet. To be
  // told before received() and peer_finished().
  void peer_acknowledged(std::uint64_t outstanding, TimeNs now);
  // Whether that could tell anything: asking the system for it costs a call.
  [[nodiscard]] bool awaits_acknowledgement() const noexcept {
    return open_ && peer_.acknowledged < own_.next;
  }
  // Nothing more will come. Where both sent FIN, the last acknowledgements are written.
  void ended(TimeNs now);

 private:
  struct Side {
    Endpoint endpoint = {};
    std::uint32_t initial_sequence = 0;
    std::uint64_t next = 0;          // position, the SYN not counted
    std::uint64_t acknowledged = 0;  // of the other side's
    bool finished = false;
    std::uint16_t identification = 0;
  };
  void begin(const Endpoint& local, const Endpoint& peer);
  void write(Side& from, const Side& to, std::uint8_t flags, ByteView octets, TimeNs now);
  void write_octets(Side& from, const Side& to, ByteView octets, std::size_t size, TimeNs now);
  void write_syn(Side& from, const Side& to, std::uint8_t flags, std::size_t max_segment, TimeNs now);

  CapturePoint& point_;
  Side own_ = {};
  Side peer_ = {};
  std::size_t max_segment_ = 0;
  bool open_ = false;
  Packet packet_ = {};
};

}  // namespace iwarp::replay
