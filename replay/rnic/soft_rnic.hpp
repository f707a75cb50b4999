// The soft-RNIC: the verbs of RDMA Protocol Verbs 1.0 §9 over LLP Streams that somebody else moves octets
// for.
//
// Sans-IO and deterministic: no thread, clock, socket or exception; what it does follows from the calls, the
// times in them and the seed. Methods are of three kinds by their names:
//
//   verbs      allocate_…, create_…, modify_…, post_…, poll_…   return at once with an immediate status
//   handle_…   what the LLP has: octets, a close, a time that came
//   poll_…     what there is to fetch: output, completions, events
//
// Not thread-safe. Memory of regions is the Consumer's and must live as long as they do.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>

#include <iwarp/bytes.hpp>
#include <iwarp/ids.hpp>

#include "rnic/completion_queue.hpp"
#include "rnic/ids.hpp"
#include "rnic/llp_stream.hpp"
#include "rnic/memory_table.hpp"
#include "rnic/queue_pair.hpp"
#include "rnic/receive_queue.hpp"
#include "rnic/status.hpp"
#include "rnic/timer_heap.hpp"
#include "rnic/work_request.hpp"

namespace iwarp::rnic {

struct RnicOptions {
  std::uint64_t seed = 0;  // of STags: who can guess it can guess them
  MemoryLimits memory = {};
  std::size_t max_pds = 65536;
  std::size_t max_cqs = 65536;
  std::size_t max_srqs = 65536;
  std::size_t max_qps = 65536;
  std::size_t max_streams = 65536;
  std::uint32_t max_cqes = 1U << 22;
  std::uint32_t max_wrs = 1U << 20;  // of one Work Queue
  std::uint32_t max_ird = 16382;     // what RFC 6581 can say
  std::uint32_t max_ord = 16382;
  std::size_t flush_batch = 0;  // WQEs flushed in one step, 0: all at once
  Mutator* mutator = nullptr;   // not owned
};

// Query RNIC (Verbs 1.0 §9.2.1.2).
struct RnicAttributes {
  const char* vendor = "iwarp soft-RNIC";
  RnicOptions limits;
  std::size_t max_sges = Sgl::capacity;
  bool shared_receive_queues = true;
  bool cq_overflow_detection = true;
  bool modifies_queue_depths = true;
  bool modifies_ird = true;
  bool raises_ord = true;
  // IRD and ORD of all QPs together, 0: nothing about them is shared between QPs.
  std::uint32_t total_ird = 0;
  std::uint32_t total_ord = 0;
  std::size_t max_completion_event_handlers = 0;  // take_notification() is asked instead
  // Sizes of a Physical Buffer: each between them in block mode, in page mode each power of two.
  std::uint64_t min_buffer_size = 1;
  std::uint64_t max_buffer_size = ~std::uint64_t{0};
  bool srq_arrival_order = true;  // dequeuing model; else sequential
};

struct SrqState {
  SrqAttributes attributes;
  bool limit_armed = false;
};

// Query QP (Verbs 1.0 §9.2.5.2): `attributes` as they are now.
struct QpQuery {
  QpAttributes attributes;
  QpState state = QpState::idle;
  StreamId stream = StreamId::none;  // not in Idle
  bool rq_limit_armed = false;
  std::optional<TerminateRecord> terminate;  // in Terminate and Error
};

struct SrqChange {
  std::optional<std::uint32_t> max_wrs = {};
  std::optional<std::uint32_t> limit = {};
  bool arm = false;
};

class SoftRnic {
 public:
  explicit SoftRnic(const RnicOptions& options);
  SoftRnic(const SoftRnic&) = delete;
  SoftRnic& operator=(const SoftRnic&) = delete;

  // --- RNIC, PD (§9.2.1, §9.2.2) ------------------------------------------------------------------------
  [[nodiscard]] RnicAttributes query_rnic() const;
  // What STag 0 reaches.
  void set_physical_memory(std::span<Byte> memory) { memory_.set_physical_memory(memory); }
  [[nodiscard]] Outcome<PdId> allocate_pd();
  Status deallocate_pd(PdId pd);

  // --- CQ (§9.2.3, §9.3.2) ------------------------------------------------------------------------------
  [[nodiscard]] Outcome<CqId> create_cq(std::uint32_t entries);
  [[nodiscard]] Outcome<std::uint32_t> query_cq(CqId cq) const;
  Status modify_cq(CqId cq, std::uint32_t entries);
  Status destroy_cq(CqId cq);
  // cq_empty, when there is none.
  [[nodiscard]] Outcome<WorkCompletion> poll_cq(CqId cq);
  Status request_notification(CqId cq, Notify type);
  // The Completion Event Handler's call: whether one is due, once.
  [[nodiscard]] bool take_notification(CqId cq);

  // --- S-RQ (§9.2.4) ------------------------------------------------------------------------------------
  [[nodiscard]] Outcome<SrqId> create_srq(const SrqAttributes& attributes);
  [[nodiscard]] Outcome<SrqState> query_srq(SrqId srq) const;
  Status modify_srq(SrqId srq, const SrqChange& change);
  Status destroy_srq(SrqId srq);
  PostResult post_srq(SrqId srq, std::span<const ReceiveRequest> list);
  // The S-RQ breaks: for tests of what follows (§6.3.6).
  Status fail_srq(SrqId srq);

