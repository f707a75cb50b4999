// DeliveryOrder: the messages of both directions of a DDP stream session, each direction in the order of its
// DDP-SSNs (RFC 5043 §6.1), the two as they were captured.
//
// Chunks are unordered: a message may come before others that its sender had submitted first. It waits for
// these, and while it does the other direction waits, too, with what was captured behind it: that may answer
// the message, should those before it never come.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include <iwarp/ids.hpp>

#include "sctp/assembly.hpp"

namespace iwarp::sctp {

// DDP-SSNs counted on, where those of 16 bits wrap. The first of a session is 0.
using Ssn = std::uint64_t;

class DeliveryOrder {
 public:
  // Between the message that is due and the first that waits.
  struct Hole {
    Ssn begin = 0;
    Ssn end = 0;
    std::uint64_t since = 0;  // UserMessage::arrival of the first that had to wait
    TimeNs since_ns = 0;
  };
  enum class Taken : std::uint8_t {
    waits,     // or is ready
    late,      // its place was given up, or lies before the first one captured
    repeated,  // another message had its DDP-SSN
  };

  // The session's first messages are due: none before them was missed.
  void begin() noexcept {
    for (Half& half : halves_) half.next = half.next.value_or(0);
  }

  Taken add(Side side, std::uint16_t ssn, UserMessage&& message) {
    Half& half = halves_[index(side)];
    if (!half.next) {
      half.base = (Ssn{1} << 16U) + ssn;  // others before it may come
      half.next = half.base;
    }
    const Ssn due = *half.next;
    const auto ahead =
        static_cast<std::int16_t>(static_cast<std::uint16_t>(ssn - static_cast<std::uint16_t>(due)));
    if (ahead < 0) return is_given_up(half, due - static_cast<Ssn>(-ahead)) ? Taken::late : Taken::repeated;
    const Ssn place = due + static_cast<Ssn>(ahead);
    if (half.waiting.contains(place)) return Taken::repeated;
    half.octets += cost(message);
    half.by_arrival.emplace(message.arrival, place);
    half.waiting.emplace(place, std::move(message));
    return Taken::waits;
  }

  // Whose message is the next in order; nothing: there is none, or it waits.
  [[nodiscard]] std::optional<Side> ready() const {
    for (const Side side : {Side::a, Side::b}) {
      const Half& half = halves_[index(side)];
      if (half.waiting.empty() || half.waiting.begin()->first != *half.next) continue;
      if (head(half) <= bound(halves_[index(other(side))])) return side;
    }
    return std::nullopt;
  }
  // REQUIRES of both: the side is ready().
  [[nodiscard]] const UserMessage& front(Side side) const {
    return halves_[index(side)].waiting.begin()->second;
  }
  UserMessage take(Side side) {
    Half& half = halves_[index(side)];
    auto node = half.waiting.extract(half.waiting.begin());
    half.octets -= cost(node.mapped());
    half.by_arrival.erase({node.mapped().arrival, node.key()});
    ++*half.next;
    return std::move(node.mapped());
  }

  [[nodiscard]] std::optional<Hole> hole(Side side) const {
    const Half& half = halves_[index(side)];
    if (half.waiting.empty() || half.waiting.begin()->first == *half.next) return std::nullopt;
    const UserMessage& first = half.waiting.at(half.by_arrival.begin()->second);
    return Hole{*half.next, half.waiting.begin()->first, first.arrival, first.pieces.back().time_ns};
  }
  // What is missing will not come. REQUIRES: there is a hole.
  void give_up(Side side) {
    Half& half = halves_[index(side)];
    const Ssn end = half.waiting.begin()->first;
    if (half.given_up.size() == max_given_up) half.given_up.erase(half.given_up.begin());
    half.given_up.emplace_back(*half.next, end);
    half.next = end;
  }

  // Whether the session's first message of that side was taken.
  [[nodiscard]] bool has_first(Side side) const noexcept {
    const Half& half = halves_[index(side)];
    return half.next.value_or(0) > 0 || half.waiting.contains(0);
  }
  // The DDP-SSN that is due; nothing before the first came.
  [[nodiscard]] std::optional<Ssn> due(Side side) const noexcept { return halves_[index(side)].next; }
  // What waits: octets, and 128 for each message.
  [[nodiscard]] std::size_t waiting(Side side) const noexcept { return halves_[index(side)].octets; }
  void forget_waiting() noexcept {
    for (Half& half : halves_) {
      half.waiting.clear();
      half.by_arrival.clear();
      half.octets = 0;
    }
  }

 private:
  static constexpr std::size_t max_given_up = 64;

  struct Half {
    std::optional<Ssn> next;
    Ssn base = 0;  // the first one captured, where the session's first was not
    std::size_t octets = 0;
    std::map<Ssn, UserMessage> waiting;
    std::set<std::pair<std::uint64_t, Ssn>> by_arrival;  // … in the order in which they came
    std::vector<std::pair<Ssn, Ssn>> given_up;
  };

  [[nodiscard]] static std::size_t cost(const UserMessage& message) noexcept {
    return 128 + message.octets.size() + sizeof(Piece) * message.pieces.size();
  }
  [[nodiscard]] static bool is_given_up(const Half& half, Ssn ssn) noexcept {
    return ssn < half.base ||
           std::any_of(half.given_up.begin(), half.given_up.end(),
                       [ssn](const auto& range) { return range.first <= ssn && ssn < range.second; });
  }
  // When the message that is due came.
  [[nodiscard]] static std::uint64_t head(const Half& half) noexcept {
    return half.waiting.begin()->second.arrival;
  }
  // Whatever the direction still delivers was not there before.
  [[nodiscard]] static std::uint64_t bound(const Half& half) {
    if (half.waiting.empty()) return std::numeric_limits<std::uint64_t>::max();
    if (half.waiting.begin()->first == *half.next) return head(half);
    return half.by_arrival.begin()->first;
  }

  std::array<Half, 2> halves_;  // by Side
};

}  // namespace iwarp::sctp
