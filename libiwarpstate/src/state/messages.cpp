// SPDX-License-Identifier: GPL-2.0-or-later
#include "state/messages.hpp"

#include "state/requests.hpp"
#include "state/terminate_reading.hpp"

namespace iwarp {
namespace {

void report(const Fold& fold, Side side, const MessageConclusion& message) {
  if (message.end == MessageEnd::complete) {
    SideState& sender = fold.state.side(side);
    ++sender.messages[static_cast<std::size_t>(message.opcode)];
  }
  fold.out.message(side, message);
  conclude_transfer(fold, side, message);
}

void read_bit_order(const Fold& fold, Side side, MessageConclusion& message) {
  if (message.opcode != wire::Opcode::terminate || message.tagged) return;
  const auto terminate = read_terminate(fold.state, side, {message.rdmap.data(), message.rdmap_octets});
  if (terminate) message.bit_order = terminate->bit_order;
}

}  // namespace

void open_message(OpenMessage& open, const Event& event) {
  const FpduFact& fpdu = event.fpdu;
  open = OpenMessage();
  open.active = true;
  open.opcode = fpdu.ddp.opcode();
  open.queue = fpdu.ddp.queue;
  open.msn = fpdu.ddp.msn;
  open.stag = fpdu.ddp.stag;
  open.to = fpdu.ddp.to;
  open.next = fpdu.ddp.tagged() ? fpdu.ddp.to : fpdu.ddp.mo;
  open.first_frame = fpdu.first_frame != 0 ? fpdu.first_frame : event.frame;
  open.first_time_ns = event.time_ns;
  const ByteView rdmap = rdmap_view(fpdu);
  open.rdmap_octets = static_cast<std::uint8_t>(rdmap.size());
  std::copy(rdmap.begin(), rdmap.end(), open.rdmap.begin());
}

void conclude_message(const Fold& fold, Side side, OpenMessage& open, MessageEnd end, Reason reason, bool rtr) {
  MessageConclusion message;
  message.first_frame = open.first_frame;
  message.first_time_ns = open.first_time_ns;
  message.length = open.length;
  message.segments = open.segments;
  message.opcode = open.opcode;
  message.end = end;
  message.reason = reason;
  const SideState& sender = fold.state.side(side);
  message.tagged = &open == &sender.write || &open == &sender.read_response;
  message.rtr = rtr;
  message.stag = open.stag;
  message.queue = open.queue;
  message.msn = open.msn;
  message.to = open.to;
  message.rdmap_octets = open.rdmap_octets;
  message.rdmap = open.rdmap;
  read_bit_order(fold, side, message);
  open.active = false;
  open.adrift = false;
  report(fold, side, message);
}

void conclude_single(const Fold& fold, MessageEnd end, Reason reason, bool rtr) {
  const FpduFact& fpdu = fold.event.fpdu;
  MessageConclusion message;
  message.first_frame = fpdu.first_frame != 0 ? fpdu.first_frame : fold.event.frame;
  message.first_time_ns = fold.event.time_ns;
  message.length = payload_of(fpdu);
  message.segments = 1;
  message.opcode = fpdu.ddp.opcode();
  message.end = end;
  message.reason = reason;
  message.tagged = fpdu.ddp.tagged();
  message.rtr = rtr;
  message.stag = fpdu.ddp.stag;
  message.queue = fpdu.ddp.queue;
  message.msn = fpdu.ddp.msn;
  message.to = fpdu.ddp.to;
  const ByteView rdmap = rdmap_view(fpdu);
  message.rdmap_octets = static_cast<std::uint8_t>(rdmap.size());
  std::copy(rdmap.begin(), rdmap.end(), message.rdmap.begin());
  read_bit_order(fold, fold.event.side, message);
  report(fold, fold.event.side, message);
}

void take_recovered(const Fold& fold) {
  const FpduFact& fpdu = fold.event.fpdu;
  const wire::DdpHeader& ddp = fpdu.ddp;
  SideState& side = fold.side();
  const bool whole = ddp.last() && (ddp.tagged() || ddp.mo == 0);
  OpenMessage* open = nullptr;
  if (!ddp.tagged()) {
    if (ddp.queue >= wire::queue_count) return;
    QueueState& queue = side.queues[ddp.queue];
    open = &queue.open;
    if (queue.baseline && queue.known && ddp.msn == queue.next_msn) {
      queue.next_msn = ddp.msn + 1;  // nothing else was missed
      ++queue.messages;
    }
    fill_unseen_request(fold);
  } else {
    open = ddp.opcode() == wire::Opcode::rdma_write ? &side.write : &side.read_response;
  }
  const bool continues = open->active && open->adrift &&
                         (ddp.tagged() ? ddp.stag == open->stag && ddp.to == open->next
                                       : ddp.msn == open->msn && ddp.mo == open->next);
  if (continues) {
    open->length += payload_of(fpdu);
    open->next += payload_of(fpdu);
    ++open->segments;
    open->adrift = false;
    if (ddp.last()) {
      conclude_message(fold, fold.event.side, *open, open->holed ? MessageEnd::incomplete : MessageEnd::complete,
                       open->hole_reason);
    }
  } else if (whole && !(ddp.tagged() && open->active)) {
    conclude_single(fold, MessageEnd::complete, Reason::gap, false);
  }
}

void judge_missing(const Fold& fold) {
  for (QueueState& queue : fold.side().queues) {
    OpenMessage& open = queue.open;
    if (!open.active || open.missing == 0 || open.holed || open.adrift) continue;
    fold.out.violated(fold.event.side, CheckId::ddp_moseq, {open.queue, open.msn, open.mo_seen, open.mo_due},
                      {open.mo_frame});
    open.missing = 0;  // told
  }
}

void end_messages(const Fold& fold, Side side, Reason reason, bool judged) {
  SideState& sender = fold.state.side(side);
  for (QueueState& queue : sender.queues) {
    OpenMessage& open = queue.open;
    if (!open.active) continue;
    const bool holed = open.holed || open.adrift;
    if (open.missing > 0) {
      if (judged && !holed) {
        fold.out.violated(side, CheckId::ddp_moseq, {open.queue, open.msn, open.mo_seen, open.mo_due}, {open.mo_frame});
      } else {
        fold.out.undecidable(side, CheckId::ddp_moseq, holed ? open.hole_reason : reason);
      }
    }
    conclude_message(fold, side, open, MessageEnd::incomplete, holed ? open.hole_reason : reason);
  }
  for (OpenMessage* open : {&sender.write, &sender.read_response}) {
    if (!open->active) continue;
    const bool holed = open->holed || open->adrift;
    conclude_message(fold, side, *open, MessageEnd::incomplete, holed ? open->hole_reason : reason);
  }
}

}  // namespace iwarp
