// How a player comes to RTS: the connection, its QP, both start-up frames.
// SPDX-License-Identifier: GPL-2.0-or-later
#include "engine/player.hpp"
#include "engine/startup_parameters.hpp"

#include <iwarp/export/names.hpp>

namespace iwarp::replay {
namespace {

rnic::Rtr rnic_rtr(RtrKind kind) noexcept {
  switch (kind) {
    case RtrKind::send: return rnic::Rtr::send;
    case RtrKind::write: return rnic::Rtr::write;
    case RtrKind::read: return rnic::Rtr::read;
    case RtrKind::none: break;
  }
  return rnic::Rtr::none;
}

// The recorded kind where both ends named it, else one of the others; none where they have none in common.
RtrKind common_rtr(const rnic::Negotiated& both, RtrKind recorded) noexcept {
  const auto named = [&](RtrKind kind) {
    return (kind == RtrKind::read && both.rtr_read) || (kind == RtrKind::write && both.rtr_write) ||
           (kind == RtrKind::send && both.rtr_send);
  };
  for (const RtrKind each : {recorded, RtrKind::read, RtrKind::write, RtrKind::send}) {
    if (named(each)) return each;
  }
  return RtrKind::none;
}

}  // namespace

void Player::open(std::unique_ptr<Transport> transport) {
  link_ = &stage_.pump.add(std::move(transport), *this);
  if (script_.resets) link_->reset_instead_of_fin();
}

void Player::create_queues() {
  rnic::QpAttributes attributes = qp_attributes(script_.planned, script_.role, stage_.options);
  attributes.pd = host_.pd();
  outbox_.create(attributes);
  inbox_.create(attributes);
  qp_ = host_.rnic().create_qp(attributes).value;
  outbox_.use(qp_);
  inbox_.use(qp_);
  stage_.by_qp[host_.number()][qp_] = this;
}

std::array<Endpoint, 2> Player::ends() const {
  const Transport& transport = link_->transport();
  if (script_.role == Role::initiator) return {transport.local(), transport.peer()};
  return {transport.peer(), transport.local()};
}

void Player::on_established(Link& link, std::size_t max_segment) {
  established_at_ = stage_.clock.now();
  rnic::StreamParameters parameters =
      stream_parameters(script_.planned, script_.role, stage_.options, max_segment);
  const std::optional<PlannedStartup>& startup = script_.startup();
  if (startup) {
    stage_.names.rename(parameters.mpa.private_data, startup->mentions, host_.number(), script_.peer_host());
  }
  const bool tells = script_.role == Role::initiator || !stage_.both;
  if (tells && stage_.options.established) stage_.options.established(script_.number, ends());
  readiness_.begin(startup ? startup->time_ns : begin_of(script_.planned));
  if (stage_.options.mutator) parameters.mutator = stage_.options.mutator(script_.number, script_.role);
  readiness_.begin();
  create_queues();
  llp_ = host_.rnic().open_stream(parameters, stage_.now);
  stage_.by_stream[host_.number()][llp_] = this;
  stage_.note_active(host_);
  link.start(host_.rnic(), llp_);
  if (script_.role == Role::initiator) inbox_.post_receives();
  stage_.pump.touch(link);
}

void Player::take_event(rnic::StreamEventKind event) {
  switch (event) {
    case rnic::StreamEventKind::request_arrived:
      answered_ = true;
      start_up();
      break;
    case rnic::StreamEventKind::reply_arrived:
      answered_ = true;
      start_at_ = stage_.now + stage_.options.start_delay;
      if (!start_is_due()) link_->hold(true);
      break;
    case rnic::StreamEventKind::rejected:
      answered_ = true;
      if (!script_.planned.accepted) break;
      failed_ = true;
      stage_.troubles.push_back("stream " + std::to_string(script_.planned.number) +
                                ": the peer rejects the start-up, which the recorded one accepted");
      break;
    case rnic::StreamEventKind::failed:
      failed_ = true;
      if ((script_.planned.accepted || script_.peer_startup()) && !answered_) {
        stage_.troubles.push_back(
            "stream " + std::to_string(script_.planned.number) + ": the peer sends no MPA " +
            (script_.role == Role::initiator ? "Reply" : "Request") + " that could be taken");
      }
      break;
    default: break;
  }
  wake();
  if (link_ != nullptr) stage_.pump.touch(*link_);
}

// Whether Full Operation need not be waited for; begins it.
bool Player::start_is_due() {
  if (!start_at_) return true;
  if (stage_.now < *start_at_ && !link_->over()) return false;
  start_at_.reset();
  link_->hold(false);
  start_up();
  stage_.pump.touch(*link_);
  return true;
}

// A live peer may offer, or answer, another ready-to-receive message than was recorded.
void Player::agree_on_rtr(rnic::LlpStream& stream) {
  const rnic::Negotiated& both = stream.negotiated();
  RtrKind kind = both.peer_to_peer ? script_.rtr : RtrKind::none;
  if (script_.role == Role::responder && both.peer_to_peer) {
    kind = common_rtr(both, script_.rtr);
    if (kind == RtrKind::none) return;  // the RNIC says so
    stream.accept_rtr(rnic_rtr(kind));
  }
  script_.agree(kind, both.revision);
}

// The peer's frame is there.
void Player::start_up() {
  rnic::LlpStream& stream = *host_.rnic().stream(llp_);
  const std::optional<PlannedStartup>& peer = script_.peer_startup();
  if (peer) {
    stage_.names.learn(stream.peer_private_data(), peer->private_data.size(), peer->mentions,
                       script_.peer_host());
  }
  const std::optional<PlannedStartup>& own = script_.startup();
  Bytes private_data;
  if (own) private_data = own->private_data;
  if (own) stage_.names.rename(private_data, own->mentions, host_.number(), script_.peer_host());
  if (script_.role == Role::responder) {
    const std::string crowded = no_room(script_.planned, script_.role, stream.negotiated().enhanced);
    if (!crowded.empty()) {
      stage_.troubles.push_back(crowded + "; the peer asks for these");
      failed_ = true;
      (void)stream.reject({});
      return;
    }
    if (own && own->rejected) {
      (void)stream.reject(private_data);
      return;
    }
    if (!own && !script_.planned.accepted) return;  // nobody answered
    (void)stream.set_private_data(private_data);
  }
  agree_on_rtr(stream);
  inbox_.post_receives();  // of a responder the first ones: what comes first is known
  rnic::QpChange change;
  change.next = rnic::QpState::rts;
  change.stream = llp_;
  const rnic::Status status = host_.rnic().modify_qp(qp_, change);
  // Of a peer that closed right behind its frame there is no stream any more.
  if (status != rnic::Status::ok && link_->peer_done()) return;
  if (status != rnic::Status::ok) {
    stage_.troubles.push_back("stream " + std::to_string(script_.planned.number) + ", " +
                              role_name(script_.role) +
                              ": the QP does not come to RTS: " + rnic::text_of(status));
    return;
  }
  running_ = true;
  readiness_.begin();
  if (peer_ != nullptr) peer_->wake();
  if (stage_.order) stage_.order->note_established(script_.number, stage_.now);
}

}  // namespace iwarp::replay
