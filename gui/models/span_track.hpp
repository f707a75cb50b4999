// SpanTrack: how much time was spent in what, of one thing or of many, for any range of time.
//
// Of what is under way at once only the first one counts, in the order of the kinds: so the shares of a
// moment are one. A range costs two binary searches and a walk of at most `stride` changes at each end.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <vector>

#include "scale/time_scale.hpp"
#include "scale/work.hpp"

namespace iwarp::gui {

// Nanoseconds by kind, summed over all things.
template <std::size_t Kinds>
struct Shares {
  std::array<double, Kinds> ns{};

  [[nodiscard]] double total() const noexcept {
    double sum = 0;
    for (const double part : ns) sum += part;
    return sum;
  }
};

template <std::size_t Kinds>
class SpanTrack {
 public:
  static constexpr std::uint8_t nothing = 0xff;
  static constexpr std::size_t stride = 32;

  struct Change {
    TimeNs time;
    std::uint8_t before, after;  // kinds, or nothing
  };

  [[nodiscard]] const std::vector<Change>& changes() const noexcept { return changes_; }

  // Takes the next one. REQUIRES: times do not decrease.
  void add(const Change& change) {
    if (changes_.size() % stride == 0) marks_.push_back({change.time, now_, sums_at(change.time)});
    sums_ = sums_at(change.time);
    time_ = change.time;
    if (change.before != nothing) --now_[change.before];
    if (change.after != nothing) ++now_[change.after];
    changes_.push_back(change);
  }

  [[nodiscard]] Shares<Kinds> over(TimeSpan span, Work& work) const {
    Shares<Kinds> from = until(span.from, work);
    const Shares<Kinds> upto = until(span.upto, work);
    for (std::size_t kind = 0; kind < Kinds; ++kind) from.ns[kind] = upto.ns[kind] - from.ns[kind];
    return from;
  }

  // From the beginning until `time`.
  [[nodiscard]] Shares<Kinds> until(TimeNs time, Work& work) const {
    std::size_t begin = 0;
    std::size_t end = marks_.size();
    while (begin < end) {
      const std::size_t middle = begin + (end - begin) / 2;
      ++work.visited;
      if (marks_[middle].time < time) {
        begin = middle + 1;
      } else {
        end = middle;
      }
    }
    if (begin == 0) return {};
    const Mark& mark = marks_[begin - 1];
    // A kind's sum is a line whose slope is how many are in it; a change tilts the lines of two kinds.
    Shares<Kinds> sums = mark.sums;
    std::array<std::uint32_t, Kinds> now = mark.now;
    for (std::size_t at = (begin - 1) * stride; at < std::min(begin * stride, changes_.size()); ++at) {
      ++work.visited;
      const Change& change = changes_[at];
      if (change.time >= time) break;
      const double since = between(mark.time, change.time);
      if (change.before != nothing) {
        --now[change.before];
        sums.ns[change.before] += since;
      }
      if (change.after != nothing) {
        ++now[change.after];
        sums.ns[change.after] -= since;
      }
    }
    const double since = between(mark.time, time);
    for (std::size_t kind = 0; kind < Kinds; ++kind) sums.ns[kind] += now[kind] * since;
    return sums;
  }

 private:
  struct Mark {  // before the change with the number of `stride` times its own
    TimeNs time;
    std::array<std::uint32_t, Kinds> now;
    Shares<Kinds> sums;
  };

  // REQUIRES: from <= upto.
  [[nodiscard]] static double between(TimeNs from, TimeNs upto) noexcept {
    return static_cast<double>(static_cast<std::uint64_t>(upto) - static_cast<std::uint64_t>(from));
  }

  [[nodiscard]] Shares<Kinds> sums_at(TimeNs time) const {
    Shares<Kinds> sums = sums_;
    if (changes_.empty()) return sums;
    for (std::size_t kind = 0; kind < Kinds; ++kind) sums.ns[kind] += now_[kind] * between(time_, time);
    return sums;
  }

  std::vector<Change> changes_;
  std::vector<Mark> marks_;
  std::array<std::uint32_t, Kinds> now_{};
  Shares<Kinds> sums_;
  TimeNs time_ = 0;
};

}  // namespace iwarp::gui
