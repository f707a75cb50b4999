// SPDX-License-Identifier: GPL-2.0-or-later
#include "views/ladder_layout.hpp"

#include <algorithm>
#include <cmath>

namespace iwarp::gui {
namespace {

constexpr int lanes_width = 30;  // beside a lifeline: octets sent again, holes, findings
constexpr double least_reach = 8;

}  // namespace

LadderLayout::LadderLayout(QSize size) {
  const int top = 86;
  plot = QRect(axis_width, top, std::max(60, size.width() - axis_width - 12),
               std::max(1, size.height() - top - 10));
  const int lane = size.width() >= 640 ? 130 : 0;
  left = plot.left() + lanes_width + 4;
  right = std::max(left + 30, plot.right() - lanes_width - 4 - lane);
  waits = QRect(right + lanes_width + 6, plot.top(), lane == 0 ? 0 : lane - 10, plot.height());
}

std::optional<std::size_t> message_at(const Flow& flow, const LadderLook& look, QSize size, QPoint point) {
  const LadderLayout layout(size);
  if (!layout.plot.contains(point)) return std::nullopt;
  const LadderScale scale(flow, look.visible, look.order, layout.plot);
  const double reach = std::max(least_reach, scale.row_height() / 2);
  const PlaceRange places = scale.places(point.y() - reach, point.y() + reach);
  if (places.size() == 0) return std::nullopt;
  if (places.size() > 64) {
    const PlaceRange nearer = scale.places(point.y() - 1, point.y() + 2);
    const auto slowest = flow.slowest(nearer.size() > 0 ? nearer : places);
    return slowest ? slowest : std::optional(places.begin);
  }
  std::size_t nearest = places.begin;
  for (std::size_t place = places.begin; place < places.end; ++place) {
    if (std::abs(scale.y(place) - point.y()) < std::abs(scale.y(nearest) - point.y())) nearest = place;
  }
  return nearest;
}

std::optional<std::size_t> step_at(const Flow& flow, const LadderLook& look, QSize size, QPoint point) {
  const LadderLayout layout(size);
  if (!layout.plot.contains(point)) return std::nullopt;
  const LadderScale scale(flow, look.visible, look.order, layout.plot);
  const auto distance = [&](double y) { return std::abs(y - point.y()); };
  std::optional<std::size_t> nearest;
  double least = std::max(least_reach, scale.row_height() / 2);
  if (const auto message = message_at(flow, look, size, point))
    least = std::min(least, distance(scale.y(*message)));
  const PlaceRange steps = scale.steps();
  for (std::size_t step = steps.begin; step < steps.end; ++step) {
    if (distance(scale.step_y(step)) > least) continue;
    nearest = step;
    least = distance(scale.step_y(step));
  }
  return nearest;
}

}  // namespace iwarp::gui
