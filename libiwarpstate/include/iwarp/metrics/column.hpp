// Column: an array that grows at its end while other threads read it.
//
// Values lie in blocks that never move. One thread appends; others read the values that were there when a
// size was published behind them (Rows): what they read never changes. Nobody waits, and nothing is locked.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <type_traits>
#include <utility>

#pragma GCC visibility push(default)
namespace iwarp {

// More rows than these are not kept: a table says how many it left out.
inline constexpr std::size_t max_rows = std::size_t{1} << 28U;

template <typename T>
class Column {
 public:
  static constexpr std::size_t block_size = std::size_t{1} << 16U;

  Column() : blocks_(new std::unique_ptr<T[]>[max_rows / block_size]) {}

  // The writing thread's. REQUIRES: size() < max_rows.
  template <typename... Values>
  T& push_back(Values&&... values) {
    if (size_ % block_size == 0) blocks_[size_ / block_size] = make_block();
    T& place = blocks_[size_ / block_size][size_ % block_size];
    if constexpr (sizeof...(Values) > 0) place = T{std::forward<Values>(values)...};
    ++size_;
    return place;
  }
  [[nodiscard]] std::size_t size() const noexcept { return size_; }

  // REQUIRES, of other threads: `row` is below a size that was read from the table's Rows.
  [[nodiscard]] const T& operator[](std::size_t row) const noexcept {
    return blocks_[row / block_size][row % block_size];
  }
  [[nodiscard]] T& operator[](std::size_t row) noexcept {
    return blocks_[row / block_size][row % block_size];
  }

 private:
  // Memory that is not used yet is not touched: small tables are small.
  [[nodiscard]] static std::unique_ptr<T[]> make_block() {
    if constexpr (std::is_trivially_default_constructible_v<T>) {
      return std::unique_ptr<T[]>(new T[block_size]);
    } else {
      return std::make_unique<T[]>(block_size);
    }
  }

  std::unique_ptr<std::unique_ptr<T[]>[]> blocks_;
  std::size_t size_ = 0;
};

// The number of rows of a table that may be read: all columns have their values.
class Rows {
 public:
  [[nodiscard]] std::size_t count() const noexcept { return count_.load(std::memory_order_acquire); }
  // The writing thread's: one more row is there, in every column.
  void publish() noexcept { count_.store(++written_, std::memory_order_release); }

 private:
  std::atomic<std::size_t> count_{0};
  std::size_t written_ = 0;
};

}  // namespace iwarp
#pragma GCC visibility pop
