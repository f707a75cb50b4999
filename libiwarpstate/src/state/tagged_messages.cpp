// The tagged half of messages.hpp: RDMA Writes and Read Responses, put together by order alone; STag and TO
// only tell whether the order was kept (RFC 5041 §5.2).
// SPDX-License-Identifier: GPL-2.0-or-later
#include <optional>
#include <utility>

#include "state/messages.hpp"
#include "state/requests.hpp"
#include "state/responses.hpp"
#include "state/sequence.hpp"

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

// The segment goes on where one whose TO did not fit left off: that was wrong, this is right.
bool goes_on_beside(const OpenMessage& open, std::uint32_t stag, const FpduFact& fpdu) noexcept {
  return fpdu.ddp.stag == stag && fit_of(open.next, open.also_due, fpdu.ddp.to) == Fit::returns;
}

// Only the STag changed: the message goes on, on another STag. One that has the STag of its beginning again
// is right.
bool changes_stag_only(const OpenMessage& open, const FpduFact& fpdu) noexcept {
  return fpdu.ddp.stag != open.stag && fpdu.ddp.to == open.next && fpdu.ddp.to != open.to;
}
void judge_stag(const Fold& fold, OpenMessage& open) {
  const FpduFact& fpdu = fold.event.fpdu;
  const std::uint32_t stag = fpdu.ddp.stag;
  settle_stag(fold, fold.event.side, open, stag);
  // Of a Read Response the request tells.
  const bool open_question =
      open.segments == 1 && open.opcode == wire::Opcode::rdma_write && !fpdu.ddp.last();
  if (open_question) {
    open.stag_changed = fpdu.placed;
  } else if (stag != open.first_stag) {
    fold.out.violated(fold.event.side, CheckId::ddp_const, {argument(Phrase::stag_field), open.stag, stag},
                      {open.first_frame});
  }
  open.stag = stag;
}

// A segment that does not fit, behind one that nothing but itself vouches for: either of them is wrong, and
// how many octets lie in the hole before them nobody knows.
void judge_displaced(const Fold& fold, OpenMessage& open) {
  const bool unsure = !open.also_due.sure();
  fold.out.verdict(fold.event.side, CheckId::ddp_toseq, when(unsure, open.hole_reason),
                   {fold.event.fpdu.ddp.to, open.next, open.stag}, {open.first_frame});
  open.holed = open.holed || unsure;
  if (unsure && open.opcode == wire::Opcode::read_response) dispute_answer(fold);
}

// Takes the segment into an open message; true when it was the last.
bool append(const Fold& fold, OpenMessage& open) {
  const FpduFact& fpdu = fold.event.fpdu;
  const std::uint32_t payload = payload_of(fpdu);
  if (open.next == 0 && open.length > 0 && payload > 0) {  // what came so far ends exactly at 2^64
    fold.out.violated(fold.event.side, CheckId::ddp_towrap, {open.to, open.length + payload},
                      {open.first_frame});
  }
  count_segment(fold, open);
  if (payload > 0) take_number(open.next, open.also_due, fpdu.ddp.to, std::uint64_t{payload}, false);
  judge_length(fold, open, payload);
  return fpdu.ddp.last();
}

// Of two interleaved Writes the one that the segment belongs to is the open one. DDP-TOSEQ reports it once.
// Where it goes on behind both, the open one was the interrupted one's under a wrong TO.
void turn_to_interrupted(SideState& side, const FpduFact& fpdu) {
  if (!side.interrupted_write->active || payload_of(fpdu) == 0) return;
  if (side.write->active && goes_on(*side.write, fpdu)) return;
  const OpenMessage& interrupted = *side.interrupted_write;
  if (goes_on(interrupted, fpdu)) {
    std::swap(side.write, side.interrupted_write);
  } else if (side.write->active && fpdu.ddp.stag == interrupted.stag &&
             fpdu.ddp.to == interrupted.next + side.write->length) {
    OpenMessage& whole = side.interrupted_write.edit();
    whole.length += side.write->length;
    whole.segments += side.write->segments;
    whole.placed = later(whole.placed, side.write->placed);
    go_on(whole.next, whole.also_due, side.write->length);
    side.write.edit() = whole;
    whole = OpenMessage();
  }
}

