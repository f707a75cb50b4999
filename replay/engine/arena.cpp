// SPDX-License-Identifier: GPL-2.0-or-later
#include "engine/arena.hpp"

#include <algorithm>

namespace iwarp::replay {
namespace {

constexpr std::uint64_t plenty = std::uint64_t{1} << 20U;

}  // namespace

std::size_t arena_size(std::uint64_t octets, std::uint64_t longest) noexcept {
  return static_cast<std::size_t>(std::min(octets, std::max(plenty, 2 * longest + 2)));
}

Arena::Arena(rnic::SoftRnic& rnic, rnic::PdId pd, std::size_t size)
    : memory_(std::max<std::size_t>(size, 1)) {
  rnic::Mapping mapping;
  mapping.buffers = rnic::contiguous(memory_.data(), memory_.size());
  mapping.length = memory_.size();
  mapping.addressing = rnic::Addressing::zero_based;
  mapping.rights = rnic::access::local;
  stag_ = rnic.register_region(pd, 0, false, mapping).value;
}

std::optional<rnic::Sge> Arena::take(std::uint32_t size) {
  const std::size_t step = std::max<std::size_t>(size, 1);  // so that all of them have places of their own
  Range range{0, step};
  if (!taken_.empty()) {
    const std::size_t first = taken_.front().begin;
    const std::size_t last = taken_.back().end;
    const bool wrapped = taken_.back().begin < first;
    if (!wrapped && memory_.size() - last >= step) {
      range = {last, last + step};
    } else if ((wrapped && first - last < step) || (!wrapped && first < step)) {
      return std::nullopt;
    } else if (wrapped) {
      range = {last, last + step};
    }
  }
  if (range.end > memory_.size()) return std::nullopt;
  taken_.push_back(range);
  return rnic::Sge{stag_, size, range.begin};
}

}  // namespace iwarp::replay
