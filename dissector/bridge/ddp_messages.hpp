// DdpMessages: what stands in front of the messages of DDP in SCTP packets (RFC 5043 §5.2), and where. Events
// do not tell it: their order was made of it. Knows nothing of epan.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <iwarp/sctp_packet.hpp>
#include <iwarp/wire/session.hpp>

namespace iwarp::dissector {

// An SCTP user message, as far as the DATA chunk goes that begins it.
struct DdpMessage {
  std::uint32_t frame = 0;
  std::uint16_t at = 0;  // its first octet in the SCTP packet, as of Slice::payload_offset
  std::uint16_t stream = 0;
  std::uint16_t ssn = 0;       // DDP-SSN
  std::uint16_t function = 0;  // of session control; 0: a DDP segment
  std::uint16_t length = 0;    // octets captured
  bool whole = false;          // the chunk ends it, too
};

class DdpMessages {
 public:
  // REQUIRES: frames do not decrease.
  void add(const SctpPacket& packet);

  // Those that begin in the frame. Lives until the next add().
  [[nodiscard]] std::span<const DdpMessage> of(FrameNumber frame) const noexcept;
  // By where it begins; nullptr: no message does, or its first octets were not captured.
  [[nodiscard]] const DdpMessage* find(FrameNumber frame, std::uint32_t at) const noexcept;
  // The session Terminate that the frame brings on the stream.
  [[nodiscard]] const DdpMessage* find_terminate(FrameNumber frame, std::uint16_t stream) const noexcept;

 private:
  std::vector<DdpMessage> messages_;  // as captured
};

}  // namespace iwarp::dissector
