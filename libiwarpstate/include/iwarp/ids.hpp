// The names of positions and parties used throughout the library.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstdint>

#pragma GCC visibility push(default)
namespace iwarp {

// Wireshark's frame number: counts every record of the capture from 1. 0 means "no frame".
using FrameNumber = std::uint64_t;
// Stands for the end of the capture, which lies behind every frame.
inline constexpr FrameNumber end_of_capture = ~FrameNumber{0};

// Octets of one direction of one TCP connection, counted from its first stream octet (the one behind the
// SYN, or the first captured one). Never wraps: 2^32 TCP sequence numbers map to ever larger offsets.
using StreamOffset = std::uint64_t;

// Capture time, nanoseconds since the Unix epoch; may run backward between frames.
using TimeNs = std::int64_t;

// Where something lies in the capture: the frame that brought it, and when that was captured. What came in
// several frames lies in the last of them. RFC 5041 §1.1 says "placed" of octets that came, in any order.
struct Placement {
  FrameNumber frame = 0;  // 0: nowhere
  TimeNs time_ns = 0;

  bool operator==(const Placement&) const = default;
};
[[nodiscard]] constexpr const Placement& later(const Placement& one, const Placement& another) noexcept {
  return one.frame < another.frame ? another : one;
}

// Index of a TCP connection in order of first appearance, as Wireshark's tcp.stream counts.
using ConnectionId = std::uint32_t;

// The two ends of a TCP connection. `a` sent the SYN, or the first captured segment where no SYN was seen.
enum class Side : std::uint8_t {
  a = 0,
  b = 1
};

[[nodiscard]] constexpr Side other(Side side) noexcept {
  return side == Side::a ? Side::b : Side::a;
}
[[nodiscard]] constexpr unsigned index(Side side) noexcept {
  return static_cast<unsigned>(side);
}

// MPA roles (RFC 5044 §7.1): the initiator sends the Request frame, whoever sent the SYN.
enum class Role : std::uint8_t {
  initiator = 0,
  responder = 1
};

[[nodiscard]] constexpr Role other(Role role) noexcept {
  return role == Role::initiator ? Role::responder : Role::initiator;
}

}  // namespace iwarp
#pragma GCC visibility pop
