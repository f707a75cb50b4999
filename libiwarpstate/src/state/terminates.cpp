// SPDX-License-Identifier: GPL-2.0-or-later
#include "state/terminates.hpp"

#include "state/qp_state.hpp"
#include "state/requests.hpp"
#include "state/terminate_reading.hpp"

namespace iwarp {
namespace {

void drop_request(const Fold& fold, Side requester, RequestList::Place place) {
  RequestList& requests = fold.state.side(requester).requests;
  conclude_request(fold, requester, requests[place], OperationStatus::terminated);
  requests.erase(place);
}

// Responses come in order of their requests (RFC 5040 §5.5 (20)), so a segment of one that is complete
// refuses nothing that is outstanding: the responses to the others may be on their way.
bool is_of_response_in_progress(const Fold& fold, const wire::Terminate& terminate) noexcept {
  const RequestList& requests = fold.side().requests;
  if (requests.empty() || !requests.front().response_begun) return false;
  const Request& oldest = requests.front();
  const wire::DdpHeader& quoted = *terminate.ddp_header;
  const bool asked_for =
      oldest.partial || (quoted.stag == oldest.sink_stag && quoted.to - oldest.sink_to < oldest.size);
  const RecentSegment* const segment = quoted_segment(fold.state, fold.event.side, terminate);
  const std::uint64_t quoted_segment = segment == nullptr ? 0 : count_of(fold.peer(), *segment);
  if (segment == nullptr || quoted_segment == oldest.first_response_segment) return asked_for;
  return quoted_segment > oldest.first_response_segment;
}

// The request that the Terminate refuses, or whose response it refuses, is over.
void end_refused_request(const Fold& fold, const wire::Terminate& terminate) {
  const Side sender = fold.event.side;
  if (const Request* refused = refused_request(fold.state, sender, terminate))
    return drop_request(fold, other(sender), fold.peer().requests.place_of(*refused));
  const bool refuses_response = terminate.ddp_header && terminate.ddp_header->tagged() &&
                                terminate.ddp_header->opcode() == wire::Opcode::read_response;
  if (refuses_response && is_of_response_in_progress(fold, terminate))
    drop_request(fold, sender, fold.side().requests.front_place());
}

// What it means is kept, and what it refuses is over.
void keep_terminate(const Fold& fold) {
  const ConnectionState& state = fold.state;
  const auto terminate =
      read_terminate(state, fold.event.side, rdmap_view(fold.event.fpdu), payload_of(fold.event.fpdu));
  TerminateSeen seen;
  seen.frame = fold.event.fpdu.placed.frame;
  seen.time_ns = fold.event.fpdu.placed.time_ns;
  seen.end_offset = end_of(fold.event);
  if (terminate) {
    seen.code_captured = true;
    seen.meant = terminate->meant;
    seen.bit_order = terminate->bit_order;
    seen.raw = terminate->raw;
    if (const RecentSegment* quoted = quoted_segment(state, fold.event.side, *terminate)) {
      seen.quoted_frame = quoted->frame;
      seen.quoted_opcode = quoted->ddp.opcode();
    } else if (const Request* refused = refused_request(state, fold.event.side, *terminate)) {
      seen.quoted_frame =
          refused->placed.frame;  // known by its RDMAP header, although the DDP header is another
      seen.quoted_opcode =
          refused->kind == RequestKind::read ? wire::Opcode::read_request : wire::Opcode::atomic_request;
    }
    seen.cause_frame = explanation(state, fold.event.side, *terminate).value_or(0);
    end_refused_request(fold, *terminate);
  }
  fold.side().terminates.push_back(seen);
  watch(fold.side(), seen.end_offset);
}

}  // namespace

void fold_terminate(const Fold& fold) {
  ConnectionState& state = fold.state;
  if (!too_many_terminates(fold.side())) keep_terminate(fold);
  fold.peer().suspect = {};  // whatever was damaged, its receiver spoke
  infer(state, fold.event.side, QpTrigger::terminate_sent, fold.event.fpdu.placed.frame);
  infer(state, other(fold.event.side), QpTrigger::terminate_received, fold.event.fpdu.placed.frame);
}

void fold_cut_terminate(const Fold& fold) noexcept {
  ConnectionState& state = fold.state;
  fold.peer().suspect = {};
  infer(state, fold.event.side, QpTrigger::terminate_sent, fold.event.fpdu.placed.frame);
  infer(state, other(fold.event.side), QpTrigger::terminate_received, fold.event.fpdu.placed.frame);
  for (SideState& side : state.sides) {
    if (side.qp.value == QpValue::terminate) side.qp.confidence = Confidence::low;  // one octet is little
  }
}

}  // namespace iwarp
