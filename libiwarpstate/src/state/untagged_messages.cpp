// The untagged half of messages.hpp: QN, MSN and MO (RFC 5041 §4.3, §5.2, §5.3).
// SPDX-License-Identifier: GPL-2.0-or-later
#include <algorithm>
#include <optional>

#include "state/messages.hpp"
#include "state/requests.hpp"
#include "state/responses.hpp"
#include "state/sequence.hpp"
#include "state/terminates.hpp"

namespace iwarp {
namespace {

// A malformed request does not count as outstanding.
bool is_sound_request(const FpduFact& fpdu) noexcept {
  const wire::DdpHeader& ddp = fpdu.ddp;
  if (ddp.queue != wire::queue_read_request || ddp.mo != 0 || !ddp.last()) return false;
  if (payload_of(fpdu) != wire::rdmap_header_size(ddp.opcode())) return false;
  if (ddp.opcode() != wire::Opcode::atomic_request) return true;
  const auto atomic = wire::parse_atomic_request(rdmap_view(fpdu));
  using enum wire::AtomicOperation;
  const auto operation = static_cast<wire::AtomicOperation>(atomic ? atomic->operation : 0);
  return operation == fetch_add || operation == cmp_swap;  // RDMAP-ATOP tells of others
}

// RDMAP messages of one segment act with it, whatever becomes of the DDP message.
void act_on_header(const Fold& fold, std::uint32_t number) {
  const wire::DdpHeader& ddp = fold.event.fpdu.ddp;
  switch (ddp.opcode()) {
    case wire::Opcode::read_request:
    case wire::Opcode::atomic_request:
      if (is_sound_request(fold.event.fpdu)) take_request(fold);
      break;
    case wire::Opcode::atomic_response:
      if (number == wire::queue_atomic_response) take_atomic_response(fold);
      break;
    case wire::Opcode::terminate: fold_terminate(fold); break;
    default: break;
  }
}

// A segment behind the message's last one: one finding, however many there are.
void judge_overrun(const Fold& fold, OpenMessage& message) {
  if (message.overrun) return;
  message.overrun = true;
  fold.out.violated(fold.event.side, CheckId::ddp_ldup, {message.queue, message.msn, fold.event.fpdu.ddp.mo},
                    {message.last_frame, message.first_frame});
}

// A segment of a message that was completed, or that lies before the present one.
void judge_earlier(const Fold& fold, std::uint32_t number, QueueState& queue) {
  const wire::DdpHeader& ddp = fold.event.fpdu.ddp;
  if (ddp.opcode() == wire::Opcode::terminate) return;  // that is RDMAP-TERM1
  OpenMessage& last = queue.open;                       // keeps MSN and end of the last message
  if (ddp.mo != 0 && ddp.msn == last.msn && ddp.mo >= last.end) {
    judge_overrun(fold, last);
  } else {
    fold.out.violated(fold.event.side, CheckId::ddp_msndup, {number, ddp.msn, queue.next_msn});
  }
}

// Gives up an open message because another MSN begins.
void abandon(const Fold& fold, QueueState& queue) {
  OpenMessage& open = queue.open;
  const Side side = fold.event.side;
  queue.given_up = open.msn;
  judge_jumps(fold, side, open, open.adrift ? std::optional(open.hole_reason) : std::nullopt);
  const bool holed = open.holed || open.adrift;
  if (holed || (!open.last_seen && !is_single_segment(open.opcode))) {
    fold.out.verdict(side, CheckId::ddp_lmiss, when(holed, open.hole_reason),
                     {argument(open.opcode), open.first_frame}, {open.first_frame}, open.placed);
  }
  conclude_message(fold, side, open, MessageEnd::incomplete, holed ? open.hole_reason : Reason::gap);
}

bool lacks_octets(const OpenMessage& open) noexcept {
  return std::any_of(open.jumps.begin(), open.jumps.end(),
                     [](const JumpedOver& jump) { return jump.left > 0; });
}

void finish(const Fold& fold, OpenMessage& open, bool rtr) {
  if (!open.jumps.empty()) {
    const JumpedOver& jump = open.jumps.front();
    fold.out.violated(fold.event.side, CheckId::ddp_moorder, {open.queue, open.msn, jump.mo, jump.due},
                      {jump.placed.frame});
  }
  conclude_message(fold, fold.event.side, open, end_of(open), open.hole_reason, rtr);
}

// Judges what must stay the same within a message.
void judge_constant(const Fold& fold, QueueState& queue) {
  OpenMessage& open = queue.open;
  const wire::DdpHeader& ddp = fold.event.fpdu.ddp;
  const auto changed = [&](Phrase field, std::uint64_t from, std::uint64_t to,
                           std::optional<Reason> doubt = std::nullopt) {
    fold.out.verdict(fold.event.side, CheckId::ddp_const, doubt, {argument(field), from, to},
                     {open.first_frame});
  };
  if (ddp.msn != open.msn && ddp.msn != open.also_msn) {
    // Behind a hole one segment alone vouches for nothing.
    const bool unsure = open.segments == 1 && !queue.also_due.sure();
    changed(Phrase::msn_field, open.msn, ddp.msn, when(unsure, queue.baseline_reason));
    open.also_msn = ddp.msn;
  } else if (open.segments == 1) {
    open.msn = ddp.msn;  // the one that was due: the first segment's was wrong, and was reported
  }
  // One that is none breaks RDMAP-OP by itself.
  const bool assigned = wire::is_known(ddp.opcode()) && wire::is_known(open.opcode);
  if (assigned && ddp.opcode() != open.opcode && ddp.opcode() != open.first_opcode)
    changed(Phrase::opcode_field, argument(open.opcode), argument(ddp.opcode()));
  // Of one that invalidates nothing RDMAP-INV0 told where it is not 0.
  const bool told = ddp.stag == 0 && !wire::invalidates(ddp.opcode());
  if (ddp.stag != open.stag && ddp.stag != open.first_stag && !told)
    changed(Phrase::invalidate_stag_field, open.stag, ddp.stag);
  open.opcode = ddp.opcode();
  open.stag = ddp.stag;
}

// Counts the segment's octets. With L, and if none are to come before it, that was the message.
void append(const Fold& fold, OpenMessage& open, bool rtr) {
  const FpduFact& fpdu = fold.event.fpdu;
  count_segment(fold, open);
  if (fpdu.ddp.last()) {
    open.last_seen = true;
    open.last_frame = sent_frame(fold.event);
    open.end = std::uint64_t{fpdu.ddp.mo} + payload_of(fpdu);
  }
  if (!open.last_seen) return;
  // As many octets came as lie before its end: those that seem to lack were sent under a wrong MO.
  if (open.end == open.also_due.counted) judge_jumps(fold, fold.event.side, open, std::nullopt);
  if (!lacks_octets(open)) finish(fold, open, rtr);
}

// Whether the segment lies among octets that were jumped over.
bool fills_jump(const Fold& fold, OpenMessage& open) noexcept {
  const std::uint64_t mo = fold.event.fpdu.ddp.mo;
  const std::uint64_t payload = payload_of(fold.event.fpdu);
  for (JumpedOver& jump : open.jumps) {
    if (payload == 0 || payload > jump.left || mo < jump.due || mo + payload > jump.mo) continue;
    jump.left -= payload;
    return true;
  }
  return false;
}

// Whether the segment has octets that one which jumped ahead had, too: so that did not jump, its MO is wrong.
bool overlaps_jump(const Fold& fold, const OpenMessage& open) noexcept {
  const std::uint64_t mo = fold.event.fpdu.ddp.mo;
  const std::uint64_t end = mo + payload_of(fold.event.fpdu);
  return std::any_of(open.jumps.begin(), open.jumps.end(), [mo, end](const JumpedOver& jump) {
    return jump.left > 0 && mo <= jump.mo && jump.mo < end;
  });
}

// The MO is not the one that is due.
void judge_displaced_untagged(const Fold& fold, OpenMessage& open) {
  const std::uint64_t mo = fold.event.fpdu.ddp.mo;
  const std::uint64_t due = first_due(open.next, open.also_due);
  if (mo < due) {
    fold.out.violated(fold.event.side, CheckId::ddp_moseq, {open.queue, open.msn, mo, due},
                      {open.first_frame});
    return;
  }
  // The octets between may come, out of order. Of more such segments than are kept the oldest are wrong.
  if (open.jumps.size() == max_jumps) judge_jumps(fold, fold.event.side, open, std::nullopt);
  if (open.jumps.size() == max_jumps) open.jumps.pop_back();  // came in full since
  open.jumps.push_back({due, mo, mo - due, fold.event.fpdu.placed, fold.event.fpdu.number});
}

// A segment that names another message: with a wrong MSN it is one of this.
void pass_over_stray(OpenMessage& open, std::uint64_t payload) noexcept {
  open.also_due.resumed = first_due(open.next, open.also_due) + payload;
  open.also_due.counted += payload;
  open.also_due.aside = open.next;
  open.also_due.strayed = true;
}

// Takes the segment's MO. One that fits none that is due, but lies among octets jumped over, is late.
void place(const Fold& fold, OpenMessage& open) {
  const std::uint64_t mo = fold.event.fpdu.ddp.mo;
  const std::uint64_t payload = payload_of(fold.event.fpdu);
  const bool late = fills_jump(fold, open);
  AlsoDue<std::uint64_t>& also = open.also_due;
  switch (fit_of(open.next, also, mo)) {
    case Fit::agrees:
      if (overlaps_jump(fold, open)) judge_jumps(fold, fold.event.side, open, std::nullopt);
      break;
    case Fit::returns:
      if (!late) judge_jumps(fold, fold.event.side, open, std::nullopt);
      break;
    case Fit::breaks:
      if (late) {
        also.counted += payload;
        return;
      }
      if (!also.sure()) {  // this one, or the one before it
        fold.out.undecidable(fold.event.side, CheckId::ddp_moseq, open.hole_reason);
        open.holed = true;
        begin_at(open.next, also, mo + payload, 1);
        return;
      }
      judge_displaced_untagged(fold, open);
      break;
  }
  take_number(open.next, also, mo, payload, mo < open.next);
}

// The same of the first segment of the message behind a hole.
void place_behind_hole(const Fold& fold, OpenMessage& open) {
  const std::uint64_t mo = fold.event.fpdu.ddp.mo;
  const AlsoDue<std::uint64_t>& also = open.also_due;
  const bool fitted = also.sure() && also.resumed == open.next && also.counted == open.next;
  judge_jumps(fold, fold.event.side, open, open.hole_reason);
  const bool back = mo < open.next && fitted;
  if (mo != open.next || !fitted) {
    open.holed = true;
    fold.out.verdict(fold.event.side, CheckId::ddp_moseq, when(!back, open.hole_reason),
                     {open.queue, open.msn, mo, open.next}, {open.first_frame});
  }
  if (back) return;  // it does not tell where the next one stands
  open.adrift = false;
  begin_at(open.next, open.also_due, mo + payload_of(fold.event.fpdu), 1);
}

void continue_message(const Fold& fold, QueueState& queue) {
  const FpduFact& fpdu = fold.event.fpdu;
  OpenMessage& open = queue.open;
  if (queue.baseline) {
    queue.baseline = false;  // the same MSN goes on: none was missed
    queue.known = true;
  }
  if (open.last_seen && fpdu.ddp.mo >= open.end) {
    judge_overrun(fold, open);
    return;
  }
  judge_constant(fold, queue);
  if (payload_of(fpdu) == 0 && fpdu.ddp.last()) {
    fold.out.violated(fold.event.side, CheckId::ddp_zero, {argument(Phrase::within_message)},
                      {open.first_frame});
  }
  if (open.adrift) {
    place_behind_hole(fold, open);
  } else {
    place(fold, open);
  }
  append(fold, open, false);
}

// Judges an MSN that is not the one due, and takes it. False: it begins no new message.
bool take_displaced_msn(const Fold& fold, std::uint32_t number, QueueState& queue) {
  const wire::DdpHeader& ddp = fold.event.fpdu.ddp;
  const Side side = fold.event.side;
  const bool terminate = ddp.opcode() == wire::Opcode::terminate;  // RDMAP-TERM1 tells of it
  bool stray = false;
  if (queue.messages == 0) {
    if (!terminate) fold.out.violated(side, CheckId::ddp_msn1, {number, ddp.msn});
  } else if (!queue.also_due.sure()) {  // this one, or the one before it
    fold.out.undecidable(side, CheckId::ddp_msngap, queue.baseline_reason);
    begin_at(queue.next_msn, queue.also_due, ddp.msn + 1, 1);
    return true;
  } else if (serial_before(ddp.msn, queue.next_msn)) {
    judge_earlier(fold, number, queue);
    if (ddp.mo != 0) return false;
    stray = true;
  } else {
    fold.out.violated(side, CheckId::ddp_msngap, {number, ddp.msn, queue.next_msn});
  }
  take_number(queue.next_msn, queue.also_due, ddp.msn, 1U, stray);
  return !stray;
}

// Judges the MSN of a message's first segment and takes it as the queue's. False: it is no new message.
bool take_msn(const Fold& fold, std::uint32_t number, QueueState& queue) {
  const wire::DdpHeader& ddp = fold.event.fpdu.ddp;
  if (queue.baseline) {
    queue.baseline = false;
    const CheckId check = queue.messages == 0 ? CheckId::ddp_msn1 : CheckId::ddp_msngap;
    fold.out.undecidable(fold.event.side, check, queue.baseline_reason);
    if (number == wire::queue_read_request) {
      settle_unseen_requests(fold, queue.known ? ddp.msn - queue.next_msn : 0, queue.known);
    }
    begin_at(queue.next_msn, queue.also_due, ddp.msn + 1, 1);
  } else if (fit_of(queue.next_msn, queue.also_due, ddp.msn) == Fit::breaks) {
    if (!take_displaced_msn(fold, number, queue)) return false;
  } else {
    take_number(queue.next_msn, queue.also_due, ddp.msn, 1U, false);
  }
  queue.known = true;
  ++queue.messages;
  if (number == wire::queue_send) ++fold.side().rq_consumed;
  return true;
}

// Opens the message that begins with the segment. Behind a hole one with MO 0 may be one that goes on, too.
void open_untagged(const Fold& fold, OpenMessage& open, bool after_hole, Reason reason, bool rtr) {
  const std::uint64_t mo = fold.event.fpdu.ddp.mo;
  const std::uint64_t payload = payload_of(fold.event.fpdu);
  open_message(fold, open);
  open.holed = after_hole && mo != 0;
  open.start_seen = !open.holed;
  open.hole_reason = reason;
  if (after_hole) {
    begin_at(open.next, open.also_due, mo + payload, 1);
  } else {
    begin_at(open.next, open.also_due, std::uint64_t{0});
    take_number(open.next, open.also_due, mo, payload, false);
  }
  append(fold, open, rtr);
}

void begin_message(const Fold& fold, std::uint32_t number, bool rtr) {
  QueueState& queue = fold.side().queues.edit()[number];
  const FpduFact& fpdu = fold.event.fpdu;
  const wire::DdpHeader& ddp = fpdu.ddp;
  const bool after_hole = queue.baseline;
  const Reason reason = queue.baseline_reason;
  const bool displaced = !after_hole && fit_of(queue.next_msn, queue.also_due, ddp.msn) == Fit::breaks;
  const std::uint32_t due = displaced ? first_due(queue.next_msn, queue.also_due) : ddp.msn;
  if (!take_msn(fold, number, queue)) {
    if (wire::is_request(ddp.opcode()) && is_sound_request(fpdu)) note_broken_request(fold);
    // With a wrong MSN it is the answer all the same, by its identifier.
    if (ddp.opcode() == wire::Opcode::atomic_response && begins_next_answer(fold)) take_atomic_response(fold);
    // The rest of it is not to be taken for yet another one.
    if (ddp.mo == 0 && !ddp.last()) {
      open_untagged(fold, queue.open, false, reason, rtr);
      queue.open.also_msn = due;
    }
    return;
  }
  if (ddp.mo != 0) {
    if (after_hole || !is_single_segment(ddp.opcode())) {
      fold.out.verdict(fold.event.side, CheckId::ddp_mo0, when(after_hole, reason),
                       {number, ddp.msn, ddp.mo});
    }
  }
  OpenMessage& open = queue.open;
  if (ddp.last()) {
    open.queue = number;
    open.msn = ddp.msn;
    open.overrun = false;
    open.end = std::uint64_t{ddp.mo} + payload_of(fpdu);
    open.first_frame = open.last_frame = sent_frame(fold.event);
    const bool holed = after_hole && ddp.mo != 0;
    conclude_single(fold, holed ? MessageEnd::unknown : MessageEnd::complete, reason, rtr);
  } else {
    open_untagged(fold, open, after_hole, reason, rtr);
    open.queue = number;
    open.also_msn = due;
  }
  act_on_header(fold, number);
}

// Whether the segment is one of the open message by its MSN, or by its MO under a wrong MSN: a message of its
// own would begin with MO 0, and one that was given up may go on there by chance.
bool belongs_to(const QueueState& queue, const wire::DdpHeader& ddp) noexcept {
  const OpenMessage& open = queue.open;
  if (ddp.msn == open.msn) return true;
  const bool goes_on = ddp.mo != 0 && !open.adrift && ddp.mo == first_due(open.next, open.also_due);
  return goes_on && !is_single_segment(ddp.opcode()) && ddp.msn != queue.given_up;
}

// Whether MSN and MO are those that are due on the queue.
bool is_due(const QueueState& queue, const wire::DdpHeader& ddp) noexcept {
  const OpenMessage& open = queue.open;
  if (open.active)
    return ddp.msn == open.msn && !open.adrift && ddp.mo == first_due(open.next, open.also_due);
  return !queue.baseline && ddp.mo == 0 && ddp.msn == first_due(queue.next_msn, queue.also_due);
}

// The queue that the segment is one of: that of its opcode where it is due there. Then nothing but QN is
// wrong, and that was reported as DDP-QN.
std::uint32_t number_of_queue(const Fold& fold) noexcept {
  const wire::DdpHeader& ddp = fold.event.fpdu.ddp;
  const std::uint32_t usual = wire::queue_of(ddp.opcode());
  if (ddp.queue == usual || !wire::is_known(ddp.opcode()) || wire::is_tagged(ddp.opcode())) return ddp.queue;
  return is_due(fold.side().queues[usual], ddp) ? usual : ddp.queue;
}

// The segment was due on two queues, by its opcode and by its QN: what comes next tells which of these was
// wrong.
void leave_queue_open(const Fold& fold, std::uint32_t number) {
  const wire::DdpHeader& ddp = fold.event.fpdu.ddp;
  fold.side().queues.edit()[number].also_due.aside = ddp.msn;
  fold.side().queues.edit()[ddp.queue].also_due.aside = ddp.msn + 1;
}

// The request has the number that was left open: what came under it before was none.
void settle_left_open(const Fold& fold, const QueueState& queue) noexcept {
  const std::uint32_t msn = fold.event.fpdu.ddp.msn;
  const AlsoDue<std::uint32_t>& also = queue.also_due;
  const bool left_open = !also.strayed && also.aside == msn + 1 && also.resumed == msn && also.counted == msn;
  SideState& side = fold.side();
  if (left_open && queue.next_msn == msn && !queue.baseline && side.broken_requests > 0)
    --side.broken_requests;
}

}  // namespace

void take_untagged(const Fold& fold, bool rtr) {
  const wire::DdpHeader& ddp = fold.event.fpdu.ddp;
  const std::uint32_t number = number_of_queue(fold);
  // With a wrong opcode it is a request all the same, which may be answered.
  const bool either =
      number != ddp.queue && ddp.queue < wire::queue_count && is_due(fold.side().queues[ddp.queue], ddp);
  const bool on_queue = (either ? ddp.queue : number) == wire::queue_read_request;
  const bool may_be_request = wire::is_request(ddp.opcode()) || on_queue;
  if (may_be_request && !is_sound_request(fold.event.fpdu)) note_broken_request(fold);
  // The same of a response.
  const bool by_queue = (either ? ddp.queue : number) == wire::queue_atomic_response;
  const bool by_opcode =
      ddp.opcode() == wire::Opcode::atomic_response || ddp.opcode() == wire::Opcode::read_response;
  const bool taken = number == wire::queue_atomic_response && ddp.opcode() == wire::Opcode::atomic_response;
  if ((by_queue || by_opcode) && !taken) doubt_responses(fold);
  if (number >= wire::queue_count) return;  // reported as DDP-QN
  QueueState& queue = fold.side().queues.edit()[number];
  if (queue.open.active) {
    if (belongs_to(queue, ddp)) return continue_message(fold, queue);
    // The open one stands behind a hole, and nothing but its own MSN vouches for that: either of them is
    // wrong.
    if (!queue.also_due.sure()) queue.baseline = true;
    if (!queue.baseline && serial_before(ddp.msn, queue.open.msn)) {
      if (ddp.mo == 0) {
        fold.out.violated(fold.event.side, CheckId::ddp_msndup, {number, ddp.msn, queue.next_msn});
      } else {
        fold.out.violated(fold.event.side, CheckId::ddp_mix, {argument(ddp.opcode())},
                          {queue.open.first_frame});
        pass_over_stray(queue.open, payload_of(fold.event.fpdu));
      }
      return;
    }
    abandon(fold, queue);
  }
  if (number == wire::queue_read_request) settle_left_open(fold, queue);
  begin_message(fold, number, rtr);
  if (either) leave_queue_open(fold, number);
}

}  // namespace iwarp
