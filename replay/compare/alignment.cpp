// SPDX-License-Identifier: GPL-2.0-or-later
#include "compare/alignment.hpp"

#include <algorithm>

namespace iwarp::replay {
namespace {

using Reach = std::vector<std::ptrdiff_t>;  // by diagonal: how far in a

// Walks back from the end of both sequences over what each step reached.
std::vector<Pair> walk_back(const std::vector<Reach>& steps, std::ptrdiff_t x, std::ptrdiff_t y) {
  std::vector<Pair> pairs;
  for (auto d = static_cast<std::ptrdiff_t>(steps.size()) - 1; d >= 0; --d) {
    const Reach& before = steps[static_cast<std::size_t>(d)];
    const auto at = [&](std::ptrdiff_t diagonal) {
      return before[static_cast<std::size_t>(diagonal + d + 1)];
    };
    const std::ptrdiff_t k = x - y;
    const bool down = k == -d || (k != d && at(k - 1) < at(k + 1));
    const std::ptrdiff_t previous = down ? k + 1 : k - 1;
    const std::ptrdiff_t from_x = d == 0 ? 0 : at(previous);
    const std::ptrdiff_t from_y = d == 0 ? 0 : from_x - previous;
    while (x > from_x && y > from_y) pairs.emplace_back(--x, --y);
    x = from_x;
    y = from_y;
  }
  std::ranges::reverse(pairs);
  return pairs;
}

std::vector<Pair> by_place(const std::vector<std::uint64_t>& a, const std::vector<std::uint64_t>& b) {
  std::vector<Pair> pairs;
  for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i) {
    if (a[i] == b[i]) pairs.emplace_back(i, i);
  }
  return pairs;
}

std::vector<Pair> myers(const std::vector<std::uint64_t>& a, const std::vector<std::uint64_t>& b,
                        std::size_t max_distance) {
  const auto n = static_cast<std::ptrdiff_t>(a.size());
  const auto m = static_cast<std::ptrdiff_t>(b.size());
  std::vector<Reach> steps;
  Reach reach(3, 0);  // diagonals -1 … 1
  const auto limit = static_cast<std::ptrdiff_t>(std::min(max_distance, a.size() + b.size()));
  for (std::ptrdiff_t d = 0; d <= limit; ++d) {
    steps.push_back(reach);  // diagonals -(d+1) … d+1, as the step before left them
    Reach next(static_cast<std::size_t>(2 * (d + 1) + 3), 0);
    for (std::ptrdiff_t k = -d; k <= d; k += 2) {
      const auto at = [&](std::ptrdiff_t diagonal) {
        return reach[static_cast<std::size_t>(diagonal + d + 1)];
      };
      std::ptrdiff_t x = k == -d || (k != d && at(k - 1) < at(k + 1)) ? at(k + 1) : at(k - 1) + 1;
      if (d == 0) x = 0;
      std::ptrdiff_t y = x - k;
      while (x < n && y < m && a[static_cast<std::size_t>(x)] == b[static_cast<std::size_t>(y)]) ++x, ++y;
      next[static_cast<std::size_t>(k + d + 2)] = x;
      if (k == n - m && x >= n) return walk_back(steps, n, m);
    }
    reach = std::move(next);
  }
  return by_place(a, b);
}

}  // namespace

std::vector<Pair> align(const std::vector<std::uint64_t>& a, const std::vector<std::uint64_t>& b,
                        std::size_t max_distance) {
  std::size_t head = 0;
  while (head < a.size() && head < b.size() && a[head] == b[head]) ++head;
  std::size_t tail = 0;
  while (tail < a.size() - head && tail < b.size() - head && a[a.size() - 1 - tail] == b[b.size() - 1 - tail])
    ++tail;
  const auto middle = [&](const std::vector<std::uint64_t>& keys) {
    return std::vector<std::uint64_t>(keys.begin() + static_cast<std::ptrdiff_t>(head),
                                      keys.end() - static_cast<std::ptrdiff_t>(tail));
  };
  std::vector<Pair> pairs;
  for (std::size_t i = 0; i < head; ++i) pairs.emplace_back(i, i);
  for (const Pair& pair : myers(middle(a), middle(b), max_distance)) {
    pairs.emplace_back(pair.first + head, pair.second + head);
  }
  for (std::size_t i = tail; i > 0; --i) pairs.emplace_back(a.size() - i, b.size() - i);
  return pairs;
}

}  // namespace iwarp::replay
