// SPDX-License-Identifier: GPL-2.0-or-later
#include "views/compare_picture.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include <iwarp/export/names.hpp>

#include "scale/text.hpp"
#include "scale/ticks.hpp"

namespace iwarp::gui {
namespace {

constexpr int bar_width = 6;
constexpr int left_margin = 52;
constexpr int right_margin = 16;
constexpr int top_margin = 74;     // the legend
constexpr int bottom_margin = 26;  // the axis
constexpr int between = 34;        // both plots: a title

struct Distribution {
  const DurationCounts* counts = nullptr;  // nothing: no operation
  LatencySummary latency;
};

Distribution distribution_of(const Measured& side,
                             const std::optional<std::pair<OperationKind, std::size_t>>& of_class) {
  if (!of_class) return {side.latency.count > 0 ? &side.counts : nullptr, side.latency};
  for (const MeasuredClass& one : side.classes) {
    if (std::pair(one.kind, one.size_class) == *of_class) return {&one.counts, one.latency};
  }
  return {};
}

double log_of(unsigned bucket) {
  return std::log10(static_cast<double>(std::max<std::uint64_t>(1, duration_bucket_end(bucket))));
}

class Painting {
 public:
  Painting(QPainter& painter, QSize size, const std::array<Distribution, 2>& sides, const Theme& theme)
      : painter_(painter), sides_(sides), theme_(theme) {
    const int height = std::max(40, (size.height() - top_margin - bottom_margin - between) / 2);
    const int width = std::max(40, size.width() - left_margin - right_margin);
    bars_ = QRect(left_margin, top_margin, width, height);
    sums_ = QRect(left_margin, bars_.bottom() + 1 + between, width, height);
    least_ = 20;
    most_ = 0;
    for (const Distribution& side : sides_) {
      if (side.counts == nullptr) continue;
      for (unsigned bucket = 0; bucket < duration_buckets; ++bucket) {
        if ((*side.counts)[bucket] == 0) continue;
        least_ = std::min(least_, log_of(bucket));
        most_ = std::max(most_, log_of(bucket));
      }
    }
    least_ = std::max(0.0, least_ - 0.1);
    most_ = std::max(least_ + 0.5, most_ + 0.1);
  }

  Work run() {
    title(bars_, QObject::tr("How many took how long, in % of the operations of each"));
    title(sums_, QObject::tr("How many took no longer, in %"));
    grid(bars_);
    grid(sums_);
    histograms();
    curves();
    return work_;
  }

 private:
  [[nodiscard]] double x(double log) const {
    return bars_.left() + (log - least_) / (most_ - least_) * (bars_.width() - 1);
  }
  [[nodiscard]] std::size_t bars() const { return static_cast<std::size_t>(bars_.width() / bar_width + 1); }

  void title(const QRect& plot, const QString& words) {
    painter_.setFont(small_font());
    painter_.setPen(theme_.muted);
    painter_.drawText(QPointF(plot.left(), plot.top() - 7), words);
    painter_.fillRect(plot, theme_.surface);
    work_.primitives += 2;
  }

  void grid(const QRect& plot) {
    const QFontMetricsF metrics(small_font());
    double free_from = 0;
    for (const double tick : log_ticks(std::pow(10, least_), std::pow(10, most_))) {
      const double at = std::floor(x(std::log10(tick))) + 0.5;
      painter_.setPen(theme_.grid);
      painter_.drawLine(QPointF(at, plot.top()), QPointF(at, plot.bottom()));
      if (plot == sums_) {
        const QString label = QString::fromStdString(duration_text(static_cast<TimeNs>(tick)));
        const double width = metrics.horizontalAdvance(label);
        const double begin = std::min(at - width / 2, plot.right() + right_margin - width - 2.0);
        if (begin < free_from) continue;
        painter_.setPen(theme_.muted);
        painter_.drawText(QPointF(begin, plot.bottom() + 18), label);
        free_from = begin + width + 8;
      }
      work_.primitives += 2;
    }
  }

  void value(const QRect& plot, double part, double percent) {
    const QString label = QString::number(percent, 'g', 3) + QStringLiteral(" %");
    const QFontMetricsF metrics(small_font());
    const double y = plot.bottom() - part * (plot.height() - 1);
    painter_.setPen(theme_.grid);
    painter_.drawLine(QPointF(plot.left(), y), QPointF(plot.right(), y));
    painter_.setPen(theme_.muted);
    painter_.drawText(QPointF(plot.left() - 6 - metrics.horizontalAdvance(label),
                              std::min(y + metrics.ascent() / 2, plot.bottom() + 1.0)),
                      label);
    work_.primitives += 2;
  }

  [[nodiscard]] QPen pen_of(std::size_t side) const {
    return QPen(compare_colors(theme_)[side], 1.8, side == 0 ? Qt::SolidLine : Qt::DashLine);
  }

  // In parts of all operations of the side.
  [[nodiscard]] std::vector<double> shares(const DurationCounts& counts) const {
    std::vector<double> parts(bars());
    for (unsigned bucket = 0; bucket < duration_buckets; ++bucket) {
      if (counts[bucket] == 0) continue;
      const double at = (log_of(bucket) - least_) / (most_ - least_);
      parts[static_cast<std::size_t>(std::clamp(at, 0.0, 1.0) * static_cast<double>(parts.size() - 1))] +=
          static_cast<double>(counts[bucket]) / static_cast<double>(counts.total());
    }
    return parts;
  }

