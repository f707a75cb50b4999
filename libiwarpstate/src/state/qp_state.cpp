// SPDX-License-Identifier: GPL-2.0-or-later
#include "state/qp_state.hpp"

#include <algorithm>

namespace iwarp {
namespace {

using V = QpValue;
using T = QpTrigger;
using E = QpEvidence;
using C = Confidence;

struct Row {
  QpTrigger trigger;
  QpValue from;
  QpValue to;
  QpEvidence evidence;
  Confidence confidence;
  bool established = false;  // only when the start-up was accepted
};

// First row that fits counts.
constexpr Row rows[] = {
    {T::startup_sent, V::idle, V::startup, E::startup_sent, C::high},
    {T::startup_sent, V::startup, V::startup, E::startup_sent, C::high},
    {T::startup_sent, V::rts, V::startup, E::startup_sent, C::high},
    {T::accept_sent, V::idle, V::rts, E::reply_accepted, C::high},
    {T::accept_sent, V::startup, V::rts, E::reply_accepted, C::high},
    {T::startup_rejected, V::startup, V::idle, E::startup_rejected, C::high},
    {T::startup_rejected, V::idle, V::idle, E::startup_rejected, C::high},

    {T::fpdu_sent, V::idle, V::rts, E::first_fpdu, C::high},
    {T::fpdu_sent, V::startup, V::rts, E::first_fpdu, C::high},
    {T::midstream_fpdu, V::idle, V::rts, E::midstream, C::medium},
    {T::midstream_fpdu, V::startup, V::rts, E::midstream, C::medium},
    {T::peer_fpdu_sent, V::idle, V::rts, E::peer_fpdu, C::low},

    {T::terminate_sent, V::idle, V::terminate, E::terminate_sent, C::high},
    {T::terminate_sent, V::startup, V::terminate, E::terminate_sent, C::high},
    {T::terminate_sent, V::rts, V::terminate, E::terminate_sent, C::high},
    {T::terminate_sent, V::closing, V::terminate, E::terminate_sent, C::high},
    // Seen on its way; that it arrived is another matter.
    {T::terminate_received, V::idle, V::terminate, E::terminate_received, C::medium},
    {T::terminate_received, V::startup, V::terminate, E::terminate_received, C::medium},
    {T::terminate_received, V::rts, V::terminate, E::terminate_received, C::medium},
    {T::terminate_received, V::closing, V::terminate, E::terminate_received, C::medium},
    {T::terminate_acknowledged, V::rts, V::terminate, E::terminate_received, C::high},
    {T::terminate_acknowledged, V::closing, V::terminate, E::terminate_received, C::high},

    {T::fin_sent, V::rts, V::closing, E::fin_sent, C::high},
    // An initiator that never sent an FPDU was in RTS unseen.
    {T::fin_sent, V::startup, V::closing, E::fin_sent, C::medium, true},
    // It ought to have nothing outstanding: what the endpoint made of that is not seen.
    {T::fin_sent_with_work, V::rts, V::closing, E::fin_sent, C::low},
    {T::fin_sent_with_work, V::startup, V::closing, E::fin_sent, C::low, true},
    {T::fin_acknowledged, V::rts, V::closing, E::fin_acknowledged, C::high},
    {T::fin_acknowledged, V::startup, V::closing, E::fin_acknowledged, C::medium, true},
    {T::fin_acknowledged_with_work, V::rts, V::terminate, E::fin_with_work_outstanding, C::medium},
    {T::fin_acknowledged_with_work, V::startup, V::terminate, E::fin_with_work_outstanding, C::medium, true},

    {T::both_fins_acknowledged, V::closing, V::idle, E::both_fins_acknowledged, C::high},
    {T::both_fins_acknowledged, V::terminate, V::error, E::closed_after_terminate, C::high},

    {T::rst_sent, V::rts, V::error, E::rst_sent, C::high},
    {T::rst_sent, V::closing, V::error, E::rst_sent, C::high},
    {T::rst_sent, V::terminate, V::error, E::rst_sent, C::high},
    {T::rst_sent, V::startup, V::error, E::rst_sent, C::medium, true},
    {T::rst_received, V::rts, V::error, E::rst_received, C::medium},
    {T::rst_received, V::closing, V::error, E::rst_received, C::medium},
    {T::rst_received, V::terminate, V::error, E::rst_received, C::medium},
    {T::rst_received, V::startup, V::error, E::rst_received, C::medium, true},

    {T::closed, V::terminate, V::error, E::closed_after_terminate, C::medium},
};

// Values whose rows a missing Terminate would make wrong.
constexpr bool hangs_on_no_terminate(const Row& row) noexcept {
  return row.to == V::closing || (row.to == V::idle && row.evidence == E::both_fins_acknowledged);
}

}  // namespace

QpState infer(const QpState& now, QpTrigger trigger, bool established, bool doubt,
              FrameNumber frame) noexcept {
  for (const Row& row : rows) {
    if (row.trigger != trigger || row.from != now.value || (row.established && !established)) continue;
    Confidence confidence = row.confidence;
    if (doubt && hangs_on_no_terminate(row)) confidence = Confidence::low;
    const bool over = trigger == T::both_fins_acknowledged || trigger == T::closed;
    if (over) confidence = std::min(confidence, now.confidence);  // no surer than what came before
    // Without a Terminate it is still the work left that made it an error.
    const bool left_work = over && now.evidence == E::fin_with_work_outstanding;
    return {row.to, left_work ? now.evidence : row.evidence, confidence, frame};
  }
  // What the work left let suppose is certain by now.
  if (trigger == T::terminate_sent && now.value == V::terminate &&
      now.evidence == E::fin_with_work_outstanding) {
    return {now.value, E::terminate_sent, Confidence::high, frame};
  }
  // The Terminate seen on its way has arrived.
  if (trigger == T::terminate_acknowledged && now.value == V::terminate &&
      now.evidence == E::terminate_received) {
    return {now.value, now.evidence, Confidence::high, now.frame};
  }
  return now;
}

void infer(ConnectionState& state, Side side, QpTrigger trigger, FrameNumber frame) noexcept {
  SideState& end = state.side(side);
  const bool established = state.mpa.accepted || end.first_fpdu_frame != 0;
  const bool doubt = state.sides[0].holes > 0 || state.sides[1].holes > 0;
  const QpState before = end.qp;
  end.qp = infer(before, trigger, established, doubt, frame);
  // Of an endpoint that was never heard, only its peer's segments tell.
  if (!end.captured && end.qp != before) end.qp.confidence = std::min(end.qp.confidence, Confidence::medium);
}

}  // namespace iwarp
