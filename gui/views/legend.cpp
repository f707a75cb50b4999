// SPDX-License-Identifier: GPL-2.0-or-later
#include "views/legend.hpp"

namespace iwarp::gui {
namespace {

constexpr int sign_height = 13;
constexpr int beside_sign = 5;
constexpr int between = 14;

// Calls `place` with each entry and where its sign begins, from (0, 0) on; returns the number of lines.
template <typename Place>
int lay_out(const Legend& legend, int width, const Place& place) {
  const QFontMetricsF metrics(small_font());
  double x = 0;
  int line = 0;
  for (const LegendEntry& entry : legend) {
    const double needed = entry.width + beside_sign + metrics.horizontalAdvance(entry.words);
    if (x > 0 && x + needed > width) {
      x = 0;
      ++line;
    }
    place(entry, QPointF(x, line * legend_line_height));
    x += needed + between;
  }
  return line + 1;
}

}  // namespace

LegendEntry box_entry(const Theme& theme, const QColor& color, const QString& words, const QString& letter) {
  return {words, sign_height, [&theme, color, letter](QPainter& painter, const QRectF& box) {
            painter.fillRect(box, color);
            if (letter.isEmpty()) {
              painter.setPen(theme.border);
              painter.setBrush(Qt::NoBrush);
              painter.drawRect(box.adjusted(0.5, 0.5, -0.5, -0.5));
            }
            painter.setPen(theme.dark ? Qt::black : Qt::white);
            painter.drawText(box, Qt::AlignCenter, letter);
          }};
}

int legend_lines(const Legend& legend, int width) {
  return lay_out(legend, width, [](const LegendEntry&, QPointF) {});
}

double legend_end(const Legend& legend, int width) {
  double end = 0;
  lay_out(legend, width, [&end](const LegendEntry& entry, QPointF place) {
    end = place.x() + entry.width + beside_sign + QFontMetricsF(small_font()).horizontalAdvance(entry.words) +
          between;
  });
  return end;
}

Work paint_legend(QPainter& painter, const Theme& theme, const Legend& legend, QPoint at, int width) {
  painter.setFont(small_font());
  const double ascent = QFontMetricsF(small_font()).ascent();
  Work work;
  lay_out(legend, width, [&](const LegendEntry& entry, QPointF place) {
    place += at;
    entry.sign(painter, QRectF(place, QSizeF(entry.width, sign_height)));
    painter.setPen(theme.text);
    painter.drawText(QPointF(place.x() + entry.width + beside_sign, place.y() + ascent), entry.words);
    work.primitives += 3;
  });
  return work;
}

}  // namespace iwarp::gui
