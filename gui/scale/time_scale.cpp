// SPDX-License-Identifier: GPL-2.0-or-later
#include "scale/time_scale.hpp"

#include <algorithm>
#include <cmath>

namespace iwarp::gui {
namespace {

__extension__ using Wide = __int128;

constexpr Wide least_time = std::numeric_limits<TimeNs>::min();
constexpr Wide greatest_time = std::numeric_limits<TimeNs>::max();
constexpr double far_away = 1e6;  // pixels: what painters can still clip

TimeNs saturated(Wide time) noexcept {
  return static_cast<TimeNs>(std::clamp(time, least_time, greatest_time));
}

// REQUIRES: |value| is finite. What 128 bits do not hold is far beyond any time.
Wide rounded(double value) noexcept {
  constexpr double most = 1e30;
  return static_cast<Wide>(std::floor(std::clamp(value, -most, most) + 0.5));
}

// A span of that length which begins there, moved so that both its ends are times.
TimeSpan span_at(Wide from, Wide length) noexcept {
  from = std::clamp(from, least_time, greatest_time - length);
  return {static_cast<TimeNs>(from), static_cast<TimeNs>(from + length)};
}

}  // namespace

TimeSpan intersection(TimeSpan one, TimeSpan another) noexcept {
  const TimeNs from = std::clamp(another.from, one.from, std::max(one.from, one.upto));
  return {from, std::max(from, std::min(one.upto, another.upto))};
}

TimeSpan hull(TimeSpan one, TimeSpan another) noexcept {
  if (one.empty()) return another;
  if (another.empty()) return one;
  return {std::min(one.from, another.from), std::max(one.upto, another.upto)};
}

TimeScale::TimeScale(TimeSpan span, double left, int columns) noexcept
    : span_(span.length() >= least_length ? span : span_at(span.from, least_length)),
      left_(left),
      columns_(columns) {}

double TimeScale::ns_per_pixel() const noexcept {
  return static_cast<double>(span_.length()) / columns_;
}

double TimeScale::x(TimeNs time) const noexcept {
  const Wide distance = Wide{time} - span_.from;
  const double pixels = static_cast<double>(distance) / ns_per_pixel();
  return left_ + std::clamp(pixels, -far_away, far_away);
}

TimeNs TimeScale::time(double x) const noexcept {
  return saturated(span_.from + rounded((x - left_) * ns_per_pixel()));
}

TimeSpan TimeScale::column(int column) const noexcept {
  const Wide length = span_.length();
  const auto border = [&](int at) { return saturated(span_.from + length * at / columns_); };
  return {border(column), border(column + 1)};
}

int TimeScale::column_of(TimeNs time) const noexcept {
  const Wide length = span_.length();
  const Wide distance = std::clamp(Wide{time} - span_.from, Wide{0}, length - 1);
  // The last column whose border is not behind it: borders are rounded down.
  return static_cast<int>(((distance + 1) * columns_ - 1) / length);
}

TimeSpan fitted(TimeSpan span, TimeSpan limits) noexcept {
  const Wide most = std::max<Wide>(limits.length(), TimeScale::least_length);
  const Wide length = std::clamp<Wide>(span.length(), TimeScale::least_length, most);
  const Wide last = std::max(Wide{limits.from}, Wide{limits.from} + most - length);
  return span_at(std::clamp(Wide{span.from}, Wide{limits.from}, last), length);
}

TimeSpan zoomed(TimeSpan span, TimeNs anchor, double factor, TimeSpan limits) noexcept {
  const double length = std::max<double>(static_cast<double>(span.length()), 1);
  const double part = static_cast<double>(Wide{anchor} - span.from) / length;
  const Wide most = std::max<Wide>(limits.length(), TimeScale::least_length);
  const Wide wanted = std::clamp<Wide>(rounded(length * factor), TimeScale::least_length, most);
  const Wide from = Wide{anchor} - rounded(part * static_cast<double>(wanted));
  return fitted(span_at(from, wanted), limits);
}

TimeSpan panned(TimeSpan span, std::int64_t by_ns, TimeSpan limits) noexcept {
  return fitted(span_at(Wide{span.from} + by_ns, span.length()), limits);
}

}  // namespace iwarp::gui
