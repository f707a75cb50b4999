// SPDX-License-Identifier: GPL-2.0-or-later
#include "app/minimap.hpp"

#include <QKeyEvent>
#include <QMouseEvent>

#include <cmath>

#include "scale/text.hpp"
#include "scale/ticks.hpp"
#include "views/glyphs.hpp"
#include "views/range_keys.hpp"

namespace iwarp::gui {
namespace {

constexpr int margin = 12;
constexpr int findings_height = 12;
constexpr int axis_height = 18;
constexpr int holes_height = 4;
constexpr int again_height = 2;  // lower than holes, so that their colours do not say it alone
constexpr int glyph_width = 9;

}  // namespace

Minimap::Minimap(Workspace& workspace, const Theme& theme, QWidget* parent)
    : View(workspace, theme, tr("Minimap: traffic, holes and findings of the whole capture"), parent) {
  setMouseTracking(true);
  setFocusPolicy(Qt::StrongFocus);
  setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
  setToolTip(
      tr("Bars: octets of all streams. Below them, high: octets that were not captured, or came late; low: "
         "octets sent again. "
         "Above: findings.\nDrag to see a range of time, double click to see all"));
  const auto again = qOverload<>(&QWidget::update);
  connect(&document(), &CaptureDocument::grew, this, again);
  connect(&session(), &Session::range_changed, this, again);
  connect(&session(), &Session::selection_changed, this, again);
  connect(&session(), &Session::hover_changed, this, again);
}

TimeScale Minimap::scale_of(QSize size) const {
  return {document().span(), margin, std::max(1, size.width() - 2 * margin)};
}

Work Minimap::paint(QPainter& painter, QSize size) {
  painter.fillRect(QRect(QPoint(), size), theme().window);
  const TimeScale scale = scale_of(size);
  const QRect band(margin, findings_height + 2, scale.columns(),
                   std::max(8, size.height() - findings_height - axis_height - 2));
  painter.fillRect(band, theme().surface);
  if (!document().opened()) return {};
  const Overview& overview = document().overview();

  // What each column of pixels shows; bins may be wider or narrower than these.
  std::vector<OverviewCell> columns(static_cast<std::size_t>(scale.columns()));
  std::uint64_t most = 0;
  Work work;
  for (int column = 0; column < scale.columns(); ++column) {
    OverviewCell& cell = columns[static_cast<std::size_t>(column)];
    const auto [begin, end] = overview.bins.bins_of(scale.column(column));
    for (std::size_t bin = begin; bin < end; ++bin) cell += overview.bins[bin];
    work.visited += end - begin;
    most = std::max(most, cell.octets);
  }
  int free_glyph = 0;
  for (int column = 0; column < scale.columns(); ++column) {
    const OverviewCell& cell = columns[static_cast<std::size_t>(column)];
    const int x = band.left() + column;
    if (cell.octets > 0) {
      const double part = static_cast<double>(cell.octets) / static_cast<double>(most);
      const int height =
          std::max(1, static_cast<int>(std::lround(part * (band.height() - holes_height - 1))));
      painter.fillRect(x, band.bottom() + 1 - holes_height - height, 1, height, theme().traffic);
      ++work.primitives;
    }
    if (cell.gap_octets > 0 || cell.late > 0 || cell.retransmitted > 0) {
      const bool hole = cell.gap_octets > 0 || cell.late > 0;
      const int height = hole ? holes_height : again_height;
      painter.fillRect(x, band.bottom() + 1 - height, 1, height, hole ? theme().hole : theme().again);
      ++work.primitives;
    }
    if (cell.findings > 0 && cell.worst >= Severity::note && x >= free_glyph) {
      Severity worst = cell.worst;  // of all that this glyph covers
      for (int near = column; near < std::min(column + glyph_width, scale.columns()); ++near) {
        const OverviewCell& other = columns[static_cast<std::size_t>(near)];
        if (other.findings > 0) worst = std::max(worst, other.worst);
      }
      draw_glyph(painter, theme(), worst, QPointF(x + 0.5, findings_height / 2.0 + 1), glyph_width - 1);
      free_glyph = x + glyph_width;
      ++work.primitives;
    }
  }

  painter.setFont(small_font());
  const QFontMetricsF metrics(small_font());
  const TimeTicks ticks = time_ticks(scale, document().span().from, 120);
  double free_from = 0;
  for (const TimeTick& tick : ticks.ticks) {
    const QString label = QString::fromStdString(tick.label);
    const double width = metrics.horizontalAdvance(label);
    const double x = scale.x(tick.time);
    const double begin = std::clamp(x - width / 2, 2.0, std::max(2.0, size.width() - width - 2));
    painter.setPen(theme().border);
    painter.drawLine(QPointF(x, band.bottom() + 1), QPointF(x, band.bottom() + 4));
    if (begin < free_from) continue;
    painter.setPen(theme().muted);
    painter.drawText(QPointF(begin, band.bottom() + 4 + metrics.ascent()), label);
    free_from = begin + width + 8;
    work.primitives += 2;
  }

  painter.setPen(theme().border);
  painter.setBrush(Qt::NoBrush);
  painter.drawRect(band.adjusted(-1, -1, 0, 0));
  const auto line = [&](TimeNs time, const QColor& color) {
    if (!scale.span().contains(time)) return;
    painter.fillRect(QRectF(std::floor(scale.x(time)), band.top(), 1, band.height()), color);
  };
  if (session().selection().time) line(*session().selection().time, theme().accent);
  if (session().hover()) line(*session().hover(), theme().muted);
  if (const auto& seen = session().range()) {
    const double left = std::floor(scale.x(seen->from));
    const double right = std::max(left + 2, std::ceil(scale.x(seen->upto)));
    QColor shade = theme().window;
    shade.setAlpha(170);
    painter.fillRect(QRectF(band.left(), band.top(), left - band.left(), band.height()), shade);
    painter.fillRect(QRectF(right, band.top(), band.right() + 1 - right, band.height()), shade);
    painter.setPen(QPen(theme().accent, 1.5));
    painter.drawRect(QRectF(left, band.top() - 1, right - left, band.height() + 1));
  }
  if (hasFocus()) {
    painter.setPen(QPen(theme().accent, 1, Qt::DotLine));
    painter.drawRect(QRect(QPoint(), size).adjusted(1, 1, -2, -2));
  }
  return work;
}

void Minimap::mousePressEvent(QMouseEvent* event) {
  if (event->button() != Qt::LeftButton) return;
  pressed_ = scale_of(size()).time(event->position().x());
  const auto& seen = session().range();
  moved_ = seen && seen->contains(*pressed_) ? seen : std::nullopt;
}

void Minimap::mouseMoveEvent(QMouseEvent* event) {
  const TimeNs here = scale_of(size()).time(event->position().x());
  session().set_hover(here);
  if (!pressed_) return;
  if (moved_) {
    const auto by =
        static_cast<std::int64_t>(static_cast<std::uint64_t>(here) - static_cast<std::uint64_t>(*pressed_));
    session().set_range(panned(*moved_, by, document().span()), Session::Step::gesture);
  } else {
    const TimeSpan dragged{std::min(here, *pressed_), std::max(here, *pressed_)};
    if (dragged.empty()) return;
    session().set_range(fitted(dragged, document().span()), Session::Step::gesture);
  }
}

void Minimap::mouseReleaseEvent(QMouseEvent*) {
  pressed_.reset();
  moved_.reset();
}

void Minimap::mouseDoubleClickEvent(QMouseEvent*) {
  session().set_range(std::nullopt);
}

void Minimap::leaveEvent(QEvent*) {
  session().set_hover(std::nullopt);
}

void Minimap::wheelEvent(QWheelEvent* event) {
  constexpr double notch = 120;
  const TimeNs anchor = scale_of(size()).time(event->position().x());
  const double factor = std::pow(0.8, event->angleDelta().y() / notch);
  session().set_range(zoomed(workspace().visible(), anchor, factor, document().span()),
                      Session::Step::gesture);
  event->accept();
}

void Minimap::keyPressEvent(QKeyEvent* event) {
  const auto key = [event] {
    switch (event->key()) {
      case Qt::Key_Up: return static_cast<int>(Qt::Key_W);
      case Qt::Key_Down: return static_cast<int>(Qt::Key_S);
      case Qt::Key_Left: return static_cast<int>(Qt::Key_A);
      case Qt::Key_Right: return static_cast<int>(Qt::Key_D);
      default: return event->key();
    }
  }();
  if (!see_by_key(workspace(), key)) View::keyPressEvent(event);
}

}  // namespace iwarp::gui
