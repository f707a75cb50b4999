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

// Makes room behind end_, without moving anything while all of `count` fits as things are.
void InputBuffer::make_room(std::size_t count) {
  if (!storage_) {
    capacity_ = headroom + block_octets;
    storage_.reset(new Byte[capacity_]);  // NOLINT: not to be zeroed
    at_ = end_ = storage_.get() + headroom;
    return;
  }
  const Byte* const limit = storage_.get() + capacity_;
  const std::size_t kept = available();
  if (end_ != limit && static_cast<std::size_t>(limit - at_) >= count) return;
  if (kept == capacity_) {
    std::unique_ptr<Byte[]> larger(new Byte[2 * capacity_]);
    std::memcpy(larger.get(), at_, kept);
    storage_ = std::move(larger);
    capacity_ *= 2;
    at_ = storage_.get();
  } else {
    Byte* const to = kept <= headroom ? storage_.get() + headroom - kept : storage_.get();
    if (kept != 0) std::memmove(to, at_, kept);
    at_ = to;
  }
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
