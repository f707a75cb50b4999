// PackedGroup: 64 numbers in as few bits as their range needs, any of them read in constant time.
//
// The least of the numbers comes first (eight octets, the lowest first), then how many bits the difference of
// each from it takes (one octet), then these differences, bit after bit.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>

#include <iwarp/bytes.hpp>

#pragma GCC visibility push(default)
namespace iwarp {

struct PackedGroup {
  static constexpr std::size_t width = 64;
  static constexpr std::size_t head = sizeof(std::uint64_t) + 1;
  static constexpr std::size_t max_octets = head + width * sizeof(std::uint64_t);
  // Octets behind a group that are read or written with it, whatever is in them.
  static constexpr std::size_t slack = sizeof(std::uint64_t);

  // Writes `width` numbers; returns how many octets they took. REQUIRES: room for max_octets and slack.
  static std::size_t write(const std::uint64_t* numbers, Byte* to) noexcept;

  // REQUIRES: `group` was written, `at` < width.
  [[nodiscard]] static std::uint64_t read(const Byte* group, std::size_t at) noexcept {
    const unsigned bits = group[sizeof(std::uint64_t)];
    if (bits == 0) return load_le64(group);
    const std::size_t first = bits * at;
    const std::uint64_t all = load_le64(group + head + first / 8) >> first % 8;
    return load_le64(group) + (all & ~std::uint64_t{0} >> (64U - bits));
  }
};

}  // namespace iwarp
#pragma GCC visibility pop
