// SPDX-License-Identifier: GPL-2.0-or-later
#include <iwarp/state.hpp>

#include <algorithm>

#include "state/advance.hpp"
#include "state/crc_recovery.hpp"
#include "state/fpdu_state.hpp"
#include "state/mpa_state.hpp"
#include "state/stream_facts.hpp"

namespace iwarp {
namespace {

// A rule that was broken is remembered with the side that broke it.
void fold_finding(const Fold& fold) noexcept {
  const Finding& finding = fold.event.finding;
  const std::size_t check = index(finding.check);
  const auto severity = static_cast<std::size_t>(finding.severity);
  if (check >= check_count || severity >= fold.state.findings.size()) return;
  SideState& side = fold.side();
  ++fold.state.findings[severity];
  if (side.violated.test(check)) return;
  side.violated.set(check);
  side.violated_frame.edit()[check] = finding.evidence_count > 0 ? finding.evidence[0] : fold.event.frame;
}

void note_no_longer_ahead(SideState& side) noexcept {
  if (side.placed_ahead > 0) --side.placed_ahead;
}

// How far the event covers its side's octets; 0: none of them. A gap is recorded before the octets in front
// of it where these wait for framing to be found.
StreamOffset consumed_by(const ConnectionState& state, const Event& event) noexcept {
  const SideState& side = state.side(event.side);
  switch (event.kind) {
    case EventKind::startup: return end_of_startup(state, event);
    case EventKind::fpdu: return end_of(event);
    case EventKind::gap: return event.offset <= side.consumed_to ? event.offset + event.gap.length : 0;
    case EventKind::sync_lost: return event.offset + event.sync_lost.length;
    case EventKind::locked: return event.offset;
    default: return 0;
  }
}

bool shows_side(EventKind kind) noexcept {
  return kind != EventKind::gap && kind != EventKind::closed && kind != EventKind::sync_lost;
}

}  // namespace

void advance(ConnectionState& state, const Event& event, Conclusions& conclusions) {
  put_back_known(state, event);
  const Fold fold{state, event, conclusions};
  switch (event.kind) {
    case EventKind::opened: fold_opened(fold); break;
    case EventKind::syn: fold_syn(fold); break;
    case EventKind::startup: fold_startup(fold); break;
    case EventKind::fpdu:
      fold_fpdu(fold);
      if (event.fpdu.ahead) note_no_longer_ahead(fold.side());
      break;
    case EventKind::gap: fold_gap(fold); break;
    case EventKind::sync_lost: fold_sync_lost(fold); break;
    case EventKind::locked: fold_locked(fold); break;
    case EventKind::acknowledged: fold_acknowledged(fold); break;
    case EventKind::retransmitted: fold_retransmitted(fold); break;
    case EventKind::window: fold_window(fold); break;
    case EventKind::fin: fold_fin(fold); break;
    case EventKind::rst: fold_rst(fold); break;
    case EventKind::closed: fold_closed(fold); break;
    case EventKind::placed: ++fold.side().placed_ahead; return;
    case EventKind::revoked: note_no_longer_ahead(fold.side()); return;
    case EventKind::finding: fold_finding(fold); return;
    case EventKind::window_full:
    case EventKind::received:
    case EventKind::message:
    case EventKind::operation:
    case EventKind::undecidable: return;
    default: return;
  }
  SideState& side = fold.side();
  if (shows_side(event.kind)) side.captured = true;
  if (event.ack > side.acknowledged) side.acknowledged = event.ack;
  side.consumed_to = std::max(side.consumed_to, consumed_by(state, event));
  state.id = event.connection;
  if (!state.closed) {  // `closed` comes long after the last segment, and names it
    state.last_frame = event.frame;
    state.last_time_ns = event.time_ns;
  }
}

void apply(ConnectionState& state, const Event& event) noexcept {
  NoConclusions nobody;
  advance(state, event, nobody);
}

}  // namespace iwarp
