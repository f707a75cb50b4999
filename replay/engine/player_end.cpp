// How a player ends its stream: with the recorded Terminate, FIN or RST, and not before all has come that
// the peer said first.
// SPDX-License-Identifier: GPL-2.0-or-later
#include <algorithm>

#include "engine/player.hpp"
#include "rnic/segment.hpp"
#include "rnic/violation.hpp"

namespace iwarp::replay {

namespace {

// The recorded Terminate quotes a segment of the recorded peer. Where the live one has cut that message
// otherwise, or calls its memory otherwise, the segment of it that came last is quoted.
void quote_live_segment(Bytes& terminate, const rnic::LlpStream::LastSegment& last) {
  constexpr std::size_t length_at = 4;
  constexpr std::size_t header_at = 6;
  const auto recorded = wire::parse_terminate(terminate);
  const auto live =
      wire::parse_ddp(ByteView(last.header).first(std::min<std::size_t>(last.length, last.header.size())));
  if (!recorded || !recorded->ddp_header || !live) return;
  const wire::DdpHeader& quoted = *recorded->ddp_header;
  if (quoted.opcode() != live->opcode() || quoted.tagged() != live->tagged()) return;
  if (!quoted.tagged() && (quoted.queue != live->queue || quoted.msn != live->msn)) return;
  store_be16(terminate.data() + length_at, last.length);
  std::copy_n(last.header.begin(), live->size(), terminate.begin() + header_at);
}

}  // namespace

// An RNIC terminates by itself what breaks a rule; what its application or itself had done is done here.
bool Player::try_terminate(std::uint32_t number, const PlannedWork& work) {
  const auto cause = work.quoted ? work.quoted : script_.heard_before(number);
  if (cause && stage_.progress.arrived(script_.ref(*cause)) == never) return false;
  rnic::SoftRnic& rnic = host_.rnic();
  const rnic::LlpStream* const stream = rnic.stream(llp_);
  if (!rtr_over() || (stream != nullptr && !stream->may_speak())) return false;
  if (const rnic::QueuePair* const qp = queue_pair(); qp != nullptr && !qp->sent_what_it_may()) return false;
  if (!has_said_all()) return false;
  rnic::QpChange change;
  change.next = rnic::QpState::terminate;
  Bytes fields = work.terminate;
  if (stream != nullptr) quote_live_segment(fields, stream->last_segment());
  if (work.terminate_code != rnic::code::local_catastrophic) change.terminate = fields;
  if (rnic.modify_qp(qp_, change) != rnic::Status::ok) return false;
  let_peer_end(number);
  return true;
}

// No plan says that anything waits for a ready-to-receive message that was not recorded, or for the answer to
// a Read that is one, but an end must not come before it.
bool Player::rtr_over() const {
  const rnic::QueuePair* const qp = queue_pair();
  if (script_.rtr == RtrKind::none || qp == nullptr) return true;
  const rnic::LlpStream* const stream = host_.rnic().stream(llp_);
  if (stream != nullptr && !stream->negotiated().peer_to_peer) return true;  // the peer wanted none
  // What crosses comes behind the answer to it.
  if (script_.role == Role::initiator) return qp->send_queue_empty() || link_->puts_by();
  if (script_.rtr_as_recorded) return true;
  switch (script_.rtr) {
    case RtrKind::write: return qp->peer_progress().writes_placed != 0;
    case RtrKind::read: return qp->peer_progress().requests_answered != 0;
    case RtrKind::send: return inbox_.unplanned_received();
    case RtrKind::none: break;
  }
  return true;
}

// Everything that the peer has to say before it hears of this close has come, and was answered.
bool Player::quiet_for(std::uint32_t close) {
  // Answers that crossed it are kept from the RNIC.
  const bool unanswered = peer_ != nullptr && link_->puts_by() && has_said_all() && is_answered_as_recorded();
  if (outbox_.in_flight() != 0 && !unanswered) return false;
  for (; quiet_next_ < script_.planned.work.size(); ++quiet_next_) {
    const PlannedWork& work = script_.planned.work[quiet_next_];
    if (work.role == script_.role || (work.rtr && !script_.rtr_as_recorded)) continue;
    if (script_.crosses(quiet_next_)) continue;
    const bool hears =
        std::ranges::any_of(work.waits, [](const Wait& wait) { return wait.what == WaitFor::closed; });
    const bool later = quiet_next_ > close;
    if (is_close(work.kind) || hears) break;
    if (later && (script_.planned.work[close].kind == WorkKind::rst || work.kind == WorkKind::terminate))
      break;
    // Unless the capture just lacks the rest of it it did not come whole, or was not answered.
    const bool whole = work.outcome == OperationStatus::complete ||
                       (work.outcome != OperationStatus::terminated && script_.holed);
    if (!whole && work.kind != WorkKind::terminate) continue;
    const bool request = work.kind == WorkKind::read || work.kind == WorkKind::atomic;
    if (stage_.progress.arrived(script_.ref(quiet_next_)) == never) {
      if (stage_.both || !request || passed_requests_ == script_.doubtful_requests) return false;
      if (!passes_doubtful_) {
        stage_.doubtful.insert(this);
        return false;
      }
      ++passed_requests_;
    } else if (request) {
      ++quiet_requests_;
    }
  }
  const rnic::QueuePair* const qp = queue_pair();
  return qp == nullptr || inbox_.requests_answered(*qp) >= quiet_requests_;
}

void Player::pass_doubtful() {
  passes_doubtful_ = true;
  wake();
}

bool Player::try_close(std::uint32_t number, const PlannedWork& work) {
  rnic::SoftRnic& rnic = host_.rnic();
  rnic::LlpStream* const stream = rnic.stream(llp_);
  const bool gracefully = work.kind == WorkKind::fin;
  // A RST would overtake its FIN, and its start-up frame.
  const bool overtakes =
      (script_.closes_before(number) && !link_->fin_sent()) || (stream != nullptr && !stream->startup_sent());
  if (!gracefully && overtakes) return false;
  if (!running_) {
    const bool replied =
        script_.planned.accepted || (script_.planned.startup[1] && script_.planned.startup[1]->rejected);
    const bool expected =
        script_.role == Role::initiator
            ? replied
            : script_.planned.accepted || script_.planned.startup[0] || script_.planned.startup[1];
    if (expected && !answered_ && !failed_) return false;
    // What the recorded close had waited for does not come behind a start-up that failed.
    if (!failed_ && !readiness_.due(number, work)) return false;
    if (stream != nullptr) stream->close(gracefully, stage_.now);
    return true;
  }
  if (!in_rts()) {
    // The QP closes by itself, but for a reset that was recorded.
    if (!gracefully && !script_.resets && stream != nullptr && readiness_.due(number, work))
      stream->close(false, stage_.now);
    return true;
  }
  if (!quiet_for(number) || !rtr_over() || !readiness_.due(number, work)) return false;
  if (!may_end(number)) return false;
  // A RST would drop the Terminate that was made for it.
  if (stream != nullptr && stream->injecting()) return false;
  rnic::QpChange change;
  change.next = gracefully ? rnic::QpState::closing : rnic::QpState::error;
  if (rnic.modify_qp(qp_, change) != rnic::Status::ok) return false;
  let_peer_end(number);
  return true;
}

}  // namespace iwarp::replay
