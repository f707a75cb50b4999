// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/large_pages.hpp"

#include <sys/mman.h>

#include <new>
#include <utility>

namespace iwarp {

Byte* LargePages::take(std::size_t size) {
  if (left_ < size) {
    // Small captures stay small: their pieces have just the memory that they need.
    const bool alone = octets_ + size <= block_size;
    left_ = alone ? size : block_size;
    Block block(static_cast<Byte*>(alone ? std::malloc(size) : std::aligned_alloc(block_size, block_size)));
    if (block == nullptr) throw std::bad_alloc();
#ifdef MADV_HUGEPAGE
    if (!alone) (void)madvise(block.get(), block_size, MADV_HUGEPAGE);
#endif
    next_ = block.get();
    blocks_.push_back(std::move(block));
    octets_ += left_;
  }
  left_ -= size;
  return std::exchange(next_, next_ + size);
}

}  // namespace iwarp
