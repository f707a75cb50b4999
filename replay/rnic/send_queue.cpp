// Send Queue: posting, processing, completing.
// SPDX-License-Identifier: GPL-2.0-or-later
#include "rnic/send_queue.hpp"

#include <algorithm>
#include <limits>

#include "rnic/segment.hpp"

namespace iwarp::rnic {
namespace {

using State = SendWqe::State;
constexpr std::uint64_t max_message = std::numeric_limits<std::uint32_t>::max();  // RFC 5041 §4: below 2^32
// siw: some hardware treats STag 0 of a zero-length operation specially.
constexpr std::uint32_t rtr_stag = 1;

wire::Opcode opcode_of(Operation operation) noexcept {
  switch (operation) {
    case Operation::send: return wire::Opcode::send;
    case Operation::send_se: return wire::Opcode::send_se;
    case Operation::send_inv: return wire::Opcode::send_inv;
    case Operation::send_se_inv: return wire::Opcode::send_se_inv;
    case Operation::immediate: return wire::Opcode::immediate;
    case Operation::immediate_se: return wire::Opcode::immediate_se;
    default: return wire::Opcode::rdma_write;
  }
}

// Verbs 1.0 §7.2.1 (6). Where Index and Key are modifiers of their own the Index tells (figure 27).
bool names_stag_zero(const WorkRequest& request) noexcept {
  switch (request.operation) {
    case Operation::bind_window:
      return stag_index(request.binding.window) == 0 || request.binding.region == 0;
    case Operation::fast_register: return stag_index(request.region) == 0;
    case Operation::local_invalidate: return request.stag == 0;
    default: return false;
  }
}

// Checks the whole list before anything is sent, so that no message is begun that cannot be finished.
CompletionStatus check_sources(const WorkRequest& request, const MemoryTable& memory, const Accessor& self) {
  for (const Sge& element : request.sgl) {
    if (element.length == 0) continue;
    const MemoryRange range = memory.check_local(element, access::local_read, self);
    if (range.fault != MemoryFault::none) return status_of(range.fault);
  }
  return CompletionStatus::success;
}

// Appends `size` octets of the message from `offset` on. The elements are checked again: what was invalidated
// since may not be touched.
CompletionStatus gather(const Sgl& sgl, std::uint64_t offset, std::uint32_t size, Bytes& out,
                        const MemoryTable& memory, const Accessor& self) {
  for (const Sge& element : sgl) {
    if (size == 0) break;
    if (offset >= element.length) {
      offset -= element.length;
      continue;
    }
    const auto piece = static_cast<std::uint32_t>(std::min<std::uint64_t>(size, element.length - offset));
    const MemoryRange range =
        memory.check_local({element.stag, piece, element.to + offset}, access::local_read, self);
    if (range.fault != MemoryFault::none) return status_of(range.fault);
    const std::size_t at = out.size();
    out.resize(at + piece);
    MemoryTable::read(range, out.data() + at, piece);
    size -= piece;
    offset = 0;
  }
  return CompletionStatus::success;
}

}  // namespace

// --- posting ---------------------------------------------------------------------------------------------

Status SendQueue::check(const WorkRequest& request) const noexcept {
  if (request.operation >= Operation::receive) return Status::invalid_operation;
  if (is_send_type(request.operation)) {
    if (request.sgl.size() > limits_.max_send_sges) return Status::invalid_sgl_length;
  } else if (request.operation == Operation::rdma_write) {
    if (request.sgl.size() > limits_.max_write_sges) return Status::invalid_sgl_length;
  } else if (is_read_type(request.operation)) {
    // One sink address, no list (Verbs 1.0 §8.1.2.2).
    if (request.sgl.size() > 1) return Status::invalid_sgl_format;
    if (is_atomic(request.operation) && !request.sgl.empty() && request.sgl[0].length != atomic_size) {
      return Status::invalid_sgl_format;
    }
  } else if (request.operation == Operation::fast_register && !request.mapping) {
    return Status::invalid_modifier;
  }
  if (names_stag_zero(request)) return Status::invalid_modifier;
  return used_ < limits_.max_wrs ? Status::ok : Status::too_many_posted;
}

PostResult SendQueue::post(std::span<const WorkRequest> list) {
  PostResult result;
  for (const WorkRequest& request : list) {
    result.status = check(request);
    if (result.status != Status::ok) break;
    SendWqe wqe;
    wqe.request = request;
    wqes_.push_back(std::move(wqe));
    ++used_;
    ++result.posted;
  }
  return result;
}

void SendQueue::prepend_rtr(Rtr kind) {
  SendWqe wqe;
  wqe.rtr = true;
  wqe.request.signaled = false;
  wqe.request.stag = rtr_stag;
  switch (kind) {
    case Rtr::none: return;
    case Rtr::send: wqe.request.operation = Operation::send; break;
    case Rtr::write: wqe.request.operation = Operation::rdma_write; break;
    case Rtr::read:
      wqe.request.operation = Operation::rdma_read;
      wqe.request.sgl.add({rtr_stag, 0, 0});
      break;
  }
  wqes_.push_front(std::move(wqe));
}

void SendQueue::reset() noexcept {
  next_send_msn_ = next_request_msn_ = next_request_id_ = 1;
}

// --- processing ------------------------------------------------------------------------------------------

bool SendQueue::stalled(const SendWqe& wqe, std::uint32_t ord) const noexcept {
  const WorkRequest& request = wqe.request;
  // What is before it and not outstanding is complete, whether its completion was taken or not.
  if (request.operation == Operation::local_invalidate) return request.local_fence && outstanding_ != 0;
  if (is_memory_operation(request.operation)) return false;
  if (is_read_type(request.operation)) {
    // Beyond ORD the whole SQ waits (Verbs 1.0 §6.5). ORD 0 is an error of the WQE, but not of an RTR.
    return outstanding_ >= std::max<std::uint32_t>(ord, wqe.rtr ? 1 : 0) && ord != 0;
  }
  return request.read_fence && outstanding_ != 0;
}

CompletionStatus SendQueue::begin(SendWqe& wqe, std::uint32_t ord, bool bind_enabled, MemoryTable& memory,
                                  const Accessor& self) {
  const WorkRequest& request = wqe.request;
  wqe.state = State::sending;
  switch (request.operation) {
    case Operation::bind_window: return memory.bind(request.binding, self, bind_enabled);
    case Operation::fast_register: return memory.fast_register(request.region, *request.mapping, self);
    case Operation::local_invalidate: return status_of(memory.invalidate(request.stag, self, false));
    case Operation::immediate:
    case Operation::immediate_se: wqe.size = wire::immediate_size; break;
    case Operation::fetch_add:
    case Operation::cmp_swap:
      wqe.size = atomic_size;
      wqe.request_id = next_request_id_++;
      break;
    default: {
      const std::uint64_t total = request.sgl.total();
      if (total > max_message) return CompletionStatus::invalid_length;
      wqe.size = static_cast<std::uint32_t>(total);
    }
  }
  if (is_read_type(request.operation)) {
    if (ord == 0 && !wqe.rtr) return CompletionStatus::zero_read_resources;
    wqe.msn = next_request_msn_++;
    if (is_read(request.operation) && wqe.size != 0) {
      // The sink is written by the response, with the rights of a remote write (Verbs 1.0 figure 21).
      const Sge& sink = request.sgl[0];
      const MemoryRange range =
          memory.check_remote(sink.stag, sink.to, sink.length, access::remote_write, self);
      return status_of(range.fault);
    }
    if (is_atomic(request.operation) && !request.sgl.empty()) {
      return status_of(memory.check_local(request.sgl[0], access::local_write, self).fault);
    }
    return CompletionStatus::success;
  }
  if (is_immediate_data(request.operation)) {  // no list
    wqe.msn = next_send_msn_++;
    return CompletionStatus::success;
  }
  if (request.operation == Operation::rdma_write) {
    if (wqe.size != 0 && request.to + (wqe.size - 1) < request.to) return CompletionStatus::wrap;
  } else {
    wqe.msn = next_send_msn_++;
  }
  return check_sources(request, memory, self);
}

void SendQueue::append_request(SendWqe& wqe, Bytes& out) {
  const WorkRequest& request = wqe.request;
  if (is_read(request.operation)) {
    wire::encode(untagged_header(wire::Opcode::read_request, wqe.msn, 0, true), out);
    wire::ReadRequest read;
    if (!request.sgl.empty()) {
      read.sink_stag = request.sgl[0].stag;
      read.sink_to = request.sgl[0].to;
    }
    read.size = wqe.size;
    read.source_stag = request.stag;
    read.source_to = request.to;
    wire::encode(read, out);
    return;
  }
  wire::encode(untagged_header(wire::Opcode::atomic_request, wqe.msn, 0, true), out);
  const bool add = request.operation == Operation::fetch_add;
  wire::AtomicRequest atomic;
  atomic.operation =
      static_cast<std::uint8_t>(add ? wire::AtomicOperation::fetch_add : wire::AtomicOperation::cmp_swap);
  atomic.request_id = wqe.request_id;
  atomic.remote_stag = request.stag;
  atomic.remote_to = request.to;
  atomic.add_swap_data = request.atomic.add_swap;
  atomic.add_swap_mask = request.atomic.add_swap_mask;
  // Not applicable to Fetch and Add: 0 and all ones (RFC 7306 §5.2.1).
  atomic.compare_data = add ? 0 : request.atomic.compare;
  atomic.compare_mask = add ? ~std::uint64_t{0} : request.atomic.compare_mask;
  wire::encode(atomic, out);
}

CompletionStatus SendQueue::append(SendWqe& wqe, Bytes& out, std::uint32_t max_ulpdu,
                                   const MemoryTable& memory, const Accessor& self) {
  const WorkRequest& request = wqe.request;
  if (is_read_type(request.operation)) {
    append_request(wqe, out);
    wqe.state = State::outstanding;
    ++outstanding_;
    if (is_atomic(request.operation)) ++outstanding_atomics_;
    return CompletionStatus::success;
  }
  if (is_immediate_data(request.operation)) {
    wire::encode(untagged_header(opcode_of(request.operation), wqe.msn, 0, true), out);
    out.resize(out.size() + wire::immediate_size);
    store_be64(out.data() + out.size() - wire::immediate_size, request.immediate);
    wqe.state = State::done;
    return CompletionStatus::success;
  }
  const bool tagged = request.operation == Operation::rdma_write;
  std::uint32_t room = max_ulpdu - (tagged ? wire::tagged_header_size : wire::untagged_header_size);
  if (request.segment_payload != 0) room = std::min(room, request.segment_payload);
  const std::uint32_t payload = std::min(room, wqe.size - wqe.moved);
  const bool last = payload == wqe.size - wqe.moved;
  if (tagged) {
    wire::encode(tagged_header(wire::Opcode::rdma_write, request.stag, request.to + wqe.moved, last), out);
  } else {
    const wire::Opcode opcode = opcode_of(request.operation);
    const std::uint32_t invalidate = wire::invalidates(opcode) ? request.stag : 0;
    wire::encode(untagged_header(opcode, wqe.msn, wqe.moved, last, invalidate), out);
  }
  const CompletionStatus status = gather(request.sgl, wqe.moved, payload, out, memory, self);
  wqe.moved += payload;
  if (last) wqe.state = State::done;
  return status;
}

SendQueue::Progress SendQueue::next_segment(Bytes& out, std::uint32_t max_ulpdu, std::uint32_t ord,
                                            bool bind_enabled, MemoryTable& memory, const Accessor& self) {
  while (next_ < wqes_.size()) {
    SendWqe& wqe = wqes_[next_];
    if (wqe.error) return Progress::failed;
    CompletionStatus status = CompletionStatus::success;
    if (wqe.state == State::waiting) {
      if (stalled(wqe, ord)) return Progress::nothing;
      status = begin(wqe, ord, bind_enabled, memory, self);
    }
    const bool local = is_memory_operation(wqe.request.operation);
    if (status == CompletionStatus::success && !local) status = append(wqe, out, max_ulpdu, memory, self);
    if (status != CompletionStatus::success) {
      wqe.error = status;
      wqe.state = State::sending;
      return Progress::failed;
    }
    if (local) wqe.state = State::done;
    if (wqe.state != State::sending) ++next_;
    if (!local) return Progress::segment;
  }
  return Progress::nothing;
}

void SendQueue::finish_oldest() noexcept {
  SendWqe& wqe = wqes_.front();
  wqe.state = State::done;
  --outstanding_;
  if (is_atomic(wqe.request.operation)) --outstanding_atomics_;
}

SendWqe* SendQueue::outstanding_with(std::uint32_t msn) noexcept {
  for (std::size_t at = 0; at < next_; ++at) {
    if (wqes_[at].state == State::outstanding && wqes_[at].msn == msn) return &wqes_[at];
  }
  return nullptr;
}

// --- completing ------------------------------------------------------------------------------------------

void SendQueue::pop() noexcept {
  wqes_.pop_front();
  if (next_ != 0) --next_;
}

bool SendQueue::take_done(WorkCompletion& completion, std::uint32_t& places) {
  while (!wqes_.empty() && wqes_.front().state == State::done) {
    const SendWqe& wqe = wqes_.front();
    const bool signaled = wqe.request.signaled;
    if (!wqe.rtr) ++unsignaled_;
    if (signaled) {
      completion.id = wqe.request.id;
      completion.operation = wqe.request.operation;
      completion.status = CompletionStatus::success;
      completion.original = wqe.original;
      places = std::exchange(unsignaled_, 0);
    }
    pop();
    if (signaled) return true;
  }
  return false;
}

bool SendQueue::take_flushed(WorkCompletion& completion, std::uint32_t& places) {
  while (!wqes_.empty()) {
    const SendWqe& wqe = wqes_.front();
    const bool rtr = wqe.rtr;
    if (wqe.state == State::outstanding) {
      --outstanding_;
      if (is_atomic(wqe.request.operation)) --outstanding_atomics_;
    }
    completion.id = wqe.request.id;
    completion.operation = wqe.request.operation;
    completion.status = wqe.error.value_or(CompletionStatus::flushed);
    completion.original = 0;
    if (!rtr) places = std::exchange(unsignaled_, 0) + 1;
    pop();
    if (!rtr) return true;
  }
  return false;
}

}  // namespace iwarp::rnic
