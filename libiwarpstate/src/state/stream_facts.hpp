// Facts about one direction that are no FPDUs: its beginning, holes in it, its end.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "state/fold.hpp"

namespace iwarp {

void fold_opened(const Fold& fold) noexcept;
void fold_syn(const Fold& fold) noexcept;
void fold_gap(const Fold& fold);
void fold_sync_lost(const Fold& fold);
void fold_locked(const Fold& fold);
void fold_retransmitted(const Fold& fold) noexcept;
void fold_window(const Fold& fold) noexcept;
void fold_acknowledged(const Fold& fold);
void fold_fin(const Fold& fold);
void fold_rst(const Fold& fold);
void fold_closed(const Fold& fold);

// Both sides' FINs may be acknowledged by now.
void note_fins(const Fold& fold) noexcept;

// FPDUs of this direction are missing before `upto`: what hangs on sequence is suspended until it can be
// taken up again (message numbers as a baseline, messages and requests as they come).
void make_hole(SideState& side, SideState& peer, Reason reason, StreamOffset upto) noexcept;

// The FPDUs of this side begin here: every counter of RFC 5041 §4.3 at its start.
void begin_anew(SideState& side) noexcept;

// A further start-up on the connection: ends what was open, both directions begin anew.
void restart(const Fold& fold);

// Whether the number of a RST is that of its sender: nothing of it is behind what was read. One without an
// acknowledgement answers a segment, with the number that this acknowledged (RFC 9293 §3.10.7.1).
[[nodiscard]] inline bool tells_where_it_stands(const Event& rst) noexcept {
  return rst.ack != 0;
}

// Where the octets of `sender` are when `end` ends them: a fin of its own, or a rst. Nothing of a side that
// had ended before, or sends no FPDUs.
[[nodiscard]] CutEnd cut_end(const ConnectionState& state, const Event& end, Side sender) noexcept;

// Work of both ends that a FIN of `side` would leave undone: its own unanswered requests …
[[nodiscard]] std::size_t own_work(const ConnectionState& state, Side side) noexcept;
// … and the peer's requests that it has certainly received (`ack`: octets it had acknowledged) but not
// served.
[[nodiscard]] std::size_t inbound_work(const ConnectionState& state, Side side, StreamOffset ack) noexcept;

// What `side` had certainly acknowledged when it sent the event's octets.
[[nodiscard]] inline StreamOffset acknowledged_at(const ConnectionState& state, const Event& event) noexcept {
  return std::max(event.ack, state.side(event.side).acknowledged);
}

}  // namespace iwarp
