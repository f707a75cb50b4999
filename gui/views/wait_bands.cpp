// SPDX-License-Identifier: GPL-2.0-or-later
#include "views/wait_bands.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace iwarp::gui {
namespace {

constexpr int steps = 4;  // of how strong a band is

Qt::BrushStyle pattern_of(WaitKind kind) {
  switch (kind) {
    case WaitKind::window: return Qt::BDiagPattern;
    case WaitKind::at_limit: return Qt::HorPattern;
    case WaitKind::no_credit: return Qt::VerPattern;
    default: return Qt::SolidPattern;
  }
}

// A pattern covers a small part of its band only.
QBrush brush_of(const Theme& theme, WaitKind kind, int strength) {
  const Qt::BrushStyle pattern = pattern_of(kind);
  QColor color = color_of(theme, kind);
  color.setAlpha((pattern == Qt::SolidPattern ? 18 : 40) * (strength + 1));
  return {color, pattern};
}

}  // namespace

QColor color_of(const Theme& theme, WaitKind kind) {
  switch (kind) {
    case WaitKind::hole: return theme.hole;
    case WaitKind::window: return theme.of(OperationKind::atomic);
    case WaitKind::at_limit: return theme.of(OperationKind::write);
    case WaitKind::no_credit: return theme.of(OperationKind::immediate);
    case WaitKind::response: return theme.of(OperationKind::read);
    case WaitKind::transfer: return theme.of(OperationKind::send);
    case WaitKind::idle: return theme.raised;
  }
  return theme.muted;
}

QString letter_of(WaitKind kind) {
  constexpr std::array<const char*, wait_kinds> letters{"H", "Z", "O", "C", "R", "T", ""};
  return QString::fromLatin1(letters[static_cast<std::size_t>(kind)]);
}

Work paint_wait_bands(QPainter& painter, const Theme& theme, const WaitTrack& track,
                      const std::vector<WaitKind>& kinds, const TimeScale& scale, const QRect& plot) {
  Work work;
  // Columns of one kind and strength are one band.
  using Band = std::pair<WaitKind, int>;
  std::optional<Band> band;
  int since = 0;
  const auto change = [&](std::optional<Band> to, int column) {
    if (to == band) return;
    if (band) {
      painter.fillRect(QRect(plot.left() + since, plot.top(), column - since, plot.height()),
                       brush_of(theme, band->first, band->second));
      ++work.primitives;
    }
    band = to;
    since = column;
  };
  WaitShares before = track.until(scale.span().from, work);
  for (int column = 0; column < scale.columns(); ++column) {
    const WaitShares behind = track.until(scale.column(column).upto, work);
    const double total = behind.total() - before.total();
    std::optional<Band> here;
    double most = 0;
    for (const WaitKind kind : kinds) {
      const auto at = static_cast<std::size_t>(kind);
      const double share = behind.ns[at] - before.ns[at];
      if (share <= most || total <= 0) continue;
      most = share;
      here = {kind, std::clamp(static_cast<int>(share / total * steps), 0, steps - 1)};
    }
    change(here, column);
    before = behind;
  }
  change(std::nullopt, scale.columns());
  return work;
}

void add_wait_bands(Legend& legend, const Theme& theme, const WaitTrack& track,
                    const std::vector<WaitKind>& kinds) {
  if (track.changes().empty()) return;
  Work work;
  const WaitShares all = track.until(track.changes().back().time, work);
  for (const WaitKind kind : kinds) {
    if (all.ns[static_cast<std::size_t>(kind)] <= 0) continue;
    legend.push_back(
        {QString::fromLatin1(wait_name(kind)), 20, [&theme, kind](QPainter& painter, const QRectF& box) {
           painter.fillRect(box, theme.surface);
           painter.fillRect(box, brush_of(theme, kind, steps - 1));
           painter.setPen(theme.border);
           painter.setBrush(Qt::NoBrush);
           painter.drawRect(box.adjusted(0.5, 0.5, -0.5, -0.5));
         }});
  }
}

}  // namespace iwarp::gui
