// FrameEvents: the events of the present frame, in one block of memory. What is recorded is made in its
// place, and stays there while conclusions are drawn from it, however many these are.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <vector>

#include <iwarp/analyzer.hpp>

namespace iwarp {

class FrameEvents {
 public:
  // Another event, whose members may have any value yet. The reference holds until settle() or clear();
  // behind further events it may be a copy that view() does not show any more.
  [[nodiscard]] Event& add() {
    if (size_ == capacity_) grow();
    return events_[size_++];
  }
  // References that add() gave are not used any more.
  void settle() noexcept {
    if (!outgrown_.empty()) outgrown_.clear();
  }
  // Forgets all.
  void clear() noexcept {
    // The end of one connection may have told more than all others ever will.
    constexpr std::size_t usual = 16384;
    if (capacity_ > usual) *this = FrameEvents();
    size_ = 0;
  }

  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  [[nodiscard]] Event& operator[](std::size_t position) noexcept { return events_[position]; }
  [[nodiscard]] Events view() const noexcept { return {events_.get(), size_}; }

 private:
  [[gnu::noinline]] void grow() {
    const std::size_t capacity = std::max<std::size_t>(16, 2 * capacity_);
    auto events = std::make_unique<Event[]>(capacity);
    std::copy_n(events_.get(), size_, events.get());
    outgrown_.push_back(std::move(events_));
    events_ = std::move(events);
    capacity_ = capacity;
  }

  std::unique_ptr<Event[]> events_;
  std::size_t size_ = 0;
  std::size_t capacity_ = 0;
  std::vector<std::unique_ptr<Event[]>> outgrown_;
};

}  // namespace iwarp
