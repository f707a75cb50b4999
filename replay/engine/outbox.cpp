// SPDX-License-Identifier: GPL-2.0-or-later
#include "engine/outbox.hpp"

#include <algorithm>

namespace iwarp::replay {
namespace {

constexpr std::uint32_t max_requests = 1024;  // posted at once

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

void Outbox::create(rnic::QpAttributes& attributes) {
  std::uint64_t longest = 0;
  std::uint64_t octets = 0;
  for (const PlannedWork& work : script_.planned.work) {
    if (work.role != script_.role || (!uses_receive(work.kind) && work.kind != WorkKind::write)) continue;
    longest = std::max(longest, work.length);
    octets += work.length + 1;
  }
  sources_.emplace(host_.rnic(), host_.pd(), arena_size(octets, longest));
  attributes.max_send_wrs =
      static_cast<std::uint32_t>(std::clamp<std::size_t>(script_.own.size(), 1, max_requests));
  cq_ = host_.rnic().create_cq(attributes.max_send_wrs + 1).value;
  attributes.send_cq = cq_;
}

bool Outbox::post(std::uint32_t number) {
  const PlannedWork& work = script_.planned.work[number];
  switch (work.kind) {
    case WorkKind::read: return post_read(number, work);
    case WorkKind::atomic: return post_atomic(number, work);
    default: return post_payload(number, work);
  }
}

bool Outbox::give(std::uint32_t work, const rnic::WorkRequest& request) {
  const rnic::PostResult result = host_.rnic().post_send(qp_, request);
  if (result.status == rnic::Status::too_many_posted) return false;
  if (result.posted == 0) {
    stage_.troubles.push_back(std::string("work ") + std::to_string(work) + " of stream " +
                              std::to_string(script_.planned.number) +
                              " is refused: " + rnic::text_of(result.status));
    return true;
  }
  ++in_flight_;
  ++stage_.posted;
  stage_.gate.posted(script_.planned.work[work].length, stage_.now);
  stage_.octets_posted += script_.planned.work[work].length;
  return true;
}

bool Outbox::post_payload(std::uint32_t number, const PlannedWork& work) {
  rnic::WorkRequest request;
  request.id = number;
  request.operation = operation_of(work.kind);
  request.immediate = work.immediate;
  const LiveName name = stage_.names.of(script_.peer_host(), work.stag);
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
    stage_.names.rename(octets, work.mentions, host_.number(), script_.peer_host());
    request.sgl.add(*place);
  }
  if (stage_.options.recorded_segments && !work.segments.empty()) {
    request.segment_payload = *std::ranges::max_element(work.segments);
  }
  const std::size_t before = in_flight_;
  if (!give(number, request)) {
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

bool Outbox::post_read(std::uint32_t number, const PlannedWork& work) {
  // A Read known from its response alone: the plan's host has memory for it, a live peer has not.
  if (work.deduced && work.source_stag == 0 && !stage_.both) {
    stage_.troubles.push_back("work " + std::to_string(number) + " of stream " +
                              std::to_string(script_.planned.number) +
                              " is left out: where the recorded Read read is not known");
    stage_.progress.note_completed(script_.ref(number), stage_.now);
    return true;
  }
  rnic::WorkRequest request;
  request.id = number;
  request.operation = rnic::Operation::rdma_read;
  const LiveName source = stage_.names.of(script_.peer_host(), work.source_stag);
  request.stag = source.stag;
  request.to = work.source_to + source.distance;
  const LiveName sink = stage_.names.of(host_.number(), work.stag);
  request.sgl.add({sink.stag, static_cast<std::uint32_t>(work.length), work.to + sink.distance});
  const std::size_t before = in_flight_;
  if (!give(number, request)) return false;
  if (in_flight_ != before) source_taken_.push_back(false);
  return true;
}

bool Outbox::post_atomic(std::uint32_t number, const PlannedWork& work) {
  if (!work.atomic) return true;
  rnic::WorkRequest request;
  request.id = number;
  const bool add = work.atomic->operation == static_cast<std::uint8_t>(wire::AtomicOperation::fetch_add);
  request.operation = add ? rnic::Operation::fetch_add : rnic::Operation::cmp_swap;
  const LiveName name = stage_.names.of(script_.peer_host(), work.stag);
  request.stag = name.stag;
  request.to = work.to + name.distance;
  request.atomic = {work.atomic->add_swap_data, work.atomic->add_swap_mask, work.atomic->compare_data,
                    work.atomic->compare_mask};
  const std::size_t before = in_flight_;
  if (!give(number, request)) return false;
  if (in_flight_ != before) source_taken_.push_back(false);
  return true;
}

void Outbox::poll() {
  rnic::SoftRnic& rnic = host_.rnic();
  for (auto done = rnic.poll_cq(cq_); done; done = rnic.poll_cq(cq_)) {
    --in_flight_;
    if (source_taken_.front()) sources_->give_back_oldest();
    source_taken_.pop_front();
    if (done.value.status != rnic::CompletionStatus::success) continue;
    ++stage_.completed;
    stage_.progress.note_completed(script_.ref(static_cast<std::uint32_t>(done.value.id)), stage_.now);
  }
}

}  // namespace iwarp::replay
