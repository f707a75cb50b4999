// SPDX-License-Identifier: GPL-2.0-or-later
#include "views/stags_view.hpp"

#include <QKeyEvent>

#include <algorithm>

#include "scale/text.hpp"

namespace iwarp::gui {
namespace {

constexpr int lane_height = 30;

QColor color_of(const Theme& theme, StagUse::Kind kind) {
  switch (kind) {
    case StagUse::write: return theme.of(OperationKind::write);
    case StagUse::read_from: return theme.of(OperationKind::read);
    case StagUse::read_into: return theme.of(OperationKind::send);
    case StagUse::atomic: return theme.of(OperationKind::atomic);
    case StagUse::invalidation: return theme.of(Severity::error);
  }
  return theme.text;
}

}  // namespace

StagsView::StagsView(Workspace& workspace, const Theme& theme, QWidget* parent)
    : TimeView(workspace, theme, tr("STags over time"), parent) {
  connect(&document(), &CaptureDocument::grew, this, &StagsView::take_messages);
  connect(&document(), &CaptureDocument::ended, this, &StagsView::take_messages);
  if (document().opened()) take_messages();
}

void StagsView::take_messages() {
  map_.extend(document().metrics(), document().metrics().messages().size());
  update();
}

void StagsView::scroll(int lanes) {
  first_lane_ = std::clamp(first_lane_ + lanes, 0, std::max(0, static_cast<int>(map_.lanes().size()) - 1));
  update();
}

std::map<StagName, StagLane>::const_iterator StagsView::first() const {
  return std::next(map_.lanes().begin(),
                   std::min<std::ptrdiff_t>(first_lane_, static_cast<std::ptrdiff_t>(map_.lanes().size())));
}

Work StagsView::paint_plot(QPainter& painter, const TimeScale& scale, const QRect& plot) {
  Work work;
  if (map_.lanes().empty()) {
    painter.setPen(theme().muted);
    painter.setFont(text_font());
    painter.drawText(plot.adjusted(20, 0, -20, 0), Qt::AlignCenter | Qt::TextWordWrap,
                     tr("Here STags are shown over time, by the addresses that were written and read.\n\n"
                        "No message so far names an STag."));
    return {1, 0};
  }
  // One raster: a use is a pixel at least, whatever the zoom.
  QImage raster(plot.size(), QImage::Format_ARGB32_Premultiplied);
  raster.fill(Qt::transparent);
  int top = 0;
  for (auto lane = first(); lane != map_.lanes().end() && top < plot.height(); ++lane, top += lane_height) {
    const StagLane& of = lane->second;
    const double range =
        std::max<double>(1, static_cast<double>(of.greatest_to - std::min(of.least_to, of.greatest_to)));
    const auto row_of = [&](std::uint64_t to) {
      const double share = static_cast<double>(to - of.least_to) / range;
      return top + 4 + static_cast<int>(std::clamp(share, 0.0, 1.0) * (lane_height - 9));
    };
    auto use = std::lower_bound(of.uses.begin(), of.uses.end(), scale.span().from,
                                [](const StagUse& one, TimeNs time) { return one.time_ns < time; });
    for (; use != of.uses.end() && use->time_ns < scale.span().upto; ++use) {
      ++work.visited;
      const int column = scale.column_of(use->time_ns);
      const bool ends = use->kind == StagUse::invalidation;
      const int from = ends ? top + 1 : row_of(use->to);
      const int upto =
          ends ? top + lane_height - 2 : row_of(use->to + std::min(use->length, of.greatest_to - use->to));
      const QRgb color = color_of(theme(), use->kind).rgb();
      for (int y = from; y <= std::min(upto, plot.height() - 1); ++y) {
        if (ends && (y & 3) == 3) continue;  // dashed
        reinterpret_cast<QRgb*>(raster.scanLine(y))[column] = color;
      }
    }
  }
  painter.drawImage(plot.topLeft(), raster);
  ++work.primitives;
  painter.setPen(theme().grid);
  for (int y = lane_height; y < plot.height(); y += lane_height) {
    painter.drawLine(plot.left(), plot.top() + y, plot.right(), plot.top() + y);
    ++work.primitives;
  }
  return work;
}

Work StagsView::paint_frame(QPainter& painter, const TimeScale&, const QRect& plot) {
  Work work;
  painter.setFont(small_font());
  const QFontMetricsF metrics(small_font());
  int top = plot.top();
  for (auto lane = first(); lane != map_.lanes().end() && top + lane_height <= plot.bottom();
       ++lane, top += lane_height) {
    const bool chosen = session().selection().stag == lane->first;
    const QRect label(0, top, plot.left() - 6, lane_height);
    if (chosen) painter.fillRect(label, theme().selection);
    painter.setPen(theme().text);
    painter.drawText(label.adjusted(6, 1, 0, -lane_height / 2), Qt::AlignVCenter | Qt::AlignLeft,
                     QString::fromStdString(hex_text(lane->first.stag, 8)) + QStringLiteral("  ") +
                         QString::fromStdString(octets_text(lane->second.octets)));
    painter.setPen(theme().muted);
    painter.drawText(label.adjusted(6, lane_height / 2, 0, -1), Qt::AlignVCenter | Qt::AlignLeft,
                     metrics.elidedText(QString::fromStdString(to_string(lane->first.host)), Qt::ElideRight,
                                        label.width() - 10));
    work.primitives += 2;
  }
  double x = plot.left();
  for (std::size_t kind = 0; kind < StagUse::kinds; ++kind) {
    const auto of = static_cast<StagUse::Kind>(kind);
    const QString name = QString::fromLatin1(stag_use_name(of));
    painter.fillRect(QRectF(x, 9, 9, 10), color_of(theme(), of));
    painter.setPen(theme().muted);
    painter.drawText(QPointF(x + 13, 18), name);
    x += 13 + metrics.horizontalAdvance(name) + 16;
  }
  return work;
}

void StagsView::click(QPoint at, const TimeScale&, const QRect& plot) {
  const int lane = first_lane_ + (at.y() - plot.top()) / lane_height;
  if (lane >= static_cast<int>(map_.lanes().size())) return;
  Selection selection;
  selection.stag = std::next(map_.lanes().begin(), lane)->first;
  session().select(selection);
}

void StagsView::keyPressEvent(QKeyEvent* event) {
  switch (event->key()) {
    case Qt::Key_Up: return scroll(-1);
    case Qt::Key_Down: return scroll(1);
    case Qt::Key_PageUp: return scroll(-10);
    case Qt::Key_PageDown: return scroll(10);
    default: TimeView::keyPressEvent(event);
  }
}

}  // namespace iwarp::gui
