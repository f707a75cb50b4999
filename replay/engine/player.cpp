// SPDX-License-Identifier: GPL-2.0-or-later
#include "engine/player.hpp"

#include <algorithm>

#include <iwarp/export/names.hpp>

namespace iwarp::replay {

Player::Player(Stage& stage, std::uint32_t stream, Role role, Host& host)
    : stage_(stage),
      script_(stage.plan, stream, role, stage.options),
      host_(host),
      readiness_(stage, script_),
      outbox_(stage, script_, host),
      inbox_(stage, script_, host) {}

void Player::take_event(rnic::AsyncEventKind event) {
  if (event == rnic::AsyncEventKind::terminate_received && script_.peer_terminate) {
    stage_.progress.note_arrived(script_.ref(*script_.peer_terminate), stage_.now);
  }
  wake();
}

void Player::on_activity(Link& /*link*/) {
  stage_.note_active(host_);
  poll();
  if (peer_ != nullptr) peer_->wake();
  advance();
}

void Player::on_peer_closed(Link& /*link*/) {
  stage_.note_active(host_);
  stage_.progress.note_closed(script_.number, other(script_.role), stage_.now);
  advance();
}

void Player::on_over(Link& /*link*/) {
  stage_.note_active(host_);
  wake();
  poll();
  stage_.progress.note_closed(script_.number, other(script_.role), stage_.now);
  stage_.progress.note_over(script_.number, stage_.now);
}

bool Player::in_rts() const {
  const rnic::QueuePair* const qp = queue_pair();
  return running_ && qp != nullptr && qp->state() == rnic::QpState::rts;
}

void Player::poll() {
  if (qp_ == rnic::QpId::none) return;
  outbox_.poll();
  inbox_.poll();
  if (const rnic::QueuePair* const qp = queue_pair()) inbox_.note_progress(*qp);
  if (running_ || script_.role == Role::initiator) inbox_.post_receives();
}

void Player::advance() {
  if (inside_ || llp_ == rnic::StreamId::none) return;
  if (!start_is_due()) {
    stage_.schedule.wake_at(script_.player(), *start_at_);
    return;
  }
  inside_ = true;
  end_crossing();
  readiness_.forget_time();
  bool any = false;
  while (next_ < script_.own.size()) {
    const std::uint32_t number = script_.own[next_];
    const std::size_t in_flight = outbox_.in_flight();
    if (!try_post(number)) break;
    const bool posted = outbox_.in_flight() > in_flight;
    if (posted) readiness_.note_posted();
    if (stage_.order) stage_.order->note_tried(script_.ref(number), posted, stage_.now);
    readiness_.note_done(script_.planned.work[number]);
    ++next_;
    any = true;
  }
  inside_ = false;
  stage_.schedule.wake_at(script_.player(), readiness_.next_look());
  if (!any) return;
  stage_.note_active(host_);
  if (link_ != nullptr) stage_.pump.touch(*link_);
}

// False: not yet.
bool Player::try_post(std::uint32_t number) {
  const PlannedWork& work = script_.planned.work[number];
  if (link_->over()) return true;  // there is nothing to post it to
  if (is_close(work.kind)) return try_close(number, work);
  if (!running_) return failed_;
  if (!in_rts()) return true;  // the QP takes no work any more
  if (!may_cross(number) || !readiness_.due(number, work)) return false;
  if (work.kind == WorkKind::terminate) return may_end(number) && try_terminate(number, work);
  if (stage_.posted >= stage_.options.limit) return false;
  host_.before_post(script_.ref(number));
  if (!outbox_.post(number)) return false;
  stage_.pump.touch(*link_);
  return true;
}

bool Player::settled() const {
  const bool limited = stage_.posted >= stage_.options.limit;
  if (link_ == nullptr) return limited;
  if (link_->over()) return true;
  if (limited) return outbox_.in_flight() == 0 && link_->flushed();
  if (next_ < script_.own.size()) return false;
  if (outbox_.in_flight() != 0 || !link_->flushed()) return false;
  if (script_.closes && !half_closed_as_recorded()) return false;
  // A start-up that came to nothing is over when both parts of it were sent, the peer's one has come.
  if (!running_) {
    const bool begun = llp_ != rnic::StreamId::none;
    return !script_.planned.accepted && begun && (!script_.peer_startup() || answered_ || failed_);
  }
  if (script_.unreceived) return false;
  const rnic::QueuePair* const qp = queue_pair();
  return qp != nullptr && inbox_.complete(*qp, passes_doubtful_ ? script_.doubtful_requests : 0);
}

bool Player::has_happened(std::uint32_t number) const {
  const PlannedWork& work = script_.planned.work[number];
  if (work.role == script_.role) return next_ == script_.own.size() || number < script_.own[next_];
  if (work.rtr) return true;
  const TimeNs at = is_close(work.kind) ? stage_.progress.closed(script_.number, work.role)
                                        : stage_.progress.arrived(script_.ref(number));
  return at != never;
}

// The capture ended between the FINs: the second one need not come.
bool Player::half_closed_as_recorded() const {
  return script_.planned.left_open && std::ranges::all_of(script_.planned.work, [&](const PlannedWork& work) {
           if (work.kind == WorkKind::terminate || work.kind == WorkKind::rst) return false;
           if (work.kind != WorkKind::fin) return true;
           return work.role == script_.role ? link_->fin_sent() : link_->peer_done();
         });
}

std::string Player::describe_wait() const {
  std::string text =
      std::string(role_name(script_.role)) + " of stream " + std::to_string(script_.planned.number) + ": ";
  if (link_ == nullptr) return text + "no connection";
  if (!running_ && script_.planned.accepted) return text + "the start-up is not over";
  if (next_ < script_.own.size()) {
    const PlannedWork& work = script_.planned.work[script_.own[next_]];
    text +=
        "before " + std::string(work_kind_name(work.kind)) + " of work " + std::to_string(script_.own[next_]);
    const auto add = [&](const Wait& wait) {
      if (stage_.progress.when(wait) == never)
        text += ", which waits for work " + std::to_string(wait.work.work);
    };
    std::ranges::for_each(work.waits, add);
    for (const WorkRef& before : stage_.successions_of(script_.ref(script_.own[next_])))
      add({WaitFor::received, before});
    return text;
  }
  return text + "all is posted; " + std::to_string(outbox_.in_flight()) + " not complete, " +
         inbox_.describe() + (script_.closes ? ", the connection is open" : "");
}

}  // namespace iwarp::replay
