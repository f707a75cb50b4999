// Glyphs: signs of severities, which differ in shape, and in colour beside that.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <QPainter>

#include "views/theme.hpp"

namespace iwarp::gui {

// error: a filled diamond; warning: a filled triangle; note: a filled disc; info: a ring. `size` is its
// height.
void draw_glyph(QPainter& painter, const Theme& theme, Severity severity, QPointF center, double size);

}  // namespace iwarp::gui
