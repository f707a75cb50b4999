// Differences as small numbers: what lies near something that is known anyway.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstdint>

namespace iwarp {

// Differences of either sign as small numbers.
constexpr std::uint64_t folded(std::uint64_t difference) noexcept {
  return difference << 1U ^ (0U - (difference >> 63U));
}
constexpr std::uint64_t unfolded(std::uint64_t number) noexcept {
  return number >> 1U ^ (0U - (number & 1U));
}

// Near `base`, or 0: the code 0 is for that, and the one that the difference would have is not needed.
constexpr std::uint64_t code_or_zero(std::uint64_t value, std::uint64_t base) noexcept {
  if (value == 0) return 0;
  const std::uint64_t code = folded(value - base);
  return code < folded(0U - base) ? code + 1 : code;
}
constexpr std::uint64_t value_or_zero(std::uint64_t code, std::uint64_t base) noexcept {
  if (code == 0) return 0;
  return base + unfolded(code <= folded(0U - base) ? code - 1 : code);
}

}  // namespace iwarp
