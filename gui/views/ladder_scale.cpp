// SPDX-License-Identifier: GPL-2.0-or-later
#include "views/ladder_scale.hpp"

#include <algorithm>
#include <cmath>

namespace iwarp::gui {
namespace {

constexpr double most_row_height = 34;

}  // namespace

LadderScale::LadderScale(const Flow& flow, TimeSpan visible, LadderOrder order, const QRect& plot)
    : flow_(flow), order_(order), plot_(plot), times_(visible, plot.top(), std::max(1, plot.height())) {
  const PlaceRange seen = flow.between(visible.from, visible.upto);
  if (order == LadderOrder::time || seen.size() == 0) return;
  first_ = unit_of(seen.begin);
  end_ = unit_of(seen.end - 1) + 1;
  row_height_ =
      std::min(most_row_height, static_cast<double>(plot.height()) / static_cast<double>(end_ - first_));
}

std::size_t LadderScale::units() const noexcept {
  return order_ == LadderOrder::folded ? flow_.runs.size() : flow_.messages.size();
}

std::size_t LadderScale::unit_of(std::size_t place) const noexcept {
  return order_ == LadderOrder::folded ? flow_.run_of(place) : place;
}

std::size_t LadderScale::first_of(std::size_t unit) const noexcept {
  if (unit >= units()) return flow_.messages.size();
  return order_ == LadderOrder::folded ? flow_.runs[unit] : unit;
}

PlaceRange LadderScale::places() const noexcept {
  if (order_ == LadderOrder::time) return flow_.between(times_.span().from, times_.span().upto);
  return {first_of(first_), end_ == first_ ? first_of(first_) : first_of(end_)};
}

PlaceRange LadderScale::places(double top, double bottom) const noexcept {
  if (order_ == LadderOrder::time) return flow_.between(times_.time(top), times_.time(bottom));
  if (row_height_ <= 0) return {0, 0};
  // A row belongs where its middle is.
  const auto unit = [this](double y) {
    const double at = std::ceil((y - plot_.top()) / row_height_ - 0.5);
    return first_ + static_cast<std::size_t>(std::clamp(at, 0.0, static_cast<double>(end_ - first_)));
  };
  const std::size_t from = first_of(unit(top));
  return {from, std::max(from, first_of(unit(bottom)))};
}

double LadderScale::y(std::size_t place) const noexcept {
  if (order_ == LadderOrder::time) return times_.x(flow_.messages[place].placed_ns);
  const double unit = static_cast<double>(unit_of(place)) - static_cast<double>(first_) + 0.5;
  return std::clamp(plot_.top() + unit * row_height_, -1e6, 1e6);
}

double LadderScale::begun_y(std::size_t place) const noexcept {
  return order_ == LadderOrder::time ? times_.x(flow_.messages[place].begun_ns) : y(place);
}

double LadderScale::y_of(TimeNs time) const noexcept {
  if (order_ == LadderOrder::time) return times_.x(time);
  const std::size_t place = flow_.between(time, time).begin;
  // In the gap above the first message that came then or later.
  if (place >= flow_.messages.size() || unit_of(place) >= end_) {
    return plot_.top() + static_cast<double>(end_ - first_) * row_height_;
  }
  const bool exact = flow_.messages[place].placed_ns == time;
  return y(place) - (exact ? 0 : row_height_ / 2);
}

TimeNs LadderScale::time(double y) const noexcept {
  if (order_ == LadderOrder::time || row_height_ <= 0 || end_ == first_) return times_.time(y);
  const double row = std::floor((y - plot_.top()) / row_height_);
  const auto unit =
      first_ + static_cast<std::size_t>(std::clamp(row, 0.0, static_cast<double>(end_ - first_ - 1)));
  return flow_.messages[first_of(unit)].placed_ns;
}

PlaceRange LadderScale::row_of(std::size_t place) const noexcept {
  const std::size_t unit = unit_of(place);
  return {first_of(unit), first_of(unit + 1)};
}

}  // namespace iwarp::gui
