// SPDX-License-Identifier: GPL-2.0-or-later
#include "engine/player.hpp"

#include <algorithm>

#include "engine/negotiation.hpp"
#include "rnic/segment.hpp"
#include "rnic/violation.hpp"

namespace iwarp::replay {
namespace {

constexpr std::size_t max_receives = 128;  // posted at once
constexpr std::uint32_t max_sends = 1024;
constexpr std::uint64_t arena_octets = std::uint64_t{1} << 20U;

bool uses_receive(WorkKind kind) noexcept {
  return is_send(kind) || kind == WorkKind::immediate || kind == WorkKind::immediate_se;
}

rnic::Operation operation_of(WorkKind kind) noexcept {
  switch (kind) {
    case WorkKind::send_inv: return rnic::Operation::send_inv;
    case WorkKind::send_se: return rnic::Operation::send_se;
    case WorkKind::send_se_inv: return rnic::Operation::send_se_inv;
    case WorkKind::write: return rnic::Operation::rdma_write;
    case WorkKind::immediate: return rnic::Operation::immediate;
    case WorkKind::immediate_se: return rnic::Operation::immediate_se;
    default: return rnic::Operation::send;
  }
}

}  // namespace

Player::Player(Stage& stage, std::uint32_t stream, Role role, Host& host)
    : stage_(stage),
      planned_(stage.plan.streams[stream]),
      number_(stream),
      role_(role),
      host_(host),
      peer_host_(planned_.hosts[static_cast<std::size_t>(other(role))]) {
  list_works();
  plan_faults();
}

void Player::list_works() {
  rtr_ = rtr_kind(planned_, stage_.options);
  rtr_as_recorded_ = rtr_as_recorded(planned_, stage_.options);
  if (!rtr_as_recorded_ && role_ == Role::responder) {
    unplanned_writes_ = rtr_ == RtrKind::write ? 1 : 0;
    unplanned_requests_ = rtr_ == RtrKind::read ? 1 : 0;
    unplanned_receives_ = rtr_ == RtrKind::send ? 1 : 0;
  }
  for (std::uint32_t i = 0; i < planned_.work.size(); ++i) {
    const PlannedWork& work = planned_.work[i];
    if (is_close(work.kind) || work.kind == WorkKind::terminate) closes_ = true;
    if (work.rtr && !rtr_as_recorded_) continue;
    if (work.role == role_) {
      // Empty messages that came first without being agreed on are messages like others.
      if (!work.rtr || rtr_ == RtrKind::none) own_.push_back(i);
    } else if (uses_receive(work.kind)) {
      peer_receives_.push_back(i);
    } else if (work.kind == WorkKind::write) {
      peer_writes_.push_back(i);
    } else if (work.kind == WorkKind::read || work.kind == WorkKind::atomic) {
      peer_requests_.push_back(i);
    } else if (work.kind == WorkKind::terminate) {
      peer_terminate_ = i;
    }
  }
}

// What the recorded application did wrong, told by the Terminates of its RNIC.
void Player::plan_faults() {
  for (const std::uint32_t number : own_) {
    const PlannedWork& work = planned_.work[number];
    if (work.kind != WorkKind::terminate || !work.quoted) continue;
    if (work.terminate_code == rnic::code::no_buffer) unreceived_ = work.quoted;
    if (work.terminate_code == rnic::code::too_long) too_long_ = work.quoted;
  }
  const auto has = [&](WorkKind kind) {
    return std::ranges::any_of(own_, [&](std::uint32_t each) { return planned_.work[each].kind == kind; });
  };
  const bool terminated = peer_terminate_ || has(WorkKind::terminate);
  resets_ = terminated && has(WorkKind::rst) && !has(WorkKind::fin);
}

// --- opening
// -------------------------------------------------------------------------------------------------

void Player::open(std::unique_ptr<Transport> transport) {
  link_ = &stage_.pump.add(std::move(transport), *this);
  if (resets_) link_->reset_instead_of_fin();
}

void Player::create_queues() {
  rnic::SoftRnic& rnic = host_.rnic();
  std::uint64_t longest_source = 0;
  std::uint64_t longest_buffer = 0;
  std::uint64_t sources = 0;
  std::uint64_t buffers = 0;
  for (const PlannedWork& work : planned_.work) {
    if (!uses_receive(work.kind) && work.kind != WorkKind::write) continue;
    if (work.role == role_) {
      longest_source = std::max(longest_source, work.length);
      sources += work.length + 1;
    } else if (uses_receive(work.kind)) {
      longest_buffer = std::max(longest_buffer, work.length);
      buffers += work.length + 1;
    }
  }
  sources_.emplace(rnic, host_.pd(), std::min(sources, std::max(arena_octets, 2 * longest_source + 2)));
  buffers_.emplace(rnic, host_.pd(), std::min(buffers, std::max(arena_octets, 2 * longest_buffer + 2)));
  rnic::QpAttributes attributes = qp_attributes(planned_, role_, stage_.options);
  attributes.pd = host_.pd();
  attributes.max_send_wrs = static_cast<std::uint32_t>(std::clamp<std::size_t>(own_.size(), 1, max_sends));
  attributes.max_receive_wrs = max_receives;
  attributes.hold_off = !unreceived_;
  send_cq_ = rnic.create_cq(attributes.max_send_wrs + 1).value;
  receive_cq_ = rnic.create_cq(max_receives + 1).value;
  attributes.send_cq = send_cq_;
  attributes.receive_cq = receive_cq_;
  qp_ = rnic.create_qp(attributes).value;
  stage_.by_qp[host_.number()][qp_] = this;
}

void Player::on_established(Link& link, std::size_t max_segment) {
  rnic::StreamParameters parameters = stream_parameters(planned_, role_, stage_.options, max_segment);
  const std::optional<PlannedStartup>& startup = planned_.startup[static_cast<std::size_t>(role_)];
  if (startup) {
    stage_.names.rename(parameters.mpa.private_data, startup->mentions, host_.number(), peer_host_);
    last_recorded_ = startup->time_ns;
  }
  if (stage_.options.mutator) parameters.mutator = stage_.options.mutator(number_, role_);
  last_posted_ = stage_.now;
  create_queues();
  llp_ = host_.rnic().open_stream(parameters, stage_.now);
  stage_.by_stream[host_.number()][llp_] = this;
  stage_.note_active(host_);
  link.start(host_.rnic(), llp_);
  post_receives();
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
      if (!planned_.accepted) break;
      failed_ = true;
      stage_.troubles.push_back("stream " + std::to_string(planned_.number) +
                                ": the peer rejects the start-up, which the recorded one accepted");
      break;
    case rnic::StreamEventKind::failed: failed_ = true; break;
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

// The peer's frame is there.
void Player::start_up() {
  rnic::LlpStream& stream = *host_.rnic().stream(llp_);
  const std::optional<PlannedStartup>& peer = planned_.startup[static_cast<std::size_t>(other(role_))];
  if (peer) {
    stage_.names.learn(stream.peer_private_data(), peer->private_data.size(), peer->mentions, peer_host_);
  }
  const std::optional<PlannedStartup>& own = planned_.startup[static_cast<std::size_t>(role_)];
  Bytes private_data;
  if (own) private_data = own->private_data;
  if (own) stage_.names.rename(private_data, own->mentions, host_.number(), peer_host_);
  if (role_ == Role::responder) {
    if (own && own->rejected) {
      (void)stream.reject(private_data);
      return;
    }
    if (!own && !planned_.accepted) return;  // nobody answered
    (void)stream.set_private_data(private_data);
  }
  rnic::QpChange change;
  change.next = rnic::QpState::rts;
  change.stream = llp_;
  const rnic::Status status = host_.rnic().modify_qp(qp_, change);
  if (status != rnic::Status::ok) {
    stage_.troubles.push_back(std::string("the QP does not come to RTS: ") + rnic::text_of(status));
    return;
  }
  running_ = true;
  last_posted_ = stage_.now;
  if (stage_.order) stage_.order->note_established(number_, stage_.now);
}

void Player::take_event(rnic::AsyncEventKind event) {
  if (event == rnic::AsyncEventKind::terminate_received && peer_terminate_) {
    stage_.progress.note_arrived(ref(*peer_terminate_), stage_.now);
  }
  wake();
}

// --- what happens
// --------------------------------------------------------------------------------------------

void Player::on_activity(Link& /*link*/) {
  stage_.note_active(host_);
  poll();
  advance();
}

void Player::on_peer_closed(Link& /*link*/) {
  stage_.note_active(host_);
  stage_.progress.note_closed(number_, other(role_), stage_.now);
  advance();
}

void Player::on_over(Link& /*link*/) {
  stage_.note_active(host_);
  wake();
  poll();
  stage_.progress.note_closed(number_, other(role_), stage_.now);
  stage_.progress.note_over(number_, stage_.now);
}

bool Player::in_rts() const {
  const rnic::QueuePair* const qp = queue_pair();
  return running_ && qp != nullptr && qp->state() == rnic::QpState::rts;
}

void Player::poll() {
  if (qp_ == rnic::QpId::none) return;
  poll_sends();
  poll_receives();
  note_peer_progress();
  post_receives();
}

void Player::poll_sends() {
  rnic::SoftRnic& rnic = host_.rnic();
  for (auto done = rnic.poll_cq(send_cq_); done; done = rnic.poll_cq(send_cq_)) {
    --in_flight_;
    if (source_taken_.front()) sources_->give_back_oldest();
    source_taken_.pop_front();
    if (done.value.status != rnic::CompletionStatus::success) continue;
    ++stage_.completed;
    stage_.progress.note_completed(ref(static_cast<std::uint32_t>(done.value.id)), stage_.now);
  }
}

void Player::poll_receives() {
  rnic::SoftRnic& rnic = host_.rnic();
  for (auto done = rnic.poll_cq(receive_cq_); done; done = rnic.poll_cq(receive_cq_)) {
    const Slot slot = slots_.front();
    slots_.pop_front();
    if (slot.work == no_work) {
      unplanned_received_ = done.value.status == rnic::CompletionStatus::success;
      continue;
    }
    if (done.value.status == rnic::CompletionStatus::success) {
      learn(slot, done.value);
      stage_.progress.note_arrived(ref(slot.work), stage_.now);
      ++received_;
    }
    buffers_->give_back_oldest();
  }
}

void Player::learn(const Slot& slot, const rnic::WorkCompletion& completion) {
  const PlannedWork& work = planned_.work[slot.work];
  if (work.mentions.empty()) return;
  const std::size_t length = std::min<std::size_t>(completion.length, slot.place.length);
  stage_.names.learn(buffers_->octets(slot.place).first(length), work.length, work.mentions, peer_host_);
}

void Player::note_peer_progress() {
  const rnic::QueuePair* const qp = queue_pair();
  if (qp == nullptr) return;
  const rnic::PeerProgress& peer = qp->peer_progress();
  const std::uint64_t placed = peer.writes_placed - std::min(peer.writes_placed, unplanned_writes_);
  for (; writes_ < std::min<std::size_t>(placed, peer_writes_.size()); ++writes_) {
    stage_.progress.note_arrived(ref(peer_writes_[writes_]), stage_.now);
  }
  const std::uint64_t arrived = peer.requests_arrived - std::min(peer.requests_arrived, unplanned_requests_);
  for (; requests_ < std::min<std::size_t>(arrived, peer_requests_.size()); ++requests_) {
    stage_.progress.note_arrived(ref(peer_requests_[requests_]), stage_.now);
  }
  // The next one to be served: its answer has not begun.
  const auto served = static_cast<std::size_t>(requests_answered(*qp));
  if (served < requests_) host_.before_serve(ref(peer_requests_[served]));
}

// Of the plan's.
std::uint64_t Player::requests_answered(const rnic::QueuePair& qp) const {
  const std::uint64_t answered = qp.peer_progress().requests_answered;
  return answered - std::min(answered, unplanned_requests_);
}

void Player::post_receives() {
  if (qp_ == rnic::QpId::none) return;
  if (unplanned_receives_ != 0 && host_.rnic().post_receive(qp_, rnic::ReceiveRequest()).posted != 0) {
    slots_.push_back({no_work, {}});
    --unplanned_receives_;
  }
  while (next_receive_ < peer_receives_.size() && slots_.size() < max_receives) {
    const std::uint32_t number = peer_receives_[next_receive_];
    if (unreceived_ == number) return;
    std::uint64_t length = planned_.work[number].length;
    if (too_long_ == number && length > 0) --length;
    const auto place = buffers_->take(static_cast<std::uint32_t>(length));
    if (!place) return;
    rnic::ReceiveRequest request;
    request.id = number;
    if (length > 0) request.sgl.add(*place);
    if (host_.rnic().post_receive(qp_, request).posted == 0) {
      next_receive_ = peer_receives_.size();  // the QP takes none any more
      return;
    }
    slots_.push_back({number, *place});
    ++next_receive_;
  }
}

// --- posting
// -------------------------------------------------------------------------------------------------

void Player::advance() {
  if (inside_ || llp_ == rnic::StreamId::none) return;
  if (!start_is_due()) {
    stage_.schedule.wake_at(player_number(number_, role_), *start_at_);
    return;
  }
  inside_ = true;
  due_ = never;
  bool any = false;
  while (next_ < own_.size()) {
    const std::size_t in_flight = in_flight_;
    if (!try_post(own_[next_])) break;
    if (stage_.order) stage_.order->note_tried(ref(own_[next_]), in_flight_ > in_flight, stage_.now);
    last_posted_ = std::max(last_posted_, stage_.now);
    last_recorded_ = std::max(last_recorded_, planned_.work[own_[next_]].time_ns);
    ++next_;
    any = true;
  }
  inside_ = false;
  stage_.schedule.wake_at(player_number(number_, role_), due_);
  if (!any) return;
  stage_.note_active(host_);
  if (link_ != nullptr) stage_.pump.touch(*link_);
}

// The peer's last message before the frame that told of this STag of its.
std::optional<WorkRef> Player::advertisement_of(std::uint32_t stag, FrameNumber used) const {
  std::optional<WorkRef> last;
  for (const PlannedRegion& region : stage_.plan.hosts[peer_host_].regions) {
    if (region.stag != stag || !region.advertised) continue;
    if (work_of(stage_.plan, *region.advertised).frame < used) last = region.advertised;
  }
  return last;
}

// False: not yet; advance() is called again when something happens on that stream.
bool Player::has_happened(TimeNs when, std::uint32_t stream) {
  if (when == never) stage_.schedule.wake_after(player_number(number_, role_), stream);
  return when != never;
}

// Whether what the work waits for has happened, and its time has come.
bool Player::due(std::uint32_t number, const PlannedWork& work) {
  TimeNs ready = 0;
  TimeNs recorded = last_recorded_;
  for (const Wait& wait : work.waits) {
    if (!stage_.played[wait.work.stream]) continue;
    const PlannedWork& waited = work_of(stage_.plan, wait.work);
    // The RNIC's own ready-to-receive message makes no completion, and is in front of everything.
    if (waited.rtr && (!rtr_as_recorded_ || (waited.role == role_ && rtr_ != RtrKind::none))) continue;
    const TimeNs when = stage_.progress.when(wait);
    if (!has_happened(when, wait.work.stream)) return false;
    ready = std::max(ready, when);
    recorded = std::max(recorded, waited.time_ns);
  }
  // Against a live peer what the plan's other streams tell of must be known, too.
  if (!stage_.both && work.length > 0) {
    const std::uint32_t stag = work.kind == WorkKind::read ? work.source_stag : work.stag;
    const bool remote =
        work.kind == WorkKind::read || work.kind == WorkKind::write || work.kind == WorkKind::atomic;
    const auto told = remote ? advertisement_of(stag, work.first_frame) : std::nullopt;
    if (told && stage_.played[told->stream]) {
      const TimeNs when = stage_.progress.arrived(*told);
      if (!has_happened(when, told->stream)) return false;
      ready = std::max(ready, when);
    }
  }
  if (stage_.order) {
    const auto turn = stage_.order->turn_of(ref(number));
    if (!turn) return false;
    ready = std::max(ready, turn->since);
    recorded = std::max(recorded, turn->recorded);
  }
  TimeNs at = 0;
  if (stage_.options.timing == Timing::causal) {
    at = std::max(last_posted_, ready) + stage_.timeline.pause(work.time_ns - recorded);
  } else if (stage_.options.timing == Timing::original) {
    at = stage_.timeline.at(work.time_ns);
  }
  if (at > stage_.now) {
    due_ = at;
    return false;
  }
  if (!stage_.gate.admits(player_number(number_, role_), number, work.time_ns, stage_.now)) return false;
  due_at_ = at;
  ready_at_ = ready;
  return true;
}

void Player::note_punctuality() {
  if (stage_.options.timing != Timing::original) return;
  if (ready_at_ > due_at_) {
    ++stage_.punctuality.waited;
  } else {
    stage_.punctuality.late.push_back(stage_.clock.now() - due_at_);
  }
}

// False: not yet.
bool Player::try_post(std::uint32_t number) {
  const PlannedWork& work = planned_.work[number];
  if (link_->over()) return true;  // there is nothing to post it to
  if (is_close(work.kind)) return try_close(number, work);
  if (!running_) return failed_;
  if (!in_rts()) return true;  // the QP takes no work any more
  if (!due(number, work)) return false;
  if (work.kind == WorkKind::terminate) return try_terminate(work);
  if (stage_.posted >= stage_.options.limit) return false;
  host_.before_post(ref(number));
  switch (work.kind) {
    case WorkKind::read: return post_read(number, work);
    case WorkKind::atomic: return post_atomic(number, work);
    default: return post_payload(number, work);
  }
}

bool Player::post(std::uint32_t work, const rnic::WorkRequest& request) {
  const rnic::PostResult result = host_.rnic().post_send(qp_, request);
  if (result.status == rnic::Status::too_many_posted) return false;
  if (result.posted == 0) {
    stage_.troubles.push_back(std::string("work ") + std::to_string(work) + " of stream " +
                              std::to_string(planned_.number) +
                              " is refused: " + rnic::text_of(result.status));
    return true;
  }
  ++in_flight_;
  ++stage_.posted;
  note_punctuality();
  stage_.gate.posted(planned_.work[work].length, stage_.now);
  stage_.octets_posted += planned_.work[work].length;
  return true;
}

bool Player::post_payload(std::uint32_t number, const PlannedWork& work) {
  rnic::WorkRequest request;
  request.id = number;
  request.operation = operation_of(work.kind);
  request.immediate = work.immediate;
  const LiveName name = stage_.names.of(peer_host_, work.stag);
  request.stag = name.stag;
  request.to = work.to + name.distance;
  bool taken = false;
  const bool payload = work.kind == WorkKind::write || is_send(work.kind);
  if (payload && work.length > 0) {
    const auto place = sources_->take(static_cast<std::uint32_t>(work.length));
    if (!place) return false;
    taken = true;
    const std::span<Byte> octets = sources_->octets(*place);
    copy_octets(stage_.plan.payloads, stage_.plan.seed, work.content, 0, octets);
    stage_.names.rename(octets, work.mentions, host_.number(), peer_host_);
    request.sgl.add(*place);
  }
  if (stage_.options.recorded_segments && !work.segments.empty()) {
    request.segment_payload = *std::ranges::max_element(work.segments);
  }
  const std::size_t before = in_flight_;
  if (!post(number, request)) {
    if (taken) sources_->give_back_newest();
    return false;
  }
  if (in_flight_ != before) {
    source_taken_.push_back(taken);
  } else if (taken) {
    sources_->give_back_newest();
  }
  return true;
}

bool Player::post_read(std::uint32_t number, const PlannedWork& work) {
  // A Read that only its response told of: the plan's host has memory for it, a live peer has not.
  if (work.deduced && work.source_stag == 0 && !stage_.both) {
    stage_.troubles.push_back("work " + std::to_string(number) + " of stream " +
                              std::to_string(planned_.number) +
                              " is left out: where the recorded Read read is not known");
    stage_.progress.note_completed(ref(number), stage_.now);
    return true;
  }
  rnic::WorkRequest request;
  request.id = number;
  request.operation = rnic::Operation::rdma_read;
  const LiveName source = stage_.names.of(peer_host_, work.source_stag);
  request.stag = source.stag;
  request.to = work.source_to + source.distance;
  const LiveName sink = stage_.names.of(host_.number(), work.stag);
  request.sgl.add({sink.stag, static_cast<std::uint32_t>(work.length), work.to + sink.distance});
  const std::size_t before = in_flight_;
  if (!post(number, request)) return false;
  if (in_flight_ != before) source_taken_.push_back(false);
  return true;
}

bool Player::post_atomic(std::uint32_t number, const PlannedWork& work) {
  if (!work.atomic) return true;
  rnic::WorkRequest request;
  request.id = number;
  const bool add = work.atomic->operation == static_cast<std::uint8_t>(wire::AtomicOperation::fetch_add);
  request.operation = add ? rnic::Operation::fetch_add : rnic::Operation::cmp_swap;
  const LiveName name = stage_.names.of(peer_host_, work.stag);
  request.stag = name.stag;
  request.to = work.to + name.distance;
  request.atomic = {work.atomic->add_swap_data, work.atomic->add_swap_mask, work.atomic->compare_data,
                    work.atomic->compare_mask};
  const std::size_t before = in_flight_;
  if (!post(number, request)) return false;
  if (in_flight_ != before) source_taken_.push_back(false);
  return true;
}

// An RNIC terminates by itself what breaks a rule; what its application or itself had done is done here.
bool Player::try_terminate(const PlannedWork& work) {
  if (work.quoted && stage_.progress.arrived(ref(*work.quoted)) == never) return false;
  if (!rtr_over()) return false;
  rnic::SoftRnic& rnic = host_.rnic();
  if (work.terminate_code == rnic::code::local_catastrophic) {
    rnic::QpChange change;
    change.next = rnic::QpState::terminate;
    return rnic.modify_qp(qp_, change) == rnic::Status::ok;
  }
  Bytes ulpdu;
  wire::encode(rnic::untagged_header(wire::Opcode::terminate, 1, 0, true), ulpdu);
  ulpdu.insert(ulpdu.end(), work.terminate.begin(), work.terminate.end());
  rnic.stream(llp_)->inject(ulpdu, {});
  return true;
}

// No plan says that anything waits for a ready-to-receive message that was not recorded, but an end must not
// come before it.
bool Player::rtr_over() const {
  const rnic::QueuePair* const qp = queue_pair();
  if (rtr_as_recorded_ || rtr_ == RtrKind::none || qp == nullptr) return true;
  if (role_ == Role::initiator) return qp->send_queue_empty();
  switch (rtr_) {
    case RtrKind::write: return qp->peer_progress().writes_placed != 0;
    case RtrKind::read: return qp->peer_progress().requests_answered != 0;
    case RtrKind::send: return unplanned_received_;
    case RtrKind::none: break;
  }
  return true;
}

// Everything that the peer has to say before it hears of this close has come, and was answered.
bool Player::quiet_for(std::uint32_t close) {
  if (in_flight_ != 0) return false;
  for (; quiet_next_ < planned_.work.size(); ++quiet_next_) {
    const PlannedWork& work = planned_.work[quiet_next_];
    if (work.role == role_ || (work.rtr && !rtr_as_recorded_)) continue;
    const bool hears =
        std::ranges::any_of(work.waits, [](const Wait& wait) { return wait.what == WaitFor::closed; });
    const bool later = quiet_next_ > close;
    if (is_close(work.kind) || hears) break;
    if (later && (planned_.work[close].kind == WorkKind::rst || work.kind == WorkKind::terminate)) break;
    if (work.outcome != OperationStatus::complete && work.kind != WorkKind::terminate) continue;
    if (stage_.progress.arrived(ref(quiet_next_)) == never) return false;
    if (work.kind == WorkKind::read || work.kind == WorkKind::atomic) ++quiet_requests_;
  }
  const rnic::QueuePair* const qp = queue_pair();
  return qp == nullptr || requests_answered(*qp) >= quiet_requests_;
}

bool Player::try_close(std::uint32_t number, const PlannedWork& work) {
  rnic::SoftRnic& rnic = host_.rnic();
  rnic::LlpStream* const stream = rnic.stream(llp_);
  const bool gracefully = work.kind == WorkKind::fin;
  if (!running_) {
    const bool replied = planned_.accepted || (planned_.startup[1] && planned_.startup[1]->rejected);
    const bool expected = role_ == Role::initiator ? replied : planned_.accepted || planned_.startup[0];
    if (expected && !answered_ && !failed_) return false;
    // What the recorded close had waited for does not come behind a start-up that failed.
    if (!failed_ && !due(number, work)) return false;
    if (stream != nullptr) stream->close(gracefully, stage_.now);
    return true;
  }
  if (!in_rts()) {
    // The QP closes by itself, but for a reset that was recorded.
    if (!gracefully && !resets_ && stream != nullptr && due(number, work)) stream->close(false, stage_.now);
    return true;
  }
  if (!quiet_for(number) || !rtr_over() || !due(number, work)) return false;
  rnic::QpChange change;
  change.next = gracefully ? rnic::QpState::closing : rnic::QpState::error;
  return rnic.modify_qp(qp_, change) == rnic::Status::ok;
}

bool Player::settled() const {
  const bool limited = stage_.posted >= stage_.options.limit;
  if (link_ == nullptr) return limited;
  if (link_->over()) return true;
  if (limited) return in_flight_ == 0 && link_->flushed();
  if (next_ < own_.size()) return false;
  if (closes_ || in_flight_ != 0 || !link_->flushed()) return false;
  if (!running_) return !planned_.accepted;
  if (unreceived_) return false;
  const rnic::QueuePair* const qp = queue_pair();
  return received_ >= peer_receives_.size() && writes_ >= peer_writes_.size() && qp != nullptr &&
         requests_answered(*qp) >= peer_requests_.size();
}

std::string Player::describe_wait() const {
  std::string text = std::string(role_ == Role::initiator ? "initiator" : "responder") + " of stream " +
                     std::to_string(planned_.number) + ": ";
  if (link_ == nullptr) return text + "no connection";
  if (!running_ && planned_.accepted) return text + "the start-up is not over";
  if (next_ < own_.size()) {
    const PlannedWork& work = planned_.work[own_[next_]];
    text += "before " + std::string(work_kind_name(work.kind)) + " of work " + std::to_string(own_[next_]);
    for (const Wait& wait : work.waits) {
      if (stage_.progress.when(wait) == never)
        text += ", which waits for work " + std::to_string(wait.work.work);
    }
    return text;
  }
  return text + "all is posted; " + std::to_string(in_flight_) + " not complete, " +
         std::to_string(received_) + " of " + std::to_string(peer_receives_.size()) + " messages received, " +
         std::to_string(writes_) + " of " + std::to_string(peer_writes_.size()) + " Writes placed" +
         (closes_ ? ", the connection is open" : "");
}

}  // namespace iwarp::replay
