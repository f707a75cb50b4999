// Two distributions of latency, one over the other: how many took how long, and which part took no longer.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <QPainter>

#include <array>
#include <optional>

#include "models/comparison.hpp"
#include "scale/work.hpp"
#include "views/theme.hpp"

namespace iwarp::gui {

// The colours of both sides; A's lines are drawn solid, B's dashed.
[[nodiscard]] std::array<QColor, 2> compare_colors(const Theme& theme);

// `of_class`: operations of that kind and size alone; nothing: all. `names`: of A and B.
Work paint_comparison(QPainter& painter, QSize size, const Measured& a, const Measured& b,
                      const std::optional<std::pair<OperationKind, std::size_t>>& of_class,
                      const std::array<QString, 2>& names, const Theme& theme);

}  // namespace iwarp::gui
