// SPDX-License-Identifier: GPL-2.0-or-later
#include "diagnosis/stream_diagnosis.hpp"

#include <algorithm>
#include <utility>

#include <iwarp/wire/rdmap.hpp>

#include "diagnosis/finding_event.hpp"

namespace iwarp {

namespace {

constexpr Side sides[] = {Side::a, Side::b};
// Retransmissions as far apart as that come by a timer, not by duplicate acknowledgements (Linux: 200 ms at
// least; RFC 6298 §2.4 asks for a second).
constexpr TimeNs least_timeout = 195'000'000;
// A receiver that delays its acknowledgements does so for 40 ms (Linux, quick acknowledgements used up).
constexpr TimeNs least_delayed_ack = 38'000'000;
constexpr TimeNs most_delayed_ack = 46'000'000;
// Who waited for one goes on soon behind it.
constexpr TimeNs soon = 5'000'000;

Placement moment_of(const Event& event) noexcept {
  return {event.frame, event.time_ns};
}

std::optional<TimeNs> round_trip(const StreamDiagnosis::Context& context, Side end) noexcept {
  return context.latencies.round_trip(context.connection.id, end);
}

}  // namespace

void StreamDiagnosis::add(const Context& context) {
  switch (context.event.kind) {
    case EventKind::placed: return take_placed(context);
    case EventKind::fpdu: return take_fpdu(context);
    case EventKind::gap:
    case EventKind::sync_lost: return take_missing();
    case EventKind::acknowledged: return take_acknowledgement(context);
    case EventKind::retransmitted: return take_retransmission(context);
    case EventKind::window: return take_window(context);
    case EventKind::window_full: return take_full_window(context);
    case EventKind::message: return take_message(context);
    case EventKind::operation: return take_operation(context);
    case EventKind::closed: return finish(context);
    default: return;
  }
}

void StreamDiagnosis::put(const Context& context, Side side, Stall stall) {
  stall.stream = context.connection.id;
  stall.side = side;
  stall.from = context.connection.role_of(side);
  if (stall.ns == 0) stall.ns = stall.length();
  Half& own = half(side);
  LostTime* lost = nullptr;
  switch (stall.cause) {
    case StallCause::ord: lost = &own.waited_ord; break;
    case StallCause::credits:
      lost = &own.waited_credits;
      own.delayed_for_credits += stall.operations;
      break;
    case StallCause::window: lost = &own.waited_window; break;
    case StallCause::receive_queue: lost = &own.waited_queue; break;
    case StallCause::recovery: lost = &own.recovery; break;
    case StallCause::startup: break;
  }
  if (lost != nullptr) {
    lost->add(stall.begin.time_ns, stall.end.time_ns, stall.ns, {stall.begin.frame, stall.end.frame});
  }
  context.stalls.push_back(stall);
}

void StreamDiagnosis::put(const Context& context, Side side, StallCause cause,
                          const std::optional<StallWatch::Span>& span) {
  if (!span || span->ns <= 0) return;
  Stall stall;
  stall.cause = cause;
  stall.basis = Basis::inferred;
  stall.begin = span->begin;
  stall.end = span->end;
  stall.ns = span->ns;
  stall.operations = span->delayed;
  put(context, side, stall);
}

void StreamDiagnosis::take_placed(const Context& context) {
  Half& sender = half(context.event.side);
  if (sender.hole.frame == 0) sender.hole = context.event.fpdu.placed;
}

void StreamDiagnosis::take_fpdu(const Context& context) {
  const Event& event = context.event;
  const FpduFact& fpdu = event.fpdu;
  Half& sender = half(event.side);
  if (sender.hole.frame != 0) {
    // Octets that were due came: TCP had held back what stood behind them.
    const bool fills = !fpdu.ahead && fpdu.placed.frame == event.frame;
    if (fills && fpdu.placed.time_ns > sender.hole.time_ns) {
      Stall stall;
      stall.cause = StallCause::recovery;
      stall.begin = sender.hole;
      stall.end = fpdu.placed;
      if (stall.length() >= least_timeout) ++sender.timeouts;
      put(context, event.side, stall);
      sender.recovered_ns = fpdu.placed.time_ns;
    }
    const bool more = context.connection.side(event.side).placed_ahead > 0;
    sender.hole = more && fills ? fpdu.placed : more ? sender.hole : Placement();
  }
  if (first_.frame == 0) first_ = fpdu.placed;
  last_ns_ = std::max(last_ns_, fpdu.placed.time_ns);
  const TimeNs pause = fpdu.placed.time_ns - sender.last_fpdu.time_ns;
  if (sender.sent_since_peer && pause >= least_delayed_ack &&
      sender.recovered_ns <= sender.last_fpdu.time_ns) {
    ++sender.pauses;
    const TimeNs acknowledged = sender.late_ack.time_ns - sender.last_fpdu.time_ns;
    if (sender.late_ack.frame != 0 && acknowledged >= least_delayed_ack && acknowledged <= most_delayed_ack &&
        pause <= acknowledged + soon) {
      sender.delayed_acks.add(sender.last_fpdu.time_ns, fpdu.placed.time_ns, pause,
                              {sender.last_fpdu.frame, fpdu.placed.frame});
    }
  }
  sender.late_ack = {};
  if (fpdu.placed.time_ns >= sender.last_fpdu.time_ns) sender.last_fpdu = fpdu.placed;
  sender.sent_since_peer = true;
  half(other(event.side)).sent_since_peer = false;
  if (!fpdu.is_trusted()) return take_missing();
  if (!fpdu.ddp.tagged() && fpdu.ddp.mo == 0 && wire::is_send(fpdu.ddp.opcode())) take_credits(context);
}

void StreamDiagnosis::take_missing() {
  credits_.note_missing();
  // What was waited for in between nobody knows.
  for (Half& each : halves_) static_cast<void>(each.credits.finish());
}

// The peer's first segment for long: what it acknowledges had waited for that.
void StreamDiagnosis::take_acknowledgement(const Context& context) {
  Half& sender = half(other(context.event.side));
  const Placement& segment = context.event.acknowledged.segment;
  if (sender.sent_since_peer && sender.late_ack.frame == 0) sender.late_ack = segment;
}

void StreamDiagnosis::take_credits(const Context& context) {
  const ByteView octets = context.analysis.payload(context.event);
  if (octets.empty()) return;
  const Side side = context.event.side;
  const Placement& placed = context.event.fpdu.placed;
  Half& sender = half(side);
  const CreditAccount::Change change = credits_.add(side, octets);
  if (change.took) {
    if (change.used_up) {
      sender.least_granted =
          sender.credits.at_limit() ? std::min(sender.least_granted, change.granted) : change.granted;
    }
    put(context, side, StallCause::credits,
        sender.credits.sent(placed, change.used_up, round_trip(context, side)));
  }
  if (change.freed) half(other(side)).credits.freed(placed);
  if (change.beyond && !std::exchange(sender.beyond_credits, true)) {
    context.findings.push_back(finding_event(context.event, CheckId::ulp_credit, side,
                                             {change.sent, change.allowed, 0, 0}, {placed.frame, 0},
                                             placed.time_ns));
  }
}

// Seen where both copies pass: how long the first one was lost nobody sees, but since when nothing new came.
void StreamDiagnosis::take_retransmission(const Context& context) {
  const Event& event = context.event;
  if (event.retransmitted.duplicate_frame) return;
  Half& sender = half(event.side);
  const TimeNs since = std::max(sender.last_fpdu.time_ns, sender.recovered_ns);
  constexpr TimeNs too_short = 1'000'000;
  // Where packets are missing, a segment may have waited for them: when it came is not known here.
  const bool lacking = context.connection.side(Side::a).gaps + context.connection.side(Side::b).gaps > 0;
  const bool counts = !lacking && sender.last_fpdu.frame != 0 && sender.hole.frame == 0 &&
                      event.time_ns - since >= too_short && event.retransmitted.length > 1;
  if (counts) {
    Stall stall;
    stall.cause = StallCause::recovery;
    stall.basis = Basis::bounded;
    stall.begin = {sender.last_fpdu.frame, since};
    stall.end = moment_of(event);
    if (stall.length() >= least_timeout) ++sender.timeouts;
    put(context, event.side, stall);
  }
  sender.recovered_ns = std::max(sender.recovered_ns, event.time_ns);
}

void StreamDiagnosis::take_window(const Context& context) {
  const Event& event = context.event;
  Half& receiver = half(event.side);
  if (event.window.closed) {
    const SideState& sender = context.connection.side(other(event.side));
    if (sender.recent_count == 0) return;  // not iWARP yet
    const wire::DdpHeader& last = sender.recent[(sender.recent_count - 1) % max_recent_segments].ddp;
    const bool behind_send = !last.tagged() && last.queue == wire::queue_send;
    receiver.window_closed = moment_of(event);
    receiver.window_cause = behind_send ? StallCause::receive_queue : StallCause::window;
    return;
  }
  if (receiver.window_closed.frame == 0) return;
  Stall stall;
  stall.cause = receiver.window_cause;
  stall.basis = stall.cause == StallCause::window ? Basis::proven : Basis::inferred;
  stall.begin = receiver.window_closed;
  stall.end = moment_of(event);
  receiver.window_closed = {};
  if (stall.length() > 0) put(context, other(event.side), stall);
}

// That the sender had more to send shows in how soon it goes on. A window may fill many times in a transfer:
// that is one stall, while the waits are longer than what is between them.
void StreamDiagnosis::take_full_window(const Context& context) {
  const Event& event = context.event;
  const auto& [since, opened] = event.window_full;
  const Side side = other(event.side);
  Half& sender = half(side);
  const TimeNs held = opened.time_ns - since.time_ns;
  const TimeNs pause = event.time_ns - opened.time_ns;
  if (!is_at_once(pause, held, round_trip(context, side))) return;
  Stall& stall = sender.full_windows;
  if (stall.ns > 0 && since.time_ns - stall.end.time_ns > stall.ns) put_full_windows(context, side);
  if (stall.ns == 0) stall.begin = since;
  stall.end = moment_of(event);
  stall.ns += std::max<TimeNs>(event.time_ns - since.time_ns, 0);
}

void StreamDiagnosis::put_full_windows(const Context& context, Side sender) {
  Stall stall = std::exchange(half(sender).full_windows, {});
  if (stall.ns == 0) return;
  stall.cause = StallCause::window;
  stall.basis = Basis::inferred;
  put(context, sender, stall);
}

void StreamDiagnosis::take_message(const Context& context) {
  const Event& event = context.event;
  const MessageConclusion& message = event.message;
  Half& sender = half(event.side);
  if (message.opcode == wire::Opcode::terminate) {
    terminated_ = true;
    const auto terminate =
        wire::parse_terminate(ByteView(message.rdmap).first(message.rdmap_octets), message.bit_order);
    constexpr std::uint16_t no_buffer = 0x1202;  // RFC 5041 §7.2: Invalid MSN - no buffer available
    if (terminate && terminate->meant.value() == no_buffer) sender.no_receive = message.placed;
    return;
  }
  if (wire::is_request(message.opcode)) {
    if (sender.requests.size() >= max_requests) {
      if (!sender.requests.front().over) --sender.outstanding;
      sender.requests.pop_front();
    }
    sender.requests.push_back({message.number, false, message.placed});
    ++sender.outstanding;
    const auto& ord =
        context.connection.mpa.ord[static_cast<std::size_t>(context.connection.role_of(event.side))];
    const bool reached = ord.effective && *ord.effective > 0 && sender.outstanding >= *ord.effective;
    put(context, event.side, StallCause::ord,
        sender.ord.sent(message.placed, reached, round_trip(context, event.side)));
  } else if (wire::is_send(message.opcode) || message.opcode == wire::Opcode::rdma_write) {
    const Side receiver = other(event.side);
    put(context, receiver, StallCause::ord, half(receiver).ord.interrupted());
  }
}

void StreamDiagnosis::take_operation(const Context& context) {
  const OperationConclusion& operation = context.event.operation;
  if (operation.kind != OperationKind::read && operation.kind != OperationKind::atomic) return;
  Half& requester = half(context.event.side);
  Fifo<Request>& open = requester.requests;
  const auto found =
      std::lower_bound(open.begin(), open.end(), operation.message,
                       [](const Request& each, std::uint32_t message) { return each.message < message; });
  if (found != open.end() && found->message == operation.message && !found->over) {
    found->over = true;
    --requester.outstanding;
  }
  while (!open.empty() && open.front().over) open.pop_front();
  if (operation.response.frame != 0) requester.ord.freed(operation.response);
  const LatencyParts* const parts = context.latencies.parts();
  if (parts == nullptr) return;
  const auto add = [&](LostTime& to, LatencyPart which) {
    const LatencyParts::Part& part = (*parts)[which];
    to.add(part.begin, part.end, part.ns, part.frames);
  };
  add(requester.behind, LatencyPart::behind_requests);
  add(requester.responder, LatencyPart::responder);
}

void StreamDiagnosis::finish(const Context& context) {
  for (const Side side : sides) {
    put(context, side, StallCause::ord, half(side).ord.finish());
    put(context, side, StallCause::credits, half(side).credits.finish());
    put_full_windows(context, side);
  }
}

}  // namespace iwarp
