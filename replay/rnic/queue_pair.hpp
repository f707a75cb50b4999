// A Queue Pair (Verbs 1.0 §6): its state machine, its queues, and RDMAP over one LLP Stream.
//
// Segments come in through take_segment() and go out through next_segment(); what happens to the Stream is
// asked of an Llp. Work Requests, completions and memory are the Verbs'.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>

#include <iwarp/bytes.hpp>
#include <iwarp/wire/rdmap.hpp>

#include "rnic/completion_queue.hpp"
#include "rnic/event_queue.hpp"
#include "rnic/ids.hpp"
#include "rnic/memory_table.hpp"
#include "rnic/mpa_startup.hpp"
#include "rnic/qp_machine.hpp"
#include "rnic/read_responder.hpp"
#include "rnic/receive_queue.hpp"
#include "rnic/send_queue.hpp"
#include "rnic/violation.hpp"

namespace iwarp::rnic {

// What a QP asks of its LLP Stream.
class Llp {
 public:
  virtual void begin_close() = 0;   // FIN behind everything next_segment() still gives
  virtual void reset() = 0;         // RST at once
  virtual void disassociate() = 0;  // the QP is gone from it

 protected:
  ~Llp() = default;
};

struct AsyncEvent {
  AsyncEventKind kind = AsyncEventKind::none;
  QpId qp = QpId::none;  // the resource it is about: one of three
  CqId cq = CqId::none;
  SrqId srq = SrqId::none;
};

using AsyncEventQueue = EventQueue<AsyncEvent>;

struct QpAttributes {
  PdId pd = PdId::none;
  CqId send_cq = CqId::none;
  CqId receive_cq = CqId::none;
  SrqId srq = SrqId::none;  // instead of an own RQ
  std::uint32_t max_send_wrs = 64;
  std::uint32_t max_receive_wrs = 64;
  std::uint32_t max_send_sges = 4;
  std::uint32_t max_write_sges = 4;
  std::uint32_t max_receive_sges = 4;
  std::uint32_t rq_limit = 0;  // with an S-RQ; 0: none
  bool read_enabled = true;    // inbound RDMA Read
  bool write_enabled = true;   // inbound RDMA Write and Read Response
  bool bind_enabled = true;
  bool privileged = false;  // STag 0 and Fast-Register
  std::uint32_t ird = 8;
  std::uint32_t ord = 8;
  // Beyond the Verbs, for replaying a recorded sender: payload octets of a Read Response segment at most, 0:
  // what MULPDU allows; and whether an empty RQ holds the Stream off instead of terminating it (Verbs 1.0
  // §13.2).
  std::uint32_t response_payload = 0;
  bool hold_off = false;
};

struct TerminateRecord {
  bool local = false;              // sent; else received
  std::array<Byte, 128> octets{};  // behind the DDP header
  std::size_t size = 0;            // as far as kept
  wire::Terminate message;
};

// Modify QP (Verbs 1.0 §9.2.5.3): what is set is changed.
struct QpChange {
  QpState next = QpState::idle;
  std::optional<std::uint32_t> ord = {};
  std::optional<std::uint32_t> ird = {};
  std::optional<std::uint32_t> max_send_wrs = {};
  std::optional<std::uint32_t> max_receive_wrs = {};
  std::optional<std::uint32_t> rq_limit = {};
  bool arm_rq_limit = false;
  StreamId stream = StreamId::none;
  ByteView stream_message = {};
  // With QpState::terminate: fields of the Terminate in place of the Local Catastrophic Error that the
  // Consumer has (§6.2.4); for who plays an RNIC that found something else.
  ByteView terminate = {};
};

// Everything a QP shares with others of its RNIC.
struct QpSurroundings {
  MemoryTable& memory;
  AsyncEventQueue& events;
  CompletionQueue& send_cq;
  CompletionQueue& receive_cq;
  SharedReceiveQueue* srq;
};

struct QpCapabilities {
  std::uint32_t max_wrs = 0;
  std::uint32_t max_ird = 0;
  std::uint32_t max_ord = 0;
  std::size_t flush_batch = 0;
};

// What the peer has done so far, for who waits for it without a completion: Writes make none (Verbs 1.0
// §8.1.2.1), nor do Requests that are answered.
struct PeerProgress {
  std::uint64_t writes_placed = 0;      // whole messages
  std::uint64_t requests_arrived = 0;   // Reads and Atomics
  std::uint64_t requests_answered = 0;  // to the last segment
};

class QueuePair {
 public:
  QueuePair(QpId id, const QpAttributes& attributes, const QpSurroundings& surroundings,
            const QpCapabilities& capabilities);
  QueuePair(const QueuePair&) = delete;
  QueuePair& operator=(const QueuePair&) = delete;

  [[nodiscard]] QpId id() const noexcept { return id_; }
  [[nodiscard]] QpState state() const noexcept { return state_; }
  [[nodiscard]] const QpAttributes& attributes() const noexcept { return attributes_; }
  [[nodiscard]] bool rq_limit_armed() const noexcept { return rq_limit_armed_; }
  [[nodiscard]] StreamId stream() const noexcept { return stream_; }
  // The Terminate that was sent or received, in Terminate and Error.
  [[nodiscard]] const std::optional<TerminateRecord>& terminate() const noexcept { return terminate_; }
  [[nodiscard]] const PeerProgress& peer_progress() const noexcept { return peer_progress_; }

  // No request of its own is under way, the ready-to-receive message included.
  [[nodiscard]] bool send_queue_empty() const noexcept { return send_queue_.empty(); }
  // What was posted is on its way, but for what waits for an answer to something before it.
  [[nodiscard]] bool sent_what_it_may() const noexcept {
    return send_queue_.all_sent() || send_queue_.outstanding() != 0;
  }

