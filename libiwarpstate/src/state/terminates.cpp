// SPDX-License-Identifier: GPL-2.0-or-later
#include "state/terminates.hpp"

#include "state/qp_state.hpp"
#include "state/requests.hpp"
#include "state/terminate_reading.hpp"

namespace iwarp {
namespace {

constexpr std::size_t max_terminates = 16;  // kept of one side: there should be one

void drop_request(const Fold& fold, Side requester, std::size_t position) {
  Fifo<Request>& requests = fold.state.side(requester).requests;
  conclude_request(fold, requester, requests[position], OperationStatus::terminated);
  requests.erase(position);
}

// Responses come in order of their requests (RFC 5040 §5.5 (20)), so a segment of one that is complete
// refuses nothing that is outstanding: the responses to the others may be on their way.
bool is_of_response_in_progress(const Fold& fold, const wire::Terminate& terminate) noexcept {
  const Fifo<Request>& requests = fold.side().requests;
  if (requests.empty() || !requests.front().response_begun) return false;
  const Request& oldest = requests.front();
  const wire::DdpHeader& quoted = *terminate.ddp_header;
  const bool asked_for =
      oldest.partial || (quoted.stag == oldest.sink_stag && quoted.to - oldest.sink_to < oldest.size);
  const RecentSegment* const segment = quoted_segment(fold.state, fold.event.side, terminate);
  if (segment == nullptr || segment->frame == oldest.first_response_frame) return asked_for;
  return segment->frame > oldest.first_response_frame;
}

// The request that the Terminate refuses, or whose response it refuses, is over.
void end_refused_request(const Fold& fold, const wire::Terminate& terminate) {
  const Side sender = fold.event.side;
  if (const Request* refused = refused_request(fold.state, sender, terminate)) {
    const Fifo<Request>& requests = fold.peer().requests;
    drop_request(fold, other(sender), static_cast<std::size_t>(refused - &requests.front()));
    return;
  }
  const bool refuses_response = terminate.ddp_header && terminate.ddp_header->tagged() &&
                                terminate.ddp_header->opcode() == wire::Opcode::read_response;
  if (refuses_response && is_of_response_in_progress(fold, terminate)) drop_request(fold, sender, 0);
}

}  // namespace

void fold_terminate(const Fold& fold) {
  ConnectionState& state = fold.state;
  SideState& side = fold.side();
  const auto terminate = read_terminate(state, fold.event.side, rdmap_view(fold.event.fpdu));
  TerminateSeen seen;
  seen.frame = fold.event.frame;
  seen.time_ns = fold.event.time_ns;
  seen.end_offset = end_of(fold.event);
  if (terminate) {
    seen.meant = terminate->meant;
    seen.bit_order = terminate->bit_order;
    seen.raw = terminate->raw;
    if (const RecentSegment* quoted = quoted_segment(state, fold.event.side, *terminate)) {
      seen.quoted_frame = quoted->frame;
      seen.quoted_opcode = quoted->ddp.opcode();
    } else if (const Request* refused = refused_request(state, fold.event.side, *terminate)) {
      seen.quoted_frame = refused->frame;  // known by its RDMAP header, although the DDP header is another
      seen.quoted_opcode =
          refused->kind == RequestKind::read ? wire::Opcode::read_request : wire::Opcode::atomic_request;
    }
    seen.cause_frame = explanation(state, fold.event.side, *terminate).value_or(0);
    end_refused_request(fold, *terminate);
  }
  if (side.terminates.size() < max_terminates) {
    side.terminates.push_back(seen);
    watch(side, seen.end_offset);
  }
  fold.peer().suspect = {};  // whatever was damaged, its receiver spoke
  infer(state, fold.event.side, QpTrigger::terminate_sent, fold.event.frame);
  infer(state, other(fold.event.side), QpTrigger::terminate_received, fold.event.frame);
}

void fold_cut_terminate(const Fold& fold) noexcept {
  ConnectionState& state = fold.state;
  fold.peer().suspect = {};
  infer(state, fold.event.side, QpTrigger::terminate_sent, fold.event.frame);
  infer(state, other(fold.event.side), QpTrigger::terminate_received, fold.event.frame);
  for (SideState& side : state.sides) {
    if (side.qp.value == QpValue::terminate) side.qp.confidence = Confidence::low;  // one octet is little
  }
}

}  // namespace iwarp
