// SPDX-License-Identifier: GPL-2.0-or-later
#include "views/stream_delegates.hpp"

#include <QPainter>

#include <cmath>

#include "scale/text.hpp"
#include "views/glyphs.hpp"

namespace iwarp::gui {
namespace {

constexpr double glyph_size = 10;
constexpr double least_latency = 1e3;  // ns: the foot of its bars

}  // namespace

void FindingsDelegate::paint(QPainter* painter, const QStyleOptionViewItem& option,
                             const QModelIndex& index) const {
  paint_back(*painter, option);
  const StreamCounts& counts = streams_.counts(streams_.row_at(index.row()));
  painter->save();
  painter->setClipRect(option.rect);
  painter->setFont(option.font);
  const double middle = option.rect.center().y() + 1;
  double x = option.rect.left() + side;
  for (std::size_t severity = 4; severity-- > 0;) {
    if (counts.findings[severity] == 0) continue;
    draw_glyph(*painter, theme(), static_cast<Severity>(severity), QPointF(x + glyph_size / 2, middle),
               glyph_size);
    x += glyph_size + 4;
    const QString count = QString::fromStdString(count_text(counts.findings[severity]));
    painter->setPen(theme().text);
    const QFontMetricsF metrics(option.font);
    painter->drawText(QPointF(x, middle + metrics.ascent() / 2 - 1.5), count);
    x += metrics.horizontalAdvance(count) + 10;
  }
  painter->restore();
}

SparkDelegate::SparkDelegate(View& view, const StreamModel& streams, What what)
    : CellDelegate(view), streams_(streams), what_(what) {
  connect(&streams, &QAbstractItemModel::dataChanged, this, &SparkDelegate::measure);
  connect(&streams, &QAbstractItemModel::modelReset, this, &SparkDelegate::measure);
  connect(&streams, &QAbstractItemModel::rowsInserted, this, &SparkDelegate::measure);
  measure();
}

SparkDelegate::Bars SparkDelegate::bars_of(std::uint32_t row) const {
  Bars bars{};
  const TimeScale scale(streams_.workspace().document().span(), 0, static_cast<int>(columns));
  const StreamCounts& counts = streams_.counts(row);
  // Calls `add` with each bar that a bin covers, with what it holds, and with how many bars that is.
  const auto spread = [&](const auto& bins, auto&& add) {
    for (std::size_t bin = 0; bin < bins.size(); ++bin) {
      const TimeSpan times = bins.span(bin);
      const int first = scale.column_of(times.from);
      const int last = scale.column_of(times.upto - 1);
      for (int column = first; column <= last; ++column)
        add(bars[static_cast<std::size_t>(column)], bins[bin], last - first + 1);
    }
  };
  if (what_ == octets) {
    spread(counts.octets_over_time,
           [](double& bar, std::uint64_t cell, int shared) { bar += static_cast<double>(cell) / shared; });
  } else {
    spread(counts.latency_over_time,
           [](double& bar, LongestLatency cell, int) { bar = std::max(bar, static_cast<double>(cell.ns)); });
  }
  return bars;
}

double SparkDelegate::height_of(double value) const {
  if (value <= 0 || greatest_ <= 0) return 0;
  if (what_ == octets) return value / greatest_;
  const double decades = std::max(1.0, std::log10(greatest_ / least_latency));
  return std::clamp(std::log10(value / least_latency) / decades, 0.08, 1.0);
}

void SparkDelegate::measure() {
  greatest_ = 0;
  for (int at = 0; at < streams_.rowCount(); ++at) {
    for (const double bar : bars_of(streams_.row_at(at))) greatest_ = std::max(greatest_, bar);
  }
}

void SparkDelegate::paint(QPainter* painter, const QStyleOptionViewItem& option,
                          const QModelIndex& index) const {
  paint_back(*painter, option);
  const QRectF place = QRectF(option.rect).adjusted(side, 4, -side, -4);
  const double width = place.width() / columns;
  const QColor color = what_ == octets ? theme().traffic : theme().of(OperationKind::read);
  painter->fillRect(QRectF(place.left(), place.bottom(), place.width(), 1), theme().grid);
  const Bars bars = bars_of(streams_.row_at(index.row()));
  for (std::size_t column = 0; column < columns; ++column) {
    if (bars[column] <= 0) continue;
    const double height = std::max(1.0, height_of(bars[column]) * place.height());
    const double left = place.left() + static_cast<double>(column) * width;
    painter->fillRect(QRectF(left, place.bottom() - height, std::max(1.0, width - 0.6), height), color);
  }
}

}  // namespace iwarp::gui
