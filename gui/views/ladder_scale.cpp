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
  if (order == LadderOrder::time) return;
  // A step stands above the first message, or run of these, that begins when it happened or later.
  for (std::size_t step = 0; step < flow.steps.size(); ++step) {
    const TimeNs time = flow.steps[step].time_ns;
    const std::size_t place = flow.between(time, time).begin;
    step_rows_.push_back((place == 0 ? 0 : message_row(place - 1) + 1) + step);
  }
  const PlaceRange seen = flow.between(visible.from, visible.upto);
  const PlaceRange steps = this->steps();
  if (seen.size() > 0) {
    first_ = row_of_message(seen.begin);
    end_ = row_of_message(seen.end - 1) + 1;
  }
  if (steps.size() > 0) {
    const bool alone = end_ == first_;
    first_ = alone ? step_rows_[steps.begin] : std::min(first_, step_rows_[steps.begin]);
    end_ = std::max(end_, step_rows_[steps.end - 1] + 1);
  }
  if (end_ == first_) return;
  row_height_ =
      std::min(most_row_height, static_cast<double>(plot.height()) / static_cast<double>(end_ - first_));
}

std::size_t LadderScale::message_row(std::size_t place) const noexcept {
  return order_ == LadderOrder::folded ? flow_.run_of(place) : place;
}

std::size_t LadderScale::row_of_message(std::size_t place) const noexcept {
  // Each step at or above moves it down by one.
  std::size_t row = message_row(place);
  for (const std::size_t step : step_rows_) {
    if (step > row) break;
    ++row;
  }
  return row;
}

std::size_t LadderScale::first_of(std::size_t row) const noexcept {
  const auto above = std::lower_bound(step_rows_.begin(), step_rows_.end(), row);
  const std::size_t messages = row - static_cast<std::size_t>(above - step_rows_.begin());
  if (order_ != LadderOrder::folded) return std::min(messages, flow_.messages.size());
  return messages < flow_.runs.size() ? flow_.runs[messages] : flow_.messages.size();
}

double LadderScale::middle_of(std::size_t row) const noexcept {
  const double down = static_cast<double>(row) - static_cast<double>(first_) + 0.5;
  return std::clamp(plot_.top() + down * row_height_, -1e6, 1e6);
}

PlaceRange LadderScale::places() const noexcept {
  if (order_ == LadderOrder::time) return flow_.between(times_.span().from, times_.span().upto);
  return {first_of(first_), end_ == first_ ? first_of(first_) : first_of(end_)};
}

PlaceRange LadderScale::places(double top, double bottom) const noexcept {
  if (order_ == LadderOrder::time) return flow_.between(times_.time(top), times_.time(bottom));
  if (row_height_ <= 0) return {0, 0};
  // A row belongs where its middle is.
  const auto row = [this](double y) {
    const double at = std::ceil((y - plot_.top()) / row_height_ - 0.5);
    return first_ + static_cast<std::size_t>(std::clamp(at, 0.0, static_cast<double>(end_ - first_)));
  };
  const std::size_t from = first_of(row(top));
  return {from, std::max(from, first_of(row(bottom)))};
}

double LadderScale::y(std::size_t place) const noexcept {
  if (order_ == LadderOrder::time) return times_.x(flow_.messages[place].placed_ns);
  return middle_of(row_of_message(place));
}

double LadderScale::begun_y(std::size_t place) const noexcept {
  return order_ == LadderOrder::time ? times_.x(flow_.messages[place].begun_ns) : y(place);
}

PlaceRange LadderScale::steps() const noexcept {
  return things_between(flow_.steps, times_.span().from, times_.span().upto);
}

double LadderScale::step_y(std::size_t step) const noexcept {
  return order_ == LadderOrder::time ? times_.x(flow_.steps[step].time_ns) : middle_of(step_rows_[step]);
}

double LadderScale::y_of(TimeNs time) const noexcept {
  if (order_ == LadderOrder::time) return times_.x(time);
  // In its row, or in the gap above the first one that came later.
  const std::size_t place = flow_.between(time, time).begin;
  const std::size_t step = things_between(flow_.steps, time, time).begin;
  const bool message = place < flow_.messages.size();
  if (step < flow_.steps.size() && (!message || step_rows_[step] < row_of_message(place))) {
    const double gap = flow_.steps[step].time_ns == time ? 0 : row_height_ / 2;
    return std::min(step_y(step) - gap, middle_of(end_) - row_height_ / 2);
  }
  if (!message || row_of_message(place) >= end_)
    return plot_.top() + static_cast<double>(end_ - first_) * row_height_;
  const bool exact = flow_.messages[place].placed_ns == time;
  return y(place) - (exact ? 0 : row_height_ / 2);
}

TimeNs LadderScale::time(double y) const noexcept {
  if (order_ == LadderOrder::time || row_height_ <= 0) return times_.time(y);
  const double down = std::floor((y - plot_.top()) / row_height_);
  const auto row =
      first_ + static_cast<std::size_t>(std::clamp(down, 0.0, static_cast<double>(end_ - first_ - 1)));
  const auto step = std::lower_bound(step_rows_.begin(), step_rows_.end(), row);
  if (step != step_rows_.end() && *step == row)
    return flow_.steps[static_cast<std::size_t>(step - step_rows_.begin())].time_ns;
  return flow_.messages[first_of(row)].placed_ns;
}

PlaceRange LadderScale::row_of(std::size_t place) const noexcept {
  if (order_ != LadderOrder::folded) return {place, place + 1};
  const std::size_t run = flow_.run_of(place);
  return {flow_.runs[run], run + 1 < flow_.runs.size() ? flow_.runs[run + 1] : flow_.messages.size()};
}

}  // namespace iwarp::gui
