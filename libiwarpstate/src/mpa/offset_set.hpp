// OffsetSet: offsets of a window that were passed, a bit each.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace iwarp::mpa {

class OffsetSet {
 public:
  [[nodiscard]] bool has(std::size_t offset) const noexcept {
    return offset / bits < words_.size() && (words_[offset / bits] >> offset % bits & 1U) != 0;
  }
  // Whether one of [begin, end) is in it. Takes a step for each 64 of them.
  [[nodiscard]] bool any(std::size_t begin, std::size_t end) const noexcept {
    end = std::min(end, words_.size() * bits);
    for (; begin < end; begin += bits - begin % bits) {
      std::uint64_t word = words_[begin / bits] >> begin % bits;
      if (end - begin < bits) word &= (std::uint64_t{1} << (end - begin)) - 1;
      if (word != 0) return true;
    }
    return false;
  }
  void add(std::size_t offset) {
    if (offset / bits >= words_.size()) words_.resize(offset / bits + 1);
    words_[offset / bits] |= std::uint64_t{1} << offset % bits;
  }
  void remove(std::size_t offset) noexcept {
    if (has(offset)) words_[offset / bits] &= ~(std::uint64_t{1} << offset % bits);
  }
  void clear() noexcept { words_.clear(); }

  // See base/packing.hpp.
  template <typename Codec>
  void pack(Codec& codec) {
    codec(words_);
  }

 private:
  static constexpr std::size_t bits = 64;

  std::vector<std::uint64_t> words_;  // up to the last offset that was added
};

}  // namespace iwarp::mpa
