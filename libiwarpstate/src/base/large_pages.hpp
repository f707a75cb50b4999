// LargePages: memory that grows by pieces and goes as a whole, in as few pages as the system gives.
//
// Of a hundred megabytes that are written once, asking the kernel for each page of 4 kB costs as much as
// packing what is written. So what is behind the first two megabytes comes from blocks of the size and
// alignment of a large page, and the kernel is asked for one (madvise(2), MADV_HUGEPAGE; it may refuse).
// Not thread-safe.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstddef>
#include <cstdlib>
#include <memory>
#include <vector>

#include <iwarp/bytes.hpp>

namespace iwarp {

class LargePages {
 public:
  static constexpr std::size_t block_size = std::size_t{1} << 21U;

  // `size` octets that stay where they are as long as *this; their content is undefined. REQUIRES: size <=
  // block_size. Throws bad_alloc.
  [[nodiscard]] Byte* take(std::size_t size);

  // Of all blocks.
  [[nodiscard]] std::size_t octets() const noexcept { return octets_; }

 private:
  struct Free {
    void operator()(Byte* octets) const noexcept { std::free(octets); }
  };
  using Block = std::unique_ptr<Byte, Free>;

  std::vector<Block> blocks_;
  std::size_t octets_ = 0;
  // Of the last block: what is not taken yet.
  Byte* next_ = nullptr;
  std::size_t left_ = 0;
};

}  // namespace iwarp
