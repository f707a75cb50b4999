// PackedColumn: a column of numbers that grows at its end while other threads read it, each in as few bits as
// its neighbours need.
//
// The rows of a block are kept as they come until it is full; then they are packed, for good, and their room
// is used for the next block. Who reads a row of it meanwhile sees that, and reads it again where it went.
// Nobody waits, and nothing is locked.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <vector>

#include <iwarp/bytes.hpp>
#include <iwarp/metrics/column.hpp>
#include <iwarp/packed_group.hpp>

#pragma GCC visibility push(default)
namespace iwarp {

class PackedColumn {
 public:
  PackedColumn();
  ~PackedColumn() = default;
  PackedColumn(const PackedColumn&) = delete;
  PackedColumn& operator=(const PackedColumn&) = delete;

  // The writing thread's. REQUIRES: size() < max_rows.
  void push_back(std::uint64_t number) {
    if (open_ == nullptr) open_.reset(new std::uint64_t[block_size]);
    // Who reads the new number knows that the one before it in this place was packed.
    std::atomic_ref(open_[size_ % block_size]).store(number, std::memory_order_release);
    if (++size_ % block_size == 0) pack();
  }
  [[nodiscard]] std::size_t size() const noexcept { return size_; }

  // REQUIRES, of other threads: `row` is below a size that was read from the table's Rows.
  [[nodiscard]] std::uint64_t operator[](std::size_t row) const noexcept {
    const Byte* block = packed(row / block_size);
    if (block == nullptr) {
      const std::uint64_t number = std::atomic_ref(open_[row % block_size]).load(std::memory_order_acquire);
      block = packed(row / block_size);
      if (block == nullptr) return number;
    }
    return read(block, row % block_size);
  }

 private:
  static constexpr std::size_t block_size = std::size_t{1} << 10U;
  static constexpr std::size_t groups = block_size / PackedGroup::width;
  // A block begins with where each of its groups does, four octets each.
  static constexpr std::size_t head = groups * sizeof(std::uint32_t);

  struct Free {
    void operator()(const Byte** blocks) const noexcept { std::free(static_cast<void*>(blocks)); }
  };

  [[nodiscard]] const Byte* packed(std::size_t block) const noexcept {
    return std::atomic_ref(blocks_.get()[block]).load(std::memory_order_acquire);
  }
  [[nodiscard]] static std::uint64_t read(const Byte* block, std::size_t at) noexcept {
    return PackedGroup::read(block + load_le32(block + at / PackedGroup::width * sizeof(std::uint32_t)),
                             at % PackedGroup::width);
  }
  void pack();
  [[nodiscard]] Byte* room_for(std::size_t octets);

  std::unique_ptr<const Byte*[], Free> blocks_;  // in chunks_; nothing: not full yet
  std::unique_ptr<std::uint64_t[]> open_;        // the rows of the block that is not
  std::size_t size_ = 0;
  std::vector<std::unique_ptr<Byte[]>> chunks_;
  std::size_t octets_ = 0;  // of all chunks
  // Of the last chunk: what no block has taken yet.
  Byte* next_ = nullptr;
  std::size_t left_ = 0;
};

}  // namespace iwarp
#pragma GCC visibility pop
