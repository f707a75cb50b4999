// SPDX-License-Identifier: GPL-2.0-or-later
#include <iwarp/metrics/packed_column.hpp>

#include <algorithm>
#include <new>
#include <vector>

namespace iwarp {
namespace {

constexpr std::size_t max_blocks(std::size_t block_size) noexcept {
  return max_rows / block_size;
}

}  // namespace

// Memory from calloc() that is not used yet is not touched: small tables are small.
PackedColumn::PackedColumn()
    : blocks_(static_cast<const Byte**>(std::calloc(max_blocks(block_size), sizeof(const Byte*)))) {
  if (blocks_ == nullptr) throw std::bad_alloc();
}

PackedColumn::~PackedColumn() {
  for (std::size_t block = 0; block < size_ / block_size; ++block) delete[] blocks_[block];
}

void PackedColumn::pack() {
  Byte octets[head + groups * PackedGroup::max_octets + PackedGroup::slack];
  std::size_t end = head;
  for (std::size_t group = 0; group < groups; ++group) {
    store_le32(octets + group * sizeof(std::uint32_t), static_cast<std::uint32_t>(end));
    end += PackedGroup::write(open_.get() + group * PackedGroup::width, octets + end);
  }
  end += PackedGroup::slack;
  Byte* const block = new Byte[end];
  std::copy_n(octets, end, block);
  std::atomic_ref(blocks_[size_ / block_size - 1]).store(block, std::memory_order_release);
}

}  // namespace iwarp
