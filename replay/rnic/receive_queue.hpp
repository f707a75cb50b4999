// Receive Queues: a QP's own, and the shared one (Verbs 1.0 §6.3, §8.2).
//
// A place is taken when a WQE is posted and given back when its completion is reaped, wherever the WQE went
// in between: so neither queue can be posted beyond what its completions leave.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstdint>
#include <span>

#include "rnic/ids.hpp"
#include "rnic/ring.hpp"
#include "rnic/work_request.hpp"

namespace iwarp::rnic {

struct ReceiveWqe {
  ReceiveRequest request;
  std::uint64_t capacity = 0;  // octets its scatter list takes
  PdId pd = PdId::none;        // its elements are checked against: the QP's, or the S-RQ's
  SrqId srq = SrqId::none;     // where its place is
};

struct PostResult {
  Status status = Status::ok;
  std::size_t posted = 0;  // these stay, whatever the status
};

class ReceiveQueue {
 public:
  ReceiveQueue(std::uint32_t capacity, std::uint32_t max_sges) : capacity_(capacity), max_sges_(max_sges) {}

  [[nodiscard]] PostResult post(std::span<const ReceiveRequest> list, PdId pd, SrqId srq);
  [[nodiscard]] bool empty() const noexcept { return wqes_.empty(); }
  [[nodiscard]] std::size_t size() const noexcept { return wqes_.size(); }
  // REQUIRES: not empty.
  [[nodiscard]] ReceiveWqe take() {
    ReceiveWqe first = wqes_.front();
    wqes_.pop_front();
    return first;
  }
  void give_back(std::uint32_t places) noexcept { used_ -= places < used_ ? places : used_; }

  [[nodiscard]] std::uint32_t capacity() const noexcept { return capacity_; }
  [[nodiscard]] std::uint32_t max_sges() const noexcept { return max_sges_; }
  [[nodiscard]] std::uint32_t used() const noexcept { return used_; }
  // REQUIRES: capacity >= used().
  void resize(std::uint32_t capacity) noexcept { capacity_ = capacity; }

 private:
  std::uint32_t capacity_;
  std::uint32_t max_sges_;
  std::uint32_t used_ = 0;
  Ring<ReceiveWqe> wqes_;
};

struct SrqAttributes {
  PdId pd = PdId::none;
  std::uint32_t max_wrs = 64;
  std::uint32_t max_sges = 4;
  std::uint32_t limit = 0;  // 0: none
};

// WQEs are dequeued in the order of the messages' arrival. No error of a QP flushes it.
class SharedReceiveQueue {
 public:
  SharedReceiveQueue(SrqId id, const SrqAttributes& attributes)
      : queue(attributes.max_wrs, attributes.max_sges),
        limit(attributes.limit),
        armed(attributes.limit != 0),
        id_(id),
        pd_(attributes.pd) {}

  [[nodiscard]] SrqId id() const noexcept { return id_; }
  [[nodiscard]] PdId pd() const noexcept { return pd_; }

  // Whether fewer WQEs than the limit are left: said once for each arming (§6.3.8).
  [[nodiscard]] bool take_limit_event() noexcept {
    if (!armed || queue.size() >= limit) return false;
    armed = false;
    return true;
  }

  ReceiveQueue queue;
  std::uint32_t limit;
  bool armed;
  bool failed = false;      // catastrophically
  std::uint32_t users = 0;  // QPs

 private:
  SrqId id_;
  PdId pd_;
};

}  // namespace iwarp::rnic
