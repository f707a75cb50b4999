// Fifo: a queue in one block of memory, empty without any. Copyable, so that states can be snapshots.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#pragma GCC visibility push(default)
namespace iwarp {

// Amortised constant push and pop; memory follows the largest size since it was last empty.
// REQUIRES for front, operator[] and pop_front: the element exists.
template <typename T>
class Fifo {
 public:
  [[nodiscard]] bool empty() const noexcept { return items_.empty(); }  // pop_front() clears
  [[nodiscard]] std::size_t size() const noexcept { return items_.size() - head_; }
  [[nodiscard]] T& front() noexcept { return items_[head_]; }
  [[nodiscard]] const T& front() const noexcept { return items_[head_]; }
  [[nodiscard]] T& back() noexcept { return items_.back(); }
  [[nodiscard]] const T& back() const noexcept { return items_.back(); }
  [[nodiscard]] T& operator[](std::size_t position) noexcept { return items_[head_ + position]; }
  [[nodiscard]] const T& operator[](std::size_t position) const noexcept { return items_[head_ + position]; }
  [[nodiscard]] auto begin() noexcept { return items_.begin() + static_cast<std::ptrdiff_t>(head_); }
  [[nodiscard]] auto end() noexcept { return items_.end(); }
  [[nodiscard]] auto begin() const noexcept { return items_.begin() + static_cast<std::ptrdiff_t>(head_); }
  [[nodiscard]] auto end() const noexcept { return items_.end(); }

  // REQUIRES: `item` is not one of the queue's own.
  void push_back(const T& item) {
    make_room();
    items_.push_back(item);
  }
  void push_back(T&& item) {
    make_room();
    items_.push_back(std::move(item));
  }

  // One of the default value, to be filled in.
  T& emplace_back() {
    make_room();
    return items_.emplace_back();
  }

  void pop_front() noexcept {
    ++head_;
    if (head_ == items_.size()) clear();
  }

  // Removes the element at `position`, keeping the order of the others.
  void erase(std::size_t position) {
    if (position == 0) return pop_front();
    items_.erase(begin() + static_cast<std::ptrdiff_t>(position));
  }

  // Removes those for which remove(element) is true, keeping the order of the others.
  template <typename Remove>
  void erase_if(Remove remove) {
    items_.erase(std::remove_if(begin(), items_.end(), remove), items_.end());
    if (empty()) clear();
  }

  void clear() noexcept {
    items_.clear();
    head_ = 0;
  }

 private:
  void make_room() noexcept {
    if (head_ == 0 || items_.size() < items_.capacity() || head_ < items_.size() / 2) return;
    items_.erase(items_.begin(), begin());
    head_ = 0;
  }

  std::vector<T> items_;
  std::size_t head_ = 0;
};

}  // namespace iwarp
#pragma GCC visibility pop
