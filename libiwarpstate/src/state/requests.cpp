// SPDX-License-Identifier: GPL-2.0-or-later
#include "state/requests.hpp"

#include "state/coverage.hpp"
#include "state/stream_facts.hpp"

namespace iwarp {
namespace {

// Requests kept of a side whose peer was not captured: nothing will ever answer them.
constexpr std::size_t max_unanswerable = 1024;
// Requests that MSNs tell of although they were not seen.
constexpr std::uint32_t max_unseen = 1024;

Request request_of(const Fold& fold) noexcept {
  const Event& event = fold.event;
  const FpduFact& fpdu = event.fpdu;
  Request request;
  request.message = number_of_message(fold);
  request.placed = fpdu.placed;
  request.end_offset = end_of(event);
  request.msn = fpdu.ddp.msn;
  request.header_octets = fpdu.rdmap_octets;
  if (fpdu.ddp.opcode() == wire::Opcode::read_request) {
    request.kind = RequestKind::read;
    const auto read = wire::parse_cut_read_request(rdmap_view(fpdu));
    request.partial = !read.has(wire::read_request_size);
    request.size = read.header.size;
    request.sink_stag = read.header.sink_stag;
    request.sink_to = read.header.sink_to;
    request.source_stag = read.header.source_stag;
    request.source_to = read.header.source_to;
    return request;
  }
  request.kind = RequestKind::atomic;
  request.size = wire::immediate_size;  // eight octets come back
  const auto atomic = wire::parse_cut_atomic_request(rdmap_view(fpdu));
  request.partial = !atomic.has(wire::atomic_request_size);
  request.source_stag = atomic.header.remote_stag;
  request.source_to = atomic.header.remote_to;
  request.request_id = atomic.header.request_id;
  return request;
}

Reason reason_of_no_limit(const ConnectionState& state) noexcept {
  for (const Role role : {Role::initiator, Role::responder}) {
    const auto& frame = state.mpa.frames[index(role)];
    if (frame && frame->word_missing()) return state.side(state.side_of(role)).missing_reason;
  }
  const bool started = state.mpa.frames[0] || state.mpa.frames[1];
  return started || state.opened_by == OpenedBy::handshake ? Reason::not_negotiated : Reason::midstream;
}

// The zero-length Read that RFC 6581 §9.2 demands of an initiator: its ORD may be 0 all the same, of Reads of
// the ULP there are none then (§9.1).
bool may_be_ready_to_receive(const Fold& fold) noexcept {
  const Request& request = fold.side().requests.back();
  const bool fits = request.kind == RequestKind::read && (request.partial || request.size == 0);
  return fits && fold.state.mpa.peer_to_peer && fold.event.side == fold.state.initiator &&
         end_of(fold.event) == fold.side().first_fpdu_end;
}

// Judges the number outstanding against ORD and IRD, once when it rises above.
void judge_depth(const Fold& fold) {
  const ConnectionState& state = fold.state;
  const Side requester = fold.event.side;
  const Role role = state.role_of(requester);
  SideState& responder = fold.peer();
  const std::uint32_t count = fold.side().outstanding();
  struct Limit {
    CheckId check;
    const std::optional<std::uint32_t>& value;
  };
  const Limit limits[] = {{CheckId::rdmap_ord, state.mpa.ord[index(role)].effective},
                          {CheckId::rdmap_ird, state.mpa.ird[index(other(role))].effective}};
  const auto unheard = when(!responder.captured, Reason::one_direction);
  const auto unsure = responder.responses_doubt
                          ? responder.responses_doubt
                          : when(fold.side().pairing_doubtful, fold.side().requests_doubt);
  for (const Limit& limit : limits) {
    if (limit.check == CheckId::rdmap_ord && may_be_ready_to_receive(fold)) continue;
    const std::optional<Reason> unknown = unheard        ? unheard
                                          : !limit.value ? reason_of_no_limit(state)
                                                         : unsure;
    const std::uint64_t allowed = limit.value.value_or(0);
    const std::uint64_t most = count + std::uint64_t{fold.side().unseen_requests};
    if (!unknown && (count > allowed + 1 || most <= allowed)) continue;
    // Responses that the requester had received may be read later.
    const bool late = fold.event.ack == 0 || waits_for_framing(responder, fold.event.ack);
    fold.out.verdict(requester, limit.check,
                     first_of({unknown, when(count <= allowed, Reason::gap), when(late, Reason::skew)}),
                     {count, allowed}, {fold.side().requests.front().placed.frame});
  }
}

// Where responses were missed, the limit tells that the oldest request must have been answered: in a hole,
// unless the response may be among octets that its sender had received, and that are read later.
void drop_surely_answered(const Fold& fold) {
  SideState& requester = fold.side();
  const auto& limit = fold.state.mpa.ord[index(fold.state.role_of(fold.event.side))].effective;
  const bool all_known = fold.event.ack != 0 && !waits_for_framing(fold.peer(), fold.event.ack);
  const bool over_limit = fold.peer().responses_doubt && all_known && limit &&
                          requester.requests.size() > std::max<std::size_t>(*limit, 1);
  const bool unanswerable = !fold.peer().captured && requester.requests.size() > max_unanswerable;
  if ((!over_limit && !unanswerable) || requester.requests.front().response_begun) return;
  conclude_request(fold, fold.event.side, requester.requests.front(), OperationStatus::unknown);
  requester.requests.pop_front();
}

bool has_room(const Fold& fold) {
  SideState& side = fold.side();
  if (side.requests.size() < max_requests) return true;
  if (!side.violated.test(index(CheckId::cap_limit))) {
    fold.out.violated(fold.event.side, CheckId::cap_limit,
                      {argument(Phrase::outstanding_requests), max_requests});
  }
  side.requests_doubt = Reason::limit;
  side.hole_end = end_of(fold.event);
  return false;
}

// Requests from before the capture are answered by now when nothing was outstanding for long.
void settle_after_silence(const Fold& fold) noexcept {
  constexpr TimeNs long_silence_ns = 5'000'000'000;
  SideState& side = fold.side();
  const bool settles = side.requests_doubt == Reason::midstream || side.pairing_doubtful;
  if (!settles || !side.requests.empty()) return;
  const TimeNs last =
      std::max({side.last_fpdu.time_ns, fold.peer().last_fpdu.time_ns, fold.state.first_time_ns});
  if (fold.event.fpdu.placed.time_ns - last < long_silence_ns) return;  // it may have waited for others
  side.pairing_doubtful = false;
  side.requests_doubt.reset();
  fold.peer().responses_doubt.reset();
}

// The peer had acknowledged this request before the capture shows it, so its response may stand there, too;
// or the response may be in a hole of which nobody knows yet where it ends.
void note_skew(const Fold& fold) noexcept {
  SideState& responder = fold.peer();
  const bool in_hole =
      responder.phase == Phase::lost || (responder.phase == Phase::startup && responder.holes > 0);
  if (responder.responses_doubt || (!in_hole && end_of(fold.event) > responder.acknowledged)) return;
  responder.responses_doubt = in_hole ? responder.missing_reason : Reason::skew;
}

// How many are outstanding with the latest request; 0 where requests or responses may have been missed.
std::uint32_t count_outstanding(const Fold& fold) noexcept {
  const SideState& side = fold.side();
  const bool missed = side.requests_doubt || side.unseen_requests != 0 || fold.peer().responses_doubt;
  // It waited for octets before it that are missing: what came behind it may have answered others meanwhile.
  const bool overtaken = side.holes != 0 && fold.peer().last_fpdu.frame > fold.event.fpdu.placed.frame;
  return missed || overtaken || !fold.state.outstanding_known() ? 0 : side.outstanding();
}

OperationKind kind_of(const Request& request) noexcept {
  return request.kind == RequestKind::read ? OperationKind::read : OperationKind::atomic;
}

// Of the first of those that MSNs tell of.
RequestList::Place find_unseen(SideState& side, std::uint32_t msn) noexcept {
  if (side.unseen_requests == 0) return RequestList::none;
  RequestList::Place place = side.requests.first(RequestList::Which::unseen);
  for (std::uint32_t passed = 0; place != RequestList::none && passed < max_unseen; ++passed) {
    const Request& request = side.requests[place];
    if (request.unseen && request.msn == msn) return place;
    place = side.requests.next(place);
  }
  return RequestList::none;
}

}  // namespace

std::optional<Reason> outstanding_unsure(const ConnectionState& state, Side requester) noexcept {
  const SideState& asks = state.side(requester);
  const SideState& answers = state.side(other(requester));
  // Requests that only the MSNs around a hole tell of, or whose response may have been taken for another's.
  const auto doubtful = [](const Request& request) { return request.unseen || request.ambiguous; };
  return first_of({when(!answers.captured, Reason::one_direction), answers.responses_doubt,
                   asks.requests_doubt,
                   when(std::any_of(asks.requests.begin(), asks.requests.end(), doubtful), Reason::gap)});
}

void take_request(const Fold& fold) {
  SideState& side = fold.side();
  settle_after_silence(fold);
  // What came before anything of this side was captured may be the response to this one.
  const bool late = end_of(fold.event) <= fold.peer().acknowledged;
  if (late && side.early_strays > 0) --side.early_strays;
  note_skew(fold);
  if (!has_room(fold)) return;
  side.requests.push_back(request_of(fold));
  drop_surely_answered(fold);
  const std::uint32_t count = side.outstanding();
  side.requests.back().outstanding = count_outstanding(fold);
  side.requests.back().holes = static_cast<std::uint32_t>(fold.peer().holes);
  side.max_outstanding = std::max(side.max_outstanding, count);
  judge_depth(fold);
}

void note_broken_request(const Fold& fold) noexcept {
  SideState& side = fold.side();
  if (side.broken_requests < max_requests) ++side.broken_requests;
}

void settle_unseen_requests(const Fold& fold, std::uint32_t lost, bool known) {
  SideState& side = fold.side();
  const std::optional<Reason> reason = side.requests_doubt;
  if (reason && !known) side.pairing_doubtful = true;
  if (!reason || side.pairing_doubtful || !known || lost > max_unseen) return;
  if (reason == Reason::limit || reason == Reason::midstream) return;
  const std::uint32_t early = std::min(side.early_strays, lost - std::min(side.strays, lost));
  side.early_strays -= early;
  for (std::uint32_t i = std::min(side.strays, lost) + early; i < lost && side.requests.size() < max_requests;
       ++i) {
    Request request;
    request.unseen = true;
    request.partial = true;
    request.msn = fold.event.fpdu.ddp.msn - lost + i;
    request.end_offset = side.hole_end;
    side.requests.push_back(request);
    ++side.unseen_requests;
    if (fold.peer().holes > 0 && !fold.peer().responses_doubt)
      fold.peer().responses_doubt = Reason::gap;  // where its response may have been
  }
  side.strays = 0;
  side.requests_doubt.reset();
}

void fill_unseen_request(const Fold& fold) {
  const wire::DdpHeader& ddp = fold.event.fpdu.ddp;
  if (ddp.queue != wire::queue_read_request ||
      (ddp.opcode() != wire::Opcode::read_request && ddp.opcode() != wire::Opcode::atomic_request)) {
    return;
  }
  SideState& side = fold.side();
  if (const auto place = find_unseen(side, ddp.msn); place != RequestList::none) {
    const Request before = side.requests[place];
    Request request = request_of(fold);
    request.response_begun = before.response_begun;
    request.response_message = before.response_message;
    request.received = before.received;
    side.requests.fill_in(place, request);
    --side.unseen_requests;
    return;
  }
  const QueueState& queue = side.queues[wire::queue_read_request];
  if (ddp.msn + 1 == queue.next_msn && side.requests_doubt) take_request(fold);  // nothing came behind it yet
}

void mark_retransmitted(SideState& side, StreamOffset begin, StreamOffset end) noexcept {
  side.requests.for_each_ended_in(begin, end, [](Request& request) { request.retransmitted = true; });
}

namespace {

// What a message of this opcode is an operation of all by itself.
std::optional<OperationKind> transfer_of(wire::Opcode opcode) noexcept {
  if (opcode == wire::Opcode::rdma_write) return OperationKind::write;
  if (wire::is_send(opcode)) return OperationKind::send;
  if (wire::is_immediate(opcode)) return OperationKind::immediate;
  return std::nullopt;
}

}  // namespace

void conclude_transfer(const Fold& fold, Side side, const MessageConclusion& message) {
  const std::optional<OperationKind> kind = transfer_of(message.opcode);
  if (!kind) return;
  const bool complete = message.end == MessageEnd::complete;
  const Placement begun = message.start_seen ? message.begun : Placement();
  const std::uint64_t length = message.length;
  const bool length_known = message.known_length().has_value();
  const std::uint32_t number = message.number;
  OperationConclusion& operation = fold.out.operation(side);  // `message` lives no longer
  operation.message = number;
  operation.kind = *kind;
  operation.status = complete ? OperationStatus::complete : OperationStatus::incomplete;
  operation.request = begun;
  operation.length = length;
  operation.length_known = length_known;
}

void conclude_request(const Fold& fold, Side requester, const Request& request, OperationStatus status,
                      AnswerSeen seen) {
  if (request.unseen) {  // nothing is known of it but that it was
    --fold.state.side(requester).unseen_requests;
    return;
  }
  const SideState& responder = fold.state.side(other(requester));
  OperationConclusion& operation = fold.out.operation(requester);
  operation.message = request.message;
  operation.response_message = request.response_message;
  operation.kind = kind_of(request);
  operation.status = status;
  operation.request = request.placed;
  // In a hole that was found only later a response may have come before it was issued.
  const bool counted = request.holes == static_cast<std::uint32_t>(responder.holes);
  operation.outstanding = counted ? request.outstanding : 0;
  operation.request_retransmitted = request.retransmitted;
  operation.first_response = request.first_response;
  // Of an ambiguous one it may be another one's response.
  operation.response_start_seen = request.response_start_seen && !request.ambiguous;
  operation.length = operation.answered() ? request.received : request.size;
  operation.length_known = operation.answered() ? seen.whole : request.known_size().has_value();
  const bool captured = fold.event.kind != EventKind::fpdu || !fold.event.fpdu.end_missing;
  if (operation.answered() && seen.last && captured) operation.response = placement_of(fold.event);
}

void end_requests(const Fold& fold, Side requester, OperationStatus status) {
  SideState& side = fold.state.side(requester);
  for (const Request& request : side.requests) {
    // Nothing is missing, so what came of the response is all that was sent of it.
    const bool begun = request.response_begun && status == OperationStatus::unanswered;
    conclude_request(fold, requester, request, begun ? OperationStatus::incomplete : status,
                     {.whole = begun, .last = false});
  }
  side.requests.clear();
}

}  // namespace iwarp
