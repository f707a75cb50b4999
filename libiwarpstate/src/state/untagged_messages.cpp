// The untagged half of messages.hpp: QN, MSN and MO (RFC 5041 §4.3, §5.2, §5.3).
// SPDX-License-Identifier: GPL-2.0-or-later
#include "state/messages.hpp"
#include "state/requests.hpp"
#include "state/responses.hpp"
#include "state/terminates.hpp"

namespace iwarp {
namespace {

bool is_request(wire::Opcode opcode) noexcept {
  return opcode == wire::Opcode::read_request || opcode == wire::Opcode::atomic_request;
}

// A malformed request does not count as outstanding.
bool is_sound_request(const FpduFact& fpdu) noexcept {
  const wire::DdpHeader& ddp = fpdu.ddp;
  if (ddp.queue != wire::queue_read_request || ddp.mo != 0 || !ddp.last()) return false;
  if (payload_of(fpdu) != wire::rdmap_header_size(ddp.opcode())) return false;
  const auto atomic = ddp.opcode() == wire::Opcode::atomic_request
                          ? wire::parse_atomic_request(rdmap_view(fpdu))
                          : Result<wire::AtomicRequest>(wire::AtomicRequest{});
  using enum wire::AtomicOperation;
  const auto operation = static_cast<wire::AtomicOperation>(atomic ? atomic->operation : 0);
  return operation == fetch_add || operation == cmp_swap;  // RDMAP-ATOP tells of others
}

// RDMAP messages of one segment act with it, whatever becomes of the DDP message.
void act_on_header(const Fold& fold) {
  const wire::DdpHeader& ddp = fold.event.fpdu.ddp;
  switch (ddp.opcode()) {
    case wire::Opcode::read_request:
    case wire::Opcode::atomic_request:
      if (is_sound_request(fold.event.fpdu)) take_request(fold);
      break;
    case wire::Opcode::atomic_response:
      if (ddp.queue == wire::queue_atomic_response) take_atomic_response(fold);
      break;
    case wire::Opcode::terminate: fold_terminate(fold); break;
    default: break;
  }
}

// A segment of a message that was completed, or that lies before the present one.
void judge_earlier(const Fold& fold, const QueueState& queue) {
  const wire::DdpHeader& ddp = fold.event.fpdu.ddp;
  const OpenMessage& last = queue.open;                 // keeps MSN and end of the last message
  if (ddp.opcode() == wire::Opcode::terminate) return;  // RDMAP-TERM1 told of it
  if (ddp.mo != 0 && ddp.msn == last.msn && ddp.mo >= last.next) {
    fold.out.violated(fold.event.side, CheckId::ddp_ldup, {ddp.queue, ddp.msn, ddp.mo}, {last.first_frame});
  } else {
    fold.out.violated(fold.event.side, CheckId::ddp_msndup, {ddp.queue, ddp.msn, queue.next_msn});
  }
}

// Gives up an open message because another MSN begins.
void abandon(const Fold& fold, QueueState& queue) {
  OpenMessage& open = queue.open;
  const Side side = fold.event.side;
  if (open.holed || open.adrift) {
    fold.out.undecidable(side, CheckId::ddp_lmiss, open.hole_reason);
    conclude_message(fold, side, open, MessageEnd::incomplete, open.hole_reason);
    return;
  }
  if (open.missing > 0) {
    fold.out.violated(side, CheckId::ddp_moseq, {open.queue, open.msn, open.mo_seen, open.mo_due}, {},
                      open.mo_frame);
  }
  if (!open.last_seen && !is_single_segment(open.opcode)) {
    fold.out.violated(side, CheckId::ddp_lmiss, {open.queue, fold.event.fpdu.ddp.msn, open.msn},
                      {open.first_frame});
  }
  conclude_message(fold, side, open, MessageEnd::incomplete, Reason::gap);
}

void finish(const Fold& fold, OpenMessage& open, bool rtr) {
  if (open.reordered && !open.holed) {
    fold.out.violated(fold.event.side, CheckId::ddp_moorder,
                      {open.queue, open.msn, open.mo_seen, open.mo_due}, {open.mo_frame});
  }
  conclude_message(fold, fold.event.side, open, open.holed ? MessageEnd::incomplete : MessageEnd::complete,
                   open.hole_reason, rtr);
}

// Judges what must stay the same within a message.
void judge_constant(const Fold& fold, OpenMessage& open) {
  const wire::DdpHeader& ddp = fold.event.fpdu.ddp;
  const auto changed = [&](Phrase field, std::uint64_t from, std::uint64_t to) {
    fold.out.violated(fold.event.side, CheckId::ddp_const, {argument(field), from, to}, {open.first_frame});
  };
  if (ddp.opcode() != open.opcode) {
    changed(Phrase::opcode_field, argument(open.opcode), argument(ddp.opcode()));
    open.opcode = ddp.opcode();
  }
  if (ddp.stag != open.stag) {
    changed(Phrase::invalidate_stag_field, open.stag, ddp.stag);
    open.stag = ddp.stag;
  }
}

void append(const Fold& fold, OpenMessage& open, bool rtr) {
  const FpduFact& fpdu = fold.event.fpdu;
  const std::uint32_t payload = payload_of(fpdu);
  open.length += payload;
  open.next += payload;
  ++open.segments;
  if (fpdu.ddp.last()) open.last_seen = true;
  if (open.last_seen && (open.missing == 0 || open.holed)) finish(fold, open, rtr);
}

// MO is not the one that is due: octets were jumped over, or these fill such a hole, or neither.
void place_elsewhere(const Fold& fold, OpenMessage& open) {
  const FpduFact& fpdu = fold.event.fpdu;
  const std::uint64_t mo = fpdu.ddp.mo;
  const std::uint32_t payload = payload_of(fpdu);
  if (mo > open.next) {
    if (!open.reordered) {
      open.reordered = true;
      open.mo_seen = mo;
      open.mo_due = open.next;
      open.mo_frame = fold.event.frame;
    }
    open.missing += mo - open.next;
    open.next = mo;
    append(fold, open, false);
    return;
  }
  if (payload > 0 && payload <= open.missing && mo + payload <= open.next) {
    open.missing -= payload;
    open.length += payload;
    ++open.segments;
    if (fpdu.ddp.last()) open.last_seen = true;
    if (open.last_seen && open.missing == 0) finish(fold, open, false);
    return;
  }
  if (open.holed) {
    fold.out.undecidable(fold.event.side, CheckId::ddp_moseq, open.hole_reason);
  } else {
    fold.out.violated(fold.event.side, CheckId::ddp_moseq, {open.queue, open.msn, mo, open.next},
                      {open.first_frame});
  }
  if (fpdu.ddp.last() && !open.last_seen) {
    open.last_seen = true;
    if (open.missing == 0 || open.holed) finish(fold, open, false);
  }
}

void continue_message(const Fold& fold, QueueState& queue) {
  const FpduFact& fpdu = fold.event.fpdu;
  OpenMessage& open = queue.open;
  if (queue.baseline) {
    queue.baseline = false;  // the same MSN goes on: none was missed
    queue.known = true;
  }
  if (open.last_seen && fpdu.ddp.mo >= open.next) {
    fold.out.violated(fold.event.side, CheckId::ddp_ldup, {open.queue, open.msn, fpdu.ddp.mo},
                      {open.first_frame});
    return;
  }
  judge_constant(fold, open);
  if (payload_of(fpdu) == 0 && fpdu.ddp.last()) {
    fold.out.violated(fold.event.side, CheckId::ddp_zero, {argument(Phrase::within_message)},
                      {open.first_frame});
  }
  if (open.adrift) {
    open.adrift = false;
    if (fpdu.ddp.mo > open.next) {
      fold.out.undecidable(fold.event.side, CheckId::ddp_moseq, open.hole_reason);
      open.holed = true;
      open.next = fpdu.ddp.mo;
    }
  }
  if (fpdu.ddp.mo == open.next) {
    append(fold, open, false);
  } else {
    place_elsewhere(fold, open);
  }
}

// Whether no message with this MSN came because the sender jumped over it: one wrong MSN among right ones.
bool was_jumped_over(const QueueState& queue, std::uint32_t msn) noexcept {
  return queue.jumped && !serial_before(msn, queue.jumped_from) && serial_before(msn, queue.jumped_to);
}

// Judges the MSN of a message's first segment and takes it as the queue's. False: it is no new message.
bool take_msn(const Fold& fold, QueueState& queue) {
  const wire::DdpHeader& ddp = fold.event.fpdu.ddp;
  const Side side = fold.event.side;
  const bool fresh = queue.messages == 0;
  if (queue.baseline) {
    queue.baseline = false;
    fold.out.undecidable(side, fresh ? CheckId::ddp_msn1 : CheckId::ddp_msngap, queue.baseline_reason);
    if (ddp.queue == wire::queue_read_request) {
      settle_unseen_requests(fold, queue.known ? ddp.msn - queue.next_msn : 0, queue.known);
    }
  } else if (ddp.msn != queue.next_msn) {
    if (fresh) {
      // RDMAP-TERM1 tells of a Terminate's.
      if (ddp.opcode() != wire::Opcode::terminate)
        fold.out.violated(side, CheckId::ddp_msn1, {ddp.queue, ddp.msn});
    } else if (was_jumped_over(queue, ddp.msn)) {
      fold.out.violated(side, CheckId::ddp_msngap, {ddp.queue, ddp.msn, queue.next_msn});
      queue.jumped = false;
    } else if (serial_before(ddp.msn, queue.next_msn)) {
      judge_earlier(fold, queue);
      return false;
    } else {
      fold.out.violated(side, CheckId::ddp_msngap, {ddp.queue, ddp.msn, queue.next_msn});
      queue.jumped = true;
      queue.jumped_from = queue.next_msn;
      queue.jumped_to = ddp.msn;
    }
  }
  queue.known = true;
  queue.next_msn = ddp.msn + 1;
  ++queue.messages;
  if (ddp.queue == wire::queue_send) ++fold.side().rq_consumed;
  return true;
}

void begin_message(const Fold& fold, QueueState& queue, bool rtr) {
  const FpduFact& fpdu = fold.event.fpdu;
  const wire::DdpHeader& ddp = fpdu.ddp;
  const bool after_hole = queue.baseline;
  const Reason reason = queue.baseline_reason;
  if (!take_msn(fold, queue)) {
    if (is_request(ddp.opcode()) && is_sound_request(fpdu)) note_broken_request(fold);
    return;
  }
  if (ddp.mo != 0) {
    if (after_hole) {
      fold.out.undecidable(fold.event.side, CheckId::ddp_mo0, reason);
    } else if (!is_single_segment(ddp.opcode())) {
      fold.out.violated(fold.event.side, CheckId::ddp_mo0, {ddp.queue, ddp.msn, ddp.mo});
    }
  }
  const bool holed = after_hole && ddp.mo != 0;
  OpenMessage& open = queue.open;
  if (ddp.last()) {
    open.msn = ddp.msn;
    open.next = std::uint64_t{ddp.mo} + payload_of(fpdu);
    open.first_frame = fpdu.first_frame;
    conclude_single(fold, holed ? MessageEnd::incomplete : MessageEnd::complete, reason, rtr);
  } else {
    open_message(open, fold.event);
    open.holed = holed;
    open.hole_reason = reason;
    append(fold, open, rtr);
  }
  act_on_header(fold);
}

}  // namespace

void take_untagged(const Fold& fold, bool rtr) {
  const wire::DdpHeader& ddp = fold.event.fpdu.ddp;
  if (is_request(ddp.opcode()) && !is_sound_request(fold.event.fpdu)) note_broken_request(fold);
  if (ddp.queue >= wire::queue_count) return;  // DDP-QN told of it
  QueueState& queue = fold.side().queues.edit()[ddp.queue];
  if (queue.open.active) {
    if (ddp.msn == queue.open.msn) return continue_message(fold, queue);
    if (!queue.baseline && serial_before(ddp.msn, queue.open.msn)) {
      if (ddp.mo == 0) {
        fold.out.violated(fold.event.side, CheckId::ddp_msndup, {ddp.queue, ddp.msn, queue.next_msn});
      } else {
        fold.out.violated(fold.event.side, CheckId::ddp_mix, {argument(ddp.opcode())},
                          {queue.open.first_frame});
      }
      return;
    }
    abandon(fold, queue);
  }
  begin_message(fold, queue, rtr);
}

}  // namespace iwarp
