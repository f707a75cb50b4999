// TcpReach: how far the two directions of a TCP connection came, to tell its segments from those of another
// connection on the same addresses and ports whose SYNs were not captured.
//
// A new connection has initial sequence numbers far off in both directions: random ones, or at least those of
// a clock (RFC 6528, RFC 9293 §3.4.1; Linux' counts 15 MiB in a second). So a segment belongs where one of
// its numbers, sequence or acknowledgement, says that just what is due comes next in that direction, however
// long the hole in the other one, but none goes back to before the connection began; or where both say that a
// hole is as long as one may be.
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
  // The side's SYN was captured: its octets are those `carried`, none came before.
  std::array<bool, 2> begun{};
  // What the side has acknowledged of the other one's, latest.
  std::array<std::optional<std::uint32_t>, 2> acknowledged;
  // Nothing comes behind `next` but the FIN: the end of the side's stream was captured.
  std::array<bool, 2> finished{};
  // The side sent a start-up frame, or FPDUs: another frame behind a hole is another connection's.
  std::array<bool, 2> started_up{};

  // While the connection lives. Of one that carried much a hole may be long in both directions, in a capture
  // which lost packets at 100 Gbit/s. Behind a FIN there is only what goes on in the other direction.
  [[nodiscard]] bool has(Side side, const TcpSegment& segment) const noexcept {
    if (is_behind_fin(side, segment) && !goes_on(side, segment)) return false;
    if (finished[index(side)] && begins_startup(segment) && !is_first(side, segment)) return false;
    if (begins_startup(segment) && is_behind_hole(side, segment)) {
      return !started_up[index(side)] && !acknowledges_more_than_startup(side, segment) &&
             holds(side, segment, narrow);
    }
    return holds(side, segment, wide);
  }
  // Whether a SYN, the first one of the side that is captured, may have begun it: little was sent before what
  // is known of either direction, but what was captured.
  [[nodiscard]] bool may_open(Side side, const TcpSegment& syn) const noexcept {
    return may_have_begun(side, syn.sequence + 1) &&
           ((syn.flags & tcp::ack) == 0 || may_have_begun(other(side), syn.acknowledgement));
  }
  // When it has ended: nothing new is to come, but what was on its way. A start-up frame may be sent again.
  [[nodiscard]] bool has_late(Side side, const TcpSegment& segment) const noexcept {
    if (begins_startup(segment) && !is_first(side, segment)) return false;
    return !is_behind_fin(side, segment) && holds(side, segment, narrow);
  }

 private:
  static constexpr std::uint32_t close = 64U << 10U;
  static constexpr std::uint32_t narrow = 4U << 20U;
  static constexpr std::uint32_t wide = 64U << 20U;
  static constexpr std::uint64_t longer = 16;  // than all before, a hole may be

  [[nodiscard]] bool is_behind_hole(Side side, const TcpSegment& segment) const noexcept {
    const auto& own = next[index(side)];
    return own && segment.sequence != *own && segment.sequence - *own < 1U << 31U;
  }
  // Its octets are the first that are known of the side.
  [[nodiscard]] bool is_first(Side side, const TcpSegment& segment) const noexcept {
    const auto& own = next[index(side)];
    return own && segment.sequence == *own - static_cast<std::uint32_t>(carried[index(side)]);
  }
  // Between a start-up frame and the one that answers it its sender says nothing (RFC 5044 §7.1.2).
  [[nodiscard]] bool acknowledges_more_than_startup(Side side, const TcpSegment& segment) const noexcept {
    const auto& heard = next[index(other(side))];
    if (!started_up[index(other(side))] || !heard || (segment.flags & tcp::ack) == 0) return false;
    return segment.acknowledgement != *heard && segment.acknowledgement - *heard < 1U << 31U;
  }
  // A FIN counts one (RFC 9293 §3.4): behind it there is neither an octet, nor an acknowledgement of one.
  [[nodiscard]] bool is_behind_fin(Side side, const TcpSegment& segment) const noexcept {
    const auto behind = [&](Side of, std::uint32_t number) {
      return finished[index(of)] && next[index(of)] && number - *next[index(of)] - 2 < (1U << 31U) - 2;
    };
    const bool has_octets = segment.wire_length > 0;
    return behind(side, segment.sequence + (has_octets ? segment.wire_length + 1 : 0U)) ||
           ((segment.flags & tcp::ack) != 0 && behind(other(side), segment.acknowledgement));
  }
  // One of its numbers is the one that is due.
  [[nodiscard]] bool goes_on(Side side, const TcpSegment& segment) const noexcept {
    return segment.sequence == next[index(side)] ||
           ((segment.flags & tcp::ack) != 0 && segment.acknowledgement == next[index(other(side))]);
  }
  // `most`: the longest that a hole is taken to be, where those of both directions are long.
  [[nodiscard]] bool holds(Side side, const TcpSegment& segment, std::uint32_t most) const noexcept {
    const bool own = next[index(side)].has_value();
    const bool peer = next[index(other(side))].has_value() && (segment.flags & tcp::ack) != 0;
    if (goes_on(side, segment)) return true;
    if (own && is_before(side, segment.sequence)) return false;
    if (peer && acknowledges_well(side) && is_before(other(side), segment.acknowledgement)) return false;
    if (own && is_close(side, segment.sequence)) return true;
    if (peer && is_close(other(side), segment.acknowledgement)) return true;
    return (!own || may_be(side, segment.sequence, most)) &&
           (!peer || may_be(other(side), segment.acknowledgement, most));
  }
  // Farther back than the connection may have begun.
  [[nodiscard]] bool is_before(Side side, std::uint32_t number) const noexcept {
    const std::uint32_t back = *next[index(side)] - number;
    return back < 1U << 31U && back > carried[index(side)] + (begun[index(side)] ? close : wide);
  }
  // A sloppy generator's numbers tell nothing.
  [[nodiscard]] bool acknowledges_well(Side side) const noexcept {
    const auto& latest = acknowledged[index(side)];
    return !latest || !is_before(other(side), *latest);
  }
  [[nodiscard]] bool is_close(Side side, std::uint32_t number) const noexcept {
    return number - *next[index(side)] + close <= 2 * close;
  }
  // Whether the first octet may have been that. What a keepalive tells may be off by one.
  [[nodiscard]] bool may_have_begun(Side side, std::uint32_t number) const noexcept {
    if (!next[index(side)]) return true;
    const auto back = static_cast<std::uint32_t>(std::min<std::uint64_t>(carried[index(side)] + close, wide));
    return number - *next[index(side)] + back <= back + 1;
  }
  // Whether the octet lies no farther ahead than a hole is long, and no farther back than octets were
  // carried.
  [[nodiscard]] bool may_be(Side side, std::uint32_t number, std::uint32_t most) const noexcept {
    const std::uint64_t octets = carried[index(side)];
    const auto ahead = static_cast<std::uint32_t>(std::clamp<std::uint64_t>(longer * octets, close, most));
    const auto back = static_cast<std::uint32_t>(std::min<std::uint64_t>(octets + close, narrow));
    return number - *next[index(side)] + back <= back + ahead;
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
