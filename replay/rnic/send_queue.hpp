// The Send Queue: Work Requests become DDP segments, one at a time, in post order (Verbs 1.0 §8.2, RFC 5040
// §5.5).
//
// A WQE is *waiting* until everything before it was sent, then *sending*; Reads and Atomics are then
// *outstanding* until answered; then *done*. Done WQEs leave in post order, so the oldest outstanding one is
// always the first.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <utility>

#include <iwarp/bytes.hpp>
#include <iwarp/wire/rdmap.hpp>

#include "rnic/memory_table.hpp"
#include "rnic/mpa_startup.hpp"
#include "rnic/receive_queue.hpp"
#include "rnic/ring.hpp"
#include "rnic/work_request.hpp"

namespace iwarp::rnic {

struct SendQueueLimits {
  std::uint32_t max_wrs = 64;
  std::uint32_t max_send_sges = 4;
  std::uint32_t max_write_sges = 4;
};

struct SendWqe {
  enum class State : std::uint8_t {
    waiting,
    sending,
    outstanding,
    done
  };

  WorkRequest request;
  State state = State::waiting;
  bool rtr = false;              // made by the RNIC, not posted
  std::uint32_t msn = 0;         // of untagged messages
  std::uint32_t size = 0;        // octets of its message, or of the Read
  std::uint32_t moved = 0;       // of these sent, or placed by the response
  std::uint32_t request_id = 0;  // Atomic
  std::uint64_t original = 0;    // Atomic
  std::optional<CompletionStatus> error = {};
};

class SendQueue {
 public:
  enum class Progress : std::uint8_t {
    nothing,  // empty, or stalled by ORD or a fence
    segment,  // one was appended
    failed,   // the first unfinished WQE has an error
  };

  explicit SendQueue(const SendQueueLimits& limits) : limits_(limits) {}

  [[nodiscard]] PostResult post(std::span<const WorkRequest> list);
  // The RTR goes before everything posted (RFC 6581 §9.2); REQUIRES: nothing was sent since reset().
  void prepend_rtr(Rtr kind);
  // A new LLP Stream: MSNs begin at 1.
  void reset() noexcept;

  // Appends the next segment, of at most `max_ulpdu` octets, a MULPDU. Memory operations take effect on the
  // way.
  [[nodiscard]] Progress next_segment(Bytes& out, std::uint32_t max_ulpdu, std::uint32_t ord,
                                      bool bind_enabled, MemoryTable& memory, const Accessor& self);

  // The oldest Read or Atomic without its response; null: none.
  [[nodiscard]] SendWqe* oldest_outstanding() noexcept {
    return !wqes_.empty() && wqes_.front().state == SendWqe::State::outstanding ? &wqes_.front() : nullptr;
  }
  // It was answered.
  void finish_oldest() noexcept;
  // The outstanding Read or Atomic whose request had this MSN; null: none.
  [[nodiscard]] SendWqe* outstanding_with(std::uint32_t msn) noexcept;
  [[nodiscard]] std::uint32_t outstanding() const noexcept { return outstanding_; }
  [[nodiscard]] std::uint32_t outstanding_atomics() const noexcept { return outstanding_atomics_; }

  // The next completion in post order that is due: a signaled WQE that is done. Nothing: none is.
  [[nodiscard]] bool take_done(WorkCompletion& completion, std::uint32_t& places);
  // … after an error: each WQE's own, or Flushed.
  [[nodiscard]] bool take_flushed(WorkCompletion& completion, std::uint32_t& places);

  [[nodiscard]] bool empty() const noexcept { return wqes_.empty(); }
  // Nothing waits for its turn, or for a place among the outstanding ones, or is half sent.
  [[nodiscard]] bool all_sent() const noexcept { return next_ == wqes_.size(); }
  // Places taken, until completions are reaped.
  [[nodiscard]] std::uint32_t used() const noexcept { return used_; }
  // The QP is in Idle again: unsignaled Work Requests that are done, with no completion behind them, hold
  // their places no longer.
  void settle() noexcept { give_back(std::exchange(unsignaled_, 0)); }
  void give_back(std::uint32_t places) noexcept { used_ -= places < used_ ? places : used_; }
  [[nodiscard]] const SendQueueLimits& limits() const noexcept { return limits_; }
  void resize(std::uint32_t max_wrs) noexcept { limits_.max_wrs = max_wrs; }

 private:
  [[nodiscard]] Status check(const WorkRequest& request) const noexcept;
  [[nodiscard]] bool stalled(const SendWqe& wqe, std::uint32_t ord) const noexcept;
  [[nodiscard]] CompletionStatus begin(SendWqe& wqe, std::uint32_t ord, bool bind_enabled,
                                       MemoryTable& memory, const Accessor& self);
  [[nodiscard]] CompletionStatus append(SendWqe& wqe, Bytes& out, std::uint32_t max_ulpdu,
                                        const MemoryTable& memory, const Accessor& self);
  void append_request(SendWqe& wqe, Bytes& out);
  void pop() noexcept;

  SendQueueLimits limits_;
  Ring<SendWqe> wqes_;
  std::size_t next_ = 0;  // the first one that is waiting or sending
  std::uint32_t used_ = 0;
  std::uint32_t unsignaled_ = 0;  // done ones whose places go with the next completion
  std::uint32_t outstanding_ = 0;
  std::uint32_t outstanding_atomics_ = 0;
  std::uint32_t next_send_msn_ = 1;
  std::uint32_t next_request_msn_ = 1;
  std::uint32_t next_request_id_ = 1;
};

}  // namespace iwarp::rnic
