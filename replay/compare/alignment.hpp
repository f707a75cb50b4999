// Alignment of two sequences: which element of one is which of the other, by the least number of insertions
// and deletions (Myers, "An O(ND) Difference Algorithm and Its Variations", 1986).
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace iwarp::replay {

using Pair = std::pair<std::size_t, std::size_t>;

// Pairs of equal keys, ascending in both. Beyond `max_distance` insertions and deletions the rest is paired
// by place.
[[nodiscard]] std::vector<Pair> align(const std::vector<std::uint64_t>& a,
                                      const std::vector<std::uint64_t>& b, std::size_t max_distance = 2000);

}  // namespace iwarp::replay
