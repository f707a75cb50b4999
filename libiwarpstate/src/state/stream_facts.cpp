// SPDX-License-Identifier: GPL-2.0-or-later
#include "state/stream_facts.hpp"

#include "state/coverage.hpp"
#include "state/messages.hpp"
#include "state/qp_state.hpp"
#include "state/requests.hpp"

namespace iwarp {

void fold_opened(const Fold& fold) noexcept {
  ConnectionState& state = fold.state;
  SideState& side = fold.side();
  side.captured = true;
  state.endpoints = fold.event.opened.endpoints;
  state.llp = fold.event.opened.llp;
  state.sctp = fold.event.opened.sctp;
  if (state.llp == Llp::sctp) state.iwarp = true;  // DDP is all that such an association carries
  // Idle for certain only at the beginning of a connection; what is not seen is a guess.
  if (side.qp.evidence == QpEvidence::peer_fpdu) {
    side.qp.evidence = QpEvidence::midstream;  // it answers, so it was there
    side.qp.confidence = Confidence::medium;
  } else if (side.qp.evidence == QpEvidence::none) {
    side.qp.confidence = fold.event.opened.by == OpenedBy::handshake ? Confidence::high : Confidence::low;
  }
  if (state.first_frame != 0) return;
  if (fold.event.opened.by == OpenedBy::midstream) {
    for (SideState& each : state.sides) {  // what was asked before the capture is answered in it
      each.pairing_doubtful = true;
      each.requests_doubt = Reason::midstream;
    }
  }
  fold.peer().qp.confidence = Confidence::low;
  state.first_frame = fold.event.frame;
  state.first_time_ns = fold.event.time_ns;
  state.opened_by = fold.event.opened.by;
  state.role_basis = fold.event.opened.by == OpenedBy::handshake ? RoleBasis::syn : RoleBasis::assumed;
}

void fold_syn(const Fold& fold) noexcept {
  fold.side().mss = fold.event.syn.mss;
}

void begin_anew(SideState& side) noexcept {
  side.queues.edit() = {};
  for (QueueState& queue : side.queues.edit()) queue.known = true;
  side.write.reset();
  side.interrupted_write.reset();
  side.read_response.reset();
  side.requests_doubt.reset();
  side.responses_doubt.reset();
  side.pairing_doubtful = false;
  side.alike_requests.reset();
  side.short_response.reset();
  side.mistaken_requests.reset();
  side.answered_last.reset();
  side.strays = 0;
  side.broken_requests = side.presumed_answered = 0;
  side.holes = 0;
  side.first_fpdu_frame = 0;
  side.first_fpdu_end = 0;
  side.unmarked = false;
  side.terminates.clear();
  side.terminate_segments = 0;
  side.suspect = {};
  side.crc_recovery.reset();
  side.recent.clear();
  side.recent_count = 0;
}

void restart(const Fold& fold) {
  for (const Side side : {Side::a, Side::b}) {
    end_messages(fold, side, Reason::capture_end, false);
    end_requests(fold, side, OperationStatus::unanswered);
    SideState& end = fold.state.side(side);
    begin_anew(end);
    end.early_strays = 0;  // not with a start-up frame that is captured behind FPDUs of its peer
    if (end.phase != Phase::closed) end.phase = Phase::streaming;
    end.markers = end.crc = Mode::unknown;
    end.qp = {};
    if (!end.captured) end.qp.confidence = Confidence::low;
  }
  if (fold.state.reset) fold.state.reset->ends = {};
}

void make_hole(SideState& side, SideState& peer, Reason reason, StreamOffset upto) noexcept {
  ++side.holes;
  side.missing_reason = reason;
  for (QueueState& queue : side.queues.edit()) {
    queue.baseline = true;
    queue.baseline_reason = reason;
    queue.open.adrift = queue.open.active;
    queue.open.hole_reason = reason;
  }
  for (OpenMessage* open : {&side.write.edit(), &side.interrupted_write.edit(), &side.read_response.edit()}) {
    open->adrift = true;  // the next segment may be in the middle of a message, too
    open->hole_reason = reason;
  }
  if (!side.requests_doubt) {
    side.requests_doubt = reason;
    side.strays = 0;
  }
  if (reason == Reason::midstream) side.pairing_doubtful = true;
  side.hole_end = std::max(side.hole_end, upto);
  if (!peer.requests.empty() || peer.requests_doubt || peer.phase != Phase::fpdu) {
    side.responses_doubt = reason;
  }
}

void fold_gap(const Fold& fold) {
  SideState& side = fold.side();
  const GapFact& gap = fold.event.gap;
  if (!gap.restated) {
    ++side.gaps;
    side.gap_octets += gap.length;
    side.missing_reason = gap.cause == GapCause::snaplen ? Reason::snaplen : Reason::gap;
    if (gap.cause != GapCause::snaplen) side.crc_confirmed = false;
  }
  if (gap.framing_kept) return;
  make_hole(side, fold.peer(), side.missing_reason, fold.event.offset + gap.length);
  if (side.phase == Phase::fpdu) side.phase = Phase::lost;
}

void fold_sync_lost(const Fold& fold) {
  SideState& side = fold.side();
  if (side.phase == Phase::fpdu) side.phase = Phase::lost;
  if (fold.event.sync_lost.doubted) return;  // until the FPDU is complete, or turns out not to be one
  make_hole(side, fold.peer(), reason_of_unread(side), fold.event.offset + fold.event.sync_lost.length);
}

void fold_locked(const Fold& fold) {
  SideState& side = fold.side();
  const LockedFact& lock = fold.event.locked;
  if (lock.markers != Mode::unknown) side.markers = lock.markers;
  if (lock.crc != Mode::unknown) side.crc = lock.crc;
  if (lock.inferred) side.inferred = true;
  fold.state.iwarp = true;
  if (side.phase != Phase::closed) side.phase = Phase::fpdu;
  if (!lock.first) return;
  if (lock.inferred || lock.after_gap || lock.skipped > 0) {
    make_hole(side, fold.peer(), lock.inferred ? Reason::midstream : reason_of_unread(side),
              fold.event.offset);
    for (QueueState& queue : side.queues.edit()) queue.known = false;
  }
}

void fold_retransmitted(const Fold& fold) noexcept {
  SideState& side = fold.side();
  const RetransmittedFact& retransmission = fold.event.retransmitted;
  if (retransmission.duplicate_frame) {
    ++side.duplicate_frames;
    return;
  }
  side.retransmitted_octets += retransmission.length;
  side.repeats = side.repeated_offset == fold.event.offset ? side.repeats + 1 : 1;
  side.repeated_offset = fold.event.offset;
  mark_retransmitted(side, fold.event.offset, fold.event.offset + retransmission.length);
  // What waits for TCP since the peer's Terminate arrived waits as long as this does.
  for (TerminateSeen& received : fold.peer().terminates) {
    if (received.crossing_octets) received.acknowledged_time_ns = fold.event.time_ns;
  }
}

void fold_window(const Fold& fold) noexcept {
  fold.side().window_closed = fold.event.window.closed;
}

CutEnd cut_end(const ConnectionState& state, const Event& end, Side sender) noexcept {
  const SideState& side = state.side(sender);
  CutEnd cut;
  if (!state.iwarp || side.phase == Phase::streaming || side.fin_frame) return cut;
  const bool own = sender == end.side;
  const bool missing = own ? end.end.missing : end.end.peer_missing;
  // Octets behind a hole in which no FPDU was found: one may be open, or a message.
  const bool lost = side.phase == Phase::lost && !any_terminate(state);
  const bool inside = own ? end.end.inside_fpdu : end.end.peer_inside_fpdu;
  cut.inside_fpdu = inside || lost;
  bool holed = false;
  cut.inside_message = has_open_message(side, holed);
  if (missing || (lost && !inside)) cut.doubt = side.missing_reason;
  cut.behind = side.alignment.end;
  return cut;
}

std::size_t own_work(const ConnectionState& state, Side side) noexcept {
  return state.side(side).requests.size();
}

std::size_t inbound_work(const ConnectionState& state, Side side, StreamOffset ack) noexcept {
  const RequestList& requests = state.side(other(side)).requests;
  return static_cast<std::size_t>(std::count_if(
      requests.begin(), requests.end(), [ack](const Request& request) { return request.end_offset <= ack; }));
}

namespace {

// Whether it is certain that requests are unanswered.
bool has_work(const ConnectionState& state, Side side, StreamOffset ack) noexcept {
  const auto certain = [&](Side requester) { return !outstanding_unsure(state, requester); };
  return (own_work(state, side) > 0 && certain(side)) ||
         (inbound_work(state, side, ack) > 0 && certain(other(side)));
}

}  // namespace

void note_fins(const Fold& fold) noexcept {
  ConnectionState& state = fold.state;
  if (!state.sides[0].fin_acknowledged || !state.sides[1].fin_acknowledged) return;
  for (const Side side : {Side::a, Side::b})
    infer(state, side, QpTrigger::both_fins_acknowledged, placement_of(fold.event).frame);
}

void fold_acknowledged(const Fold& fold) {
  ConnectionState& state = fold.state;
  SideState& peer = fold.peer();
  const StreamOffset ack = fold.event.ack;
  const AcknowledgedFact& fact = fold.event.acknowledged;
  while (!peer.watched.empty() && peer.watched.front() <= ack) peer.watched.pop_front();
  for (TerminateSeen& terminate : peer.terminates) {
    if (terminate.acknowledged_frame != 0 || terminate.end_offset > ack) continue;
    terminate.acknowledged_frame = fact.segment.frame;
    terminate.acknowledged_time_ns = fact.segment.time_ns;
    terminate.acknowledged_at = fact.sent;
    terminate.crossing_octets = peer.acknowledged < fact.sent;
    infer(state, fold.event.side, QpTrigger::terminate_acknowledged, fact.segment.frame);
  }
  if (peer.suspect.frame != 0 && peer.suspect.acknowledged_frame == 0 && peer.suspect.end_offset <= ack) {
    peer.suspect.acknowledged_frame = fact.segment.frame;
    peer.suspect.acknowledged_time_ns = fact.segment.time_ns;
  }
  if (peer.fin_frame && !peer.fin_acknowledged && ack > peer.fin_offset) {
    peer.fin_acknowledged = true;
    peer.fin_acknowledged_frame = fact.segment.frame;
    peer.fin_acknowledged_at = fact.sent;
    if (state.iwarp && !any_terminate(state)) {
      const bool work = has_work(state, fold.event.side, ack);
      infer(state, fold.event.side,
            work ? QpTrigger::fin_acknowledged_with_work : QpTrigger::fin_acknowledged, fact.segment.frame);
    }
    note_fins(fold);
  }
}

void fold_fin(const Fold& fold) {
  ConnectionState& state = fold.state;
  SideState& side = fold.side();
  if (side.fin_frame) return;
  const StreamOffset ack = acknowledged_at(state, fold.event);
  const FrameNumber frame = placement_of(fold.event).frame;
  side.fin_frame = frame;
  side.fin_offset = fold.event.offset;
  side.fin_ack = fold.event.ack;
  watch(side, fold.event.offset + 1);
  judge_missing(fold);
  if (state.iwarp) {
    const bool work = has_work(state, fold.event.side, ack);
    infer(state, fold.event.side, work ? QpTrigger::fin_sent_with_work : QpTrigger::fin_sent, frame);
  }
  side.phase = Phase::closed;
}

namespace {

// Why a Terminate may stand before a RST that comes now: in a hole, if nothing of its sender came behind
// that.
std::optional<Reason> terminate_before(const ConnectionState& state, const Event& rst) noexcept {
  for (const Side side : {rst.side, other(rst.side)}) {
    const SideState& end = state.side(side);
    if (end.holes > 0 && end.phase != Phase::fpdu && !end.fin_frame) return end.missing_reason;
  }
  if (const auto reason = terminate_unread(state, rst, rst.side)) return reason;
  return terminate_unread(state, rst, other(rst.side));
}

void note_reset(const Fold& fold) noexcept {
  ConnectionState& state = fold.state;
  const auto& sides = state.sides;
  const bool again = std::any_of(sides.begin(), sides.end(),
                                 [](const SideState& side) { return side.rst_frame.has_value(); });
  if (!state.iwarp || again) return;
  const bool ending = std::any_of(sides.begin(), sides.end(), [](const SideState& side) {
    return side.fin_frame || !side.terminates.empty();
  });
  const bool in_rts = std::any_of(sides.begin(), sides.end(),
                                  [](const SideState& side) { return side.qp.value == QpValue::rts; });
  state.reset = {
      fold.event.side, placement_of(fold.event), in_rts && !ending, terminate_before(state, fold.event), {}};
  if (tells_where_it_stands(fold.event)) return;
  for (const Side side : {Side::a, Side::b})
    state.reset->ends[index(side)] = cut_end(state, fold.event, side);
}

}  // namespace

void fold_rst(const Fold& fold) {
  ConnectionState& state = fold.state;
  note_reset(fold);
  const FrameNumber frame = placement_of(fold.event).frame;
  if (!fold.side().rst_frame) fold.side().rst_frame = frame;
  if (state.iwarp) {
    infer(state, fold.event.side, QpTrigger::rst_sent, frame);
    infer(state, other(fold.event.side), QpTrigger::rst_received, frame);
  }
  for (SideState& side : state.sides) side.phase = Phase::closed;
}

void fold_closed(const Fold& fold) {
  ConnectionState& state = fold.state;
  const CloseCause cause = fold.event.closed.cause;
  state.last_frame = fold.event.closed.last_frame;
  state.last_time_ns = fold.event.closed.last_time_ns;
  const bool ended = cause == CloseCause::fin || cause == CloseCause::rst || cause == CloseCause::reused;
  for (const Side side : {Side::a, Side::b}) {
    SideState& end = state.side(side);
    const SideState& responder = state.side(other(side));
    const bool missing =
        end.requests_doubt || end.responses_doubt || responder.responses_doubt || !responder.captured;
    // A Terminate is its sender's last message.
    const bool stopped = !responder.terminates.empty() || (ended && any_terminate(state));
    const OperationStatus status = missing || !(stopped || ended) ? OperationStatus::unknown
                                   : stopped                      ? OperationStatus::terminated
                                                                  : OperationStatus::unanswered;
    end_messages(fold, side, Reason::capture_end, ended);
    end_requests(fold, side, status);
    if (ended) infer(state, side, QpTrigger::closed, fold.event.frame);
    end.phase = Phase::closed;
  }
  state.closed = cause;
}

}  // namespace iwarp
