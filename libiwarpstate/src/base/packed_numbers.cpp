// SPDX-License-Identifier: GPL-2.0-or-later
#include <iwarp/packed_numbers.hpp>

#include <algorithm>
#include <utility>

namespace iwarp {
namespace {

// Of the first `used` octets, in room for `size`.
std::unique_ptr<Byte[]> copy_of(const Byte* octets, std::size_t used, std::size_t size) {
  auto copy = std::make_unique_for_overwrite<Byte[]>(size);
  std::copy_n(octets, used, copy.get());
  return copy;
}

}  // namespace

PackedNumbers::PackedNumbers(const PackedNumbers& other)
    : full_(other.full_),
      open_(other.open_ ? copy_of(other.open_.get(), other.used_, size_of(full_.size())) : nullptr),
      used_(other.used_),
      groups_(other.groups_),
      last_(other.last_),
      waiting_(other.waiting_) {}

PackedNumbers& PackedNumbers::operator=(const PackedNumbers& other) {
  if (this != &other) *this = PackedNumbers(other);
  return *this;
}

PackedNumbers::PackedNumbers(PackedNumbers&& other) noexcept {
  *this = std::move(other);
}

PackedNumbers& PackedNumbers::operator=(PackedNumbers&& other) noexcept {
  full_ = std::exchange(other.full_, {});
  open_ = std::exchange(other.open_, {});
  used_ = std::exchange(other.used_, 0);
  groups_ = std::exchange(other.groups_, {});
  last_ = other.last_;
  waiting_ = std::exchange(other.waiting_, 0);
  return *this;
}

void PackedNumbers::pack() {
  if (open_ && used_ + PackedGroup::max_octets + PackedGroup::slack > size_of(full_.size())) {
    full_.emplace_back(std::move(open_));
    used_ = 0;
  }
  if (!open_) open_ = std::make_unique_for_overwrite<Byte[]>(size_of(full_.size()));
  groups_.push_back(static_cast<std::uint32_t>(full_.size()) * chunk_size + used_);
  used_ += static_cast<std::uint32_t>(PackedGroup::write(last_.data(), open_.get() + used_));
  waiting_ = 0;
}

void PackedNumbers::truncate(std::size_t size) {
  const std::size_t group = size / PackedGroup::width;
  const std::size_t rest = size % PackedGroup::width;
  if (group == groups_.size()) {
    waiting_ = rest;
    return;
  }
  const std::uint32_t place = groups_[group];
  for (std::size_t at = 0; at < rest; ++at) last_[at] = PackedGroup::read(octets(place), at);
  waiting_ = rest;
  groups_.resize(group);
  used_ = place % chunk_size;
  const std::size_t chunk = place / chunk_size;
  if (chunk == full_.size()) return;
  // It is filled anew, and others may have it as it was.
  open_ = copy_of(full_[chunk].get(), used_, size_of(chunk));
  full_.resize(chunk);
}

}  // namespace iwarp