  // --- QP (§9.2.5, §9.3.1) ------------------------------------------------------------------------------
  [[nodiscard]] Outcome<QpId> create_qp(const QpAttributes& attributes);
  [[nodiscard]] Outcome<QpQuery> query_qp(QpId qp) const;
  // Cheaper than query_qp(), for who asks after every segment; null: no such QP. Good until destroy_qp().
  [[nodiscard]] const QueuePair* find_qp(QpId qp) const noexcept { return qps_.find(qp); }
  Status modify_qp(QpId qp, const QpChange& change);
  Status destroy_qp(QpId qp);
  PostResult post_send(QpId qp, std::span<const WorkRequest> list);
  PostResult post_send(QpId qp, const WorkRequest& request) { return post_send(qp, std::span(&request, 1)); }
  PostResult post_receive(QpId qp, std::span<const ReceiveRequest> list);
  PostResult post_receive(QpId qp, const ReceiveRequest& request) {
    return post_receive(qp, std::span(&request, 1));
  }

  // --- memory (§9.2.6); see MemoryTable -----------------------------------------------------------------
  [[nodiscard]] Outcome<std::uint32_t> allocate_region(PdId pd, std::size_t max_buffers, bool remote_access,
                                                       std::optional<std::uint32_t> index = std::nullopt);
  // The STag. `index`: the one to use instead of an unpredictable one, for replaying a recorded STag.
  [[nodiscard]] Outcome<std::uint32_t> register_region(PdId pd, Byte key, bool remote_access,
                                                       const Mapping& mapping,
                                                       std::optional<std::uint32_t> index = std::nullopt);
  [[nodiscard]] Outcome<std::uint32_t> reregister_region(std::uint32_t index, PdId pd, Byte key,
                                                         bool remote_access, const Mapping& mapping);
  [[nodiscard]] Outcome<std::uint32_t> register_shared(std::uint32_t source_index, PdId pd, Byte key,
                                                       bool remote_access, const Mapping& mapping,
                                                       std::optional<std::uint32_t> index = std::nullopt);
  [[nodiscard]] Outcome<std::uint32_t> allocate_window(PdId pd,
                                                       std::optional<std::uint32_t> index = std::nullopt);
  Status deallocate_stag(std::uint32_t index) { return memory_.deallocate(index); }
  // Query Memory Region, Query Memory Window.
  [[nodiscard]] Outcome<StagEntry> query_stag(std::uint32_t index) const;

  // --- events (§9.4) ------------------------------------------------------------------------------------
  [[nodiscard]] std::optional<AsyncEvent> poll_event() { return events_.poll(); }
  // Events that nobody polled in time: beyond 65 536 they are lost.
  [[nodiscard]] std::uint64_t lost_events() const noexcept { return events_.lost() + stream_events_.lost(); }
  [[nodiscard]] std::optional<StreamEvent> poll_stream_event() { return stream_events_.poll(); }

  // --- LLP Streams --------------------------------------------------------------------------------------
  // An established TCP connection. `none`: too many, or its start-up frame has no room for the private data.
  [[nodiscard]] StreamId open_stream(const StreamParameters& parameters, TimeNs now);
  // See LlpStream; null: no such stream. The pointer is good until destroy_stream().
  [[nodiscard]] LlpStream* stream(StreamId stream) { return streams_.find(stream); }
  // invalid_llp_stream, while a QP is associated.
  Status destroy_stream(StreamId stream);

  void handle_input(StreamId stream, ByteView octets, TimeNs now);
  void handle_close(StreamId stream, StreamClose how, TimeNs now);
  void handle_timeout(TimeNs now);
  // When handle_timeout() has something to do; `never`: not by itself.
  [[nodiscard]] TimeNs next_timeout() const;
  // Ask until it says none. Posting work, and every handle_ call, may give more.
  [[nodiscard]] Output poll_output(StreamId stream, TimeNs now);

 private:
  struct ProtectionDomain {
    explicit ProtectionDomain(PdId own) : id(own) {}
    PdId id;
    std::uint32_t users = 0;  // QPs and S-RQs
  };

  [[nodiscard]] Status check_new_qp(const QpAttributes& attributes) const;
  void give_back(const Completion& completion);
  [[nodiscard]] LlpStream* first_timer() const;

  RnicOptions options_;
  MemoryTable memory_;
  AsyncEventQueue events_;
  EventQueue<StreamEvent> stream_events_;
  mutable TimerHeap<StreamId> timers_;  // asking drops stale ones
  HandleTable<PdId, ProtectionDomain> pds_;
  HandleTable<CqId, CompletionQueue> cqs_;
  HandleTable<SrqId, SharedReceiveQueue> srqs_;
  HandleTable<StreamId, LlpStream> streams_;
  HandleTable<QpId, QueuePair> qps_;
  TimeNs now_ = 0;
};

}  // namespace iwarp::rnic
