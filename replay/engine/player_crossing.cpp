// How a player's last requests cross the peer's Terminate or RST as they did in the recording: the peer hears
// nothing from the first of them on, until all of them have come to it and it has said its end.
// SPDX-License-Identifier: GPL-2.0-or-later
#include <algorithm>

#include "engine/player.hpp"

namespace iwarp::replay {

// What is made wrong by a Mutator is answered when it comes.
void Player::meet(Player& peer) {
  const auto& mutator = stage_.options.mutator;
  for (const Role role : {Role::initiator, Role::responder}) {
    if (mutator && mutator(script_.number, role) != nullptr) return;
  }
  script_.crossings = crossings_of(stage_.plan, script_.number);
  for (const std::uint32_t each : script_.own) {
    if (is_answered(script_.planned.work[each])) last_answered_ = each;
  }
  const auto any = [](const std::optional<Crossing>& each) { return each.has_value(); };
  if (std::ranges::any_of(script_.crossings, any) || script_.two_ends()) peer_ = &peer;
}

void Player::put_by(bool on) {
  link_->put_by(on);
  stage_.pump.touch(*link_);
}

// Its requests that were answered in the recording.
bool Player::is_answered_as_recorded() const {
  return !last_answered_ || stage_.progress.when({WaitFor::completed, script_.ref(*last_answered_)}) != never;
}

// … and the peer's.
bool Player::has_answered_as_recorded() const {
  std::size_t answered = script_.peer_requests.size();
  while (answered > 0 && !is_answered(script_.planned.work[script_.peer_requests[answered - 1]])) --answered;
  const rnic::QueuePair* const qp = queue_pair();
  return qp != nullptr && inbox_.requests_answered(*qp) >= answered;
}

bool Player::has_said_all() {
  if (link_->busy()) link_->tell_when_said();
  return !link_->busy();
}

// What `speaker` has to say at the moment has come to `listener`, if only to be put by.
bool Player::is_all_heard(Player& speaker, const Player& listener) {
  return speaker.has_said_all() && speaker.link_->octets_said() == listener.link_->octets_heard();
}

// Before the first one that crosses everything else has been said, heard and answered.
bool Player::may_cross(std::uint32_t number) {
  const auto& crossing = script_.crossings[static_cast<std::size_t>(script_.role)];
  if (peer_ == nullptr || !crossing || crossing->first != number || crosses_) return true;
  if (!peer_->running_) return peer_->failed_;
  if (!peer_->in_rts()) return true;
  if (!has_answered_as_recorded() || !is_answered_as_recorded()) return false;
  if (!is_all_heard(*this, *peer_)) return false;
  crosses_ = true;
  peer_->put_by(true);
  return true;
}

// All that crosses the own end has come.
bool Player::has_peer_crossed() {
  const auto& crossing = script_.crossings[static_cast<std::size_t>(other(script_.role))];
  if (!crossing || peer_->link_->over()) return true;
  if (!peer_->running_) return peer_->failed_;
  if (!peer_->in_rts()) return true;
  const auto left = peer_->script_.own.begin() + static_cast<std::ptrdiff_t>(peer_->next_);
  const auto crosses = [&](std::uint32_t each) {
    const PlannedWork& work = script_.planned.work[each];
    return crossing->has(each) && !is_close(work.kind) && work.kind != WorkKind::terminate;
  };
  return std::none_of(left, peer_->script_.own.end(), crosses) && is_all_heard(*peer_, *this);
}

// Some work before `end`, an own one, or this itself had waited for what the peer says from `first` on. A FIN
// behind requests that seem to answer a Terminate does.
bool Player::hears(std::uint32_t first, std::uint32_t end) const {
  const bool closes = is_close(script_.planned.work[end].kind);
  return std::ranges::any_of(script_.own, [&](std::uint32_t each) {
    const PlannedWork& work = script_.planned.work[each];
    return each <= end && std::ranges::any_of(work.waits, [&](const Wait& wait) {
             return wait.work.stream == script_.number && wait.work.work >= first &&
                    wait.what != WaitFor::completed && (closes || !script_.is_unheard(work, wait));
           });
  });
}

// It has an own end to say that was said before the peer's one, `end`, was heard.
bool Player::is_to_end(std::uint32_t end) const {
  for (std::size_t i = next_; i < script_.own.size(); ++i) {
    const PlannedWork& work = script_.planned.work[script_.own[i]];
    if (!is_close(work.kind) && work.kind != WorkKind::terminate) continue;
    return in_rts() && !hears(end, script_.own[i]);
  }
  return false;
}

// Whether that Terminate or close may be said now.
bool Player::may_end(std::uint32_t number) {
  if (peer_ == nullptr) return true;
  const auto& crossing = script_.crossings[static_cast<std::size_t>(other(script_.role))];
  if (crossing && crossing->end == number && !crossing->caused && !has_peer_crossed()) return false;
  // Two ends that cross: what comes before this one is heard before that one is said.
  return !peer_->is_to_end(number) || is_all_heard(*this, *peer_);
}

// It was said, or is what comes of what the peer said.
void Player::let_peer_end(std::uint32_t end) {
  if (peer_ != nullptr && peer_->is_to_end(end)) peer_->put_by(true);
}

void Player::end_crossing() {
  if (peer_ == nullptr || !link_->puts_by()) return;
  const auto& crossing = script_.crossings[static_cast<std::size_t>(other(script_.role))];
  const bool at_end = next_ < script_.own.size() && crossing && script_.own[next_] == crossing->end;
  if (!in_rts() || stage_.posted >= stage_.options.limit) {
    put_by(false);
  } else if (at_end && crossing->caused && has_said_all() && has_peer_crossed()) {
    let_peer_end(crossing->end);
    put_by(false);
  }
}

}  // namespace iwarp::replay
