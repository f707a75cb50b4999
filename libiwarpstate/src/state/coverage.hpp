// Coverage: which octets of a side were read, by the facts so far. What rests on octets that may be missing
// asks here.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "state/fold.hpp"

namespace iwarp {

// Why FPDUs of `side` that lie at `from` or behind may not have been read: they were not captured, not all of
// them, or nothing can be read of them. With `upto`: or they stand before that, where somebody had received
// them, and are read later. Nothing: all were read, as far as the capture goes.
[[nodiscard]] std::optional<Reason> lacks(const ConnectionState& state, Side side, StreamOffset from,
                                          StreamOffset upto = 0) noexcept;

// The same of a Terminate of `side`. It is the last FPDU of its sender (RFC 5040 §5.4), so it lies behind all
// that were read.
[[nodiscard]] std::optional<Reason> terminate_unseen(const ConnectionState& state, Side side,
                                                     StreamOffset upto = 0) noexcept;
// … where the fin or rst `end` ends the connection: what is open there may be other FPDUs than it seems to
// be.
[[nodiscard]] std::optional<Reason> terminate_unread(const ConnectionState& state, const Event& end,
                                                     Side side, StreamOffset upto = 0) noexcept;

// Why octets of `side` are missing, before or between those that came; nothing: none are.
[[nodiscard]] inline std::optional<Reason> lacks_octets(const SideState& side) noexcept {
  return side.gaps > 0 ? std::optional(side.missing_reason) : std::nullopt;
}

// Why octets before the FIN of `side` were not read; nothing: it sent none, or they were.
[[nodiscard]] inline std::optional<Reason> unread_before_fin(const SideState& side) noexcept {
  const bool unread = side.fin_frame && side.consumed_to < side.fin_offset;
  return unread ? std::optional(side.missing_reason) : std::nullopt;
}

// Whether octets of `side` before `upto` wait for framing to be found: FPDUs may be in them.
[[nodiscard]] inline bool waits_for_framing(const SideState& side, StreamOffset upto) noexcept {
  return side.phase != Phase::fpdu && side.phase != Phase::closed && upto > side.consumed_to;
}

// Why something that `side` must have sent is not there.
[[nodiscard]] inline Reason reason_of_missing(const ConnectionState& state, Side side) noexcept {
  if (!state.side(side).captured) return Reason::one_direction;
  return state.opened_by == OpenedBy::midstream ? Reason::midstream : Reason::gap;
}

// Why nothing is known of octets in which no FPDU can be read: not captured, or not to be read.
[[nodiscard]] inline Reason reason_of_unread(const SideState& side) noexcept {
  return side.gaps > 0 ? Reason::gap : Reason::unreadable;
}

}  // namespace iwarp
