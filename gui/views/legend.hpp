// Legend: what the signs of a picture stand for, from left to right, in as many lines as the width asks for.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <QPainter>

#include <functional>
#include <vector>

#include "scale/work.hpp"
#include "views/theme.hpp"

namespace iwarp::gui {

struct LegendEntry {
  QString words;
  int width = 13;                                              // of the sign
  std::function<void(QPainter& painter, const QRectF&)> sign;  // paints it into its box
};
using Legend = std::vector<LegendEntry>;

// A box of that colour with a letter on it. Without one it has a border: it may be as light as the window.
[[nodiscard]] LegendEntry box_entry(const Theme& theme, const QColor& color, const QString& words,
                                    const QString& letter);

inline constexpr int legend_line_height = 18;
// At least one.
[[nodiscard]] int legend_lines(const Legend& legend, int width);
// Where more may stand behind the last entry, from the left end of its line.
[[nodiscard]] double legend_end(const Legend& legend, int width);
// From the upper left corner `at`, `width` pixels wide.
Work paint_legend(QPainter& painter, const Theme& theme, const Legend& legend, QPoint at, int width);

}  // namespace iwarp::gui
