// What an inbound segment must be, in the order in which it is checked, and what it does (RFC 5041 §7.1, RFC
// 5040 §7, RFC 7306 §8, Verbs 1.0 §8.3). The LLP delivers in order, so the first segment that is looked at
// and is bad is the first delivered one: it alone is answered, by one Terminate, and nothing behind it is
// looked at.
//
// Of a segment that is refused nothing is placed.
// SPDX-License-Identifier: GPL-2.0-or-later
#include <algorithm>

#include "rnic/queue_pair.hpp"

namespace iwarp::rnic {
namespace {

constexpr unsigned version = 1;  // DV and RV

constexpr Violation missing_last = {code::stream_catastrophic, AsyncEventKind::missing_last};
constexpr Violation bad_request = {code::stream_catastrophic, AsyncEventKind::read_request_malformed};

// How far `msn` is ahead; negative: behind (RFC 1982 arithmetic).
std::int32_t ahead(std::uint32_t msn, std::uint32_t of) noexcept {
  return static_cast<std::int32_t>(msn - of);
}

}  // namespace

bool QueuePair::take_segment(ByteView ulpdu) {
  if (state_ == QpState::rts) return take_in_rts(ulpdu) == Taken::yes;
  if (state_ == QpState::closing) {
    const Result<wire::DdpHeader> header = wire::parse_ddp(ulpdu);
    const bool terminate = header && header->opcode() == wire::Opcode::terminate && !header->tagged();
    if (terminate) {
      const ByteView octets = ulpdu.subspan(header->size());
      if (const Result<wire::Terminate> message = wire::parse_terminate(octets))
        keep_terminate(octets, *message, false);
    }
    fire(terminate ? QpEvent::terminate : QpEvent::segment);
  }
  return true;
}

void QueuePair::reject(const Violation& violation, QpEvent event) {
  Cause cause{violation, Offender{}};
  cause.offender->segment_length = segment_length_;
  // 1000 comes before the header could be read.
  if (violation.code != code::ddp_catastrophic) cause.offender->header = header_;
  cause.offender->read_request = read_request_;
  if (violation.receive_status) {
    fail_open_receive(*violation.receive_status);
    event = QpEvent::rq_error;
  }
  fire(event, cause);
}

std::optional<Violation> QueuePair::check_header() const {
  if (header_.ddp_version() != version) {
    return Violation{header_.tagged() ? code::tagged_version : code::untagged_version,
                     AsyncEventKind::ddp_version};
  }
  if (header_.rdmap_version() != version)
    return Violation{code::rdmap_version, AsyncEventKind::rdmap_version};
  const wire::Opcode opcode = header_.opcode();
  if (!wire::is_known(opcode) || wire::is_tagged(opcode) != header_.tagged()) {
    return Violation{code::unexpected_opcode, AsyncEventKind::unexpected_opcode};
  }
  if (!header_.tagged() && header_.queue != wire::queue_of(opcode)) {
    return Violation{code::untagged_queue, AsyncEventKind::queue_number};
  }
  return std::nullopt;
}

QueuePair::Taken QueuePair::take_in_rts(ByteView ulpdu) {
  segment_length_ = static_cast<std::uint16_t>(ulpdu.size());
  read_request_.reset();
  const Result<wire::DdpHeader> header = wire::parse_ddp(ulpdu);
  if (!header) {
    reject({code::ddp_catastrophic, AsyncEventKind::llp_segment_size});
    return Taken::yes;
  }
  header_ = *header;
  if (const auto violation = check_header()) {
    reject(*violation);
    return Taken::yes;
  }
  const ByteView payload = ulpdu.subspan(header_.size());
  if (header_.tagged()) {
    take_tagged(payload);
    return Taken::yes;
  }
  switch (header_.queue) {
    case wire::queue_send: return take_receive(payload);
    case wire::queue_read_request: take_request(payload); break;
    case wire::queue_terminate: take_terminate(payload); break;
    default: take_atomic_response(payload); break;
  }
  return Taken::yes;
}

// --- tagged -----------------------------------------------------------------------------------------------

void QueuePair::take_tagged(ByteView payload) {
  MemoryRange range;
  if (!payload.empty()) {
    // An access right that the QP lacks is a protection error (Verbs 1.0 §8.1.2.2).
    if (!attributes_.write_enabled)
      return reject({code::tagged_invalid_stag, AsyncEventKind::write_not_enabled});
    range =
        around_.memory.check_remote(header_.stag, header_.to, payload.size(), access::remote_write, self());
    if (range.fault != MemoryFault::none) return reject(tagged_violation(range.fault));
  }
  if (header_.opcode() == wire::Opcode::read_response) return take_read_response(payload);
  if (!payload.empty()) MemoryTable::write(range, payload);
  if (header_.last()) ++peer_progress_.writes_placed;
}

void QueuePair::take_read_response(ByteView payload) {
  SendWqe* const wqe = send_queue_.oldest_outstanding();
  if (wqe == nullptr || !is_read(wqe->request.operation)) {
    return reject({code::unexpected_opcode, AsyncEventKind::unexpected_opcode});
  }
  const Sge sink = wqe->request.sgl.empty() ? Sge{} : wqe->request.sgl[0];
  if (!payload.empty()) {
    if (header_.stag != sink.stag) return reject(tagged_violation(MemoryFault::invalid_stag));
    if (header_.to != sink.to + wqe->moved || payload.size() > wqe->size - wqe->moved) {
      return reject(tagged_violation(MemoryFault::bounds));
    }
  }
  // L is expected with the Read's last octet, and not before.
  const bool complete = wqe->moved + payload.size() == wqe->size;
  if (header_.last() != complete) return reject(missing_last);
  if (!payload.empty()) {
    const MemoryRange range =
        around_.memory.check_remote(header_.stag, header_.to, payload.size(), access::remote_write, self());
    MemoryTable::write(range, payload);
    wqe->moved += static_cast<std::uint32_t>(payload.size());
  }
  if (!header_.last()) return;
  if (wqe->request.operation == Operation::rdma_read_inv) {
    // After the response is delivered and before the completion (Verbs 1.0 §8.2.2.1).
    const InvalidateFault fault = around_.memory.invalidate(sink.stag, self(), false);
    if (fault != InvalidateFault::none) {
      wqe->error = status_of(fault);
      return fire(QpEvent::sq_error);
    }
  }
  send_queue_.finish_oldest();
  complete_done();
}

// --- untagged: Sends and Immediate Data --------------------------------------------------------------------

std::size_t QueuePair::receive_wqes_left() const noexcept {
  return around_.srq != nullptr ? around_.srq->queue.size() : receive_queue_.size();
}

bool QueuePair::acquire_receive() {
  if (around_.srq == nullptr) {
    if (receive_queue_.empty()) return false;
    open_ = OpenMessage{};
    open_->wqe = receive_queue_.take();
  } else {
    if (around_.srq->queue.empty()) return false;
    open_ = OpenMessage{};
    open_->wqe = around_.srq->queue.take();
    if (around_.srq->take_limit_event()) {
      around_.events.add({.kind = AsyncEventKind::srq_limit, .srq = around_.srq->id()});
    }
    // Messages in progress on this QP: in order, never more than this one.
    constexpr std::uint32_t in_progress = 1;
    if (rq_limit_armed_ && in_progress > attributes_.rq_limit) {
      rq_limit_armed_ = false;
      around_.events.add({.kind = AsyncEventKind::rq_limit, .qp = id_});
    }
  }
  open_->opcode = header_.opcode();
  return true;
}

QueuePair::Taken QueuePair::take_receive(ByteView payload) {
  const bool immediate = wire::is_immediate(header_.opcode());
  if (around_.srq != nullptr && around_.srq->failed && !open_) {
    reject({code::stream_catastrophic, AsyncEventKind::srq_error}, QpEvent::local_error);
    return Taken::yes;
  }
  // MSN in the window: from the open message, or the next, to the last WQE posted (RFC 5041 §7.1).
  const std::int32_t distance = ahead(header_.msn, receive_msn_);
  const bool skips_last = open_ && distance == 1;  // a new message while the L of this one is due
  if (distance != 0 && !skips_last) {
    const auto window = static_cast<std::int64_t>(receive_wqes_left()) + (open_ ? 1 : 0);
    const bool gap = distance > 0 && distance < window;
    reject({code::msn_range, gap ? AsyncEventKind::rq_msn_gap : AsyncEventKind::rq_msn_range});
    return Taken::yes;
  }
  if ((!open_ || skips_last) && receive_wqes_left() == 0) {
    if (attributes_.hold_off && !open_) return Taken::hold;
    reject({code::no_buffer, AsyncEventKind::rq_msn_range});
    return Taken::yes;
  }
  if (skips_last) {
    reject(header_.mo != 0 ? Violation{code::invalid_mo, AsyncEventKind::rq_msn_gap} : missing_last);
    return Taken::yes;
  }
  if (!open_ && !acquire_receive()) return Taken::yes;
  OpenMessage& open = *open_;
  if (header_.opcode() != open.opcode) {
    reject({code::unexpected_opcode, AsyncEventKind::unexpected_opcode});
    return Taken::yes;
  }
  if (header_.mo != open.moved) {
    reject({code::invalid_mo, AsyncEventKind::none, CompletionStatus::base_bounds});
    return Taken::yes;
  }
  const std::uint64_t capacity = immediate ? wire::immediate_size : open.wqe.capacity;
  if (std::uint64_t{header_.mo} + payload.size() > capacity) {
    reject({code::too_long, AsyncEventKind::none, CompletionStatus::base_bounds});
    return Taken::yes;
  }
  if (immediate) {
    if (!header_.last()) {
      reject(missing_last);
    } else if (payload.size() != wire::immediate_size) {
      reject({code::stream_catastrophic, AsyncEventKind::none, CompletionStatus::invalid_length});
    } else {
      deliver_receive(payload);
    }
    return Taken::yes;
  }
  const CompletionStatus placed = scatter(open.wqe, open.moved, payload);
  if (placed != CompletionStatus::success) {
    // The Consumer's own fault: no headers (Verbs 1.0 figure 23).
    fail_open_receive(placed);
    fire(QpEvent::rq_error);
    return Taken::yes;
  }
  open.moved += static_cast<std::uint32_t>(payload.size());
  if (header_.last()) deliver_receive(payload);
  return Taken::yes;
}

CompletionStatus QueuePair::scatter(const ReceiveWqe& wqe, std::uint64_t offset, ByteView octets) {
  // Elements of an S-RQ are checked against its PD; STag 0 against the QP's right to it (Verbs 1.0 §6.3.5).
  const Accessor by{wqe.pd, id_, attributes_.privileged};
  // First all checks, then the copying: a segment is placed whole or not at all.
  for (const bool copy : {false, true}) {
    std::uint64_t skip = offset;
    ByteView left = octets;
    for (const Sge& element : wqe.request.sgl) {
      if (left.empty()) break;
      if (skip >= element.length) {
        skip -= element.length;
        continue;
      }
      const auto piece =
          static_cast<std::uint32_t>(std::min<std::uint64_t>(left.size(), element.length - skip));
      const MemoryRange range =
          around_.memory.check_local({element.stag, piece, element.to + skip}, access::local_write, by);
      if (range.fault != MemoryFault::none) return status_of(range.fault);
      if (copy) MemoryTable::write(range, left.first(piece));
      left = left.subspan(piece);
      skip = 0;
    }
  }
  return CompletionStatus::success;
}

void QueuePair::deliver_receive(ByteView payload) {
  const wire::Opcode opcode = open_->opcode;
  WorkCompletion completion;
  completion.length = open_->moved;
  completion.solicited = opcode == wire::Opcode::send_se || opcode == wire::Opcode::send_se_inv ||
                         opcode == wire::Opcode::immediate_se;
  if (wire::is_immediate(opcode)) {
    completion.length = wire::immediate_size;
    completion.has_immediate = true;
    completion.immediate = load_be64(payload.data());
  }
  if (wire::invalidates(opcode)) {
    // After placement, before the completion (Verbs 1.0 §8.2.2.1), with the QP's PD.
    InvalidateFault fault = around_.memory.invalidate(header_.stag, self(), true);
    if (fault != InvalidateFault::none) return reject(invalidate_violation(fault));
    completion.invalidated = true;
    completion.invalidated_stag = header_.stag;
  }
  const ReceiveWqe wqe = open_->wqe;
  open_.reset();
  ++receive_msn_;
  complete_receive(wqe, completion);
}

// --- untagged: Read and Atomic Requests --------------------------------------------------------------------

void QueuePair::take_request(ByteView payload) {
  const std::int32_t distance = ahead(header_.msn, request_msn_);
  if (distance != 0) {
    const bool gap =
        distance > 0 && static_cast<std::uint32_t>(distance) < std::max<std::uint32_t>(attributes_.ird, 1);
    return reject({code::msn_range, gap ? AsyncEventKind::irrq_msn_gap : AsyncEventKind::irrq_msn_range});
  }
  if (header_.mo != 0) return reject({code::invalid_mo, AsyncEventKind::read_request_malformed});
  const bool atomic = header_.opcode() == wire::Opcode::atomic_request;
  const std::uint32_t size = wire::rdmap_header_size(header_.opcode());
  if (payload.size() > size) return reject({code::too_long, AsyncEventKind::read_request_malformed});
  if (!header_.last()) return reject(missing_last);
  if (payload.size() < size) return reject(bad_request);
  if (responder_.size() >= attributes_.ird) return reject({code::msn_range, AsyncEventKind::irrq_too_many});

  InboundRequest request{header_, wire::ReadRequest{}};
  std::optional<Violation> violation;
  const Violation not_enabled = {code::untagged_queue, AsyncEventKind::read_not_enabled};
  if (atomic) {
    const wire::AtomicRequest asked = *wire::parse_atomic_request(payload);
    request.what = asked;
    const auto operation = static_cast<wire::AtomicOperation>(asked.operation);
    if (!attributes_.read_enabled || !attributes_.write_enabled) {
      violation = not_enabled;
    } else if (operation != wire::AtomicOperation::fetch_add &&
               operation != wire::AtomicOperation::cmp_swap) {
      violation = {code::unexpected_opcode, AsyncEventKind::unexpected_opcode};
    } else {
      violation = check_source(asked, around_.memory, self());
    }
  } else {
    const wire::ReadRequest asked = *wire::parse_read_request(payload);
    request.what = asked;
    read_request_ = asked;
    // Of size 0 nothing is checked (RFC 5040 §5.2.1).
    if (asked.size != 0) {
      violation = attributes_.read_enabled ? check_source(asked, around_.memory, self()) : not_enabled;
    }
  }
  if (violation) return reject(*violation);
  ++request_msn_;
  ++peer_progress_.requests_arrived;
  responder_.add(request);
}

// --- untagged: Terminate, Atomic Responses -----------------------------------------------------------------

void QueuePair::take_terminate(ByteView payload) {
  if (header_.msn != terminate_msn_) return reject({code::msn_range, AsyncEventKind::irrq_msn_range});
  if (header_.mo != 0) return reject({code::invalid_mo, AsyncEventKind::unexpected_opcode});
  if (!header_.last()) return reject(missing_last);
  const Result<wire::Terminate> message = wire::parse_terminate(payload);
  if (!message) return reject({code::stream_catastrophic, AsyncEventKind::unexpected_opcode});
  // The Work Request it is about, where it names one that is still there.
  if (message->ddp_header && !message->ddp_header->tagged() &&
      message->ddp_header->queue == wire::queue_read_request) {
    if (SendWqe* wqe = send_queue_.outstanding_with(message->ddp_header->msn)) {
      wqe->error = CompletionStatus::remote_termination;
    }
  }
  keep_terminate(payload, *message, false);
  fire(QpEvent::terminate, {{code::local_catastrophic, AsyncEventKind::terminate_received}});
}

void QueuePair::take_atomic_response(ByteView payload) {
  if (header_.msn != atomic_msn_) return reject({code::msn_range, AsyncEventKind::irrq_msn_range});
  if (send_queue_.outstanding_atomics() == 0)
    return reject({code::no_buffer, AsyncEventKind::irrq_msn_range});
  if (header_.mo != 0) return reject({code::invalid_mo, AsyncEventKind::read_request_malformed});
  if (payload.size() > wire::atomic_response_size)
    return reject({code::too_long, AsyncEventKind::read_request_malformed});
  if (!header_.last()) return reject(missing_last);
  if (payload.size() < wire::atomic_response_size) return reject(bad_request);
  const wire::AtomicResponse response = *wire::parse_atomic_response(payload);
  SendWqe* const wqe = send_queue_.oldest_outstanding();
  if (wqe == nullptr || !is_atomic(wqe->request.operation) ||
      wqe->request_id != response.original_request_id) {
    return reject({code::stream_catastrophic, AsyncEventKind::unexpected_opcode});
  }
  ++atomic_msn_;
  wqe->original = response.original_remote_data;
  if (!wqe->request.sgl.empty()) {
    // The Consumer's copy, as a word of this host.
    const MemoryRange range = around_.memory.check_local(wqe->request.sgl[0], access::local_write, self());
    if (range.fault != MemoryFault::none) {
      wqe->error = status_of(range.fault);
      return fire(QpEvent::sq_error);
    }
    Byte octets[atomic_size];
    std::copy_n(reinterpret_cast<const Byte*>(&wqe->original), atomic_size, octets);
    MemoryTable::write(range, octets);
  }
  send_queue_.finish_oldest();
  complete_done();
}

}  // namespace iwarp::rnic
