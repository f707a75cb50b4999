// SPDX-License-Identifier: GPL-2.0-or-later
#include "state/responses.hpp"

#include <algorithm>

#include "state/answer.hpp"
#include "state/coverage.hpp"
#include "state/messages.hpp"
#include "state/requests.hpp"
#include "state/response_order.hpp"
#include "state/stream_facts.hpp"

namespace iwarp {
namespace {

using Place = RequestList::Place;
using Which = RequestList::Which;
constexpr Place none = RequestList::none;

// Of some requests before `place` it is not known what they asked for; `none`: of any.
bool has_vague(RequestList& requests, Place place = none) noexcept {
  return requests.first(Which::vague) < place;
}

// Requests before `place` were answered where nothing was captured. Returns how many.
std::uint32_t drop_before(const Fold& fold, Place place) {
  RequestList& requests = fold.peer().requests;
  std::uint32_t count = 0;
  for (; requests.front_place() != place; ++count) {
    const Request& oldest = requests.front();
    conclude_request(fold, other(fold.event.side), oldest,
                     oldest.response_begun ? OperationStatus::incomplete : OperationStatus::unknown);
    requests.pop_front();
  }
  return count;
}

void note_begun(const Fold& fold, Request& request, bool start_seen = true) noexcept {
  request.response_begun = true;
  request.response_start_seen = start_seen && !fold.event.fpdu.end_missing;
  request.first_response = fold.event.fpdu.placed;
  request.response_message = number_of_message(fold);
  request.first_response_segment = fold.side().recent_count;
}

// A response acknowledges the request that it answers: its octets did not exist before. Where the request
// lay, or what is acknowledged, is not known: perhaps.
bool may_have_received(const Fold& fold, const Request& request) noexcept {
  return request.unseen || fold.event.ack == 0 || fold.event.ack >= request.end_offset;
}

bool are_several(const SideState& requester, const RequestKey& key) noexcept {
  const AlikeRequests& alike = *requester.alike_requests;
  const auto* const end = alike.keys.begin() + std::min(alike.count, AlikeRequests::most);
  return alike.count > AlikeRequests::most || std::find(alike.keys.begin(), end, key) != end;
}

void note_several(SideState& requester, const RequestKey& key) {
  if (are_several(requester, key)) return;
  AlikeRequests& alike = requester.alike_requests.edit();
  if (alike.count < AlikeRequests::most) alike.keys[alike.count] = key;
  ++alike.count;
}

// Where requests may have been missed, one like the oldest that is known may be what this answers. Not while
// nothing shows that the requester has several alike outstanding: what they bring would overwrite each other.
void note_alike(const Fold& fold, const Answer& answer) {
  SideState& requester = fold.peer();
  RequestList& requests = requester.requests;
  const std::optional<RequestKey> key = key_of(answer);
  const bool another = key && requests.size() > 1 && requests.find(*key, true) != none;
  if (another || (key && fold.event.ack == 0)) note_several(requester, *key);
  // An atomic that was cut may be like any other.
  const bool cut = !key || !key_of(requests.front());
  if (requester.pairing_doubtful && (cut || are_several(requester, *key))) requests.front().ambiguous = true;
}

// The oldest request fits, and no other does: the responses missed before it are settled.
void settle_uncertainty(const Fold& fold, const Answer& answer) noexcept {
  RequestList& requests = fold.peer().requests;
  if (!fold.side().responses_doubt || fold.peer().requests_doubt) return;
  if (has_vague(requests)) return;
  if (find_fitting(requests, answer, true) == none) fold.side().responses_doubt.reset();
}

// A response that no known request explains. Returns the reason when that may be the capture's fault.
std::optional<Reason> doubt_of_unasked(const Fold& fold, bool after_hole) noexcept {
  const SideState& requester = fold.peer();
  const SideState& responder = fold.side();
  return first_of({when(!requester.captured, Reason::one_direction), requester.requests_doubt,
                   when(after_hole, responder.missing_reason), responder.responses_doubt});
}

// A request that broke a rule does not count as outstanding, but its receiver may answer it all the same.
bool may_answer_broken_request(const Fold& fold) noexcept {
  if (fold.peer().broken_requests == 0) return false;
  --fold.peer().broken_requests;
  return true;
}

// A request was taken for answered in a hole: it may be answered out of turn instead.
bool may_answer_presumed(const Fold& fold) noexcept {
  if (fold.peer().presumed_answered == 0) return false;
  --fold.peer().presumed_answered;
  return true;
}

// Whether it may answer one of the requests that are known: else another that the capture lacks.
bool may_answer_any(const Fold& fold, bool after_hole) noexcept {
  const RequestList& requests = fold.peer().requests;
  return !requests.empty() &&
         (may_have_received(fold, requests.front()) || !doubt_of_unasked(fold, after_hole));
}

void report_stray(const Fold& fold, const Answer& answer, std::optional<Reason> reason) {
  // What it answers and a request behind that were outstanding at once.
  const auto key = key_of(answer);
  if (key && fold.peer().requests.find(*key, false) != none) note_several(fold.peer(), *key);
  const wire::Opcode opcode = fold.event.fpdu.ddp.opcode();
  const auto open = [&fold](std::initializer_list<CheckId> checks, Reason why) {
    fold.out.undecidable(fold.event.side, checks, why);
  };
  if (fold.peer().requests_doubt) ++fold.peer().strays;
  if (!fold.peer().captured) ++fold.peer().early_strays;
  if (reason && answer.kind == RequestKind::atomic) {
    open({CheckId::rdmap_rrnone, CheckId::rdmap_atreqid}, *reason);
  } else if (reason) {  // of its request nothing is known
    open({CheckId::rdmap_rrnone, CheckId::rdmap_rrmatch, CheckId::rdmap_rrlong, CheckId::rdmap_rrshort},
         *reason);
  } else if (may_answer_presumed(fold)) {
    open({CheckId::rdmap_rrnone, CheckId::rdmap_rrorder}, Reason::gap);
  } else if (may_answer_broken_request(fold)) {
    open({CheckId::rdmap_rrnone}, Reason::broken_request);
  } else if (opcode == wire::Opcode::atomic_response) {
    fold.out.violated(fold.event.side, CheckId::rdmap_atnone, {fold.event.fpdu.ddp.msn});
  } else {
    fold.out.violated(fold.event.side, CheckId::rdmap_rrnone, {argument(opcode), answer.stag, answer.to});
  }
}

// Each of the requests before `place` may have been answered by what was taken for another one's response.
bool may_be_answered(RequestList& requests, Place place) noexcept {
  return requests.first(Which::certain) >= place;
}

// The response is to the one at `place`, before that whose turn it is.
void report_out_of_turn(const Fold& fold, Place turn, Place place) {
  RequestList& requests = fold.peer().requests;
  if (may_be_answered(requests, place)) {
    fold.out.undecidable(fold.event.side, CheckId::rdmap_rrorder, Reason::gap);
    fold.peer().presumed_answered += drop_before(fold, place);
    return;
  }
  fold.out.violated(fold.event.side, CheckId::rdmap_rrorder,
                    {argument(fold.event.fpdu.ddp.opcode()), requests[turn].placed.frame},
                    {requests[turn].placed.frame, requests[place].placed.frame});
  overtake(fold, place);
}

// Behind a hole: the segment lies within what some request asked for, so it goes on with its response.
RequestList::Containing find_containing(const RequestList& requests, const Answer& answer,
                                        bool behind_front) noexcept {
  if (answer.payload == 0) return {};
  return requests.find_containing(answer.stag, answer.to, answer.payload, behind_front);
}

// Requests that the responder had when it sent this may not be known yet.
void note_held_requests(const Fold& fold) noexcept {
  const SideState& requester = fold.peer();
  if (!requester.captured) return;
  if (fold.event.ack == 0 || waits_for_framing(requester, fold.event.ack)) doubt_pairing(fold, Reason::skew);
}

// Octets of the requester are missing behind `request`: another may be among them that asked for the same.
// Its response is this one where that of `request` was missed.
bool may_hide_request(const SideState& requester, const Request& request) noexcept {
  return requester.requests_doubt && requester.hole_end > request.end_offset;
}

// Where octets are missing: the request is looked for by content, older ones are given up.
// Returns whether one was found, and whether its response begins with this segment.
struct Found {
  bool request = false;
  bool start_known = false;
};
Found find_despite_hole(const Fold& fold, const Answer& answer, Reason reason) {
  SideState& requester = fold.peer();
  RequestList& requests = requester.requests;
  const Place exact = find_fitting(requests, answer, false);
  if (exact != none && may_have_received(fold, requests[exact])) {
    if (exact != requests.front_place())
      fold.out.undecidable(fold.event.side, CheckId::rdmap_rrorder, reason);
    if (has_vague(requests, exact)) doubt_pairing(fold, reason);  // it may answer one of these as well
    requester.presumed_answered += drop_before(fold, exact);
    note_begun(fold, requests.front());
    // Others ask for the same, or nobody knows what for.
    const Place another = find_fitting(requests, answer, true);
    requests.front().ambiguous =
        another != none || has_vague(requests) || may_hide_request(requester, requests.front());
    if (another != none) requests[another].ambiguous = true;
    note_alike(fold, answer);
    settle_uncertainty(fold, answer);
    return {true, true};
  }
  const RequestList::Containing within = find_containing(requests, answer, false);
  if (within.first != none && may_have_received(fold, requests[within.first])) {
    // Others that asked for these octets: it may be the answer to any of them.
    const bool others = within.second != none || within.more || has_vague(requests, within.first);
    if (others) doubt_pairing(fold, reason);
    drop_before(fold, within.first);
    note_begun(fold, requests.front(), false);
    if (others || may_hide_request(requester, requests.front()) || fold.event.ack == 0)
      requests.front().ambiguous = true;
    if (within.second != none) requests[within.second].ambiguous = true;
    requests.front().received = answer.to - requests.front().sink_to;
    return {true, false};
  }
  fold.out.undecidable(
      fold.event.side,
      {CheckId::rdmap_rrnone, CheckId::rdmap_rrmatch, CheckId::rdmap_rrlong, CheckId::rdmap_rrshort}, reason);
  if (!requests.empty()) requests.front().ambiguous = true;
  const bool vague = !requests.empty() && !key_of(requests.front()) && may_fit(requests.front(), answer);
  if (!vague) return {};
  note_begun(fold, requests.front(), false);
  requests.front().ambiguous = true;
  return {true, false};
}

// It is that request's turn, but that asked for something else. Whether the oldest one is answered by it now.
bool answer_mismatched(const Fold& fold, const Answer& answer, Place turn) {
  SideState& requester = fold.peer();
  RequestList& requests = requester.requests;
  const Place later = find_fitting(requests, answer, false);
  if (requester.requests_doubt) {
    fold.out.undecidable(fold.event.side, CheckId::rdmap_rrorder, *requester.requests_doubt);
    if (later == none)
      fold.out.undecidable(fold.event.side, CheckId::rdmap_rrmatch, *requester.requests_doubt);
    if (later == none) {
      requests[turn].ambiguous = true;
      return false;
    }
    requests.move_to_front(later);
    requests.front().ambiguous = true;
    return true;
  }
  // As long as the one that is due, and not as the later one: its sink is wrong.
  const bool as_due = later != none && fold.event.fpdu.ddp.last() &&
                      requests[turn].known_size() == answer.payload &&
                      requests[later].known_size() != answer.payload;
  if (later != none && !as_due) {
    report_out_of_turn(fold, turn, later);
    doubt_repetition(requester, requests.front());
    return true;
  }
  if (may_answer_presumed(fold)) {
    fold.out.undecidable(fold.event.side, {CheckId::rdmap_rrorder, CheckId::rdmap_rrmatch}, Reason::gap);
    return false;
  }
  if (may_answer_broken_request(fold)) {
    fold.out.undecidable(fold.event.side, CheckId::rdmap_rrmatch, Reason::broken_request);
    return false;
  }
  const Place read = requests.first(Which::seen_read);
  // Out of turn and to another sink at once is less likely than that nobody asked for it.
  if (read == none || (read != turn && key_of(requests[read]))) {
    report_stray(fold, answer, std::nullopt);
    return false;
  }
  if (read != turn) {
    report_out_of_turn(fold, turn, read);
    return true;
  }
  requests.move_to_front(turn);
  Request& oldest = requests.front();
  if (oldest.ambiguous ||
      (answer.payload > 0 && oldest.size > 0)) {  // else its length tells: RRLONG, RRSHORT
    fold.out.verdict(fold.event.side, CheckId::rdmap_rrmatch, when(oldest.ambiguous, Reason::gap),
                     {answer.stag, answer.to, oldest.sink_stag, oldest.sink_to}, {oldest.placed.frame});
    note_mistaken(requester, oldest);
    oldest.ambiguous = true;
  }
  return true;
}

}  // namespace

Request* answered_request(const Fold& fold) noexcept {
  RequestList& requests = fold.peer().requests;
  return !requests.empty() && requests.front().response_begun ? &requests.front() : nullptr;
}

namespace {

// Why it is not certain that this is the request being answered.
std::optional<Reason> doubt_of(const Fold& fold, const Request& request) noexcept {
  const SideState& requester = fold.peer();
  const SideState& responder = fold.side();
  // All requests that are known may have been answered in a hole.
  const bool others = requester.requests_doubt && responder.responses_doubt;
  if (requester.pairing_doubtful || others) return requester.requests_doubt;
  if (!request.ambiguous) return std::nullopt;
  return responder.responses_doubt.value_or(Reason::gap);
}

// The segment goes on with a response that ended too early: RDMAP-RRSHORT told of that, this is right.
bool goes_on_short_response(const Fold& fold) noexcept {
  OnDemand<ShortResponse>& known = fold.side().short_response;
  if (known->left == 0) return false;
  ShortResponse& due = known.edit();
  const FpduFact& fpdu = fold.event.fpdu;
  RequestList& requests = fold.peer().requests;
  const bool next = !requests.empty() && fits(requests[turn_of(requests)], answer_of(fpdu));
  const std::uint32_t payload = payload_of(fpdu);
  if (next || payload == 0 || payload > due.left || fpdu.ddp.stag != due.stag || fpdu.ddp.to != due.next) {
    due = {};
    return false;
  }
  due.left -= payload;
  due.next += payload;
  return true;
}

void finish_answer(const Fold& fold, OperationStatus status, AnswerSeen seen) {
  SideState& requester = fold.peer();
  const Request& request = requester.requests.front();
  requester.answered_last = key_of(request);
  conclude_request(fold, other(fold.event.side), request,
                   request.ambiguous ? OperationStatus::unknown : status, seen);
  requester.requests.pop_front();
  if (requester.requests.empty() && !requester.requests_doubt) fold.side().responses_doubt.reset();
}

}  // namespace

bool report_unasked(const Fold& fold) {
  const Answer answer = answer_of(fold.event.fpdu);
  if (doubt_of_unasked(fold, false) || find_fitting(fold.peer().requests, answer, false) != none)
    return false;
  report_stray(fold, answer, std::nullopt);
  return true;
}

bool begin_answer(const Fold& fold, bool after_hole) {
  SideState& requester = fold.peer();
  RequestList& requests = requester.requests;
  const Answer answer = answer_of(fold.event.fpdu);
  note_held_requests(fold);
  if (goes_on_short_response(fold)) return true;
  if (requests.empty() && answers_mistaken(requester, answer)) return true;
  if (!may_answer_any(fold, after_hole)) {
    report_stray(fold, answer, doubt_of_unasked(fold, after_hole));
    return !after_hole;
  }
  if (after_hole || fold.side().responses_doubt) {
    const Reason reason = after_hole ? fold.side().read_response->hole_reason : *fold.side().responses_doubt;
    const Found found = find_despite_hole(fold, answer, reason);
    if (!found.request && requester.requests_doubt) ++requester.strays;
    return found.start_known;
  }
  const Place turn = turn_of(requests);
  if (fits(requests[turn], answer)) {
    settle_mistaken(requester, requests[turn]);
    requests.move_to_front(turn);
    if (!requests.front().ambiguous) {
      requester.presumed_answered = 0;
    } else if (const Place another = find_fitting(requests, answer, true); another != none) {
      requests[another].ambiguous = true;  // it may as well be the response to that one
    }
    note_begun(fold, requests.front());
    note_alike(fold, answer);
    settle_uncertainty(fold, answer);
    return true;
  }
  if (answers_mistaken(requester, answer)) return true;
  if (!requester.requests_doubt && answers_overtaken(fold, answer)) {
    note_begun(fold, requests.front());
    return true;
  }
  if (may_fit(requests[turn], answer)) {
    requests.move_to_front(turn);
    fold.out.undecidable(fold.event.side, CheckId::rdmap_rrmatch,
                         requests.front().unseen ? Reason::gap : Reason::snaplen);
    // It may as well be the response to a request that was seen.
    if (const Place later = find_fitting(requests, answer, true); later != none) {
      fold.out.undecidable(fold.event.side, CheckId::rdmap_rrorder, Reason::gap);
      requests[later].ambiguous = true;
    }
    note_begun(fold, requests.front());
    if (requester.pairing_doubtful) requests.front().ambiguous = true;
    return true;
  }
  if (answer_mismatched(fold, answer, turn)) note_begun(fold, requests.front());
  return true;
}

void advance_answer(const Fold& fold, bool last, bool holed) {
  Request* const request = answered_request(fold);
  if (request == nullptr) return;
  const Side side = fold.event.side;
  const std::uint32_t payload = payload_of(fold.event.fpdu);
  const std::uint64_t before = request->received;
  request->received += payload;
  const auto size = request->known_size();
  if (size && before <= *size && request->received > *size) {
    const auto doubt = doubt_of(fold, *request);
    fold.out.verdict(side, CheckId::rdmap_rrlong, doubt, {request->received, request->size},
                     {request->placed.frame});
    request->ambiguous = request->ambiguous || doubt;
  }
  if (!last) return;
  OperationStatus status = holed ? OperationStatus::incomplete : OperationStatus::complete;
  if (!size) {
    const Reason reason = request->unseen ? Reason::gap : Reason::snaplen;
    fold.out.undecidable(side, {CheckId::rdmap_rrlong, CheckId::rdmap_rrshort}, reason);
  } else if (request->received < request->size) {
    const auto doubt = doubt_of(fold, *request);
    fold.out.verdict(side, CheckId::rdmap_rrshort,
                     first_of({when(holed, fold.side().read_response->hole_reason), doubt}),
                     {request->received, request->size}, {request->placed.frame});
    if (!doubt) status = OperationStatus::incomplete;
    if (!doubt && !holed) {
      fold.side().short_response.edit() = {fold.event.fpdu.ddp.stag,
                                           static_cast<std::uint32_t>(request->size - request->received),
                                           fold.event.fpdu.ddp.to + payload};
    }
    request->ambiguous = request->ambiguous || (doubt && !holed);
  }
  finish_answer(fold, status, {.whole = !holed, .last = true});
}

void abandon_answer(const Fold& fold, bool holed) {
  if (answered_request(fold) == nullptr) return;
  finish_answer(fold, OperationStatus::incomplete, {.whole = !holed, .last = false});
}

bool is_answering(const Fold& fold) noexcept {
  const Request* const request = answered_request(fold);
  return request != nullptr && key_of(*request);
}

bool lies_in_answer(const Fold& fold, const OpenMessage& open) noexcept {
  const Request* const request = answered_request(fold);
  if (request == nullptr || !key_of(*request)) return false;
  const wire::DdpHeader& ddp = fold.event.fpdu.ddp;
  const std::uint64_t position = ddp.to - request->sink_to;
  const std::uint64_t end = position + payload_of(fold.event.fpdu);
  return ddp.stag == request->sink_stag && ddp.stag == open.stag && ddp.to - open.next < request->size &&
         position < request->size && (ddp.last() ? end == request->size : end < request->size);
}

void skip_answer_to(const Fold& fold) noexcept {
  Request* const request = answered_request(fold);
  request->received = fold.event.fpdu.ddp.to - request->sink_to;
}

void doubt_responses(const Fold& fold) noexcept {
  if (!fold.peer().requests.empty() && !fold.side().responses_doubt)
    fold.side().responses_doubt = Reason::unreadable;
}

bool end_without_last(const Fold& fold) {
  const Request* const request = answered_request(fold);
  if (request == nullptr || !request->known_size() || request->received < request->size) return false;
  if (!fold.side().read_response->active || !begins_next_answer(fold)) return false;
  OpenMessage& open = fold.side().read_response.edit();
  if (open.adrift || open.holed) return false;
  fold.out.violated(fold.event.side, CheckId::ddp_lmiss, {argument(open.opcode), open.first_frame},
                    {open.first_frame}, open.placed);
  abandon_answer(fold, false);
  conclude_message(fold, fold.event.side, open, MessageEnd::incomplete, Reason::gap);
  return true;
}

void doubt_pairing(const Fold& fold, Reason reason) noexcept {
  SideState& requester = fold.peer();
  requester.pairing_doubtful = true;
  if (!requester.requests_doubt) requester.requests_doubt = reason;
}

void dispute_answer(const Fold& fold) noexcept {
  if (Request* const request = answered_request(fold)) request->ambiguous = true;
}

void doubt_answer(const Fold& fold) noexcept {
  Request* const request = answered_request(fold);
  if (request == nullptr) return;
  SideState& requester = fold.peer();
  const RequestList::Containing another =
      find_containing(requester.requests, answer_of(fold.event.fpdu), true);
  const bool others =
      requester.requests_doubt || another.first != none || another.more || has_vague(requester.requests);
  if (others) request->ambiguous = true;
  if (another.first != none) requester.requests[another.first].ambiguous = true;
}

bool begins_next_answer(const Fold& fold) noexcept {
  const RequestList& requests = fold.peer().requests;
  if (requests.empty()) return false;
  Place next = requests.front_place();
  if (answered_request(fold) != nullptr) next = requests.next(next);
  return next != none && fits(requests[next], answer_of(fold.event.fpdu));
}

void take_atomic_response(const Fold& fold) {
  SideState& requester = fold.peer();
  RequestList& requests = requester.requests;
  const Side side = fold.event.side;
  const Answer answer = answer_of(fold.event.fpdu);
  const bool long_enough = is_long_enough(fold.event.fpdu);
  const bool after_hole = fold.side().responses_doubt.has_value();
  note_held_requests(fold);
  (void)end_without_last(fold);
  if (requests.empty() && answers_mistaken(requester, answer)) return;
  if (!may_answer_any(fold, after_hole)) {
    report_stray(fold, answer, doubt_of_unasked(fold, after_hole));
    return;
  }
  const Place turn = turn_of(requests);
  const bool in_turn = may_fit(requests[turn], answer);
  const bool unsure = after_hole || requester.requests_doubt;
  if (in_turn) {
    if (fits(requests[turn], answer)) settle_mistaken(requester, requests[turn]);
    requests.move_to_front(turn);
  } else if (answers_mistaken(requester, answer)) {
    return;
  }
  if (!in_turn && (unsure || !answers_overtaken(fold, answer))) {
    const Place exact = find_fitting(requests, answer, false);
    const Place oldest = requests.first(Which::seen_atomic);
    const Place unseen = requests.first(Which::unseen);
    if (unsure) {
      const Reason reason = after_hole ? *fold.side().responses_doubt : *requester.requests_doubt;
      fold.out.undecidable(side, {CheckId::rdmap_atreqid, CheckId::rdmap_rrorder}, reason);
      if (exact == none) {
        fold.out.undecidable(side, CheckId::rdmap_rrnone, reason);
        requests[turn].ambiguous = true;
        // It may answer any atomic whose identifier was not captured.
        if (!answer.confirmed || has_vague(requests)) doubt_pairing(fold, reason);
        ++requester.strays;
        return;
      }
      if (after_hole) {
        requester.presumed_answered += drop_before(fold, exact);
      } else {
        requests.move_to_front(exact);
      }
    } else if (exact == none && may_answer_broken_request(fold)) {
      fold.out.undecidable(side, {CheckId::rdmap_atreqid, CheckId::rdmap_rrorder}, Reason::broken_request);
      return;
    } else if (exact == none && unseen != none) {
      // Perhaps to that one, then out of turn.
      fold.out.undecidable(side, {CheckId::rdmap_rrorder, CheckId::rdmap_atreqid}, Reason::gap);
      requests.move_to_front(unseen);
    } else if (oldest == none) {
      report_stray(fold, answer, std::nullopt);
      return;
    } else {
      const bool answered = exact != none && may_be_answered(requests, exact);
      const bool differs =
          answer.confirmed && key_of(requests[oldest]) && requests[oldest].request_id != answer.request_id;
      const bool read_due = requests[turn].kind == RequestKind::read;
      // Out of turn and with another identifier at once is less likely than that nobody asked for it.
      if (read_due && exact == none && differs) {
        report_stray(fold, answer, std::nullopt);
        return;
      }
      if (answered || (differs && !read_due)) {
        fold.out.verdict(side, CheckId::rdmap_atreqid, when(answered, Reason::gap),
                         {answer.request_id, requests[oldest].request_id}, {requests[oldest].placed.frame});
      }
      const Place chosen = exact != none ? exact : oldest;
      if (read_due || may_be_answered(requests, chosen)) {
        report_out_of_turn(fold, turn, chosen);
      } else {
        overtake(fold, chosen);
      }
      if (exact == none && differs) {
        note_mistaken(requester, requests.front());
        if (requester.answered_last == key_of(answer)) requests.front().ambiguous = true;  // a repetition
      } else {
        doubt_repetition(requester, requests.front());
      }
    }
  } else if (requests.front().unseen) {
    fold.out.undecidable(side, CheckId::rdmap_atreqid, Reason::gap);
    // It may as well be the response to one that was seen.
    if (const Place seen = find_fitting(requests, answer, true); seen != none)
      requests[seen].ambiguous = true;
  }
  if (!answer.confirmed && long_enough) fold.out.undecidable(side, CheckId::rdmap_atreqid, Reason::snaplen);
  note_begun(fold, requests.front());
  note_alike(fold, answer);
  requests.front().received = wire::immediate_size;
  finish_answer(fold, OperationStatus::complete, {.whole = true, .last = true});
}

}  // namespace iwarp
