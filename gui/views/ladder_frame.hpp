// What stands around the plot of a ladder: its legend, and which ends it is between.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <QPainter>

#include "models/flow.hpp"
#include "scale/work.hpp"
#include "views/ladder_layout.hpp"
#include "views/theme.hpp"

namespace iwarp::gui {

// Of what there is in the flow, and how the rows are ordered; below it which stream that is, and where it was
// captured.
[[nodiscard]] Work paint_ladder_legend(QPainter& painter, QSize size, const Flow& flow,
                                       const LadderLook& look, const Theme& theme);
// Above the lifelines, and above the bars of latencies.
[[nodiscard]] Work paint_ladder_heads(QPainter& painter, QSize size, const Flow& flow,
                                      const LadderLayout& layout, const Theme& theme);

// What the legend and the plot both paint.
[[nodiscard]] QColor color_of(const Theme& theme, MessageGroup group);
[[nodiscard]] const char* group_letter(MessageGroup group);
Work paint_again(QPainter& painter, const Theme& theme, const QRectF& box);
Work paint_late(QPainter& painter, const Theme& theme, const QRectF& box);
Work paint_hole(QPainter& painter, const Theme& theme, const QRectF& box);

}  // namespace iwarp::gui
