// A Completion Queue (Verbs 1.0 §5.3, §8.2.3 to §8.2.5): completions in the order they were added, so in post
// order of each Work Queue; overflow is detected; notification is one-shot.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstdint>
#include <optional>

#include "rnic/ids.hpp"
#include "rnic/ring.hpp"
#include "rnic/work_request.hpp"

namespace iwarp::rnic {

enum class Notify : std::uint8_t {
  next,
  next_solicited  // or next in error
};

// A completion with what reaping it gives back: the places of its Work Request, and of the unsignaled ones
// before it, in their Work Queue (Verbs 1.0 §8.1.3.1: they are complete when it is retrieved).
struct Completion {
  WorkCompletion completion;
  std::uint32_t places = 1;
  SrqId srq = SrqId::none;  // the queue the place is in, else the QP's own
};

class CompletionQueue {
 public:
  CompletionQueue(CqId id, std::uint32_t capacity) : id_(id), capacity_(capacity) {}

  [[nodiscard]] CqId id() const noexcept { return id_; }
  [[nodiscard]] std::uint32_t capacity() const noexcept { return capacity_; }
  [[nodiscard]] std::size_t size() const noexcept { return entries_.size(); }

  // False when the queue is full: the completion is lost.
  bool add(const Completion& completion);
  [[nodiscard]] std::optional<Completion> poll();
  // False when more completions are there than would fit; none is ever lost.
  bool resize(std::uint32_t capacity);

  // Asks for one notification; of several requests the widest counts (§8.2.5). What is already there does not
  // notify: poll again after arming.
  void arm(Notify type) noexcept;
  // Whether a notification is due; it is then taken.
  [[nodiscard]] bool take_notification() noexcept;
  // Whether an overflow is to be told: once, until a completion finds room again.
  [[nodiscard]] bool take_overflow() noexcept;

  // QPs that complete to it.
  std::uint32_t users = 0;

  // Forgets what a destroyed QP left (Verbs 1.0 §6.1.4 allows that), after `visit` has seen it.
  template <typename Visit>
  void forget(QpId qp, Visit visit) {
    for (std::size_t left = entries_.size(); left != 0; --left) {
      Completion entry = entries_.front();
      entries_.pop_front();
      if (entry.completion.qp == qp) {
        visit(entry);
      } else {
        entries_.push_back(entry);
      }
    }
  }

 private:
  enum class Armed : std::uint8_t {
    no,
    solicited,
    next
  };

  CqId id_;
  std::uint32_t capacity_;
  Armed armed_ = Armed::no;
  bool notified_ = false;
  bool overflowing_ = false;
  bool overflow_due_ = false;
  Ring<Completion> entries_;
};

}  // namespace iwarp::rnic
