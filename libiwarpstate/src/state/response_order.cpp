// SPDX-License-Identifier: GPL-2.0-or-later
#include "state/response_order.hpp"

#include <algorithm>

namespace iwarp {

RequestList::Place turn_of(RequestList& requests) noexcept {
  if (requests.front().overtaken_by == 0) return requests.front_place();
  const RequestList::Place turn = requests.first(RequestList::Which::in_turn);
  return turn != RequestList::none ? turn : requests.front_place();
}

void overtake(const Fold& fold, RequestList::Place place) {
  RequestList& requests = fold.peer().requests;
  for (RequestList::Place due = requests.first(RequestList::Which::in_turn); due < place;
       due = requests.first(RequestList::Which::in_turn))
    requests[due].overtaken_by = number_of_message(fold);
  requests.move_to_front(place);
}

bool answers_overtaken(const Fold& fold, const Answer& answer) {
  RequestList& requests = fold.peer().requests;
  const RequestList::Place late = find_fitting(requests, answer, false);
  if (late == RequestList::none || requests[late].overtaken_by == 0) return false;
  RequestList::Place first = requests.front_place();
  if (requests[first].overtaken_by == 0) first = requests.next(first);
  const bool out_of_turn = first != late && requests[first].overtaken_by == requests[late].overtaken_by;
  if (out_of_turn && answer.kind == RequestKind::atomic && requests[first].kind == RequestKind::atomic) {
    fold.out.violated(fold.event.side, CheckId::rdmap_atreqid,
                      {answer.request_id, requests[first].request_id}, {requests[first].placed.frame});
  } else if (out_of_turn) {
    fold.out.violated(fold.event.side, CheckId::rdmap_rrorder,
                      {argument(fold.event.fpdu.ddp.opcode()), requests[first].placed.frame},
                      {requests[first].placed.frame, requests[late].placed.frame});
  }
  requests.move_to_front(late);
  return true;
}

void note_mistaken(SideState& requester, const Request& request) {
  const auto key = key_of(request);
  if (!key) return;
  auto& all = requester.mistaken_requests.edit().all;
  if (all.size() >= MistakenRequests::most) all.pop_front();
  all.push_back({*key, request.end_offset});
}

void doubt_repetition(SideState& requester, Request& request) {
  if (!requester.answered_last || requester.answered_last != key_of(request)) return;
  note_mistaken(requester, request);
  request.ambiguous = true;
}

void settle_mistaken(SideState& requester, const Request& request) noexcept {
  if (!requester.mistaken_requests.has_value()) return;
  auto& all = requester.mistaken_requests.edit().all;
  all.erase_if([&](const auto& each) { return each.end_offset <= request.end_offset; });
  if (all.empty()) requester.mistaken_requests.reset();
}

bool answers_mistaken(SideState& requester, const Answer& answer) {
  if (!requester.mistaken_requests.has_value()) return false;
  const auto key = key_of(answer);
  auto& all = requester.mistaken_requests.edit().all;
  const auto found = std::find_if(all.begin(), all.end(), [&](const auto& each) { return each.key == key; });
  if (found == all.end()) return false;
  all.erase(static_cast<std::size_t>(found - all.begin()));
  return true;
}

}  // namespace iwarp
