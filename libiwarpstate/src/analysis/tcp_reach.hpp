// TcpReach: how far the two directions of a TCP connection came, to tell its segments from those of another
// connection on the same addresses and ports whose SYNs were not captured.
//
// A new connection has initial sequence numbers far off in both directions: random ones, or at least those of
// a clock (RFC 6528, RFC 9293 §3.4.1; Linux' counts 15 MiB in a second). So a segment belongs where it lies
// near in its own direction, or acknowledges what is near in the other one: holes in a capture seldom are
// long in both.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>

#include <iwarp/ids.hpp>
#include <iwarp/segment.hpp>
#include <iwarp/wire/mpa.hpp>

namespace iwarp {

struct TcpReach {
  // Sequence numbers behind the last octet seen, by Side; empty: not known.
  std::array<std::optional<std::uint32_t>, 2> next;

  // While the connection lives. Holes may be long: of a capture that lost packets at 100 Gbit/s.
  [[nodiscard]] bool has(Side side, const TcpSegment& segment) const noexcept {
    return holds(side, segment, begins_startup(segment) ? narrow : wide);
  }
  // When it has ended: nothing new is to come, but what was on its way.
  [[nodiscard]] bool has_late(Side side, const TcpSegment& segment) const noexcept {
    const auto& own = next[index(side)];
    const bool is_new = own && segment.sequence - *own < narrow;  // not what was sent before
    if (is_new && begins_startup(segment) && segment.sequence != *own) return false;
    return holds(side, segment, narrow);
  }

 private:
  static constexpr std::uint32_t narrow = 4U << 20U;
  static constexpr std::uint32_t wide = 256U << 20U;

  [[nodiscard]] bool holds(Side side, const TcpSegment& segment, std::uint32_t window) const noexcept {
    const auto& own = next[index(side)];
    const auto& peer = next[index(other(side))];
    const bool acknowledges = (segment.flags & tcp::ack) != 0;
    if (own && is_near(segment.sequence, *own, window)) return true;
    if (peer && acknowledges && is_near(segment.acknowledgement, *peer, window)) return true;
    return !own && !(peer && acknowledges);
  }
  [[nodiscard]] static bool is_near(std::uint32_t one, std::uint32_t another, std::uint32_t window) noexcept {
    return one - another + window <= 2 * window;
  }
  // Its octets begin with the key of a start-up frame (RFC 5044 §7.1.1).
  [[nodiscard]] static bool begins_startup(const TcpSegment& segment) noexcept {
    if (segment.payload.size() < wire::startup_key_size) return false;
    const auto is = [&](const Byte* key) {
      return std::equal(key, key + wire::startup_key_size, segment.payload.begin());
    };
    return is(wire::request_key) || is(wire::reply_key);
  }
};

}  // namespace iwarp
