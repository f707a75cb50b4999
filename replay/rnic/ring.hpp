// A queue over one block of memory that grows to what was needed once and then allocates no more.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

namespace iwarp::rnic {

// REQUIRES for front, back, operator[] and pop_front: the element exists.
template <typename T>
class Ring {
 public:
  [[nodiscard]] bool empty() const noexcept { return size_ == 0; }
  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  [[nodiscard]] T& operator[](std::size_t position) noexcept { return items_[place(position)]; }
  [[nodiscard]] const T& operator[](std::size_t position) const noexcept { return items_[place(position)]; }
  [[nodiscard]] T& front() noexcept { return (*this)[0]; }
  [[nodiscard]] const T& front() const noexcept { return (*this)[0]; }
  [[nodiscard]] T& back() noexcept { return (*this)[size_ - 1]; }

  void push_back(T item) {
    make_room();
    items_[place(size_)] = std::move(item);
    ++size_;
  }

  void push_front(T item) {
    make_room();
    head_ = (head_ + items_.size() - 1) & (items_.size() - 1);
    items_[head_] = std::move(item);
    ++size_;
  }

  void pop_front() noexcept {
    items_[head_] = T();  // what it owns goes
    head_ = place(1);
    --size_;
  }

  void clear() noexcept {
    while (!empty()) pop_front();
    head_ = 0;
  }

 private:
  [[nodiscard]] std::size_t place(std::size_t position) const noexcept {
    return (head_ + position) & (items_.size() - 1);
  }

  void make_room() {
    if (size_ < items_.size()) return;
    std::vector<T> larger(std::max<std::size_t>(8, items_.size() * 2));
    for (std::size_t at = 0; at < size_; ++at) larger[at] = std::move((*this)[at]);
    items_ = std::move(larger);
    head_ = 0;
  }

  std::vector<T> items_;  // size: zero or a power of two
  std::size_t head_ = 0;
  std::size_t size_ = 0;
};

}  // namespace iwarp::rnic