void conclude_interrupted(const Fold& fold) {
  OnDemand<OpenMessage>& interrupted = fold.side().interrupted_write;
  if (!interrupted->active) return;
  conclude_message(fold, fold.event.side, interrupted.edit(), MessageEnd::incomplete, Reason::gap);
}

// The open Write gives way to another one, or to a segment of it under a wrong TO. Returns what else is due
// then.
AlsoDue<std::uint64_t> interrupt(const Fold& fold) {
  SideState& side = fold.side();
  conclude_interrupted(fold);
  side.interrupted_write.edit() = *side.write;
  OpenMessage& open = side.write.edit();
  take_number(open.next, open.also_due, fold.event.fpdu.ddp.to, std::uint64_t{payload_of(fold.event.fpdu)},
              false);
  const AlsoDue<std::uint64_t> also_due = open.also_due;
  open = OpenMessage();
  return also_due;
}

// What nobody asked for (RDMAP-RRNONE), and the Write goes on with, was that Write's beginning.
void end_unasked_response(const Fold& fold) {
  OnDemand<OpenMessage>& response = fold.side().read_response;
  if (!response->active || response->adrift || fold.side().write->active) return;
  if (answered_request(fold) != nullptr || !goes_on(*response, fold.event.fpdu)) return;
  conclude_message(fold, fold.event.side, response.edit(), MessageEnd::incomplete, Reason::gap);
}

