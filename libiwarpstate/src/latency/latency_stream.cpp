// SPDX-License-Identifier: GPL-2.0-or-later
#include "latency/latency_stream.hpp"

#include <algorithm>

#include "base/at_once.hpp"

namespace iwarp {
namespace {

// Of each list: what a hostile stream makes more of is not kept.
constexpr std::size_t most_turns = 4096;
constexpr std::size_t most_waiting = 256;
constexpr std::size_t most_spans = 64;
constexpr std::size_t most_windows = 256;                     // a long response may fill each of many
constexpr std::size_t most_requests = std::size_t{1} << 16U;  // as the analyzer keeps

bool is_answered_later(OperationKind kind) noexcept {
  return kind == OperationKind::read || kind == OperationKind::atomic;
}

}  // namespace

LatencyStream::LatencyStream(const LatencyTracker::Handshake& handshake) {
  for (const Side responder : {Side::a, Side::b}) {
    const TimeNs round_trip = handshake.round_trips[index(responder)];
    if (round_trip != LatencyTracker::Handshake::unknown) asks(other(responder)).round_trip = round_trip;
  }
}

bool LatencyStream::add(const Event& event, LatencyParts& parts) {
  switch (event.kind) {
    case EventKind::message:
      if (wire::is_request(event.message.opcode)) add_request(event);
      break;
    case EventKind::placed:
    case EventKind::fpdu: add_fpdu(event); break;
    case EventKind::revoked: forget_waiting(asked(event.side), event.revoked.number); break;
    case EventKind::retransmitted: add_retransmission(event); break;
    case EventKind::window: add_window(event); break;
    case EventKind::window_full: add_full_window(event); break;
    case EventKind::operation: return is_answered_later(event.operation.kind) && conclude(event, parts);
    default: break;
  }
  return false;
}

void LatencyStream::add_request(const Event& event) {
  const MessageConclusion& message = event.message;
  Requester& requester = asks(event.side);
  if (!requester.requests.empty() && requester.requests.back().message >= message.number) return;
  if (requester.requests.size() >= most_requests) requester.requests.pop_front();
  requester.requests.push_back({.message = message.number,
                                .end = fpdu_end_[index(event.side)],
                                .placed_ns = message.placed.time_ns,
                                .delivered = {event.time_ns, event.frame},
                                .again = {}});
}

// An FPDU counts for those who may be answered by it: while a request of theirs is outstanding.
void LatencyStream::add_fpdu(const Event& event) {
  const FpduFact& fpdu = event.fpdu;
  const Moment placed{fpdu.placed.time_ns, fpdu.placed.frame};
  Requester& requester = asked(event.side);
  std::vector<Waiting>& waiting = requester.waiting;
  if (event.kind == EventKind::placed) {
    if (waiting.size() < most_waiting) waiting.push_back({fpdu.number, placed});
    return;
  }
  fpdu_end_[index(event.side)] = event.offset + fpdu.wire_size;
  const bool filled = placed.frame == event.frame;
  if (fpdu.ahead) {
    forget_waiting(requester, fpdu.number);
  } else if (filled && !waiting.empty() && requester.losses.size() < most_spans) {
    requester.losses.push_back({fpdu.message, waiting.front().placed, placed});
  }
  if (requester.requests.empty()) return;
  std::vector<Turn>& turns = requester.turns;
  if (!turns.empty() && turns.back().message == fpdu.message && turns.back().last.ns <= placed.ns) {
    turns.back().last = placed;
  } else if (turns.size() < most_turns) {
    turns.push_back({fpdu.message, placed});
  } else {
    requester.turns_lost = true;
  }
}

// It waits no longer, or was no FPDU.
void LatencyStream::forget_waiting(Requester& requester, std::uint32_t number) {
  std::erase_if(requester.waiting, [number](const Waiting& each) { return each.number == number; });
}

void LatencyStream::add_retransmission(const Event& event) {
  if (event.retransmitted.duplicate_frame) return;
  const StreamOffset begin = event.offset;
  const StreamOffset end = begin + event.retransmitted.length;
  Fifo<Request>& open = asks(event.side).requests;
  auto request = std::upper_bound(open.begin(), open.end(), begin,
                                  [](StreamOffset offset, const Request& each) { return offset < each.end; });
  for (; request != open.end() && request->end <= end; ++request)
    request->again = {event.time_ns, event.frame};
}

void LatencyStream::add_window(const Event& event) {
  Requester& requester = asks(event.side);
  if (event.window.closed) {
    requester.closed = {event.time_ns, event.frame};
    return;
  }
  if (requester.closed.frame == 0) return;
  if (!requester.requests.empty() && requester.windows.size() < most_windows) {
    requester.windows.push_back(
        {requester.closed.ns, event.time_ns, LatencyPart::window, {requester.closed.frame, event.frame}});
  }
  requester.closed = {};
}

// The responder had more to send where it goes on at once.
void LatencyStream::add_full_window(const Event& event) {
  const auto& [since, opened] = event.window_full;
  Requester& requester = asks(event.side);
  if (requester.requests.empty() || requester.windows.size() >= most_windows) return;
  const TimeNs held = opened.time_ns - since.time_ns;
  const TimeNs pause = event.time_ns - opened.time_ns;
  if (!is_at_once(pause, held, requester.round_trip)) return;
  requester.windows.push_back(
      {since.time_ns, event.time_ns, LatencyPart::window, {since.frame, event.frame}});
}

bool LatencyStream::conclude(const Event& event, LatencyParts& parts) {
  const OperationConclusion& operation = event.operation;
  Requester& requester = asks(event.side);
  Fifo<Request>& open = requester.requests;
  const auto found =
      std::lower_bound(open.begin(), open.end(), operation.message,
                       [](const Request& each, std::uint32_t message) { return each.message < message; });
  const bool known = found != open.end() && found->message == operation.message && !found->concluded;
  const bool is_cut = operation.latency().has_value();
  if (is_cut) {
    // One that came before it was known as a request: captured in a hole that was found late.
    Request request{};
    request.placed_ns = operation.request.time_ns;
    request.delivered = {operation.request.time_ns, operation.request.frame};
    if (known) request = *found;
    // No answer is quicker than the network; the handshake was slow where a SYN was lost.
    if (const auto first = operation.first_byte_latency(); first && requester.round_trip)
      requester.round_trip = std::min(*requester.round_trip, *first);
    parts = {};
    cut(requester, request, event, parts);
  }
  if (known) found->concluded = true;
  while (!open.empty() && open.front().concluded) open.pop_front();
  if (operation.response.frame != 0)
    requester.answered = {operation.response.time_ns, operation.response.frame};
  forget(requester);
  return is_cut;
}

// What came before the response that is over: later responses come behind it.
void LatencyStream::forget(Requester& requester) {
  requester.turns.clear();
  requester.turns_lost = false;
  if (requester.requests.empty()) {
    requester.windows.clear();
    requester.losses.clear();
    return;
  }
  const TimeNs oldest = requester.requests.front().placed_ns;
  std::erase_if(requester.windows, [&](const LatencyCut::Span& span) { return span.end <= oldest; });
  std::erase_if(requester.losses, [&](const Loss& loss) { return loss.end.ns <= requester.answered.ns; });
}

void LatencyStream::reserve(const Requester& requester, const OperationConclusion& operation,
                            LatencyCut& cut) {
  for (const Loss& loss : requester.losses) {
    if (loss.message != operation.response_message || loss.message == 0) continue;
    cut.reserve({loss.begin.ns, loss.end.ns, LatencyPart::response_loss, {loss.begin.frame, loss.end.frame}});
  }
  for (const LatencyCut::Span& window : requester.windows) cut.reserve(window);
  if (requester.closed.frame != 0) {
    cut.reserve({requester.closed.ns,
                 operation.response.time_ns,
                 LatencyPart::window,
                 {requester.closed.frame, operation.response.frame}});
  }
}

void LatencyStream::cut(Requester& requester, const Request& request, const Event& event,
                        LatencyParts& parts) {
  const OperationConclusion& operation = event.operation;
  const TimeNs begin = operation.request.time_ns;
  const TimeNs end = begin + operation.delivery(event.time_ns).value_or(*operation.latency());
  LatencyCut cut(parts, begin, end);
  reserve(requester, operation, cut);

  // In the order in which they came: octets that waited for others are told of when these had come.
  std::vector<Turn>& turns = requester.turns;
  const auto earlier = [](const Turn& a, const Turn& b) { return a.last.ns < b.last.ns; };
  if (!std::is_sorted(turns.begin(), turns.end(), earlier))  // it allocates
    std::stable_sort(turns.begin(), turns.end(), earlier);
  const auto is_own = [&](const Turn& turn) {
    return operation.response_message != 0 && turn.message == operation.response_message;
  };
  const auto first = std::find_if(turns.begin(), turns.end(), is_own);
  Moment begun{operation.response.time_ns, operation.response.frame};
  if (operation.response_start_seen && operation.first_response.time_ns < begun.ns)
    begun = {operation.first_response.time_ns, operation.first_response.frame};
  if (first != turns.end() && first->last.ns < begun.ns) begun = first->last;

  const FrameNumber asked = operation.request.frame;
  if (request.again.frame != 0) {
    cut.cut(LatencyPart::request_loss, std::min(request.again.ns, begun.ns), {asked, request.again.frame});
  }
  if (request.delivered.ns > request.placed_ns) {
    cut.cut(LatencyPart::behind_hole, std::min(request.delivered.ns, begun.ns),
            {asked, request.delivered.frame});
  }
  cut.cut(LatencyPart::behind_requests, std::min(requester.answered.ns, begun.ns),
          {requester.answered.frame, requester.answered.frame});
  parts.network_known = requester.round_trip.has_value();
  if (parts.network_known) {
    const TimeNs sent = std::max({begin, request.again.ns, request.delivered.ns});
    cut.cut(LatencyPart::network, std::min(sent + *requester.round_trip, begun.ns), {asked, begun.frame});
  }
  cut.cut(LatencyPart::responder, begun.ns, {asked, begun.frame});

  const TimeNs over = operation.response.time_ns;
  for (const Turn& turn : turns) {
    if (turn.last.ns <= begun.ns) continue;
    cut.cut(is_own(turn) ? LatencyPart::transfer : LatencyPart::interleaved, std::min(turn.last.ns, over),
            {turn.last.frame, turn.last.frame});
  }
  cut.cut(requester.turns_lost ? LatencyPart::unexplained : LatencyPart::transfer, over,
          {begun.frame, operation.response.frame});
  cut.cut(LatencyPart::behind_hole, end, {operation.response.frame, event.frame});
}

}  // namespace iwarp
