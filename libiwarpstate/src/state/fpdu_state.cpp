// SPDX-License-Identifier: GPL-2.0-or-later
#include "state/fpdu_state.hpp"

#include <array>

#include "state/coverage.hpp"
#include "state/crc_recovery.hpp"
#include "state/messages.hpp"
#include "state/mpa_state.hpp"
#include "state/qp_state.hpp"
#include "state/stream_facts.hpp"
#include "state/terminates.hpp"

namespace iwarp {
namespace {

void count(SideState& side, const FpduFact& fpdu) noexcept {
  ++side.fpdus;
  switch (fpdu.crc) {
    case CrcStatus::good:
      ++side.crc_counts.good;
      side.crc_confirmed = true;
      break;
    case CrcStatus::bad: ++side.crc_counts.bad; break;
    default: ++side.crc_counts.unchecked; break;
  }
}

// A marker would have moved what stands behind it (RFC 5044 §4.3: four octets in 512); nothing moved, so
// there is no marker.
void note_unmarked(const Fold& fold, bool adjoins) noexcept {
  constexpr StreamOffset surely_one = wire::marker_interval + wire::marker_size;
  SideState& side = fold.side();
  if (!adjoins) side.unmarked_since = fold.event.offset;
  const StreamOffset certain =
      fold.event.fpdu.crc == CrcStatus::good ? end_of(fold.event) : fold.event.offset;
  if (side.markers == Mode::off && certain - side.unmarked_since >= surely_one) side.unmarked = true;
}

// How it lies in its TCP segment (RFC 5044 §5). Behind octets that are no FPDU that is known nothing tells.
void note_alignment(const Fold& fold) noexcept {
  const FpduFact& fpdu = fold.event.fpdu;
  AlignmentCounts& counts = fold.side().alignment;
  const bool adjoins = counts.judged > 0 && counts.end == fold.event.offset;
  note_unmarked(fold, adjoins);
  const bool behind_whole = adjoins && counts.segment_frame != 0 && counts.segment_frame == fpdu.first_frame;
  const bool aligned = fpdu.aligned || behind_whole;
  counts.end = end_of(fold.event);
  counts.segment_frame = aligned && fpdu.pieces.count == 1 ? fpdu.first_frame : 0;
  if (!aligned && !adjoins) return;
  ++counts.judged;
  if (aligned) return;
  if (counts.unaligned++ == 0) counts.first_unaligned_frame = fpdu.first_frame;
}

void note_first(const Fold& fold) noexcept {
  SideState& side = fold.side();
  fold.state.iwarp = true;
  side.first_fpdu_frame = sent_frame(fold.event);
  side.first_fpdu_end = end_of(fold.event);
  if (fold.state.mpa.rejected) return;  // MPA-REJFPDU: no Full Operation comes of it
  const bool followed = fold.state.mpa.frames[0] || fold.state.mpa.frames[1];
  infer(fold.state, fold.event.side, followed ? QpTrigger::fpdu_sent : QpTrigger::midstream_fpdu,
        fold.event.fpdu.placed.frame);
  const bool heard = fold.peer().captured;
  if (heard && followed) return;
  infer(fold.state, other(fold.event.side), heard ? QpTrigger::midstream_fpdu : QpTrigger::peer_fpdu_sent,
        fold.event.fpdu.placed.frame);
}

// How the connection ended may have been told before it was known to be one of iWARP.
void note_earlier_end(const Fold& fold) noexcept {
  for (const Side side : {Side::a, Side::b}) {
    if (const auto rst = fold.state.side(side).rst_frame) {
      infer(fold.state, side, QpTrigger::rst_sent, *rst);
      infer(fold.state, other(side), QpTrigger::rst_received, *rst);
    }
  }
  for (const Side side : {Side::a, Side::b}) {
    const SideState& end = fold.state.side(side);
    if (end.fin_frame) infer(fold.state, side, QpTrigger::fin_sent, *end.fin_frame);
    if (end.fin_acknowledged)
      infer(fold.state, other(side), QpTrigger::fin_acknowledged, end.fin_acknowledged_frame);
  }
  note_fins(fold);
}

// The first FPDU of the initiator may be the ready-to-receive message.
bool note_rtr(const Fold& fold, bool first) noexcept {
  MpaState& mpa = fold.state.mpa;
  if (!first || !mpa.accepted || fold.event.side != fold.state.initiator || fold.side().holes > 0)
    return false;
  mpa.rtr = rtr_kind_of(mpa, fold.event.fpdu);
  return mpa.rtr != RtrKind::none;
}

void keep_recent(SideState& side, const Event& event) {
  const RecentSegment segment{event.fpdu.ddp, event.fpdu.placed.frame};
  if (side.recent.size() < max_recent_segments) {
    if (side.recent.empty()) side.recent.reserve(max_recent_segments);
    side.recent.push_back(segment);
  } else {
    side.recent[side.recent_count % max_recent_segments] = segment;
  }
  ++side.recent_count;
}

void count_payload(SideState& side, const FpduFact& fpdu) noexcept {
  if (wire::carries_payload(fpdu.ddp.opcode())) side.payload_octets += payload_of(fpdu);
}

void pass_over_bad(const Fold& fold) {
  SideState& side = fold.side();
  keep_known(fold);
  make_hole(side, fold.peer(), Reason::bad_crc, end_of(fold.event));
  watch(side, end_of(fold.event));
  if (side.suspect.frame == 0) {
    side.suspect = {};
    side.suspect.frame = fold.event.fpdu.placed.frame;
    side.suspect.end_offset = end_of(fold.event);
  }
}

// The present suspect's octets were taken by its receiver: see CAP-CRCACKED.
void settle_suspects(const Fold& fold) noexcept {
  if (lived_on(fold.peer().suspect, fold.event, true)) fold.peer().suspect = {};
  if (lived_on(fold.side().suspect, fold.event, false)) fold.side().suspect = {};
}

// Whether an FPDU with a cut header may be one whose absence matters later, a request or a Terminate.
bool may_hide(const FpduFact& fpdu) noexcept {
  if (fpdu.malformed || fpdu.header_octets < 2) return true;
  const wire::Opcode opcode = fpdu.ddp.opcode();
  return opcode == wire::Opcode::terminate || opcode == wire::Opcode::read_request ||
         opcode == wire::Opcode::atomic_request;
}

// An FPDU that is there in full, and too short for its DDP header. Which message it belongs to nobody knows,
// but it holds no octets of one: where none is open, the next tagged segment begins one.
void pass_over_short(const Fold& fold) {
  SideState& side = fold.side();
  const std::array tagged = {&side.write, &side.interrupted_write, &side.read_response};
  std::array<bool, tagged.size()> adrift{};
  for (std::size_t i = 0; i < tagged.size(); ++i) adrift[i] = (*tagged[i])->active || (*tagged[i])->adrift;
  make_hole(side, fold.peer(), reason_of_unread(side), end_of(fold.event));
  for (std::size_t i = 0; i < tagged.size(); ++i) tagged[i]->edit().adrift = adrift[i];
}

void take_fpdu(const Fold& fold, bool first) {
  SideState& side = fold.side();
  const FpduFact& fpdu = fold.event.fpdu;
  if (side.phase != Phase::closed && !fold.state.mpa.rejected) side.phase = Phase::fpdu;
  if (!is_trusted(side, fpdu)) return pass_over_bad(fold);
  if (fpdu.malformed && !fpdu.cut) return pass_over_short(fold);
  if (!has_ddp_header(fpdu)) {
    const Reason reason = fpdu.malformed ? reason_of_unread(side) : side.missing_reason;
    make_hole(side, fold.peer(), reason, may_hide(fpdu) ? end_of(fold.event) : fold.event.offset);
    if (is_terminate(fpdu) && side.terminates.empty()) fold_cut_terminate(fold);
    return;
  }
  const bool rtr = note_rtr(fold, first);
  keep_recent(side, fold.event);
  count_payload(side, fpdu);
  if (fpdu.ddp.tagged()) {
    take_tagged(fold, rtr);
  } else {
    take_untagged(fold, rtr);
  }
  if (is_terminate(fpdu)) ++side.terminate_segments;
}

// The FPDU was counted by its bad copy, which remains one that was seen, as MPA-CRC tells.
void take_better_copy(const Fold& fold) {
  SideState& side = fold.side();
  ++side.crc_counts.good;
  if (side.suspect.end_offset == end_of(fold.event)) side.suspect = {};
  if (comes_in_place(side, fold.event)) return take_fpdu(fold, side.first_fpdu_end == end_of(fold.event));
  settle_doubts(fold);
  if (side.holes > 0) --side.holes;
  if (side.hole_end == end_of(fold.event)) side.hole_end = fold.event.offset;
  if (has_ddp_header(fold.event.fpdu)) {
    count_payload(side, fold.event.fpdu);
    take_recovered(fold);
    if (is_terminate(fold.event.fpdu)) ++side.terminate_segments;
  }
}

}  // namespace

void fold_fpdu(const Fold& fold) {
  SideState& side = fold.side();
  const FpduFact& fpdu = fold.event.fpdu;
  fold.state.fpdu_message = 0;
  if (fpdu.recovered) return take_better_copy(fold);
  count(side, fpdu);
  if (fpdu.unfinished) return;
  note_alignment(fold);
  settle_suspects(fold);
  const bool first = side.first_fpdu_frame == 0;
  if (first) {
    note_first(fold);
    note_earlier_end(fold);
  }
  take_fpdu(fold, first);
  // A hole that was recorded before ends behind it: the numbers that the FPDU shows are not the latest.
  if (end_of(fold.event) < side.hole_end) {
    make_hole(side, fold.peer(), side.missing_reason, side.hole_end);
    if (side.phase == Phase::fpdu) side.phase = Phase::lost;
  }
  side.last_fpdu = fpdu.placed;
}

}  // namespace iwarp