void take_write(const Fold& fold, bool rtr) {
  const FpduFact& fpdu = fold.event.fpdu;
  const Side side = fold.event.side;
  end_unasked_response(fold);
  turn_to_interrupted(fold.side(), fpdu);
  OpenMessage& open = fold.side().write.edit();
  bool start_unknown = false;
  std::optional<AlsoDue<std::uint64_t>> also_due;
  Reason reason = open.hole_reason;
  if (open.active) {
    // Behind a hole it may as well be a message of its own.
    const bool zero = payload_of(fpdu) == 0 && fpdu.ddp.last();
    if (zero) {
      fold.out.verdict(side, CheckId::ddp_zero, when(open.adrift, reason), {argument(Phrase::within_message)},
                       {open.first_frame});
    }
    if (zero && open.adrift) {
      conclude_message(fold, side, open, MessageEnd::incomplete, reason);
    } else if (!goes_on(open, fpdu)) {
      if (open.adrift) {
        fold.out.undecidable(side, CheckId::ddp_toseq, reason);
        conclude_message(fold, side, open, MessageEnd::incomplete, reason);
        start_unknown = true;
      } else if (changes_stag_only(open, fpdu)) {
        judge_stag(fold, open);
      } else if (!goes_on_beside(open, fold.side().interrupted_write->stag, fpdu)) {
        judge_displaced(fold, open);
        also_due = interrupt(fold);
      }
    } else if (open.adrift) {
      // It may have ended in the hole, and this go on with another one to the same buffer.
      open.holed = true;
      open.also_due.vouched = 0;
    } else if (payload_of(fpdu) > 0) {
      settle_stag(fold, side, open, fpdu.ddp.stag);
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
  if (!open.active) {
    if (fpdu.ddp.last()) {
      conclude_single(fold, start_unknown ? MessageEnd::unknown : MessageEnd::complete, reason, rtr);
      return;
    }
    open_message(fold, open);
    open.holed = start_unknown;
    open.start_seen = !start_unknown;
    open.hole_reason = reason;
    if (start_unknown) open.also_due.vouched = 0;
  }
  const bool last = append(fold, open);
  if (also_due) open.also_due = *also_due;
  if (last) conclude_message(fold, side, open, end_of(open), open.hole_reason);
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
      open.also_due.vouched = 0;
      // The same response, behind the hole. Where its octets go on is told by none that disagrees with
      // others.
      if (fpdu.ddp.to != open.next || is_disputed(open.next, open.also_due)) {
        fold.out.undecidable(side, CheckId::ddp_toseq, open.hole_reason);
        open.holed = true;
        begin_at(open.next, open.also_due, fpdu.ddp.to, 0);
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
    abandon_answer(fold, true);
    conclude_message(fold, side, open, MessageEnd::incomplete, open.hole_reason);
    open.adrift = true;  // where the next one begins is not known either
    return false;
  }
  if (end_without_last(fold)) return false;
  if (payload_of(fpdu) == 0 && fpdu.ddp.last() && open.length > 0) {
    fold.out.violated(side, CheckId::ddp_zero, {argument(Phrase::within_message)}, {open.first_frame});
  }
  if (goes_on(open, fpdu)) return true;
  if (changes_stag_only(open, fpdu)) {
    judge_stag(fold, open);
    return true;
  }
  if (goes_on_beside(open, open.stag, fpdu)) return true;
  judge_displaced(fold, open);
  if (!begins_next_answer(fold)) return true;
  abandon_answer(fold, open.holed);
  conclude_message(fold, side, open, MessageEnd::incomplete, Reason::gap);
  return false;
}

// By the request the response goes to its sink, whatever its first segment says (RDMAP-RRMATCH).
void expect_answer(const Fold& fold, OpenMessage& open) noexcept {
  const Request* const request = answered_request(fold);
  if (request == nullptr || !key_of(*request) || open.holed) return;
  open.also_due.resumed = open.also_due.counted = request->sink_to + request->received;
  open.first_stag = request->sink_stag;
}

// The segment is the open Write's by its place, STag and TO.
bool goes_on_with_write(const Fold& fold) noexcept {
  const FpduFact& fpdu = fold.event.fpdu;
  const OpenMessage& write = *fold.side().write;
  return write.active && !write.adrift && payload_of(fpdu) > 0 && goes_on(write, fpdu);
}

void take_read_response(const Fold& fold) {
  const Side side = fold.event.side;
  OpenMessage& open = fold.side().read_response.edit();
  if (!open.active && goes_on_with_write(fold) && report_unasked(fold)) {
    // Only its opcode is wrong.
    OpenMessage& write = fold.side().write.edit();
    if (append(fold, write)) conclude_message(fold, side, write, end_of(write), write.hole_reason);
    return;
  }
  if (!open.active || !continue_response(fold, open)) {
    const Reason reason = open.hole_reason;
    const bool start_known = begin_answer(fold, open.adrift);
    open.adrift = false;
    if (fold.event.fpdu.ddp.last()) {
      advance_answer(fold, true, !start_known);
      conclude_single(fold, start_known ? MessageEnd::complete : MessageEnd::unknown, reason, false);
      return;
    }
    open_message(fold, open);
    open.holed = !start_known;
    open.start_seen = start_known;
    open.hole_reason = reason;
    if (!start_known) open.also_due.vouched = 0;
    expect_answer(fold, open);
  }
  const bool last = append(fold, open);
  advance_answer(fold, last, open.holed);
  if (last) conclude_message(fold, side, open, end_of(open), open.hole_reason);
}

// Which message the segment is one of nobody knows: reported as RDMAP-OP.
void take_unknown(const Fold& fold) {
  SideState& side = fold.side();
  const bool begins = !fold.event.fpdu.ddp.last();
  for (OpenMessage* open : {&side.write.edit(), &side.interrupted_write.edit(), &side.read_response.edit()}) {
    open->adrift = open->adrift || open->active || begins;
    open->hole_reason = Reason::unreadable;
  }
  doubt_responses(fold);
}

// An untagged message's segment by its opcode: what its queue lacks by it nobody knows. Reported as DDP-TOP.
void take_misplaced(const Fold& fold) {
  const wire::Opcode opcode = fold.event.fpdu.ddp.opcode();
  if (!wire::is_known(opcode)) return take_unknown(fold);
  if (opcode == wire::Opcode::atomic_response) doubt_responses(fold);
  QueueState& queue = fold.side().queues.edit()[wire::queue_of(opcode)];
  queue.baseline = true;
  queue.open.adrift = queue.open.active;
  queue.baseline_reason = queue.open.hole_reason = Reason::unreadable;
  if (opcode == wire::Opcode::read_request || opcode == wire::Opcode::atomic_request)
    note_broken_request(fold);
}

}  // namespace

void take_tagged(const Fold& fold, bool rtr) {
  switch (fold.event.fpdu.ddp.opcode()) {
    case wire::Opcode::rdma_write: take_write(fold, rtr); break;
    case wire::Opcode::read_response: take_read_response(fold); break;
    default:  // reported as DDP-TOP or RDMAP-OP
      take_misplaced(fold);
      if (fold.event.fpdu.ddp.last()) conclude_single(fold, MessageEnd::complete, Reason::gap, rtr);
      break;
  }
}

}  // namespace iwarp
