// SPDX-License-Identifier: GPL-2.0-or-later
#include "state/coverage.hpp"

namespace iwarp {

std::optional<Reason> lacks(const ConnectionState& state, Side side, StreamOffset from,
                            StreamOffset upto) noexcept {
  const SideState& sender = state.side(side);
  if (!sender.captured) return Reason::one_direction;
  if (sender.first_fpdu_frame == 0 && state.opened_by == OpenedBy::midstream) return Reason::midstream;
  // Of FPDUs with a bad CRC the end is known as well: the hole ends where they do.
  const bool holed = sender.holes > 0 && (sender.hole_end >= from || unread_before_fin(sender));
  if (holed || sender.phase == Phase::lost) return sender.missing_reason;
  return upto > sender.consumed_to && !sender.fin_frame ? std::optional(Reason::skew) : std::nullopt;
}

std::optional<Reason> terminate_unseen(const ConnectionState& state, Side side, StreamOffset upto) noexcept {
  const SideState& sender = state.side(side);
  if (const auto reason = lacks(state, side, sender.alignment.end, upto)) return reason;
  // Its beginning is not known, which is no hole where its SYN was not captured.
  const bool begun = sender.first_fpdu_frame != 0 || state.mpa.frames[index(state.role_of(side))];
  return begun ? std::nullopt : std::optional(sender.missing_reason);
}

std::optional<Reason> terminate_unread(const ConnectionState& state, const Event& end, Side side,
                                       StreamOffset upto) noexcept {
  if (const auto reason = terminate_unseen(state, side, upto)) return reason;
  if (end.kind != EventKind::fin && end.kind != EventKind::rst) return std::nullopt;
  const bool open = side == end.side ? end.end.inside_fpdu && end.end.missing
                                     : end.end.peer_inside_fpdu && end.end.peer_missing;
  return open ? std::optional(state.side(side).missing_reason) : std::nullopt;
}

}  // namespace iwarp
