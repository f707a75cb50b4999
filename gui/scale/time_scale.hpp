// TimeScale: where on a picture a moment of capture time lies, and back.
//
// Spans are [from, upto) in nanoseconds since the epoch. All arithmetic on times is on integers of 128 bits,
// so the ends of a capture of years are as exact as a nanosecond in its middle, whatever times a hostile file
// holds.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstdint>
#include <limits>

#include <iwarp/ids.hpp>

namespace iwarp::gui {

struct TimeSpan {
  TimeNs from = 0;
  TimeNs upto = 0;

  [[nodiscard]] bool empty() const noexcept { return upto <= from; }
  [[nodiscard]] bool contains(TimeNs time) const noexcept { return from <= time && time < upto; }
  // Its length in nanoseconds; 0 of an empty one.
  [[nodiscard]] std::uint64_t length() const noexcept {
    return empty() ? 0 : static_cast<std::uint64_t>(upto) - static_cast<std::uint64_t>(from);
  }
  bool operator==(const TimeSpan&) const = default;
};

// What both have in common; empty, and beginning in `one` or at its end, where that is nothing.
[[nodiscard]] TimeSpan intersection(TimeSpan one, TimeSpan another) noexcept;
// The least span that holds both; an empty one counts for nothing.
[[nodiscard]] TimeSpan hull(TimeSpan one, TimeSpan another) noexcept;

class TimeScale {
 public:
  // The shortest time that a picture shows.
  static constexpr std::uint64_t least_length = 16;

  // Maps `span` onto the pixels [left, left + columns). A span shorter than least_length is taken as that
  // long, REQUIRES: columns > 0.
  TimeScale(TimeSpan span, double left, int columns) noexcept;

  [[nodiscard]] TimeSpan span() const noexcept { return span_; }
  [[nodiscard]] double left() const noexcept { return left_; }
  [[nodiscard]] int columns() const noexcept { return columns_; }
  [[nodiscard]] double ns_per_pixel() const noexcept;

  // The x of a time; times outside the span lie outside the picture, at most a million pixels.
  [[nodiscard]] double x(TimeNs time) const noexcept;
  // The time at an x, which may lie outside the picture. Saturates.
  [[nodiscard]] TimeNs time(double x) const noexcept;
  // The times of one column of pixels, counted from 0 at `left`. Columns next to each other have the same
  // border; all of them together are the span. REQUIRES: 0 <= column < columns().
  [[nodiscard]] TimeSpan column(int column) const noexcept;
  // The column that a time of the span lies in; others are taken to the nearest one.
  [[nodiscard]] int column_of(TimeNs time) const noexcept;

 private:
  TimeSpan span_;
  double left_;
  int columns_;
};

// The span that shows `factor` times as much (less than 1: zooms in), with the time `anchor` at the same
// place of the picture. Never leaves `limits`, never shorter than TimeScale::least_length. REQUIRES: factor >
// 0.
[[nodiscard]] TimeSpan zoomed(TimeSpan span, TimeNs anchor, double factor, TimeSpan limits) noexcept;
// The span moved by this many nanoseconds, as far as `limits` let it.
[[nodiscard]] TimeSpan panned(TimeSpan span, std::int64_t by_ns, TimeSpan limits) noexcept;
// The span, moved and cut so that it lies in `limits`.
[[nodiscard]] TimeSpan fitted(TimeSpan span, TimeSpan limits) noexcept;

}  // namespace iwarp::gui
