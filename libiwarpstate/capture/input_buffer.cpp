// SPDX-License-Identifier: GPL-2.0-or-later
#include "input_buffer.hpp"

#include <algorithm>
#include <cstring>
#include <new>

namespace iwarp::capture {
namespace {

// The storage is headroom and block. What is left of the last block moves in front of the block, so that the
// source always writes a whole block to the same place.
constexpr std::size_t headroom = std::size_t{64} << 10;
constexpr std::size_t block_octets = std::size_t{256} << 10;
constexpr std::size_t block_capacity = headroom + block_octets;

}  // namespace

InputBuffer::InputBuffer(ByteView octets) noexcept
    : at_(octets.data()), end_(octets.data() + octets.size()), end_offset_(octets.size()), at_end_(true) {}

bool InputBuffer::refill(std::size_t count) {
  while (available() < count) {
    if (at_end_) return false;
    make_room(count);
    Byte* const to = storage_.get() + (end_ - storage_.get());
    const std::size_t got = source_->read(to, static_cast<std::size_t>(storage_.get() + capacity_ - end_));
    at_end_ = got == 0;
    end_ += got;
    end_offset_ += got;
  }
  return true;
}

InputBuffer::Storage InputBuffer::unheld_block() {
  for (const Storage& block : blocks_) {
    if (block.use_count() == 1) return block;
  }
  return blocks_.emplace_back(new Byte[block_capacity]);  // NOLINT: not to be zeroed
}

void InputBuffer::move_to(Storage storage, std::size_t capacity, std::size_t offset) {
  const std::size_t kept = available();
  if (kept != 0) std::memcpy(storage.get() + offset, at_, kept);
  at_ = storage.get() + offset;
  end_ = at_ + kept;
  storage_ = std::move(storage);
  capacity_ = capacity;
}

// Makes room behind end_, without moving anything while all of `count` fits as things are.
void InputBuffer::make_room(std::size_t count) {
  if (!storage_) return move_to(unheld_block(), block_capacity, headroom);
  const Byte* const limit = storage_.get() + capacity_;
  const std::size_t kept = available();
  if (end_ != limit && static_cast<std::size_t>(limit - at_) >= count) return;
  const bool is_block = capacity_ == block_capacity;  // of blocks_, too
  const bool is_held = storage_.use_count() > (is_block ? 2 : 1);
  if (kept == capacity_ || (is_held && kept > headroom))
    return move_to(Storage(new Byte[2 * capacity_]), 2 * capacity_, 0);  // NOLINT: not to be zeroed
  if (is_held) return move_to(unheld_block(), block_capacity, headroom - kept);
  Byte* const to = kept <= headroom ? storage_.get() + headroom - kept : storage_.get();
  if (kept != 0) std::memmove(to, at_, kept);
  at_ = to;
  end_ = at_ + kept;
}

bool InputBuffer::skip(std::uint64_t count) {
  while (count > available()) {
    count -= available();
    at_ = end_;
    if (!refill(1)) return false;
  }
  at_ += count;
  return true;
}

std::optional<std::uint64_t> InputBuffer::remaining() const noexcept {
  if (!source_) return available();
  if (source_->is_compressed()) return std::nullopt;
  const auto total = source_->size();
  if (!total || *total < source_->consumed()) return std::nullopt;
  return *total - source_->consumed() + available();
}

std::uint64_t InputBuffer::consumed() const noexcept {
  return source_ ? source_->consumed() : offset();
}

std::optional<std::uint64_t> InputBuffer::size() const noexcept {
  return source_ ? source_->size() : std::optional<std::uint64_t>(end_offset_);
}

}  // namespace iwarp::capture
