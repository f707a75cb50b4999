// SPDX-License-Identifier: GPL-2.0-or-later
#include "views/time_view.hpp"

#include <QApplication>
#include <QHelpEvent>
#include <QMouseEvent>
#include <QToolTip>

#include <cmath>

#include "scale/text.hpp"
#include "scale/ticks.hpp"
#include "views/range_keys.hpp"
#include "views/range_menu.hpp"

namespace iwarp::gui {
namespace {

constexpr int bottom_margin = 30;
constexpr int legend_top = 8;
constexpr double tick_spacing = 110;
constexpr double wheel_notch = 120;
constexpr double wheel_move = 0.15;

}  // namespace

QRect TimeView::plot_of(QSize size) const {
  const int left = left_margin();
  const int lines = legend_lines(legend(), legend_width(size));
  const int top = top_margin() + (lines - 1) * legend_line_height;
  return {left, top, std::max(1, size.width() - left - right_margin()),
          std::max(1, size.height() - top - bottom_margin)};
}

int TimeView::legend_width(QSize size) const {
  return size.width() - legend_left() - 12;
}

TimeScale TimeView::scale_of(const QRect& plot) const {
  return {workspace().visible(), static_cast<double>(plot.left()), plot.width()};
}

Work TimeView::paint(QPainter& painter, QSize size) {
  const QRect plot = plot_of(size);
  const TimeScale scale = scale_of(plot);
  painter.fillRect(QRect(QPoint(), size), theme().window);
  painter.fillRect(plot, theme().surface);
  Work work = paint_axis(painter, scale, plot);
  if (document().opened()) {
    painter.save();
    painter.setClipRect(plot);
    work += paint_plot(painter, scale, plot);
    paint_marks(painter, scale, plot);
    painter.restore();
    work += paint_frame(painter, scale, plot);
    work += paint_legend(painter, theme(), legend(), QPoint(legend_left(), legend_top), legend_width(size));
  }
  painter.setPen(theme().border);
  painter.setBrush(Qt::NoBrush);
  painter.drawRect(plot.adjusted(0, 0, -1, -1));
  return work;
}

Work TimeView::paint_frame(QPainter&, const TimeScale&, const QRect&) {
  return {};
}

void TimeView::click(QPoint, const TimeScale&, const QRect&) {}

QString TimeView::words_at(QPoint, const TimeScale&, const QRect&) {
  return {};
}

bool TimeView::event(QEvent* event) {
  if (event->type() != QEvent::ToolTip || !document().opened()) return View::event(event);
  const auto& help = static_cast<QHelpEvent&>(*event);
  const QRect plot = plot_of(size());
  const QString words = words_at(help.pos(), scale_of(plot), plot);
  if (words.isEmpty()) {
    QToolTip::hideText();
  } else {
    QToolTip::showText(help.globalPos(), words, this);
  }
  return true;
}

Work TimeView::paint_axis(QPainter& painter, const TimeScale& scale, const QRect& plot) {
  Work work;
  const TimeTicks ticks = time_ticks(scale, document().span().from, tick_spacing);
  painter.setFont(small_font());
  const QFontMetricsF metrics(small_font());
  const double baseline = plot.bottom() + 8 + metrics.ascent();
  double free_from = 0;
  if (!ticks.base.empty()) {
    const QString base = QString::fromStdString(ticks.base) + QStringLiteral(" +");
    painter.setPen(theme().muted);
    painter.drawText(QPointF(8, baseline), base);
    free_from = 8 + metrics.horizontalAdvance(base) + 8;
  }
  for (const TimeTick& tick : ticks.ticks) {
    const double x = scale.x(tick.time);
    painter.setPen(theme().grid);
    painter.drawLine(QPointF(x + 0.5, plot.top()), QPointF(x + 0.5, plot.bottom()));
    const QString label = QString::fromStdString(tick.label);
    const double width = metrics.horizontalAdvance(label);
    const double begin = std::min(std::max(x - width / 2, 4.0), plot.right() + right_margin() - width - 2);
    work.primitives += 2;
    if (begin < free_from) continue;
    painter.setPen(theme().muted);
    painter.drawText(QPointF(begin, baseline), label);
    free_from = begin + width + 8;
  }
  return work;
}

void TimeView::paint_marks(QPainter& painter, const TimeScale& scale, const QRect& plot) {
  const auto line = [&](TimeNs time, const QPen& pen) {
    if (!scale.span().contains(time)) return;
    painter.setPen(pen);
    const double x = std::floor(scale.x(time)) + 0.5;
    painter.drawLine(QPointF(x, plot.top()), QPointF(x, plot.bottom()));
  };
  if (session().selection().time) line(*session().selection().time, QPen(theme().accent, 1));
  if (session().hover()) line(*session().hover(), QPen(theme().muted, 1, Qt::DotLine));
  if (!brushed_.empty()) {
    const double left = scale.x(brushed_.from);
    QColor tint = theme().accent;
    tint.setAlpha(50);
    painter.fillRect(QRectF(left, plot.top(), scale.x(brushed_.upto) - left, plot.height()), tint);
  }
}

void TimeView::showEvent(QShowEvent* event) {
  View::showEvent(event);
  if (std::exchange(connected_, true)) return;
  setMouseTracking(true);
  setFocusPolicy(Qt::StrongFocus);
  const auto again = qOverload<>(&QWidget::update);
  connect(&session(), &Session::range_changed, this, again);
  connect(&session(), &Session::hover_changed, this, again);
  connect(&session(), &Session::selection_changed, this, again);
  connect(&document(), &CaptureDocument::grew, this, again);
  connect(&workspace().levels(), &LevelsBuilder::changed, this, again);
}

void TimeView::wheelEvent(QWheelEvent* event) {
  const QRect plot = plot_of(size());
  const TimeScale scale = scale_of(plot);
  const QPoint turned = event->angleDelta();
  const bool sideways =
      (event->modifiers() & Qt::ShiftModifier) != 0 || std::abs(turned.x()) > std::abs(turned.y());
  const double notches = (sideways && turned.x() != 0 ? turned.x() : turned.y()) / wheel_notch;
  if (sideways) {
    const double by = -notches * wheel_move * static_cast<double>(scale.span().length());
    session().set_range(panned(scale.span(), static_cast<std::int64_t>(by), document().span()),
                        Session::Step::gesture);
  } else {
    const TimeNs anchor = scale.time(event->position().x());
    session().set_range(zoomed(scale.span(), anchor, std::pow(0.8, notches), document().span()),
                        Session::Step::gesture);
  }
  event->accept();
}

void TimeView::mousePressEvent(QMouseEvent* event) {
  const QRect plot = plot_of(size());
  if (event->button() == Qt::LeftButton && plot.contains(event->pos())) pressed_ = event->pos();
  if (event->button() == Qt::MiddleButton) dragged_from_ = scale_of(plot).time(event->position().x());
}

void TimeView::mouseMoveEvent(QMouseEvent* event) {
  const QRect plot = plot_of(size());
  const TimeScale scale = scale_of(plot);
  const TimeNs here = scale.time(event->position().x());
  if (dragged_from_) {
    const std::int64_t by = static_cast<std::int64_t>(static_cast<std::uint64_t>(*dragged_from_) -
                                                      static_cast<std::uint64_t>(here));
    session().set_range(panned(scale.span(), by, document().span()), Session::Step::gesture);
    return;
  }
  session().set_hover(plot.contains(event->pos()) ? std::optional(here) : std::nullopt);
  if (!pressed_ || std::abs(event->pos().x() - pressed_->x()) < QApplication::startDragDistance()) return;
  const TimeNs there = scale.time(pressed_->x());
  brushed_ = intersection({std::min(here, there), std::max(here, there)}, scale.span());
  update();
}

void TimeView::mouseReleaseEvent(QMouseEvent* event) {
  if (event->button() == Qt::MiddleButton) dragged_from_.reset();
  if (event->button() != Qt::LeftButton || !pressed_) return;
  pressed_.reset();
  if (brushed_.empty()) {
    const QRect plot = plot_of(size());
    click(event->pos(), scale_of(plot), plot);
  } else {
    offer(brushed_, event->globalPosition().toPoint());
  }
}

void TimeView::offer(TimeSpan brushed, QPoint where) {
  offer_range(*this, session(), brushed, where, [this] {
    brushed_ = {};
    update();
  });
}

void TimeView::leaveEvent(QEvent*) {
  session().set_hover(std::nullopt);
}

void TimeView::keyPressEvent(QKeyEvent* event) {
  if (!see_by_key(workspace(), event->key())) View::keyPressEvent(event);
}

}  // namespace iwarp::gui
