// SPDX-License-Identifier: GPL-2.0-or-later
#include <iwarp/packed_group.hpp>

#include <algorithm>
#include <bit>

namespace iwarp {
namespace {

// Above these a number does not lie in eight octets wherever it begins.
constexpr unsigned most_bits_anywhere = 57;

}  // namespace

std::size_t PackedGroup::write(const std::uint64_t* numbers, Byte* to) noexcept {
  std::uint64_t least = numbers[0];
  std::uint64_t greatest = numbers[0];
  for (std::size_t at = 1; at < width; ++at) {
    least = std::min(least, numbers[at]);
    greatest = std::max(greatest, numbers[at]);
  }
  auto bits = static_cast<unsigned>(std::bit_width(greatest - least));
  if (bits > most_bits_anywhere) bits = 64;
  store_le64(to, least);
  to[sizeof least] = static_cast<Byte>(bits);
  Byte* end = to + head;
  std::uint64_t waiting = 0;  // differences that are not written yet, the first one lowest
  unsigned count = 0;         // of their bits
  for (std::size_t at = 0; bits > 0 && at < width; ++at) {
    const std::uint64_t difference = numbers[at] - least;
    waiting |= difference << count;
    count += bits;
    if (count < 64) continue;
    store_le64(end, waiting);
    end += sizeof waiting;
    count -= 64;
    waiting = count == 0 ? 0 : difference >> (bits - count);
  }
  return head + width / 8 * bits;  // 64 numbers fill whole words
}

}  // namespace iwarp
