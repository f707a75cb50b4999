// SPDX-License-Identifier: GPL-2.0-or-later
#include "views/glyphs.hpp"

namespace iwarp::gui {

void draw_glyph(QPainter& painter, const Theme& theme, Severity severity, QPointF center, double size) {
  const double half = size / 2;
  const QColor color = theme.of(severity);
  painter.save();
  painter.setRenderHint(QPainter::Antialiasing);
  painter.setPen(Qt::NoPen);
  painter.setBrush(color);
  switch (severity) {
    case Severity::error:
      painter.drawConvexPolygon(QPolygonF({center + QPointF(0, -half), center + QPointF(half, 0),
                                           center + QPointF(0, half), center + QPointF(-half, 0)}));
      break;
    case Severity::warning:
      painter.drawConvexPolygon(QPolygonF({center + QPointF(0, -half), center + QPointF(half, half * 0.8),
                                           center + QPointF(-half, half * 0.8)}));
      break;
    case Severity::note: painter.drawEllipse(center, half * 0.75, half * 0.75); break;
    case Severity::information:
      painter.setBrush(Qt::NoBrush);
      painter.setPen(QPen(color, 1.4));
      painter.drawEllipse(center, half * 0.7, half * 0.7);
      break;
  }
  painter.restore();
}

}  // namespace iwarp::gui
