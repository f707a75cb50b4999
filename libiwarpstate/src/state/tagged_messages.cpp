// The tagged half of messages.hpp: RDMA Writes and Read Responses, put together by order alone; STag and TO
// only tell whether the order was kept (RFC 5041 §5.2).
// SPDX-License-Identifier: GPL-2.0-or-later
#include <utility>

#include "state/messages.hpp"
#include "state/responses.hpp"

namespace iwarp {
namespace {

void judge_length(const Fold& fold, const OpenMessage& open, std::uint32_t payload) {
  constexpr std::uint64_t limit = std::uint64_t{1} << 32U;
  if (open.length >= limit && open.length - payload < limit) {
    fold.out.violated(fold.event.side, CheckId::ddp_mowrap, {open.length}, {open.first_frame});
  }
}

// Neither STag nor TO of a zero-length segment are checked (RFC 5041 §5.2).
bool goes_on(const OpenMessage& open, const FpduFact& fpdu) noexcept {
  return payload_of(fpdu) == 0 || (fpdu.ddp.stag == open.stag && fpdu.ddp.to == open.next);
}

// Only the STag changed: the message goes on, on another STag.
bool changes_stag_only(const OpenMessage& open, const FpduFact& fpdu) noexcept {
  return fpdu.ddp.stag != open.stag && fpdu.ddp.to == open.next && fpdu.ddp.to != open.to;
}

void note_certainty(SideState& side) noexcept {
  if (side.tagged_uncertain && !side.write->adrift && !side.read_response->adrift)
    side.tagged_uncertain = false;
}

// Takes the segment into an open message; true when it was the last.
bool append(const Fold& fold, OpenMessage& open) {
  const FpduFact& fpdu = fold.event.fpdu;
  const std::uint32_t payload = payload_of(fpdu);
  if (open.next == 0 && open.length > 0 && payload > 0) {  // what came so far ends exactly at 2^64
    fold.out.violated(fold.event.side, CheckId::ddp_towrap, {open.to, open.length + payload},
                      {open.first_frame});
  }
  open.length += payload;
  open.next = payload == 0 ? open.next : fpdu.ddp.to + payload;
  ++open.segments;
  judge_length(fold, open, payload);
  return fpdu.ddp.last();
}

MessageEnd end_of_message(const OpenMessage& open) noexcept {
  return open.holed ? MessageEnd::incomplete : MessageEnd::complete;
}

// Of two interleaved Writes the one that the segment belongs to is the open one. Told of once, by DDP-TOSEQ.
void turn_to_interrupted(SideState& side, const FpduFact& fpdu) {
  if (!side.interrupted_write->active || payload_of(fpdu) == 0) return;
  if (side.write->active && goes_on(*side.write, fpdu)) return;
  if (goes_on(*side.interrupted_write, fpdu)) std::swap(side.write, side.interrupted_write);
}

void conclude_interrupted(const Fold& fold) {
  OnDemand<OpenMessage>& interrupted = fold.side().interrupted_write;
  if (!interrupted->active) return;
  conclude_message(fold, fold.event.side, interrupted.edit(), MessageEnd::incomplete, Reason::gap);
}

// The open Write gives way to another one.
void interrupt(const Fold& fold) {
  SideState& side = fold.side();
  conclude_interrupted(fold);
  side.interrupted_write.edit() = *side.write;
  side.write.edit() = OpenMessage();
}

void take_write(const Fold& fold, bool rtr) {
  const FpduFact& fpdu = fold.event.fpdu;
  const Side side = fold.event.side;
  turn_to_interrupted(fold.side(), fpdu);
  OpenMessage& open = fold.side().write.edit();
  bool start_unknown = false;
  Reason reason = open.hole_reason;
  if (open.active) {
    // Behind a hole it may as well be a message of its own.
    const bool zero = payload_of(fpdu) == 0 && fpdu.ddp.last();
    if (zero && !open.adrift) {
      fold.out.violated(side, CheckId::ddp_zero, {argument(Phrase::within_message)}, {open.first_frame});
    }
    if (zero && open.adrift) {
      fold.out.undecidable(side, CheckId::ddp_zero, reason);
      conclude_message(fold, side, open, MessageEnd::incomplete, reason);
    } else if (!goes_on(open, fpdu)) {
      if (open.adrift) {
        fold.out.undecidable(side, CheckId::ddp_toseq, reason);
        conclude_message(fold, side, open, MessageEnd::incomplete, reason);
        start_unknown = true;
      } else if (changes_stag_only(open, fpdu)) {
        fold.out.violated(side, CheckId::ddp_const, {argument(Phrase::stag_field), open.stag, fpdu.ddp.stag},
                          {open.first_frame});
        open.stag = fpdu.ddp.stag;
      } else {
        fold.out.violated(side, CheckId::ddp_toseq, {fpdu.ddp.to, open.next, open.stag}, {open.first_frame});
        interrupt(fold);
      }
    }
    open.adrift = false;
  } else {
    conclude_interrupted(fold);  // another one begins: it does not go on
    if (open.adrift) {
      fold.out.undecidable(side, CheckId::ddp_toseq, reason);
      start_unknown = true;
      open.adrift = false;
    }
  }
  note_certainty(fold.side());
  if (!open.active) {
    if (fpdu.ddp.last()) {
      conclude_single(fold, start_unknown ? MessageEnd::incomplete : MessageEnd::complete, reason, rtr);
      return;
    }
    open_message(open, fold.event);
    open.holed = start_unknown;
    open.hole_reason = reason;
  }
  if (append(fold, open)) conclude_message(fold, side, open, end_of_message(open), open.hole_reason);
}

// Whether the segment behind a hole may belong to the open Read Response.
bool may_go_on(const Fold& fold, const OpenMessage& open) noexcept {
  const FpduFact& fpdu = fold.event.fpdu;
  if (payload_of(fpdu) == 0) return false;
  if (is_answering(fold)) return lies_in_answer(fold, open);
  // Its request is not known: TO must not go back, and no request that is known may begin there.
  constexpr std::uint64_t longest = std::uint64_t{1} << 32U;
  return fpdu.ddp.stag == open.stag && fpdu.ddp.to - open.next < longest && !begins_next_answer(fold);
}

// Judges a segment within an open Read Response. False: it begins another one.
bool continue_response(const Fold& fold, OpenMessage& open) {
  const FpduFact& fpdu = fold.event.fpdu;
  const Side side = fold.event.side;
  if (open.adrift) {
    if (may_go_on(fold, open)) {
      doubt_answer(fold);
      if (fpdu.ddp.to != open.next) {  // the same response, behind the hole
        fold.out.undecidable(side, CheckId::ddp_toseq, open.hole_reason);
        open.holed = true;
        if (is_answering(fold)) {
          skip_answer_to(fold);
        } else {
          doubt_pairing(fold, open.hole_reason);
        }
      }
      open.adrift = false;
      return true;
    }
    fold.out.undecidable(side, CheckId::ddp_toseq, open.hole_reason);
    abandon_answer(fold);
    conclude_message(fold, side, open, MessageEnd::incomplete, open.hole_reason);
    open.adrift = true;  // where the next one begins is not known either
    return false;
  }
  if (payload_of(fpdu) == 0 && fpdu.ddp.last() && open.length > 0) {
    fold.out.violated(side, CheckId::ddp_zero, {argument(Phrase::within_message)}, {open.first_frame});
  }
  if (goes_on(open, fpdu)) return true;
  if (changes_stag_only(open, fpdu)) {
    fold.out.violated(side, CheckId::ddp_const, {argument(Phrase::stag_field), open.stag, fpdu.ddp.stag},
                      {open.first_frame});
    open.stag = fpdu.ddp.stag;
    return true;
  }
  fold.out.violated(side, CheckId::ddp_toseq, {fpdu.ddp.to, open.next, open.stag}, {open.first_frame});
  if (!begins_next_answer(fold)) return true;
  abandon_answer(fold);
  conclude_message(fold, side, open, MessageEnd::incomplete, Reason::gap);
  return false;
}

void take_read_response(const Fold& fold) {
  const Side side = fold.event.side;
  OpenMessage& open = fold.side().read_response.edit();
  if (!open.active || !continue_response(fold, open)) {
    const Reason reason = open.hole_reason;
    const bool start_known = begin_answer(fold, open.adrift);
    open.adrift = false;
    note_certainty(fold.side());
    if (fold.event.fpdu.ddp.last()) {
      advance_answer(fold, true, !start_known);
      conclude_single(fold, start_known ? MessageEnd::complete : MessageEnd::incomplete, reason, false);
      return;
    }
    open_message(open, fold.event);
    open.holed = !start_known;
    open.hole_reason = reason;
  }
  const bool last = append(fold, open);
  advance_answer(fold, last, open.holed);
  if (last) conclude_message(fold, side, open, end_of_message(open), open.hole_reason);
}

}  // namespace

void take_tagged(const Fold& fold, bool rtr) {
  switch (fold.event.fpdu.ddp.opcode()) {
    case wire::Opcode::rdma_write: take_write(fold, rtr); break;
    case wire::Opcode::read_response: take_read_response(fold); break;
    default:  // DDP-TOP or RDMAP-OP told of it
      if (fold.event.fpdu.ddp.last()) conclude_single(fold, MessageEnd::complete, Reason::gap, rtr);
      break;
  }
}

}  // namespace iwarp
