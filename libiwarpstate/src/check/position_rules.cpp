// Rules of when a side may send FPDUs: the first one, and any behind a rejection, a Terminate, a FIN.
// SPDX-License-Identifier: GPL-2.0-or-later
#include "check/judgement.hpp"
#include "state/coverage.hpp"
#include "state/mpa_state.hpp"
#include "state/stream_facts.hpp"

namespace iwarp::check {
namespace {

bool is_terminate(const Judgement& j) noexcept {
  return is_trusted(j.side(), j.fact.fpdu) && is_terminate(j.fact.fpdu);
}

// RFC 5044 §7.1.2 (4)
void judge_responder_first(const Judgement& j) {
  const SideState& initiator = j.peer();
  const StreamOffset ack = j.fact.ack;
  if (initiator.first_fpdu_end != 0 && (ack == 0 || ack >= initiator.first_fpdu_end)) return;
  // Nothing of the initiator behind its Request had arrived, or not all of its first FPDU.
  const StreamOffset request_end = j.before.mpa.frames[0] ? j.before.mpa.frame_ends[0] : 0;
  const bool certain =
      ack != 0 && (initiator.first_fpdu_end != 0 || (request_end != 0 && ack <= request_end));
  j.verdict(CheckId::mpa_respfirst,
            when(!certain || initiator.holes > 0, reason_of_missing(j.before, other(j.fact.side))), {},
            {j.fact.fpdu.first_frame, j.before.mpa.frame_numbers[1]});
}

// RFC 6581 §9.2
void judge_ready_to_receive(const Judgement& j) {
  const MpaState& mpa = j.before.mpa;
  const FpduFact& fpdu = j.fact.fpdu;
  const bool trusted = is_trusted(j.side(), fpdu);
  const bool readable = trusted && has_ddp_header(fpdu) && j.side().holes == 0;
  bool known = false;
  const unsigned bit = readable ? rtr_bit_of(fpdu, known) : 0;
  if (mpa.peer_to_peer) {
    if (readable && is_terminate(j)) return;  // MPA-RTRTERM
    const unsigned common = common_rtr_bits(mpa);
    if ((bit & common) != 0) return;
    const auto request = wire::parse_read_request(rdmap_view(fpdu));
    const bool read = fpdu.ddp.opcode() == wire::Opcode::read_request && !fpdu.ddp.tagged() && request;
    const std::uint64_t octets = read ? request->size : payload_of(fpdu);
    j.verdict(CheckId::mpa_rtr,
              first_of({when(!trusted, Reason::bad_crc), when(!known, j.side().missing_reason)}),
              {argument(fpdu.ddp.opcode()), octets, common}, {mpa.frame_numbers[0], mpa.frame_numbers[1]});
  } else if (lacks_words(mpa) && readable) {
    j.undecidable(CheckId::mpa_rtr, j.side().missing_reason);
  } else if (bit == 1U || bit == 2U) {
    j.violated(CheckId::mpa_rtrunneg, {argument(fpdu.ddp.opcode())},
               {mpa.frame_numbers[0], mpa.frame_numbers[1]});
  }
}

const TerminateSeen* last_terminate(const SideState& side) noexcept {
  return side.terminates.empty() ? nullptr : &side.terminates.front();
}

// RFC 5040 §5.4, Verbs 1.0 §6.2.3
void judge_behind_terminate(const Judgement& j, std::uint64_t opcode) {
  const FpduFact& fpdu = j.fact.fpdu;
  if (const TerminateSeen* const own = last_terminate(j.side())) {
    if (!j.said(CheckId::rdmap_termend))
      j.violated(CheckId::rdmap_termend, {opcode, own->frame}, {own->frame});
    return;
  }
  const TerminateSeen* const received = last_terminate(j.peer());
  if (received == nullptr || j.said(CheckId::rdmap_afterterm)) return;
  if (j.fact.ack < received->end_offset || received->acknowledged_frame == 0) return;
  // It may have acknowledged the Terminate long before.
  const bool at_once = fpdu.first_frame == received->acknowledged_frame &&
                       well_after(j.fact, received->frame, received->time_ns);
  const bool unknown = received->acknowledged_at == sent_unknown;
  if (!at_once) {
    if (!well_after(j.fact, received->acknowledged_frame, received->acknowledged_time_ns)) return;
    if (fpdu.first_frame != 0 && fpdu.first_frame <= received->acknowledged_frame) return;
    // Sent before, though captured when it was sent again.
    if (!unknown && j.fact.offset < received->acknowledged_at) return;
  }
  j.verdict(CheckId::rdmap_afterterm,
            first_of({when(at_once, Reason::skew), when(unknown, Reason::midstream),
                      when(may_have_been_due(j.fact, *received), Reason::skew)}),
            {opcode, received->frame}, {fpdu.first_frame, received->frame});
}

// The segment that acknowledges the peer's FIN may be a retransmission whose first copy was not captured. It
// is new for certain if a segment before it acknowledged the FIN at just this place of the stream, or if all
// that its sender sent was captured.
std::optional<Reason> first_copy_unseen(const Judgement& j, FrameNumber sent) noexcept {
  const SideState& closing = j.peer();
  if (closing.fin_acknowledged_at == sent_unknown) return Reason::midstream;
  if (sent > closing.fin_acknowledged_frame && j.fact.offset == closing.fin_acknowledged_at)
    return std::nullopt;
  if (j.before.opened_by == OpenedBy::midstream) return Reason::midstream;
  if (j.side().gaps > 0 && j.side().missing_reason == Reason::gap) return Reason::gap;
  return std::nullopt;
}

// Verbs 1.0 §6.2.2.2, §6.2.5
void judge_behind_fin(const Judgement& j, std::uint64_t opcode) {
  const SideState& closing = j.peer();
  if (!closing.fin_frame || any_terminate(j.before)) return;
  const FrameNumber sent = sent_frame(j.fact);
  const auto judge = [&](CheckId check, std::optional<Reason> doubt) {
    if (j.said(check)) return;
    // This FPDU may have crossed a Terminate.
    j.verdict(check, first_of({doubt, terminate_unseen(j.before, other(j.fact.side))}),
              {opcode, *closing.fin_frame}, {*closing.fin_frame});
  };
  // A segment that acknowledges the FIN was sent by a side that had it, unless the octets were sent before.
  if (closing.fin_acknowledged && sent >= closing.fin_acknowledged_frame &&
      (j.fact.offset >= closing.fin_acknowledged_at || closing.fin_acknowledged_at == sent_unknown)) {
    judge(CheckId::rdmap_afterfin, first_copy_unseen(j, sent));
  } else if (closing.fin_ack != 0 && end_of(j.fact) > closing.fin_ack) {
    judge(CheckId::verbs_closedata, std::nullopt);
  }
}

// The octets of a bad FPDU were taken by its receiver after all.
void judge_suspects(const Judgement& j) {
  const auto judge = [&j](Side sender, bool by_receiver) {
    const SuspectFpdu& suspect = j.before.side(sender).suspect;
    if (!lived_on(suspect, j.fact, by_receiver)) return;
    j.out.violated(sender, CheckId::cap_crcacked, {suspect.frame},
                   {suspect.frame, suspect.acknowledged_frame});
  };
  judge(other(j.fact.side), true);
  judge(j.fact.side, false);
}

}  // namespace

void judge_first_fpdu(const Judgement& j) {
  const MpaState& mpa = j.before.mpa;
  if (j.before.llp == Llp::sctp) {  // either side may send first (RFC 6581 §7); SCTP-SEQ tells what is early
    if (mpa.peer_to_peer && j.fact.side == j.before.initiator) judge_ready_to_receive(j);
    return;
  }
  if (mpa.rejected) {
    // Another start-up may be among the octets that were not captured.
    const auto lacks_some = [](const SideState& side) {
      return side.gaps > 0 && side.missing_reason != Reason::snaplen;
    };
    if (j.said(CheckId::mpa_rejfpdu)) return;
    j.verdict(CheckId::mpa_rejfpdu, when(lacks_some(j.side()) || lacks_some(j.peer()), Reason::gap),
              {mpa.frame_numbers[1]}, {mpa.frame_numbers[1]});
    return;
  }
  if (!mpa.frames[0] && !mpa.frames[1]) return;
  if (j.fact.side != j.before.initiator) {
    if (mpa.frames[1]) judge_responder_first(j);
  } else if (mpa.accepted) {
    judge_startup_time(j);
    judge_ready_to_receive(j);
  }
}

void judge_better_first_fpdu(const Judgement& j) {
  const bool first = j.side().first_fpdu_end == end_of(j.fact);
  if (first && j.before.mpa.accepted && j.fact.side == j.before.initiator) judge_ready_to_receive(j);
}

void judge_position(const Judgement& j) {
  const FpduFact& fpdu = j.fact.fpdu;
  if (is_terminate(j)) return;
  judge_suspects(j);
  const std::uint64_t opcode = has_ddp_header(fpdu) ? argument(fpdu.ddp.opcode()) : argument(Phrase::in_fpdu);
  judge_behind_terminate(j, opcode);
  judge_behind_fin(j, opcode);
}

}  // namespace iwarp::check
