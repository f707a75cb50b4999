// Delta debugging: the smallest part of a list for which a test still says yes (Zeller and Hildebrandt,
// "Simplifying and Isolating Failure-Inducing Input", 2002): pieces are left out, then ever smaller ones,
// until not a single element can be.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <vector>

namespace iwarp::replay {

// REQUIRES: `still(items)`. What is returned keeps the order; none of it can be left out alone, unless
// `cancelled`.
template <typename Item>
[[nodiscard]] std::vector<Item> ddmin(std::vector<Item> items,
                                      const std::function<bool(const std::vector<Item>&)>& still,
                                      const std::function<bool()>& cancelled) {
  if (items.empty() || still({})) return {};
  std::size_t pieces = 2;
  while (items.size() > 1 && !cancelled()) {
    pieces = std::min(pieces, items.size());
    bool smaller = false;
    for (std::size_t i = 0; i < pieces && !smaller && !cancelled(); ++i) {
      const auto begin = static_cast<std::ptrdiff_t>(items.size() * i / pieces);
      const auto end = static_cast<std::ptrdiff_t>(items.size() * (i + 1) / pieces);
      std::vector<Item> rest(items.begin(), items.begin() + begin);
      rest.insert(rest.end(), items.begin() + end, items.end());
      if (rest.empty() || !still(rest)) continue;
      items = std::move(rest);
      pieces = std::max<std::size_t>(pieces - 1, 2);
      smaller = true;
    }
    if (smaller) continue;
    if (pieces == items.size()) break;
    pieces *= 2;
  }
  return items;
}

}  // namespace iwarp::replay