  void histograms() {
    double most = 0;
    for (const Distribution& side : sides_) {
      if (side.counts == nullptr) continue;
      for (const double part : shares(*side.counts)) most = std::max(most, part);
    }
    if (most == 0) return;
    for (const double tick : linear_ticks(0, most * 100, std::max(1, bars_.height() / 40))) {
      value(bars_, tick / 100 / most * 0.95, tick);
    }
    for (std::size_t which = 0; which < 2; ++which) {
      if (sides_[which].counts == nullptr) continue;
      QColor inside = compare_colors(theme_)[which];
      inside.setAlpha(which == 0 ? 70 : 40);
      painter_.setPen(pen_of(which));
      painter_.setBrush(inside);
      paint_bars(shares(*sides_[which].counts), 0.95 / most);
    }
    painter_.setBrush(Qt::NoBrush);
  }

  // An outline around each run of bars that are there.
  void paint_bars(const std::vector<double>& parts, double scale) {
    QPolygonF outline;
    double left = bars_.left();
    for (std::size_t bar = 0; bar <= parts.size(); ++bar) {
      const bool there = bar < parts.size() && parts[bar] > 0;
      if (there && outline.isEmpty()) outline << QPointF(left, bars_.bottom());
      if (!there && !outline.isEmpty()) {
        outline << QPointF(left, bars_.bottom());
        painter_.drawPolygon(outline);
        ++work_.primitives;
        outline.clear();
      }
      const double right = std::min(left + bar_width, static_cast<double>(bars_.right()));
      if (there) {
        const double y = bars_.bottom() - parts[bar] * scale * (bars_.height() - 1);
        outline << QPointF(left, y) << QPointF(right, y);
      }
      left = right;
    }
  }

  void curves() {
    for (const int percent : {0, 50, 100}) value(sums_, percent / 100.0 * 0.97, percent);
    for (std::size_t which = 0; which < 2; ++which) {
      const DurationCounts* const counts = sides_[which].counts;
      if (counts == nullptr) continue;
      QPolygonF line;
      line << QPointF(sums_.left(), sums_.bottom());
      std::uint64_t sum = 0;
      for (unsigned bucket = 0; bucket < duration_buckets; ++bucket) {
        if ((*counts)[bucket] == 0) continue;
        const double at = x(log_of(bucket));
        line << QPointF(at, line.back().y());
        sum += (*counts)[bucket];
        line << QPointF(at, sums_.bottom() - static_cast<double>(sum) / static_cast<double>(counts->total()) *
                                                 0.97 * (sums_.height() - 1));
      }
      line << QPointF(sums_.right(), line.back().y());
      painter_.setPen(pen_of(which));
      painter_.drawPolyline(line);
      ++work_.primitives;
    }
  }

  QPainter& painter_;
  const std::array<Distribution, 2>& sides_;
  const Theme& theme_;
  QRect bars_, sums_;
  double least_, most_;  // log10 of nanoseconds
  Work work_;
};

}  // namespace

std::array<QColor, 2> compare_colors(const Theme& theme) {
  return {theme.of(Role::initiator), theme.of(Role::responder)};
}

Work paint_comparison(QPainter& painter, QSize size, const Measured& a, const Measured& b,
                      const std::optional<std::pair<OperationKind, std::size_t>>& of_class,
                      const std::array<QString, 2>& names, const Theme& theme) {
  painter.fillRect(QRect(QPoint(), size), theme.window);
  const std::array<Distribution, 2> sides{distribution_of(a, of_class), distribution_of(b, of_class)};
  painter.setFont(text_font());
  painter.setPen(theme.text);
  const QString of = of_class ? QObject::tr("Latency of %1 %2")
                                    .arg(QString::fromLatin1(operation_kind_name(of_class->first)),
                                         QString::fromUtf8(size_class_name(of_class->second)))
                              : QObject::tr("Latency of all operations");
  painter.drawText(QPointF(12, 18), of);
  painter.setFont(small_font());
  const QFontMetricsF metrics(small_font());
  for (std::size_t which = 0; which < 2; ++which) {
    const double y = 36 + 16 * static_cast<double>(which);
    painter.setPen(QPen(compare_colors(theme)[which], 2, which == 0 ? Qt::SolidLine : Qt::DashLine));
    painter.drawLine(QPointF(12, y - 4), QPointF(36, y - 4));
    painter.setPen(theme.text);
    const QString count = QString::fromStdString(count_text(sides[which].latency.count));
    const QString words =
        (sides[which].latency.count == 1 ? QObject::tr("%1: %2 operation in %3")
                                         : QObject::tr("%1: %2 of known latency in %3"))
            .arg(which == 0 ? QStringLiteral("A") : QStringLiteral("B"), count, names[which]);
    painter.drawText(QPointF(42, y), metrics.elidedText(words, Qt::ElideMiddle, size.width() - 54));
  }
  Work work{5, 2 * duration_buckets};
  if (sides[0].counts == nullptr && sides[1].counts == nullptr) {
    painter.setPen(theme.muted);
    painter.drawText(QRect(QPoint(), size).adjusted(24, 80, -24, -24), Qt::AlignCenter | Qt::TextWordWrap,
                     QObject::tr("No latency is known on either side: nothing counts, or requests and "
                                 "responses were not both captured."));
    return work;
  }
  return work += Painting(painter, size, sides, theme).run();
}

}  // namespace iwarp::gui
