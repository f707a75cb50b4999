// The QP's state machine at work, its completions, and what it sends.
// SPDX-License-Identifier: GPL-2.0-or-later
#include "rnic/queue_pair.hpp"

#include <algorithm>

#include "rnic/segment.hpp"

namespace iwarp::rnic {

QueuePair::QueuePair(QpId id, const QpAttributes& attributes, const QpSurroundings& surroundings,
                     const QpCapabilities& capabilities)
    : id_(id),
      attributes_(attributes),
      around_(surroundings),
      capabilities_(capabilities),
      rq_limit_armed_(attributes.rq_limit != 0),
      send_queue_({attributes.max_send_wrs, attributes.max_send_sges, attributes.max_write_sges}),
      receive_queue_(attributes.max_receive_wrs, attributes.max_receive_sges) {}

// --- the state machine ------------------------------------------------------------------------------------

void QueuePair::fire(QpEvent event, const Cause& cause) {
  const QpTransition to = transition(state_, event);
  if ((to.actions & (action::refuse | action::ignore)) != 0) return;
  const QpState from = state_;
  state_ = to.next;
  if (state_ == QpState::terminate && from != state_) silent_ = to.report == QpReport::none;
  if (state_ == QpState::idle && from != state_) {
    stream_ = StreamId::none;
    send_queue_.settle();
  }
  if ((to.actions & action::stop) != 0) terminate_pending_ = false;
  if ((to.actions & action::send_terminate) != 0) make_terminate(cause);
  Llp* const llp = llp_;
  if (llp != nullptr) {
    if ((to.actions & action::close_llp) != 0) llp->begin_close();
    if ((to.actions & action::reset_llp) != 0) llp->reset();
    if ((to.actions & action::unbind) != 0) {
      llp_ = nullptr;
      llp->disassociate();
    }
  }
  if ((to.actions & action::flush_sq) != 0 || (to.actions & action::flush_rq) != 0) flush();
  report(to.report, cause);
}

void QueuePair::report_event(AsyncEventKind kind) {
  if (kind == AsyncEventKind::none) return;
  silent_ = false;
  around_.events.add({.kind = kind, .qp = id_});
}

void QueuePair::report(QpReport what, const Cause& cause) {
  switch (what) {
    case QpReport::none: return;
    case QpReport::cause: {
      const bool completed = cause.violation.receive_status.has_value();
      if (completed) silent_ = true;
      return report_event(completed ? AsyncEventKind::none : cause.violation.event);
    }
    case QpReport::close_complete: return report_event(AsyncEventKind::llp_close_complete);
    case QpReport::bad_close: return report_event(AsyncEventKind::bad_close);
    case QpReport::bad_close_if_silent:
      if (silent_) report_event(AsyncEventKind::bad_close);
      return;
    case QpReport::connection_lost: return report_event(AsyncEventKind::llp_connection_lost);
  }
}

void QueuePair::keep_terminate(ByteView octets, const wire::Terminate& message, bool local) {
  terminate_.emplace();
  terminate_->local = local;
  terminate_->message = message;
  terminate_->size = std::min(octets.size(), terminate_->octets.size());
  std::copy_n(octets.begin(), terminate_->size, terminate_->octets.begin());
}

void QueuePair::make_terminate(const Cause& cause) {
  const wire::Terminate message = compose_terminate(cause.violation.code, cause.offender);
  Bytes octets;
  wire::encode(message, octets);
  const Result<wire::Terminate> sent = wire::parse_terminate(octets, wire::BitOrder::rfc);
  keep_terminate(octets, sent ? *sent : message, true);
  terminate_pending_ = true;
}

// Figure 10: everything that is incomplete, but at most a batch at a time. Of the RQ only what is the QP's
// own: WQEs of an S-RQ stay there, but for the one that was taken out.
void QueuePair::flush() {
  flushing_ = true;
  continue_flush();
}

void QueuePair::continue_flush() {
  if (!flushing_) return;
  std::size_t left = capabilities_.flush_batch == 0 ? SIZE_MAX : capabilities_.flush_batch;
  if (open_) {
    const ReceiveWqe wqe = open_->wqe;
    open_.reset();
    complete_receive(wqe, {.status = CompletionStatus::flushed});
  }
  WorkCompletion completion;
  std::uint32_t places = 0;
  // Closing flushes the RQ alone: a WQE of the SQ leads to Error, which flushes the rest.
  while (state_ != QpState::closing && left != 0 && send_queue_.take_flushed(completion, places)) {
    complete_send(completion, places);
    --left;
  }
  while (left != 0 && !receive_queue_.empty()) {
    complete_receive(receive_queue_.take(), {.status = CompletionStatus::flushed});
    --left;
  }
  responder_.clear();
  flushing_ = !receive_queue_.empty() || (state_ != QpState::closing && !send_queue_.empty());
}

// --- completing -------------------------------------------------------------------------------------------

void QueuePair::report_overflow(CompletionQueue& cq) {
  if (cq.take_overflow()) around_.events.add({.kind = AsyncEventKind::cq_overflow, .cq = cq.id()});
}

void QueuePair::complete_send(const WorkCompletion& completion, std::uint32_t places) {
  Completion entry{.completion = completion, .places = places};
  entry.completion.qp = id_;
  if (around_.send_cq.add(entry)) return;
  send_queue_.give_back(places);
  report_overflow(around_.send_cq);
  fire(QpEvent::local_error, {{code::stream_catastrophic, AsyncEventKind::cq_sq_error}});
}

void QueuePair::complete_receive(const ReceiveWqe& wqe, WorkCompletion completion) {
  completion.id = wqe.request.id;
  completion.operation = Operation::receive;
  completion.qp = id_;
  if (around_.receive_cq.add({.completion = completion, .places = 1, .srq = wqe.srq})) return;
  if (wqe.srq == SrqId::none) {
    receive_queue_.give_back(1);
  } else {
    around_.srq->queue.give_back(1);
  }
  report_overflow(around_.receive_cq);
  fire(QpEvent::local_error, {{code::stream_catastrophic, AsyncEventKind::cq_rq_error}});
}

void QueuePair::complete_done() {
  WorkCompletion completion;
  std::uint32_t places = 0;
  while (send_queue_.take_done(completion, places)) complete_send(completion, places);
}

void QueuePair::fail_open_receive(CompletionStatus status) {
  if (!open_) return;
  const ReceiveWqe wqe = open_->wqe;
  open_.reset();
  complete_receive(wqe, {.status = status});
}

void QueuePair::abandon() {
  if (open_ && open_->wqe.srq != SrqId::none) around_.srq->queue.give_back(1);
  open_.reset();
}

// --- posting ----------------------------------------------------------------------------------------------

PostResult QueuePair::post_send(std::span<const WorkRequest> list) {
  if ((transition(state_, QpEvent::post_sq).actions & action::refuse) != 0)
    return {Status::invalid_qp_state, 0};
  return send_queue_.post(list);
}

PostResult QueuePair::post_receive(std::span<const ReceiveRequest> list) {
  if (around_.srq != nullptr) return {Status::rq_is_shared, 0};
  const QpTransition to = transition(state_, QpEvent::post_rq);
  if ((to.actions & action::refuse) != 0) return {Status::invalid_qp_state, 0};
  const PostResult result = receive_queue_.post(list, attributes_.pd, SrqId::none);
  if ((to.actions & action::flush_rq) != 0) flush();
  return result;
}

// --- the LLP Stream ---------------------------------------------------------------------------------------

void QueuePair::limit_depths(std::uint32_t ird, std::uint32_t ord) noexcept {
  attributes_.ird = ird;
  attributes_.ord = ord;
}

void QueuePair::start(std::uint32_t ird, std::uint32_t ord, Rtr rtr) {
  limit_depths(ird, ord);
  send_queue_.prepend_rtr(rtr);
}

void QueuePair::take_llp_error(std::uint16_t code, AsyncEventKind event) {
  fire(QpEvent::llp_error, {{code, event}});
}

void QueuePair::take_llp_event(QpEvent event, bool cut) {
  Cause cause;
  switch (event) {
    case QpEvent::llp_close:
      // Octets of a message that ends nowhere are work in progress, too.
      if (state_ == QpState::rts && (work_left() || open_ || cut)) {
        return fire(QpEvent::llp_close_busy, {{code::stream_catastrophic, AsyncEventKind::bad_llp_close}});
      }
      break;
    case QpEvent::llp_close_done:
      while (flushing_) continue_flush();  // Closing ends with an empty RQ
      break;
    case QpEvent::llp_reset: cause.violation.event = AsyncEventKind::llp_connection_reset; break;
    case QpEvent::startup_rejected:
    case QpEvent::llp_lost: cause.violation.event = AsyncEventKind::llp_connection_lost; break;
    default: break;
  }
  fire(event, cause);
}

bool QueuePair::next_segment(Bytes& out, std::uint32_t max_ulpdu) {
  if (terminate_pending_) {
    terminate_pending_ = false;
    wire::encode(untagged_header(wire::Opcode::terminate, 1, 0, true), out);
    out.insert(out.end(), terminate_->octets.begin(),
               terminate_->octets.begin() + static_cast<std::ptrdiff_t>(terminate_->size));
    return true;
  }
  if (state_ != QpState::rts) return false;
  // Turn by turn, so that neither a long Read Response nor a long Write keeps the other waiting.
  for (int attempt = 0; attempt < 2; ++attempt) {
    responders_turn_ = !responders_turn_;
    if (responders_turn_) {
      switch (responder_.next_segment(out, max_ulpdu, attributes_.response_payload, around_.memory, self())) {
        case ReadResponder::Progress::nothing: break;
        case ReadResponder::Progress::segment:
          peer_progress_.requests_answered = peer_progress_.requests_arrived - responder_.size();
          return true;
        case ReadResponder::Progress::failed:
          fire(QpEvent::local_error, {responder_.violation(), responder_.offender()});
          out.clear();
          return next_segment(out, max_ulpdu);
      }
    } else {
      const SendQueue::Progress progress = send_queue_.next_segment(
          out, max_ulpdu, attributes_.ord, attributes_.bind_enabled, around_.memory, self());
      complete_done();
      if (progress == SendQueue::Progress::failed && state_ == QpState::rts) fire(QpEvent::sq_error);
      if (progress == SendQueue::Progress::segment) return true;
      if (terminate_pending_) {
        out.clear();
        return next_segment(out, max_ulpdu);
      }
    }
  }
  return false;
}

}  // namespace iwarp::rnic
