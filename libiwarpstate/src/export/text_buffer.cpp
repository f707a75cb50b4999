// Growth of TextBuffer, apart from the paths that run for every field.
// SPDX-License-Identifier: GPL-2.0-or-later
#include <iwarp/export/text_buffer.hpp>

#include <algorithm>

namespace iwarp {

void TextBuffer::grow(std::size_t count) {
  constexpr std::size_t first_capacity = 1024;
  const std::size_t capacity = std::max({first_capacity, 2 * capacity_, size_ + count});
  auto octets = std::make_unique_for_overwrite<char[]>(capacity);
  if (size_ > 0) std::memcpy(octets.get(), octets_.get(), size_);
  octets_ = std::move(octets);
  capacity_ = capacity;
}

}  // namespace iwarp
