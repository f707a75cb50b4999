// Modify QP: everything is checked before anything is changed (Verbs 1.0 §6.1.3, §8.3.1, figures 4 and 5).
// SPDX-License-Identifier: GPL-2.0-or-later
#include "rnic/queue_pair.hpp"

namespace iwarp::rnic {
namespace {

QpEvent event_of(QpState next) noexcept {
  switch (next) {
    case QpState::idle: return QpEvent::modify_idle;
    case QpState::rts: return QpEvent::modify_rts;
    case QpState::closing: return QpEvent::modify_closing;
    case QpState::terminate: return QpEvent::modify_terminate;
    case QpState::error: break;
  }
  return QpEvent::modify_error;
}

}  // namespace

Status QueuePair::check_change(const QpChange& change, const Llp* llp) const {
  if ((transition(state_, event_of(change.next)).actions & action::refuse) != 0)
    return Status::invalid_qp_state;
  if (state_ == QpState::error && flushing_) return Status::still_flushing;

  const bool limits = change.rq_limit.has_value() || change.arm_rq_limit;
  const bool depths = change.ord || change.ird || change.max_send_wrs || change.max_receive_wrs;
  const bool stays = state_ == change.next && (state_ == QpState::idle || state_ == QpState::rts);
  const bool starts = state_ == QpState::idle && change.next == QpState::rts;
  // What each transition takes (figures 4 and 5).
  if (depths && !stays && !starts) return Status::invalid_modifier;
  if (limits && (state_ != QpState::idle || !(stays || starts))) return Status::invalid_modifier;
  if ((change.stream != StreamId::none || !change.stream_message.empty()) && !starts)
    return Status::invalid_modifier;
  // RQ depth belongs to an own RQ, RQ Limit to an S-RQ.
  if (around_.srq != nullptr ? change.max_receive_wrs.has_value() : limits) return Status::invalid_modifier;

  if (change.ord && *change.ord > capabilities_.max_ord) return Status::ord_too_large;
  if (change.ird && *change.ird > capabilities_.max_ird) return Status::ird_too_large;
  if (change.max_send_wrs) {
    if (*change.max_send_wrs > capabilities_.max_wrs) return Status::too_many_wrs;
    if (*change.max_send_wrs < send_queue_.used()) return Status::queue_not_empty_enough;
  }
  if (change.max_receive_wrs) {
    if (*change.max_receive_wrs > capabilities_.max_wrs) return Status::too_many_wrs;
    if (*change.max_receive_wrs < receive_queue_.used()) return Status::queue_not_empty_enough;
  }
  if (change.rq_limit && *change.rq_limit > around_.srq->queue.capacity())
    return Status::rq_limit_out_of_range;
  if (starts && llp == nullptr) return Status::invalid_llp_stream;
  return Status::ok;
}

void QueuePair::apply_change(const QpChange& change) {
  if (change.ord) attributes_.ord = *change.ord;
  if (change.ird) attributes_.ird = *change.ird;
  if (change.max_send_wrs) {
    attributes_.max_send_wrs = *change.max_send_wrs;
    send_queue_.resize(*change.max_send_wrs);
  }
  if (change.max_receive_wrs) {
    attributes_.max_receive_wrs = *change.max_receive_wrs;
    receive_queue_.resize(*change.max_receive_wrs);
  }
  if (change.rq_limit) attributes_.rq_limit = *change.rq_limit;
  if (change.arm_rq_limit) rq_limit_armed_ = attributes_.rq_limit != 0;
}

Status QueuePair::modify(const QpChange& change, Llp* llp) {
  const Status status = check_change(change, llp);
  if (status != Status::ok) return status;
  const QpEvent event = event_of(change.next);
  const QpTransition to = transition(state_, event);
  if ((to.actions & action::attributes) != 0) apply_change(change);
  if ((to.actions & action::bind) != 0) {
    // RDMAP and DDP as on a new stream (§6.2.1.2); MPA is the Stream's.
    send_queue_.reset();
    responder_.reset();
    responders_turn_ = false;
    receive_msn_ = request_msn_ = terminate_msn_ = atomic_msn_ = 1;
    open_.reset();
    terminate_.reset();
    terminate_pending_ = false;
    silent_ = false;
    llp_ = llp;
    stream_ = change.stream;
  }
  if (state_ == QpState::error && change.next == QpState::idle) terminate_.reset();
  const bool busy = work_left();  // before the flush, which empties the IRRQ
  fire(event);
  if (terminate_pending_ && !change.terminate.empty()) {
    const auto message = wire::parse_terminate(change.terminate, wire::BitOrder::rfc);
    keep_terminate(change.terminate, message ? *message : terminate_->message, true);
  }
  if (state_ == QpState::closing && busy) fire(QpEvent::closing_with_work);
  return Status::ok;
}

}  // namespace iwarp::rnic
