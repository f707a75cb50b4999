// SPDX-License-Identifier: GPL-2.0-or-later
#include "state/messages.hpp"

#include <algorithm>

#include "state/mpa_state.hpp"
#include "state/requests.hpp"
#include "state/responses.hpp"
#include "state/sequence.hpp"
#include "state/terminate_reading.hpp"
#include "state/terminates.hpp"

namespace iwarp {
namespace {

void count(const Fold& fold, Side side, const MessageConclusion& message) {
  if (message.end != MessageEnd::complete) return;
  SideState& sender = fold.state.side(side);
  ++sender.messages[static_cast<std::size_t>(message.opcode)];
  // Some of the room is for what ends connections.
  constexpr std::size_t most = 512;
  if (wire::invalidates(message.opcode) && side == fold.event.side && sender.watched.size() < most)
    watch(sender, end_of(fold.event));
}

// What came last of a message that is given up. Where octets are missing it may have been complete.
MessageEnd end_of_given_up(const OpenMessage& open, MessageEnd end) noexcept {
  const bool missing = open.holed || open.adrift;
  return end == MessageEnd::incomplete && missing ? MessageEnd::unknown : end;
}

// Whether the event's segment may be the ready-to-receive message although nothing shows it: the first that
// was seen of what may be the initiator, where what would tell was not captured.
bool may_be_rtr(const Fold& fold) noexcept {
  const MpaState& mpa = fold.state.mpa;
  const FpduFact& fpdu = fold.event.fpdu;
  const bool initiator = fold.state.role_basis != RoleBasis::mpa || fold.event.side == fold.state.initiator;
  const bool first = fold.side().first_fpdu_end == end_of(fold.event);
  const bool told = mpa.accepted && !lacks_words(mpa) && fold.side().holes == 0;
  if (!initiator || !first || (!fpdu.ddp.tagged() && fpdu.ddp.msn != 1)) return false;
  bool known = false;
  const unsigned bit = rtr_bit_of(fpdu, known);
  return told ? !known : bit != 0 || !known;
}

void read_bit_order(const Fold& fold, Side side, MessageConclusion& message) {
  if (message.opcode != wire::Opcode::terminate || message.tagged) return;
  const auto terminate =
      read_terminate(fold.state, side, {message.rdmap.data(), message.rdmap_octets}, message.length);
  if (terminate) message.bit_order = terminate->bit_order;
}

}  // namespace

bool has_open_message(const SideState& side, bool& holed) noexcept {
  bool open = false;
  const auto look = [&](const OpenMessage& message) {
    if (!message.active || message.last_seen) return;  // DDP-MOSEQ tells what is missing before its end
    if (is_single_segment(message.opcode)) return;     // its own rule told that it lacks L
    open = true;
    holed = holed || message.holed || message.adrift;
  };
  for (const QueueState& queue : side.queues) look(queue.open);
  look(*side.write);
  look(*side.read_response);
  return open;
}

void open_message(const Fold& fold, OpenMessage& open) {
  const Event& event = fold.event;
  const FpduFact& fpdu = event.fpdu;
  open = OpenMessage();
  open.active = true;
  open.number = number_of_message(fold);
  open.opcode = open.first_opcode = fpdu.ddp.opcode();
  open.queue = fpdu.ddp.queue;
  open.msn = open.also_msn = fpdu.ddp.msn;
  open.stag = open.first_stag = fpdu.ddp.stag;
  open.to = fpdu.ddp.to;
  begin_at(open.next, open.also_due, fpdu.ddp.tagged() ? fpdu.ddp.to : std::uint64_t{fpdu.ddp.mo});
  open.first_frame = sent_frame(event);
  open.begun = open.placed = fpdu.placed;
  const ByteView rdmap = rdmap_view(fpdu);
  open.rdmap_octets = static_cast<std::uint8_t>(rdmap.size());
  std::copy(rdmap.begin(), rdmap.end(), open.rdmap.begin());
}

void settle_stag(const Fold& fold, Side side, OpenMessage& open, std::optional<std::uint32_t> third) {
  if (open.stag_changed.frame == 0) return;
  const Placement second = std::exchange(open.stag_changed, {});
  const bool first_is_wrong = third == open.stag;
  fold.out.violated(side, CheckId::ddp_const, {argument(Phrase::stag_field), open.first_stag, open.stag},
                    {first_is_wrong ? second.frame : open.first_frame}, first_is_wrong ? open.begun : second);
  if (first_is_wrong) open.first_stag = open.stag;
}

void conclude_message(const Fold& fold, Side side, OpenMessage& open, MessageEnd end, Reason reason,
                      bool rtr) {
  settle_stag(fold, side, open, std::nullopt);
  MessageConclusion& message = fold.out.message(side);
  message.number = open.number;
  message.first_frame = open.first_frame;
  message.begun = open.begun;
  message.placed = open.placed;
  message.length = open.length;
  message.segments = open.segments;
  message.opcode = open.opcode;
  message.end = end_of_given_up(open, end);
  message.reason = reason;
  message.start_seen = open.start_seen;
  const SideState& sender = fold.state.side(side);
  message.tagged =
      &open == &*sender.write || &open == &*sender.interrupted_write || &open == &*sender.read_response;
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
  count(fold, side, message);
  conclude_transfer(fold, side, message);
}

void conclude_single(const Fold& fold, MessageEnd end, Reason reason, bool rtr) {
  const FpduFact& fpdu = fold.event.fpdu;
  MessageConclusion& message = fold.out.message(fold.event.side);
  message.number = number_of_message(fold);
  message.first_frame = sent_frame(fold.event);
  message.begun = message.placed = fpdu.placed;
  message.length = payload_of(fpdu);
  message.segments = 1;
  message.opcode = fpdu.ddp.opcode();
  message.end = end;
  message.reason = reason;
  message.start_seen = end == MessageEnd::complete;
  message.tagged = fpdu.ddp.tagged();
  message.rtr = rtr;
  message.rtr_known = rtr || !may_be_rtr(fold);
  message.stag = fpdu.ddp.stag;
  message.queue = fpdu.ddp.queue;
  message.msn = fpdu.ddp.msn;
  message.to = fpdu.ddp.to;
  const ByteView rdmap = rdmap_view(fpdu);
  message.rdmap_octets = static_cast<std::uint8_t>(rdmap.size());
  std::copy(rdmap.begin(), rdmap.end(), message.rdmap.begin());
  read_bit_order(fold, fold.event.side, message);
  count(fold, fold.event.side, message);
  conclude_transfer(fold, fold.event.side, message);
}

namespace {

// What RDMAP does with a message of one segment, though it comes late.
void act_on_recovered(const Fold& fold) {
  const FpduFact& fpdu = fold.event.fpdu;
  switch (fpdu.ddp.opcode()) {
    case wire::Opcode::read_request:
    case wire::Opcode::atomic_request: fill_unseen_request(fold); break;
    case wire::Opcode::atomic_response: take_atomic_response(fold); break;
    case wire::Opcode::terminate: fold_terminate(fold); break;
    default: break;
  }
}

void take_recovered_untagged(const Fold& fold) {
  const FpduFact& fpdu = fold.event.fpdu;
  const wire::DdpHeader& ddp = fpdu.ddp;
  if (ddp.queue >= wire::queue_count) return;
  QueueState& queue = fold.side().queues.edit()[ddp.queue];
  OpenMessage& open = queue.open;
  if (open.active && open.adrift && ddp.msn == open.msn && ddp.mo == open.next) {
    count_segment(fold, open);
    go_on(open.next, open.also_due, std::uint64_t{payload_of(fpdu)});
    open.adrift = false;
    if (ddp.last()) {
      conclude_message(fold, fold.event.side, open, end_of(open), open.hole_reason);
    }
    return;
  }
  if (ddp.mo != 0 || !ddp.last()) return;
  if (queue.baseline && queue.known && ddp.msn == queue.next_msn) {
    go_on(queue.next_msn, queue.also_due, 1U);  // nothing else was missed so far
    ++queue.messages;
    if (ddp.queue == wire::queue_send) ++fold.side().rq_consumed;
  }
  conclude_single(fold, MessageEnd::complete, Reason::gap, false);
  act_on_recovered(fold);
}

void take_recovered_tagged(const Fold& fold) {
  const FpduFact& fpdu = fold.event.fpdu;
  const wire::DdpHeader& ddp = fpdu.ddp;
  const bool response = ddp.opcode() == wire::Opcode::read_response;
  if (!response && ddp.opcode() != wire::Opcode::rdma_write) return;
  OpenMessage& open = (response ? fold.side().read_response : fold.side().write).edit();
  if (open.active && open.adrift && ddp.stag == open.stag && ddp.to == open.next) {
    count_segment(fold, open);
    go_on(open.next, open.also_due, std::uint64_t{payload_of(fpdu)});
    open.adrift = false;
    if (response) advance_answer(fold, ddp.last(), open.holed);
    if (ddp.last()) {
      conclude_message(fold, fold.event.side, open, end_of(open), open.hole_reason);
    }
    return;
  }
  if (!ddp.last() || open.active) return;
  if (response) {
    const bool whole = begin_answer(fold, true);
    advance_answer(fold, true, !whole);
  }
  conclude_single(fold, MessageEnd::complete, Reason::gap, false);
}

}  // namespace

void take_recovered(const Fold& fold) {
  if (fold.event.fpdu.ddp.tagged()) {
    take_recovered_tagged(fold);
  } else {
    take_recovered_untagged(fold);
  }
}

void judge_missing(const Fold& fold) {
  if (!fold.side().queues.has_value()) return;
  for (QueueState& queue : fold.side().queues.edit()) {
    OpenMessage& open = queue.open;
    if (!open.active || open.adrift) continue;
    judge_jumps(fold, fold.event.side, open, std::nullopt);
  }
}

void judge_jumps(const Fold& fold, Side side, OpenMessage& open, std::optional<Reason> doubt) {
  bool lacks = false;
  for (const JumpedOver& jump : open.jumps) {
    if (jump.left == 0) continue;
    lacks = true;
    if (!doubt)
      fold.out.violated(side, CheckId::ddp_moseq, {open.queue, open.msn, jump.mo, jump.due}, {},
                        {jump.placed, jump.fpdu});
  }
  if (!lacks) return;
  if (doubt) fold.out.undecidable(side, CheckId::ddp_moseq, *doubt);
  open.jumps.clear();  // DDP-MOSEQ is told: no further one that all came out of order
}

void end_messages(const Fold& fold, Side side, Reason reason, bool judged) {
  SideState& sender = fold.state.side(side);
  // Behind what was captured last there may have been more, unless its sender ended the stream there.
  const bool ended = sender.fin_frame || sender.rst_frame;
  const MessageEnd end = judged && ended ? MessageEnd::incomplete : MessageEnd::unknown;
  for (std::size_t row = 0; row < wire::queue_count; ++row) {
    if (!sender.queues[row].open.active) continue;
    OpenMessage& open = sender.queues.edit()[row].open;
    const bool holed = open.holed || open.adrift;
    judge_jumps(
        fold, side, open,
        open.adrift ? std::optional(open.hole_reason) : (judged ? std::nullopt : std::optional(reason)));
    conclude_message(fold, side, open, end, holed ? open.hole_reason : reason);
  }
  for (OnDemand<OpenMessage>* tagged : {&sender.interrupted_write, &sender.write, &sender.read_response}) {
    if (!(*tagged)->active) continue;
    OpenMessage& open = tagged->edit();
    const bool holed = open.holed || open.adrift;
    conclude_message(fold, side, open, end, holed ? open.hole_reason : reason);
  }
}

}  // namespace iwarp
