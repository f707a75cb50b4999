// Resource verbs and the RNIC's side of its LLP Streams.
// SPDX-License-Identifier: GPL-2.0-or-later
#include "rnic/soft_rnic.hpp"

#include <algorithm>

namespace iwarp::rnic {

SoftRnic::SoftRnic(const RnicOptions& options) : options_(options), memory_(options.memory, options.seed) {}

RnicAttributes SoftRnic::query_rnic() const {
  return {.limits = options_};
}

// --- PD ---------------------------------------------------------------------------------------------------

Outcome<PdId> SoftRnic::allocate_pd() {
  const PdId id = pds_.add(options_.max_pds);
  return {id == PdId::none ? Status::insufficient_resources : Status::ok, id};
}

Status SoftRnic::deallocate_pd(PdId pd) {
  const ProtectionDomain* domain = pds_.find(pd);
  if (domain == nullptr) return Status::invalid_pd;
  if (domain->users != 0 || memory_.uses(pd)) return Status::pd_in_use;
  pds_.remove(pd);
  return Status::ok;
}

// --- CQ ---------------------------------------------------------------------------------------------------

Outcome<CqId> SoftRnic::create_cq(std::uint32_t entries) {
  if (entries > options_.max_cqes) return {Status::too_many_cqes, CqId::none};
  const CqId id = cqs_.add(options_.max_cqs, entries);
  return {id == CqId::none ? Status::insufficient_resources : Status::ok, id};
}

Outcome<std::uint32_t> SoftRnic::query_cq(CqId cq) const {
  const CompletionQueue* queue = cqs_.find(cq);
  if (queue == nullptr) return {Status::invalid_cq, 0};
  return {Status::ok, queue->capacity()};
}

Status SoftRnic::modify_cq(CqId cq, std::uint32_t entries) {
  CompletionQueue* queue = cqs_.find(cq);
  if (queue == nullptr) return Status::invalid_cq;
  if (entries > options_.max_cqes) return Status::too_many_cqes;
  return queue->resize(entries) ? Status::ok : Status::queue_not_empty_enough;
}

Status SoftRnic::destroy_cq(CqId cq) {
  const CompletionQueue* queue = cqs_.find(cq);
  if (queue == nullptr) return Status::invalid_cq;
  if (queue->users != 0) return Status::cq_in_use;
  cqs_.remove(cq);
  return Status::ok;
}

void SoftRnic::give_back(const Completion& completion) {
  if (completion.srq != SrqId::none) {
    if (SharedReceiveQueue* srq = srqs_.find(completion.srq)) srq->queue.give_back(completion.places);
    return;
  }
  QueuePair* qp = qps_.find(completion.completion.qp);
  if (qp == nullptr) return;
  if (completion.completion.operation == Operation::receive) {
    qp->give_back_receive(completion.places);
  } else {
    qp->give_back_send(completion.places);
  }
}

Outcome<WorkCompletion> SoftRnic::poll_cq(CqId cq) {
  CompletionQueue* queue = cqs_.find(cq);
  if (queue == nullptr) return {Status::invalid_cq, {}};
  const std::optional<Completion> completion = queue->poll();
  if (!completion) return {Status::cq_empty, {}};
  give_back(*completion);
  return {Status::ok, completion->completion};
}

Status SoftRnic::request_notification(CqId cq, Notify type) {
  CompletionQueue* queue = cqs_.find(cq);
  if (queue == nullptr) return Status::invalid_cq;
  if (type != Notify::next && type != Notify::next_solicited) return Status::invalid_notify_type;
  queue->arm(type);
  return Status::ok;
}

bool SoftRnic::take_notification(CqId cq) {
  CompletionQueue* queue = cqs_.find(cq);
  return queue != nullptr && queue->take_notification();
}

// --- S-RQ -------------------------------------------------------------------------------------------------

Outcome<SrqId> SoftRnic::create_srq(const SrqAttributes& attributes) {
  ProtectionDomain* pd = pds_.find(attributes.pd);
  if (pd == nullptr) return {Status::invalid_pd, SrqId::none};
  if (attributes.max_wrs > options_.max_wrs) return {Status::too_many_wrs, SrqId::none};
  if (attributes.max_sges > Sgl::capacity) return {Status::too_many_sges, SrqId::none};
  if (attributes.limit > attributes.max_wrs) return {Status::srq_limit_out_of_range, SrqId::none};
  const SrqId id = srqs_.add(options_.max_srqs, attributes);
  if (id == SrqId::none) return {Status::insufficient_resources, id};
  ++pd->users;
  return {Status::ok, id};
}

Outcome<SrqState> SoftRnic::query_srq(SrqId srq) const {
  const SharedReceiveQueue* found = srqs_.find(srq);
  if (found == nullptr) return {Status::invalid_srq, {}};
  SrqState state;
  state.attributes = {found->pd(), found->queue.capacity(), found->queue.max_sges(), found->limit};
  state.limit_armed = found->armed;
  return {Status::ok, state};
}

Status SoftRnic::modify_srq(SrqId srq, const SrqChange& change) {
  SharedReceiveQueue* found = srqs_.find(srq);
  if (found == nullptr) return Status::invalid_srq;
  const std::uint32_t max_wrs = change.max_wrs.value_or(found->queue.capacity());
  const std::uint32_t limit = change.limit.value_or(found->limit);
  if (max_wrs > options_.max_wrs) return Status::too_many_wrs;
  if (max_wrs < found->queue.used()) return Status::queue_not_empty_enough;
  if (limit > max_wrs) return change.limit ? Status::srq_limit_out_of_range : Status::invalid_modifier;
  found->queue.resize(max_wrs);
  found->limit = limit;
  if (change.arm) found->armed = limit != 0;
  if (limit == 0) found->armed = false;
  return Status::ok;
}

Status SoftRnic::destroy_srq(SrqId srq) {
  const SharedReceiveQueue* found = srqs_.find(srq);
  if (found == nullptr) return Status::invalid_srq;
  if (found->users != 0) return Status::srq_in_use;
  --pds_.find(found->pd())->users;
  srqs_.remove(srq);
  return Status::ok;
}

PostResult SoftRnic::post_srq(SrqId srq, std::span<const ReceiveRequest> list) {
  SharedReceiveQueue* found = srqs_.find(srq);
  if (found == nullptr) return {Status::invalid_srq, 0};
  return found->queue.post(list, found->pd(), srq);
}

Status SoftRnic::fail_srq(SrqId srq) {
  SharedReceiveQueue* found = srqs_.find(srq);
  if (found == nullptr) return Status::invalid_srq;
  found->failed = true;
  events_.add({.kind = AsyncEventKind::srq_catastrophic, .srq = srq});
  return Status::ok;
}

// --- QP ---------------------------------------------------------------------------------------------------

Status SoftRnic::check_new_qp(const QpAttributes& attributes) const {
  if (pds_.find(attributes.pd) == nullptr) return Status::invalid_pd;
  if (cqs_.find(attributes.send_cq) == nullptr || cqs_.find(attributes.receive_cq) == nullptr)
    return Status::invalid_cq;
  const bool shared = attributes.srq != SrqId::none;
  const SharedReceiveQueue* srq = srqs_.find(attributes.srq);
  if (shared && srq == nullptr) return Status::invalid_srq;
  if (attributes.ord > options_.max_ord) return Status::ord_too_large;
  if (attributes.ird > options_.max_ird) return Status::ird_too_large;
  if (attributes.max_send_wrs > options_.max_wrs) return Status::too_many_wrs;
  if (!shared && attributes.max_receive_wrs > options_.max_wrs) return Status::too_many_wrs;
  if (std::max(attributes.max_send_sges, attributes.max_write_sges) > Sgl::capacity)
    return Status::too_many_sges;
  if (!shared && attributes.max_receive_sges > Sgl::capacity) return Status::too_many_sges;
  if (attributes.rq_limit != 0 && (!shared || attributes.rq_limit > srq->queue.capacity())) {
    return Status::rq_limit_out_of_range;
  }
  return Status::ok;
}

Outcome<QpId> SoftRnic::create_qp(const QpAttributes& attributes) {
  const Status status = check_new_qp(attributes);
  if (status != Status::ok) return {status, QpId::none};
  CompletionQueue& send_cq = *cqs_.find(attributes.send_cq);
  CompletionQueue& receive_cq = *cqs_.find(attributes.receive_cq);
  SharedReceiveQueue* srq = srqs_.find(attributes.srq);
  const QpSurroundings surroundings{memory_, events_, send_cq, receive_cq, srq};
  const QpCapabilities capabilities{options_.max_wrs, options_.max_ird, options_.max_ord,
                                    options_.flush_batch};
  const QpId id = qps_.add(options_.max_qps, attributes, surroundings, capabilities);
  if (id == QpId::none) return {Status::insufficient_resources, id};
  ++send_cq.users;
  ++receive_cq.users;
  if (srq != nullptr) ++srq->users;
  ++pds_.find(attributes.pd)->users;
  return {Status::ok, id};
}

Outcome<QpQuery> SoftRnic::query_qp(QpId qp) const {
  const QueuePair* found = qps_.find(qp);
  if (found == nullptr) return {Status::invalid_qp, {}};
  return {
      Status::ok,
      {found->attributes(), found->state(), found->stream(), found->rq_limit_armed(), found->terminate()}};
}

Status SoftRnic::modify_qp(QpId qp, const QpChange& change) {
  QueuePair* found = qps_.find(qp);
  if (found == nullptr) return Status::invalid_qp;
  LlpStream* llp = streams_.find(change.stream);
  const bool usable = llp != nullptr && llp->can_associate(change.stream_message);
  const QpState before = found->state();
  const Status status = found->modify(change, usable ? llp : nullptr);
  if (status == Status::ok && before == QpState::idle && change.next == QpState::rts) {
    llp->associate(*found, change.stream_message, now_);
  }
  return status;
}

Status SoftRnic::destroy_qp(QpId qp) {
  QueuePair* found = qps_.find(qp);
  if (found == nullptr) return Status::invalid_qp;
  if (memory_.windows_bound_to(qp)) return Status::windows_bound;
  if (LlpStream* llp = streams_.find(found->stream()); llp != nullptr && llp->qp() == qp) {
    llp->reset();
    llp->disassociate();
  }
  const QpAttributes attributes = found->attributes();
  found->abandon();
  const auto return_places = [this](const Completion& completion) { give_back(completion); };
  for (const CqId cq : {attributes.send_cq, attributes.receive_cq}) {
    CompletionQueue& queue = *cqs_.find(cq);
    queue.forget(qp, return_places);
    --queue.users;
  }
  if (SharedReceiveQueue* srq = srqs_.find(attributes.srq)) --srq->users;
  --pds_.find(attributes.pd)->users;
  qps_.remove(qp);
  return Status::ok;
}

PostResult SoftRnic::post_send(QpId qp, std::span<const WorkRequest> list) {
  QueuePair* found = qps_.find(qp);
  if (found == nullptr) return {Status::invalid_qp, 0};
  return found->post_send(list);
}

PostResult SoftRnic::post_receive(QpId qp, std::span<const ReceiveRequest> list) {
  QueuePair* found = qps_.find(qp);
  if (found == nullptr) return {Status::invalid_qp, 0};
  return found->post_receive(list);
}

// --- memory -----------------------------------------------------------------------------------------------

Outcome<std::uint32_t> SoftRnic::allocate_region(PdId pd, std::size_t max_buffers, bool remote_access,
                                                 std::optional<std::uint32_t> index) {
  if (pds_.find(pd) == nullptr) return {Status::invalid_pd, 0};
  return memory_.allocate_region(pd, max_buffers, remote_access, index);
}

Outcome<std::uint32_t> SoftRnic::register_region(PdId pd, Byte key, bool remote_access,
                                                 const Mapping& mapping, std::optional<std::uint32_t> index) {
  if (pds_.find(pd) == nullptr) return {Status::invalid_pd, 0};
  return memory_.register_region(pd, key, remote_access, mapping, index);
}

Outcome<std::uint32_t> SoftRnic::reregister_region(std::uint32_t index, PdId pd, Byte key, bool remote_access,
                                                   const Mapping& mapping) {
  const PdId known = pds_.find(pd) == nullptr ? PdId::none : pd;
  return memory_.reregister_region(index, known, key, remote_access, mapping);
}

Outcome<std::uint32_t> SoftRnic::register_shared(std::uint32_t source_index, PdId pd, Byte key,
                                                 bool remote_access, const Mapping& mapping,
                                                 std::optional<std::uint32_t> index) {
  if (pds_.find(pd) == nullptr) return {Status::invalid_pd, 0};
  return memory_.register_shared(source_index, pd, key, remote_access, mapping, index);
}

Outcome<std::uint32_t> SoftRnic::allocate_window(PdId pd, std::optional<std::uint32_t> index) {
  if (pds_.find(pd) == nullptr) return {Status::invalid_pd, 0};
  return memory_.allocate_window(pd, index);
}

Outcome<StagEntry> SoftRnic::query_stag(std::uint32_t index) const {
  const StagEntry* entry = memory_.find(index);
  if (entry == nullptr) return {Status::invalid_stag_index, {}};
  return {Status::ok, *entry};
}

// --- LLP Streams ------------------------------------------------------------------------------------------

StreamId SoftRnic::open_stream(const StreamParameters& parameters, TimeNs now) {
  now_ = now;
  if (parameters.mpa.private_data.size() > private_data_room(parameters.role, parameters.mpa))
    return StreamId::none;
  return streams_.add(options_.max_streams, parameters, stream_events_, options_.mutator, timers_, now);
}

Status SoftRnic::destroy_stream(StreamId stream) {
  const LlpStream* found = streams_.find(stream);
  if (found == nullptr || found->qp() != QpId::none) return Status::invalid_llp_stream;
  streams_.remove(stream);
  return Status::ok;
}

void SoftRnic::handle_input(StreamId stream, ByteView octets, TimeNs now) {
  now_ = now;
  if (LlpStream* found = streams_.find(stream)) found->handle_input(octets, now);
}

void SoftRnic::handle_close(StreamId stream, StreamClose how, TimeNs now) {
  now_ = now;
  if (LlpStream* found = streams_.find(stream)) found->handle_close(how, now);
}

// The stream of the first timer; null: none is due at any time. Stale ones go on the way.
LlpStream* SoftRnic::first_timer() const {
  while (!timers_.empty()) {
    const auto& first = timers_.front();
    LlpStream* const stream = streams_.find(first.what);
    if (stream != nullptr && stream->timer_stands(first.at)) return stream;
    timers_.pop_front();
  }
  return nullptr;
}

void SoftRnic::handle_timeout(TimeNs now) {
  now_ = now;
  for (LlpStream* due = first_timer(); due != nullptr && due->next_timeout() <= now; due = first_timer())
    due->handle_timeout(now);
  if (options_.flush_batch != 0) qps_.for_each([](QueuePair& qp) { qp.continue_flush(); });
}

TimeNs SoftRnic::next_timeout() const {
  const LlpStream* const first = first_timer();
  TimeNs next = first == nullptr ? never : first->next_timeout();
  if (options_.flush_batch != 0) {  // else a queue is flushed in one step
    qps_.for_each([&](const QueuePair& qp) {
      if (qp.flushing()) next = std::min(next, now_);
    });
  }
  return next;
}

Output SoftRnic::poll_output(StreamId stream, TimeNs now) {
  now_ = now;
  LlpStream* found = streams_.find(stream);
  return found == nullptr ? Output{} : found->poll_output(now);
}

}  // namespace iwarp::rnic
