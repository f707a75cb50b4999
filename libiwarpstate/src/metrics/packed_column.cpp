// SPDX-License-Identifier: GPL-2.0-or-later
#include <iwarp/metrics/packed_column.hpp>

#include <algorithm>
#include <new>
#include <utility>

namespace iwarp {
namespace {

// Some tables have thirty columns: a chunk for each block would cost more than packing the block, since the
// heap of a thread asks the kernel for each. The first chunks have the octets of all before them, so that
// small tables stay small.
constexpr std::size_t max_chunk = std::size_t{1} << 16U;

constexpr std::size_t max_blocks(std::size_t block_size) noexcept {
  return max_rows / block_size;
}

}  // namespace

// Memory from calloc() that is not used yet is not touched: small tables are small.
PackedColumn::PackedColumn()
    : blocks_(static_cast<const Byte**>(std::calloc(max_blocks(block_size), sizeof(const Byte*)))) {
  if (blocks_ == nullptr) throw std::bad_alloc();
}

void PackedColumn::pack() {
  Byte octets[head + groups * PackedGroup::max_octets + PackedGroup::slack];
  std::size_t end = head;
  for (std::size_t group = 0; group < groups; ++group) {
    store_le32(octets + group * sizeof(std::uint32_t), static_cast<std::uint32_t>(end));
    end += PackedGroup::write(open_.get() + group * PackedGroup::width, octets + end);
  }
  end += PackedGroup::slack;
  Byte* const block = room_for(end);
  std::copy_n(octets, end, block);
  std::atomic_ref(blocks_[size_ / block_size - 1]).store(block, std::memory_order_release);
}

Byte* PackedColumn::room_for(std::size_t octets) {
  if (left_ < octets) {
    left_ = std::max(octets, std::min(octets_, max_chunk));
    next_ = chunks_.emplace_back(new Byte[left_]).get();
    octets_ += left_;
  }
  left_ -= octets;
  return std::exchange(next_, next_ + octets);
}

}  // namespace iwarp
