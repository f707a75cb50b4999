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
  // Octets of the side up to there, holes included: where few were sent, few are lost in one hole.
  std::array<std::uint64_t, 2> carried{};
  // The side sent a start-up frame, or FPDUs: another frame behind a hole is another connection's.
  std::array<bool, 2> started_up{};

  // While the connection lives. Of one that carried much a hole may be long in both directions, in a capture
  // which lost packets at 100 Gbit/s, but neither direction ever goes back.
  [[nodiscard]] bool has(Side side, const TcpSegment& segment) const noexcept {
    const bool startup = begins_startup(segment);
    if (startup && started_up[index(side)] && is_behind_hole(side, segment)) return false;
    if (holds(side, segment, {hole(Side::a, narrow), hole(Side::b, narrow)})) return true;
    return !startup && holds(side, segment, {hole(Side::a, wide), hole(Side::b, wide)}) &&
           !goes_back(side, segment);
  }
  // When it has ended: nothing new is to come, but what was on its way.
  [[nodiscard]] bool has_late(Side side, const TcpSegment& segment) const noexcept {
    if (begins_startup(segment) && is_behind_hole(side, segment)) return false;
    return holds(side, segment, {hole(Side::a, narrow), hole(Side::b, narrow)});
  }

 private:
  static constexpr std::uint32_t narrow = 4U << 20U;
  static constexpr std::uint32_t wide = 64U << 20U;
  static constexpr std::uint64_t longer = 16;  // than all before, a hole may be

  // The longest that a hole is taken to be, where those of both directions are long.
  [[nodiscard]] std::uint32_t hole(Side side, std::uint32_t most) const noexcept {
    constexpr std::uint64_t least = 64U << 10U;
    return static_cast<std::uint32_t>(std::clamp<std::uint64_t>(longer * carried[index(side)], least, most));
  }

  [[nodiscard]] bool is_behind_hole(Side side, const TcpSegment& segment) const noexcept {
    const auto& own = next[index(side)];
    return own && segment.sequence != *own && segment.sequence - *own < 1U << 31U;
  }
  // `windows`: how far ahead each side's numbers may be.
  [[nodiscard]] bool holds(Side side, const TcpSegment& segment,
                           const std::array<std::uint32_t, 2>& windows) const noexcept {
    const auto& own = next[index(side)];
    const auto& peer = next[index(other(side))];
    const bool acknowledges = (segment.flags & tcp::ack) != 0;
    if (own && is_near(segment.sequence, *own, windows[index(side)])) return true;
    if (peer && acknowledges && is_near(segment.acknowledgement, *peer, windows[index(other(side))]))
      return true;
    return !own && !(peer && acknowledges);
  }
  [[nodiscard]] static bool is_near(std::uint32_t number, std::uint32_t next, std::uint32_t ahead) noexcept {
    return number - next + narrow <= narrow + ahead;
  }
  [[nodiscard]] bool goes_back(Side side, const TcpSegment& segment) const noexcept {
    const auto& own = next[index(side)];
    const auto& peer = next[index(other(side))];
    return (own && is_far_back(segment.sequence, *own)) ||
           (peer && (segment.flags & tcp::ack) != 0 && is_far_back(segment.acknowledgement, *peer));
  }
  [[nodiscard]] static bool is_far_back(std::uint32_t number, std::uint32_t next) noexcept {
    return number - next >= 1U << 31U && next - number > narrow;
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
