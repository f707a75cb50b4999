// Buckets of durations: sixteen for each power of two, so that a value is known to one sixteenth.
//
// Durations are nanoseconds; any 64-bit value has a bucket.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <bit>
#include <cstdint>
#include <limits>

#pragma GCC visibility push(default)
namespace iwarp {

inline constexpr unsigned duration_part_bits = 4;
inline constexpr unsigned duration_parts = 1U << duration_part_bits;
inline constexpr unsigned duration_buckets = duration_parts * (64 - duration_part_bits + 1);

// Values below 16 have buckets of their own; above, the leading one and the four bits behind it count.
[[nodiscard]] inline unsigned duration_bucket(std::uint64_t value) noexcept {
  if (value < duration_parts) return static_cast<unsigned>(value);
  const auto shift = static_cast<unsigned>(std::bit_width(value)) - duration_part_bits - 1;
  return duration_parts * (shift + 1) + static_cast<unsigned>(value >> shift) - duration_parts;
}

// The greatest value that falls into a bucket.
[[nodiscard]] inline std::uint64_t duration_bucket_end(unsigned bucket) noexcept {
  if (bucket < duration_parts) return bucket;
  if (bucket == duration_buckets - 1) return std::numeric_limits<std::uint64_t>::max();
  const unsigned shift = bucket / duration_parts - 1;
  const std::uint64_t next = std::uint64_t{bucket % duration_parts + duration_parts + 1};
  return (next << shift) - 1;
}

}  // namespace iwarp
#pragma GCC visibility pop