  // --- verbs --------------------------------------------------------------------------------------------
  [[nodiscard]] PostResult post_send(std::span<const WorkRequest> list);
  [[nodiscard]] PostResult post_receive(std::span<const ReceiveRequest> list);
  // All or nothing. `llp`: the Stream named by the change, when it can be associated.
  [[nodiscard]] Status modify(const QpChange& change, Llp* llp);
  // Places of reaped completions.
  void give_back_send(std::uint32_t places) noexcept { send_queue_.give_back(places); }
  void give_back_receive(std::uint32_t places) noexcept { receive_queue_.give_back(places); }

  // --- the LLP Stream -----------------------------------------------------------------------------------
  // Full Operation begins: IRD and ORD as negotiated, the RTR to send, if any.
  void start(std::uint32_t ird, std::uint32_t ord, Rtr rtr);
  // Before Full Operation: what IRD and ORD come to be with those the peer offers (RFC 6581 §9.1).
  void limit_depths(std::uint32_t ird, std::uint32_t ord) noexcept;

  // One ULPDU, delivered in order. False: it has to be offered again later, no receive WQE is there for it.
  [[nodiscard]] bool take_segment(ByteView ulpdu);
  // The LLP's receiver found a fault (2002, 2003), or the start-up ends in a Terminate (2006, 2007).
  void take_llp_error(std::uint16_t code, AsyncEventKind event);
  // One of the llp_ events, or startup_rejected. llp_close becomes llp_close_busy as the queues say. `cut`:
  // inside an FPDU.
  void take_llp_event(QpEvent event, bool cut = false);

  // Appends the next segment to send, if there is one, at most `max_ulpdu` octets. REQUIRES: that is a
  // MULPDU, 128 or more (RFC 5044 §3).
  [[nodiscard]] bool next_segment(Bytes& out, std::uint32_t max_ulpdu);
  // A Terminate waits to be sent.
  [[nodiscard]] bool terminate_pending() const noexcept { return terminate_pending_; }

  // Before it is destroyed: a WQE taken from the S-RQ gives its place back.
  void abandon();

  // --- flushing -----------------------------------------------------------------------------------------
  [[nodiscard]] bool flushing() const noexcept { return flushing_; }
  void continue_flush();

 private:
  struct Cause {
    Violation violation = {};
    std::optional<Offender> offender = {};
  };
  struct OpenMessage {
    ReceiveWqe wqe;
    wire::Opcode opcode = wire::Opcode::send;
    std::uint32_t moved = 0;
  };
  enum class Taken : std::uint8_t {
    yes,
    hold
  };

  // state machine
  void fire(QpEvent event, const Cause& cause);
  void fire(QpEvent event) { fire(event, Cause()); }
  void report(QpReport what, const Cause& cause);
  void report_event(AsyncEventKind kind);
  void make_terminate(const Cause& cause);
  void keep_terminate(ByteView octets, const wire::Terminate& message, bool local);
  void flush();
  [[nodiscard]] bool work_left() const noexcept { return !send_queue_.empty() || !responder_.empty(); }

  // completing
  void complete_done();
  void complete_send(const WorkCompletion& completion, std::uint32_t places);
  void complete_receive(const ReceiveWqe& wqe, WorkCompletion completion);
  void fail_open_receive(CompletionStatus status);
  void report_overflow(CompletionQueue& cq);

  // Modify QP
  [[nodiscard]] Status check_change(const QpChange& change, const Llp* llp) const;
  void apply_change(const QpChange& change);

  // inbound
  [[nodiscard]] Taken take_in_rts(ByteView ulpdu);
  void reject(const Violation& violation, QpEvent event = QpEvent::segment_error);
  [[nodiscard]] std::optional<Violation> check_header() const;
  void take_tagged(ByteView payload);
  void take_write(ByteView payload);
  void take_read_response(ByteView payload);
  [[nodiscard]] Taken take_receive(ByteView payload);
  void deliver_receive(ByteView payload);
  void take_request(ByteView payload);
  void take_terminate(ByteView payload);
  void take_atomic_response(ByteView payload);
  [[nodiscard]] bool acquire_receive();
  [[nodiscard]] std::size_t receive_wqes_left() const noexcept;
  [[nodiscard]] CompletionStatus scatter(const ReceiveWqe& wqe, std::uint64_t offset, ByteView octets);
  [[nodiscard]] Accessor self() const noexcept {
    return {attributes_.pd, id_, attributes_.privileged,
            attributes_.read_enabled || attributes_.write_enabled};
  }

  QpId id_;
  QpAttributes attributes_;
  QpSurroundings around_;
  QpCapabilities capabilities_;
  QpState state_ = QpState::idle;
  Llp* llp_ = nullptr;
  StreamId stream_ = StreamId::none;
  bool rq_limit_armed_ = false;

  SendQueue send_queue_;
  ReceiveQueue receive_queue_;
  ReadResponder responder_;
  bool responders_turn_ = false;

  // inbound
  std::uint32_t receive_msn_ = 1;  // of the open message, else of the next
  std::optional<OpenMessage> open_;
  std::uint32_t request_msn_ = 1;
  std::uint32_t terminate_msn_ = 1;
  std::uint32_t atomic_msn_ = 1;
  wire::DdpHeader header_;  // of the segment being taken
  std::uint16_t segment_length_ = 0;
  std::optional<wire::ReadRequest> read_request_;
  PeerProgress peer_progress_;

  // Terminate
  std::optional<TerminateRecord> terminate_;
  bool terminate_pending_ = false;
  bool silent_ = false;  // no event told why the QP is in Terminate
  bool flushing_ = false;
};

}  // namespace iwarp::rnic
