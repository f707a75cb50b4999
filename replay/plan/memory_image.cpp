// SPDX-License-Identifier: GPL-2.0-or-later
#include "plan/memory_image.hpp"

#include <algorithm>
#include <utility>

namespace iwarp::replay {

void MemoryImage::write(std::uint64_t to, const Content& content) {
  const std::uint64_t length = length_of(content);
  if (length == 0) return;
  const std::uint64_t end = to + length;
  auto run = runs_.upper_bound(to);
  if (run != runs_.begin()) --run;
  while (run != runs_.end() && run->first < end) {
    const std::uint64_t begin = run->first;
    const std::uint64_t run_length = length_of(run->second);
    const std::uint64_t run_end = begin + run_length;
    if (run_end <= to) {
      ++run;
      continue;
    }
    const Content old = std::move(run->second);
    run = runs_.erase(run);
    if (begin < to) runs_.emplace(begin, slice(old, 0, to - begin));
    if (run_end > end) runs_.emplace(end, slice(old, end - begin, run_end - end));
  }
  runs_[to] = content;
}

void MemoryImage::visit(std::uint64_t to, std::uint64_t length, const Visit& visit) const {
  const std::uint64_t end = to + length;
  auto run = runs_.upper_bound(to);
  if (run != runs_.begin()) --run;
  std::uint64_t at = to;
  for (; run != runs_.end() && run->first < end; ++run) {
    const std::uint64_t run_end = run->first + length_of(run->second);
    if (run_end <= at) continue;
    if (run->first > at) {
      visit(at, run->first - at, nullptr);
      at = run->first;
    }
    const std::uint64_t upto = std::min(run_end, end);
    const Content known = slice(run->second, at - run->first, upto - at);
    visit(at, upto - at, &known);
    at = upto;
  }
  if (at < end) visit(at, end - at, nullptr);
}

}  // namespace iwarp::replay
