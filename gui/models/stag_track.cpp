// SPDX-License-Identifier: GPL-2.0-or-later
#include "models/stag_track.hpp"

#include <algorithm>
#include <bit>
#include <limits>

namespace iwarp::gui {
namespace {

StagTrack::Touched& operator|=(StagTrack::Touched& all, const StagTrack::Touched& more) noexcept {
  for (std::size_t kind = 0; kind < all.size(); ++kind) all[kind] |= more[kind];
  return all;
}

// The last octet of a use; its first where it has none.
std::uint64_t last_of(const StagUse& use) noexcept {
  const std::uint64_t behind = std::max<std::uint64_t>(use.length, 1) - 1;
  return use.to > ~behind ? std::numeric_limits<std::uint64_t>::max() : use.to + behind;
}

// Bits [from, upto].
std::uint64_t bits(unsigned from, unsigned upto) noexcept {
  return ~std::uint64_t{0} << from & ~std::uint64_t{0} >> (StagTrack::parts - 1 - upto);
}

}  // namespace

void StagTrack::add(const StagUse& use) {
  ++counts_[use.kind];
  octets_ += use.length;
  if (use.kind != StagUse::invalidation) widen(use.to, last_of(use));
  // Rows come nearly in the order of time: what is late goes a few places back.
  auto place = uses_.end();
  while (place != uses_.begin() && std::prev(place)->time_ns > use.time_ns) --place;
  const auto at = static_cast<std::size_t>(place - uses_.begin());
  uses_.insert(place, use);
  group_from(at);
}

// Parts get room for these addresses: on the side where they grow, so that the next ones fit, too.
void StagTrack::widen(std::uint64_t least, std::uint64_t greatest) {
  const bool below = ranged_ && least < least_;
  least_ = ranged_ ? std::min(least_, least) : least;
  greatest_ = ranged_ ? std::max(greatest_, greatest) : greatest;
  const bool fits = ranged_ && least_ >> shift_ >= first_ && (greatest_ >> shift_) - first_ < parts;
  if (fits) return;
  unsigned shift = ranged_ ? shift_ + 1 : 0;
  while ((greatest_ >> shift) - (least_ >> shift) >= parts) ++shift;
  const std::uint64_t top = greatest_ >> shift;
  fold(shift, below ? top - std::min<std::uint64_t>(top, parts - 1) : least_ >> shift);
  ranged_ = true;
}

// Turns what is kept of parts into what it is of longer ones.
void StagTrack::fold(unsigned shift, std::uint64_t first) {
  const unsigned by = shift - shift_;
  for (std::vector<Touched>& level : levels_) {
    for (Touched& touched : level) {
      for (std::size_t kind = 0; kind < StagUse::invalidation; ++kind) {
        std::uint64_t folded = 0;
        for (std::uint64_t left = touched[kind]; left != 0; left &= left - 1) {
          const auto part = first_ + static_cast<unsigned>(std::countr_zero(left));
          folded |= std::uint64_t{1} << ((part >> by) - first);
        }
        touched[kind] = folded;
      }
    }
  }
  shift_ = shift;
  first_ = first;
}

// Groups with this use, or a later one, are made again.
void StagTrack::group_from(std::size_t use) {
  std::size_t below = uses_.size();
  for (std::size_t level = 0; below >= group; ++level) {
    if (levels_.size() == level) levels_.emplace_back();
    std::vector<Touched>& groups = levels_[level];
    use /= group;
    groups.resize(std::min(groups.size(), use));
    for (std::size_t at = groups.size(); (at + 1) * group <= below; ++at) {
      Touched all{};
      for (std::size_t each = at * group; each < (at + 1) * group; ++each) {
        all |= level == 0 ? touched(uses_[each]) : levels_[level - 1][each];
      }
      groups.push_back(all);
    }
    below = groups.size();
  }
}

StagTrack::Touched StagTrack::touched(const StagUse& use) const noexcept {
  Touched of{};
  of[use.kind] =
      use.kind == StagUse::invalidation ? ~std::uint64_t{0} : bits(part_of(use.to), part_of(last_of(use)));
  return of;
}

std::size_t StagTrack::first_at(std::size_t begin, TimeNs time, Work& work) const noexcept {
  // The next column of a picture begins near the last one: ever longer steps, then halves of the last.
  std::size_t step = 1;
  std::size_t end = begin;
  while (end < uses_.size() && uses_[end].time_ns < time) {
    ++work.visited;
    begin = end + 1;
    end += std::min(step, uses_.size() - end);
    step *= 2;
  }
  while (begin < end) {
    ++work.visited;
    const std::size_t middle = begin + (end - begin) / 2;
    if (uses_[middle].time_ns < time) {
      begin = middle + 1;
    } else {
      end = middle;
    }
  }
  return begin;
}

StagTrack::Touched StagTrack::touched(std::size_t begin, std::size_t end, Work& work) const noexcept {
  Touched all{};
  const auto take = [&](std::size_t level, std::size_t at) {
    ++work.visited;
    all |= level == 0 ? touched(uses_[at]) : levels_[level - 1][at];
  };
  for (std::size_t level = 0; begin < end; ++level) {
    const bool top = level == levels_.size() || levels_[level].empty();
    for (; begin < end && (top || begin % group != 0); ++begin) take(level, begin);
    for (; begin < end && end % group != 0; --end) take(level, end - 1);
    begin /= group;
    end /= group;
  }
  return all;
}

}  // namespace iwarp::gui
