// SPDX-License-Identifier: GPL-2.0-or-later
#include "views/plot_view.hpp"

#include <algorithm>

#include "scale/text.hpp"
#include "scale/ticks.hpp"

namespace iwarp::gui {

PlotView::PlotView(Workspace& workspace, const Theme& theme, const QString& name, TableModel* table,
                   QWidget* parent)
    : TimeView(workspace, theme, name, parent), builder_(PlotBuilder::of(workspace)), table_(table) {
  table_->setParent(this);
  connect(&builder_, &PlotBuilder::changed, this, [this] {
    update();
    emit settled_changed();
  });
}

PlotView::~PlotView() {
  builder_.set_seen(this, false);
}

void PlotView::showEvent(QShowEvent* event) {
  TimeView::showEvent(event);
  builder_.set_seen(this, true);
}

void PlotView::hideEvent(QHideEvent* event) {
  TimeView::hideEvent(event);
  builder_.set_seen(this, false);
}

Work PlotView::paint_panel(QPainter& painter, const QRect& plot, const QStringList& lines) const {
  painter.setFont(small_font());
  const QFontMetricsF metrics(small_font());
  const double left = plot.right() + 16;
  const double width = right_margin() - 24;
  double y = plot.top() + metrics.ascent();
  Work work;
  const double step = metrics.height() + 2;
  const auto room = static_cast<qsizetype>(std::max(0.0, (plot.bottom() - y) / step) + 1);
  QStringList shown = lines.mid(0, room);
  if (room > 1 && lines.size() > room)
    shown.back() = tr("\t… %1 lines more, where it is higher").arg(lines.size() - room + 1);
  for (const QString& line : shown) {
    const bool muted = line.startsWith(QLatin1Char('\t'));
    painter.setPen(muted ? theme().muted : theme().text);
    painter.drawText(QPointF(left, y), metrics.elidedText(muted ? line.mid(1) : line, Qt::ElideRight, width));
    y += step;
    ++work.primitives;
  }
  return work;
}

Work PlotView::paint_empty(QPainter& painter, const QRect& plot, const QString& words) const {
  painter.setFont(text_font());
  painter.setPen(theme().muted);
  painter.drawText(plot.adjusted(24, 24, -24, -24), Qt::AlignCenter | Qt::TextWordWrap, words);
  return {1, 0};
}

Work PlotView::paint_values(QPainter& painter, const QRect& lane, double most,
                            const std::function<QString(double)>& words) const {
  painter.setFont(small_font());
  const QFontMetricsF metrics(small_font());
  Work work;
  if (lane.height() < 2 * metrics.height()) return work;  // no room for two
  const int wanted = std::max(2, lane.height() / 36);
  std::vector<double> ticks = linear_ticks(0, most, wanted);
  if (ticks.size() < 2) ticks = linear_ticks(0, most, 2 * wanted);  // 0 alone says nothing
  for (const double value : ticks) {
    const double y = lane.bottom() - value / most * (lane.height() - 1);
    painter.setPen(theme().grid);
    painter.drawLine(QPointF(lane.left() - 4, y), QPointF(lane.left(), y));
    painter.setPen(theme().muted);
    const QString label = words(value + 0.0);  // no negative zero
    const double base = std::min(y + metrics.ascent() / 2 - 1, lane.bottom() + 0.0);
    painter.drawText(QPointF(lane.left() - 7 - metrics.horizontalAdvance(label), base), label);
    work.primitives += 2;
  }
  return work;
}

QString PlotView::range_words(const TimeScale& scale) const {
  const QString length = QString::fromStdString(
      duration_text(static_cast<TimeNs>(std::min<std::uint64_t>(measured(scale).length(), INT64_MAX))));
  return (brushed().empty() ? tr("Seen: %1") : tr("Brushed: %1")).arg(length);
}

}  // namespace iwarp::gui
