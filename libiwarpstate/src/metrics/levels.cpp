// SPDX-License-Identifier: GPL-2.0-or-later
#include <iwarp/metrics/levels.hpp>

#include <cmath>

namespace iwarp {
namespace {

constexpr std::uint16_t no_bucket = 0xffff;
static_assert(duration_buckets < no_bucket);

// Takes [begin, end) apart: calls front(level, node) for whole nodes from the beginning on, in order, and
// back(level, node) for those before the end, from it backward. Level 0 are the values. Nodes of `levels`
// levels exist, as many as are full.
template <typename Front, typename Back>
void decompose(std::size_t begin, std::size_t end, std::size_t levels, Front front, Back back) {
  for (std::size_t level = 0; begin < end; ++level) {
    const bool top = level == levels;
    while (begin < end && (top || begin % level_width != 0)) front(level, begin++);
    while (begin < end && end % level_width != 0) back(level, --end);
    begin /= level_width;
    end /= level_width;
  }
}

// Fills the levels above one that has `size` nodes by now, the last of which was just added. `make(level,
// first)` makes the node of the 64 of the level below that begin with `first`.
template <typename Node, typename Make>
void fill_levels(std::vector<std::vector<Node>>& nodes, std::size_t size, Make make) {
  for (std::size_t level = 0; size % level_width == 0; ++level) {
    if (level == nodes.size()) nodes.emplace_back();
    nodes[level].push_back(make(level, size - level_width));
    size = nodes[level].size();
  }
}

template <typename Node>
void truncate_levels(std::vector<std::vector<Node>>& nodes, std::size_t size) {
  for (std::vector<Node>& level : nodes) {
    size /= level_width;
    level.resize(size);
  }
}

}  // namespace

void ValueLevels::push_back(std::uint64_t value) {
  values_.push_back(value + 1);
  fill_levels(nodes_, values_.size(), [this](std::size_t level, std::size_t first) {
    Extent whole;
    for (std::size_t at = first; at < first + level_width; ++at) {
      if (level == 0) {
        whole.add((*this)[at]);
      } else {
        whole.add(nodes_[level - 1][at]);
      }
    }
    return whole;
  });
}

void ValueLevels::truncate(std::size_t size) {
  values_.truncate(size);
  truncate_levels(nodes_, size);
}

Extent ValueLevels::over(std::size_t begin, std::size_t end) const noexcept {
  const auto node = [this](std::size_t level, std::size_t at) {
    if (level > 0) return nodes_[level - 1][at];
    Extent value;
    value.add((*this)[at]);
    return value;
  };
  Extent front;
  Extent back;
  decompose(
      begin, end, nodes_.size(), [&](std::size_t level, std::size_t at) { front.add(node(level, at)); },
      [&](std::size_t level, std::size_t at) {
        Extent before = node(level, at);
        before.add(back);
        back = before;
      });
  front.add(back);
  return front;
}

std::size_t ValueLevels::visited(std::size_t begin, std::size_t end) const noexcept {
  std::size_t count = 0;
  const auto visit = [&count](std::size_t, std::size_t) { ++count; };
  decompose(begin, end, nodes_.size(), visit, visit);
  return count;
}

std::uint64_t DurationCounts::percentile(double percent) const noexcept {
  const double exact = static_cast<double>(total_) * percent / 100;
  const std::uint64_t rank =
      std::clamp<std::uint64_t>(static_cast<std::uint64_t>(std::ceil(exact)), 1, total_);
  std::uint64_t seen = 0;
  unsigned bucket = 0;
  for (; bucket + 1 < duration_buckets; ++bucket) {
    seen += counts_[bucket];
    if (seen >= rank) break;
  }
  return duration_bucket_end(bucket);
}

template <typename Count>
void DurationLevels::Level<Count>::push_back(const DurationCounts& all) {
  unsigned first = 0;
  unsigned end = duration_buckets;
  while (first < end && all[first] == 0) ++first;
  while (end > first && all[end - 1] == 0) --end;
  nodes.push_back({static_cast<std::uint32_t>(counts.size()), static_cast<std::uint16_t>(first),
                   static_cast<std::uint16_t>(end - first)});
  for (unsigned bucket = first; bucket < end; ++bucket) counts.push_back(static_cast<Count>(all[bucket]));
}

template <typename Count>
void DurationLevels::Level<Count>::truncate(std::size_t size) {
  if (size >= nodes.size()) return;
  counts.resize(nodes[size].place);
  nodes.resize(size);
}

template <typename Count>
void DurationLevels::Level<Count>::add_to(DurationCounts& all, std::size_t node) const noexcept {
  const Node& of = nodes[node];
  for (unsigned at = 0; at < of.size; ++at) all.add(of.first + at, counts[of.place + at]);
}

void DurationLevels::push_back(std::uint64_t duration) {
  buckets_.push_back(duration == no_value ? no_bucket
                                          : static_cast<std::uint16_t>(duration_bucket(duration)));
  if (buckets_.size() % lowest_width != 0) return;
  DurationCounts lowest;
  add_values(lowest, buckets_.size() - lowest_width, buckets_.size());
  lowest_.push_back(lowest);
  std::size_t below = lowest_.nodes.size();
  for (std::size_t level = 0; below % level_width == 0; ++level) {
    if (level == above_.size()) above_.emplace_back();
    DurationCounts whole;
    for (std::size_t node = below - level_width; node < below; ++node) {
      if (level == 0) {
        lowest_.add_to(whole, node);
      } else {
        above_[level - 1].add_to(whole, node);
      }
    }
    above_[level].push_back(whole);
    below = above_[level].nodes.size();
  }
}

void DurationLevels::truncate(std::size_t size) {
  buckets_.resize(size);
  size /= lowest_width;
  lowest_.truncate(size);
  for (auto& level : above_) level.truncate(size /= level_width);
}

void DurationLevels::add_values(DurationCounts& counts, std::size_t begin, std::size_t end) const noexcept {
  for (std::size_t at = begin; at < end; ++at) {
    if (buckets_[at] != no_bucket) counts.add(buckets_[at]);
  }
}

void DurationLevels::add_to(DurationCounts& counts, std::size_t begin, std::size_t end) const noexcept {
  const std::size_t first = (begin + lowest_width - 1) / lowest_width;
  const std::size_t last = end / lowest_width;
  if (first >= last) return add_values(counts, begin, end);
  add_values(counts, begin, first * lowest_width);
  add_values(counts, last * lowest_width, end);
  const auto add = [&](std::size_t level, std::size_t node) {
    if (level == 0) {
      lowest_.add_to(counts, node);
    } else {
      above_[level - 1].add_to(counts, node);
    }
  };
  decompose(first, last, above_.size(), add, add);
}

std::size_t DurationLevels::visited(std::size_t begin, std::size_t end) const noexcept {
  const auto pieces = [](std::size_t values) { return (values + level_width - 1) / level_width; };
  const std::size_t first = (begin + lowest_width - 1) / lowest_width;
  const std::size_t last = end / lowest_width;
  if (first >= last) return pieces(end - begin);
  std::size_t count = pieces(first * lowest_width - begin) + pieces(end - last * lowest_width);
  const auto visit = [&count](std::size_t, std::size_t) { ++count; };
  decompose(first, last, above_.size(), visit, visit);
  return count;
}

}  // namespace iwarp
