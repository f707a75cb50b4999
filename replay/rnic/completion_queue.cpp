// Completion Queues.
// SPDX-License-Identifier: GPL-2.0-or-later
#include "rnic/completion_queue.hpp"

#include <utility>

namespace iwarp::rnic {

bool CompletionQueue::add(const Completion& completion) {
  if (entries_.size() >= capacity_) {
    overflow_due_ = overflow_due_ || !overflowing_;
    overflowing_ = true;
    return false;
  }
  overflowing_ = false;
  entries_.push_back(completion);
  const WorkCompletion& added = completion.completion;
  const bool solicits = added.solicited || added.status != CompletionStatus::success;
  if (armed_ == Armed::next || (armed_ == Armed::solicited && solicits)) {
    armed_ = Armed::no;
    notified_ = true;
  }
  return true;
}

std::optional<Completion> CompletionQueue::poll() {
  if (entries_.empty()) return std::nullopt;
  Completion first = entries_.front();
  entries_.pop_front();
  return first;
}

bool CompletionQueue::resize(std::uint32_t capacity) {
  if (entries_.size() > capacity) return false;
  capacity_ = capacity;
  return true;
}

void CompletionQueue::arm(Notify type) noexcept {
  if (type == Notify::next) {
    armed_ = Armed::next;
  } else if (armed_ == Armed::no) {
    armed_ = Armed::solicited;
  }
}

bool CompletionQueue::take_notification() noexcept {
  return std::exchange(notified_, false);
}
bool CompletionQueue::take_overflow() noexcept {
  return std::exchange(overflow_due_, false);
}

}  // namespace iwarp::rnic
