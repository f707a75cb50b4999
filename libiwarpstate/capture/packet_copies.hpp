// PacketCopies: tells apart the second copy of a packet, which a mirror took again, and a retransmission,
// where nothing in the packet does: by time. No sender finds out that a segment was lost within microseconds
// (RFC 6298 §2.4, RFC 5681 §3.2: a second, or three acknowledgements of what came behind it).
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include <iwarp/ids.hpp>

namespace iwarp::capture {

class PacketCopies {
 public:
  static constexpr TimeNs max_apart_ns = 20'000;

  // TcpSegment::packet_identity of a packet: that of an equal one, if it was captured just before, else one
  // of its own. `fingerprint`: of all octets that a copy has in common with it. `time_ns` 0: not known, and
  // nothing tells.
  [[nodiscard]] std::uint64_t identify(std::uint64_t fingerprint, TimeNs time_ns) noexcept {
    if (time_ns == 0) return 0;
    for (const Packet& earlier : recent_) {
      const bool near = earlier.identity != 0 && time_ns - earlier.time_ns <= max_apart_ns &&
                        earlier.time_ns - time_ns <= max_apart_ns;
      if (near && earlier.fingerprint == fingerprint) return earlier.identity;
    }
    ++packets_;
    std::uint64_t identity = fingerprint ^ packets_ * 0x9e3779b97f4a7c15U;
    if (identity == 0) identity = 1;
    recent_[packets_ % recent_.size()] = {fingerprint, identity, time_ns};
    return identity;
  }

 private:
  struct Packet {
    std::uint64_t fingerprint = 0;
    std::uint64_t identity = 0;  // 0: none
    TimeNs time_ns = 0;
  };

  std::array<Packet, 16> recent_{};
  std::uint64_t packets_ = 0;
};

}  // namespace iwarp::capture
