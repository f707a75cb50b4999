// SPDX-License-Identifier: GPL-2.0-or-later
#include "engine/inbox.hpp"

#include <algorithm>

namespace iwarp::replay {
namespace {

constexpr std::size_t max_receives = 128;  // posted at once

}  // namespace

void Inbox::create(rnic::QpAttributes& attributes) {
  std::uint64_t longest = 0;
  std::uint64_t octets = 0;
  for (const PlannedWork& work : script_.planned.work) {
    if (work.role == script_.role || !uses_receive(work.kind)) continue;
    longest = std::max(longest, work.length);
    octets += work.length + 1;
  }
  buffers_.emplace(host_.rnic(), host_.pd(), arena_size(octets, longest));
  attributes.max_receive_wrs = max_receives;
  attributes.hold_off = !script_.unreceived;
  cq_ = host_.rnic().create_cq(max_receives + 1).value;
  attributes.receive_cq = cq_;
}

void Inbox::post_receives() {
  if (unplanned_posted_ < script_.unplanned_receives &&
      host_.rnic().post_receive(qp_, rnic::ReceiveRequest()).posted != 0) {
    slots_.push_back({no_work, {}});
    ++unplanned_posted_;
  }
  while (next_receive_ < script_.peer_receives.size() && slots_.size() < max_receives) {
    const std::uint32_t number = script_.peer_receives[next_receive_];
    if (script_.unreceived == number) return;
    std::uint64_t length = script_.planned.work[number].length;
    if (script_.too_long == number && length > 0) --length;
    const auto place = buffers_->take(static_cast<std::uint32_t>(length));
    if (!place) return;
    rnic::ReceiveRequest request;
    request.id = number;
    if (length > 0) request.sgl.add(*place);
    if (host_.rnic().post_receive(qp_, request).posted == 0) {
      next_receive_ = script_.peer_receives.size();  // the QP takes none any more
      return;
    }
    slots_.push_back({number, *place});
    ++next_receive_;
  }
}

void Inbox::poll() {
  rnic::SoftRnic& rnic = host_.rnic();
  for (auto done = rnic.poll_cq(cq_); done; done = rnic.poll_cq(cq_)) {
    const Slot slot = slots_.front();
    slots_.pop_front();
    if (slot.work == no_work) {
      unplanned_received_ = done.value.status == rnic::CompletionStatus::success;
      continue;
    }
    if (done.value.status == rnic::CompletionStatus::success) {
      learn(slot, done.value);
      host_.behind(script_.ref(slot.work));
      stage_.progress.note_arrived(script_.ref(slot.work), stage_.now);
      ++received_;
    }
    buffers_->give_back_oldest();
  }
}

void Inbox::learn(const Slot& slot, const rnic::WorkCompletion& completion) {
  const PlannedWork& work = script_.planned.work[slot.work];
  if (work.mentions.empty()) return;
  const std::size_t length = std::min<std::size_t>(completion.length, slot.place.length);
  stage_.names.learn(buffers_->octets(slot.place).first(length), work.length, work.mentions,
                     script_.peer_host());
}

// An RDMA Write may tell, too: rsockets' peers write where their next buffer is.
void Inbox::learn_from_write(const PlannedWork& write) {
  if (write.mentions.empty()) return;
  stage_.names.learn(host_.memory(write.stag, write.to, write.length), write.length, write.mentions,
                     script_.peer_host());
}

void Inbox::note_progress(const rnic::QueuePair& qp) {
  const rnic::PeerProgress& peer = qp.peer_progress();
  const std::uint64_t placed = peer.writes_placed - std::min(peer.writes_placed, script_.unplanned_writes);
  for (; writes_ < std::min<std::size_t>(placed, script_.peer_writes.size()); ++writes_) {
    learn_from_write(script_.planned.work[script_.peer_writes[writes_]]);
    host_.behind(script_.ref(script_.peer_writes[writes_]));
    stage_.progress.note_arrived(script_.ref(script_.peer_writes[writes_]), stage_.now);
  }
  const std::uint64_t arrived =
      peer.requests_arrived - std::min(peer.requests_arrived, script_.unplanned_requests);
  for (; requests_ < std::min<std::size_t>(arrived, script_.peer_requests.size()); ++requests_) {
    stage_.progress.note_arrived(script_.ref(script_.peer_requests[requests_]), stage_.now);
  }
  // The next one to be served: its answer has not begun.
  const auto served = static_cast<std::size_t>(requests_answered(qp));
  for (; served_ < std::min(served, script_.peer_requests.size()); ++served_)
    host_.behind(script_.ref(script_.peer_requests[served_]));
  if (served < requests_) host_.before_serve(script_.ref(script_.peer_requests[served]));
}

std::uint64_t Inbox::requests_answered(const rnic::QueuePair& qp) const {
  const std::uint64_t answered = qp.peer_progress().requests_answered;
  return answered - std::min(answered, script_.unplanned_requests);
}

bool Inbox::complete(const rnic::QueuePair& qp, std::uint64_t doubtful) const {
  return received_ >= script_.peer_receives.size() && writes_ >= script_.peer_writes.size() &&
         requests_answered(qp) + doubtful >= script_.peer_requests.size();
}

std::string Inbox::describe() const {
  return std::to_string(received_) + " of " + std::to_string(script_.peer_receives.size()) +
         " messages received, " + std::to_string(writes_) + " of " +
         std::to_string(script_.peer_writes.size()) + " Writes placed";
}

}  // namespace iwarp::replay
