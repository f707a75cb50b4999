// What a view paints, and what is lit in it.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <QImage>

#include "views/picture.hpp"
#include "views/view.hpp"

namespace iwarp::gui {

inline QImage picture_of_view(View& view, QSize size) {
  return picture_of([&](QPainter& painter, QSize of) { return view.paint(painter, of); }, size, 1);
}

inline bool has_color(const QImage& picture, QRect where, const QColor& color) {
  where &= picture.rect();
  for (int y = where.top(); y <= where.bottom(); ++y) {
    for (int x = where.left(); x <= where.right(); ++x) {
      if (picture.pixelColor(x, y) == color) return true;
    }
  }
  return false;
}

}  // namespace iwarp::gui
