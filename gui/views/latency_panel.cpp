// SPDX-License-Identifier: GPL-2.0-or-later
#include "views/latency_panel.hpp"

#include <algorithm>
#include <cmath>

#include <iwarp/export/names.hpp>

#include "scale/text.hpp"

namespace iwarp::gui {
namespace {

constexpr int least_picture = 24;
constexpr int most_picture = 96;
constexpr int bar_width = 3;
constexpr int gap = 10;

QString time_words(double ns) {
  return QString::fromStdString(duration_text(static_cast<TimeNs>(ns)));
}

QString title_of(const LatencyGroup& part, std::uint64_t count) {
  const QString name =
      part.of ? QStringLiteral("%1 %2").arg(QString::fromLatin1(operation_kind_name(part.of->first)),
                                            QString::fromUtf8(size_class_name(part.of->second)))
              : QObject::tr("all");
  return QStringLiteral("%1: %2").arg(name, QString::fromStdString(count_text(count)));
}

// Bars stand on a line; the other line climbs from there to the top, where it is all of them.
Work paint_curve(QPainter& painter, const QRect& where, const LatencyGroup& part, const LatencyAxis& axis,
                 const Theme& theme) {
  Work work;
  painter.fillRect(where, theme.surface);
  const LatencyCurve curve = latency_curve(part.sample.counts(), axis,
                                           static_cast<std::size_t>(std::max(1, where.width() / bar_width)));
  if (curve.bars.empty()) return work;
  const auto most = static_cast<double>(*std::max_element(curve.bars.begin(), curve.bars.end()));
  const double tall = where.height() - 2;
  const QColor color = part.of ? theme.of(part.of->first) : theme.traffic;
  QPolygonF line;
  for (std::size_t bar = 0; bar < curve.bars.size(); ++bar) {
    const int left = where.left() + static_cast<int>(bar) * bar_width;
    if (curve.bars[bar] > 0) {
      const int height = std::max(1, static_cast<int>(static_cast<double>(curve.bars[bar]) / most * tall));
      painter.fillRect(left, where.bottom() - height + 1, bar_width - 1, height, color);
      ++work.primitives;
    }
    line << QPointF(left + bar_width - 1, where.bottom() - curve.until[bar] * tall + 0.5);
  }
  painter.setPen(QPen(theme.text, 1));
  painter.drawPolyline(line);
  painter.setPen(theme.border);
  painter.drawLine(where.bottomLeft(), where.bottomRight());
  work.primitives += 3;
  return work;
}

}  // namespace

QString percentile_words(const LatencySummary& of, std::uint64_t ns) {
  const QString words = time_words(static_cast<double>(ns));
  return of.exact || ns == of.max ? words : QStringLiteral("≤ ") + words;
}

Work paint_latency_panel(QPainter& painter, const QRect& where, const QString& range,
                         const std::vector<LatencyGroup>& parts, const LatencyAxis& axis,
                         const Theme& theme) {
  Work work;
  painter.setFont(small_font());
  const QFontMetricsF metrics(small_font());
  const double line = metrics.height() + 2;
  double y = where.top();
  const auto write = [&](const QString& words, const QColor& color) {
    painter.setPen(color);
    painter.drawText(QPointF(where.left(), y + metrics.ascent()),
                     metrics.elidedText(words, Qt::ElideRight, where.width()));
    y += line;
    ++work.primitives;
  };
  write(range, theme.text);
  if (parts.empty()) {
    write(QObject::tr("no operation"), theme.muted);
    return work;
  }
  write(QObject::tr("bars: how many; line: so many of all"), theme.muted);
  y += gap / 2.0;
  // Three lines of words each, and a picture. Where these have no room for all, less is told of each; where
  // that is still too much, the first ones are there.
  const double bottom = where.bottom() - line;  // the axis is below
  const auto height_of = [&](int lines) { return lines * line + least_picture + gap; };
  const double room = bottom - y;
  const int lines = room >= static_cast<double>(parts.size()) * height_of(3) ? 3 : 2;
  auto shown = static_cast<std::size_t>(std::max(1.0, room / height_of(lines)));
  shown = std::min(shown, parts.size());
  const double left_over = shown < parts.size() ? line : 0;
  const int picture =
      std::clamp(static_cast<int>((room - left_over) / static_cast<double>(shown) - lines * line - gap),
                 least_picture, most_picture);
  for (std::size_t at = 0; at < shown; ++at) {
    const LatencySummary sum = parts[at].sample.summary();
    write(title_of(parts[at], sum.count), theme.text);
    const auto p = [&](const char* name, std::uint64_t ns) {
      return QStringLiteral("%1 %2").arg(QLatin1String(name), percentile_words(sum, ns));
    };
    if (lines == 3) {
      write(p("p50", sum.p50) + QStringLiteral(", ") + p("p90", sum.p90), theme.muted);
      write(p("p99", sum.p99) + QStringLiteral(", ") + p("max", sum.max), theme.muted);
    } else {
      write(p("p50", sum.p50) + QStringLiteral(", ") + p("max", sum.max), theme.muted);
    }
    work += paint_curve(painter, QRect(where.left(), static_cast<int>(y) + 1, where.width(), picture),
                        parts[at], axis, theme);
    y += picture + gap;
  }
  painter.setPen(theme.muted);
  y -= gap - 2;
  const QRectF below(where.left(), y, where.width(), line);
  painter.drawText(below, Qt::AlignLeft | Qt::AlignTop, time_words(std::pow(10, axis.least)));
  painter.drawText(below, Qt::AlignRight | Qt::AlignTop, time_words(std::pow(10, axis.most)));
  work.primitives += 2;
  y += line;
  if (shown < parts.size()) {
    write(QObject::tr("%1 more have no room here: filter for them").arg(parts.size() - shown), theme.muted);
  }
  return work;
}

}  // namespace iwarp::gui
