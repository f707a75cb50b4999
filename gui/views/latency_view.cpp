// SPDX-License-Identifier: GPL-2.0-or-later
#include "views/latency_view.hpp"

#include <QKeyEvent>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <vector>

#include <iwarp/export/names.hpp>

#include "models/operation_model.hpp"
#include "scale/text.hpp"
#include "scale/ticks.hpp"
#include "views/latency_panel.hpp"
#include "views/raster.hpp"
#include "views/wait_bands.hpp"

namespace iwarp::gui {
namespace {

QString latency_words(double ns) {
  return QString::fromStdString(duration_text(static_cast<TimeNs>(ns)));
}

// So many of a place, and more, have the strongest colour.
constexpr int most_density = 256;

// Offsets of the pixels of a point, so that kinds differ in shape as well: a square, lines, two crosses.
// `reach`: in pixels, from its middle.
std::vector<QPoint> shape_of(OperationKind kind, int reach) {
  const int thick = reach / 2;
  const auto has = [&](int x, int y) {
    const int across = std::abs(x);
    const int along = std::abs(y);
    switch (kind) {
      case OperationKind::read: return across <= reach && along <= reach;
      case OperationKind::write: return along <= thick;
      case OperationKind::send: return across <= thick;
      case OperationKind::atomic:
        return std::abs(across - along) <= thick && std::max(across, along) <= reach;
      case OperationKind::immediate:
        return std::min(across, along) <= thick && across + along <= reach + thick;
    }
    return false;
  };
  std::vector<QPoint> shape;
  for (int y = -reach - 1; y <= reach + 1; ++y) {
    for (int x = -reach - 1; x <= reach + 1; ++x) {
      if (has(x, y)) shape.emplace_back(x, y);
    }
  }
  return shape;
}

struct Shapes {
  int reach = 0;
  std::array<std::vector<QPoint>, 5> of;  // by OperationKind
};
Shapes shapes_of(int reach) {
  Shapes shapes{reach, {}};
  for (std::size_t kind = 0; kind < shapes.of.size(); ++kind)
    shapes.of[kind] = shape_of(static_cast<OperationKind>(kind), reach);
  return shapes;
}

// Few are drawn large.
const Shapes& shapes_for(std::size_t points) {
  static const Shapes large = shapes_of(3);
  static const Shapes small = shapes_of(1);
  constexpr std::size_t few = 500;
  return points < few ? large : small;
}

}  // namespace

LatencyView::LatencyView(Workspace& workspace, const Theme& theme, QWidget* parent)
    : PlotView(workspace, theme, tr("Latency of operations over time"), new OperationModel(workspace),
               parent) {}

double LatencyView::y_of(const LatencyAxis& axis, double ns, const QRect& plot) {
  return plot.bottom() - axis.part(ns) * (plot.height() - 1);
}

LatencyAxis LatencyView::axis() const {
  const ValueLevels& latency = data().levels->operations.latency();
  const Extent all = latency.over(0, latency.size());
  const double least = std::log10(static_cast<double>(std::max<std::uint64_t>(1, all.least)));
  const double most = std::log10(static_cast<double>(std::max<std::uint64_t>(1, all.greatest)));
  // Nearly equal ones stand in the middle of half a power of ten.
  const double margin = 0.1 + std::max(0.0, 0.5 - (most - least)) / 2;
  return {std::max(0.0, least - margin), most + margin};
}

QPointF LatencyView::place_of(std::uint32_t operation, QSize size) const {
  const OperationTable& table = document().metrics().operations();
  const QRect plot = plot_of(size);
  return {scale_of(plot).x(table.time_ns(operation)),
          y_of(axis(), static_cast<double>(table.latency_ns(operation)), plot)};
}

Work LatencyView::paint_plot(QPainter& painter, const TimeScale& scale, const QRect& plot) {
  const OperationLevels& levels = data().levels->operations;
  Work work;
  if (data().latencies.empty()) {
    return paint_empty(
        painter, plot,
        tr("The latency of each Read and Atomic would be here, over the time of its request. None is "
           "known: there are none that count, or requests and responses were not both captured."));
  }
  work += paint_wait_bands(painter, theme(), *data().together, stood_still, scale, plot);
  const LatencyAxis values = axis();
  Raster raster(plot.size());
  const PlaceRange seen = levels.order().between(scale.span().from, scale.span().upto);
  if (seen.size() < most_points) {
    const OperationTable& table = document().metrics().operations();
    const Shapes& shapes = shapes_for(seen.size());
    for (std::size_t place = seen.begin; place < seen.end; ++place) {
      ++work.visited;
      const std::uint64_t ns = levels.latency()[place];
      if (ns == no_value) continue;
      const OperationKind kind = table.kind(levels.order().row(place));
      // The first and the last one are whole, too.
      const int x = std::clamp(scale.column_of(levels.order().time_ns(place)), shapes.reach,
                               std::max(shapes.reach, scale.columns() - 1 - shapes.reach));
      const int y = static_cast<int>(std::lround(y_of(values, static_cast<double>(ns), plot))) - plot.top();
      const QRgb color = theme().of(kind).rgba();
      for (const QPoint& pixel : shapes.of[static_cast<std::size_t>(kind)])
        raster.set(x + pixel.x(), y + pixel.y(), color);
    }
  } else {
    std::array<int, duration_buckets> rows;
    for (unsigned bucket = 0; bucket < duration_buckets; ++bucket) {
      rows[bucket] = static_cast<int>(
                         std::lround(y_of(values, static_cast<double>(duration_bucket_end(bucket)), plot))) -
                     plot.top();
    }
    const QColor low = theme().accent;
    const QColor high = theme().text;
    for (int column = 0; column < scale.columns(); ++column) {
      const TimeSpan span = scale.column(column);
      const PlaceRange places = levels.order().between(span.from, span.upto);
      if (places.size() == 0) continue;
      DurationCounts counts;
      levels.durations().add_to(counts, places.begin, places.end);
      work.visited += levels.durations().visited(places.begin, places.end);
      for (unsigned bucket = 0; bucket < duration_buckets; ++bucket) {
        if (counts[bucket] == 0) continue;
        // One alone is lit well enough to be seen; more are stronger.
        const double part =
            std::min(1.0, std::log2(static_cast<double>(counts[bucket])) / std::log2(most_density));
        const QRgb color =
            QColor::fromRgbF(static_cast<float>(low.redF() + (high.redF() - low.redF()) * part),
                             static_cast<float>(low.greenF() + (high.greenF() - low.greenF()) * part),
                             static_cast<float>(low.blueF() + (high.blueF() - low.blueF()) * part))
                .rgba();
        const int below = bucket > 0 ? rows[bucket - 1] : rows[bucket] + 1;
        raster.fill(column, rows[bucket], std::max(below, rows[bucket] + 1), color);
      }
    }
  }
  raster.paint(painter, plot.topLeft());
  ++work.primitives;
  if (const auto row = session().selection().operation) {
    const OperationTable& table = document().metrics().operations();
    if (*row < table.size() && table.latency_ns(*row) != OperationTable::unknown) {
      painter.setPen(QPen(theme().text, 2));  // no operation has this colour
      painter.setBrush(Qt::NoBrush);
      painter.drawEllipse(QPointF(scale.x(table.time_ns(*row)),
                                  y_of(values, static_cast<double>(table.latency_ns(*row)), plot)),
                          6, 6);
      ++work.primitives;
    }
  }
  return work;
}

Work LatencyView::paint_frame(QPainter& painter, const TimeScale& scale, const QRect& plot) {
  Work work;
  if (data().latencies.empty()) return work;
  const LatencyAxis values = axis();
  painter.setFont(small_font());
  const QFontMetricsF metrics(small_font());
  double free_below = plot.bottom() + 0.0;
  for (const double tick : log_ticks(std::pow(10, values.least), std::pow(10, values.most))) {
    const QString label = latency_words(tick);
    const double y = y_of(values, tick, plot);
    if (y > free_below) continue;
    free_below = y - metrics.height();
    painter.setPen(theme().muted);
    painter.drawText(QPointF(plot.left() - 7 - metrics.horizontalAdvance(label),
                             std::clamp(y + 4, plot.top() + metrics.ascent(), plot.bottom() + 0.0)),
                     label);
    ++work.primitives;
  }
  const std::vector<LatencyGroup> parts = latency_groups(data().latencies, measured(scale));
  if (!parts.empty()) work += paint_percentiles(painter, parts.front().sample.summary(), values, plot);
  const QRect beside(plot.right() + 16, plot.top(), right_margin() - 32, plot.height());
  return work += paint_latency_panel(painter, beside, range_words(scale), parts, values, theme());
}

Legend LatencyView::legend() const {
  Legend legend;
  for (const LatencyClass& one : data().latencies) {
    const QString name = QString::fromLatin1(operation_kind_name(one.kind));
    if (legend.empty() || legend.back().words != name)
      legend.push_back(box_entry(theme(), theme().of(one.kind), name, name.left(1).toUpper()));
  }
  if (legend.empty()) return legend;
  const TimeSpan seen = workspace().visible();
  if (data().levels->operations.order().between(seen.from, seen.upto).size() >= most_points) {
    legend.push_back(box_entry(theme(), theme().accent, tr("one in a place"), {}));
    legend.push_back(box_entry(theme(), theme().text, tr("%1 and more").arg(most_density), {}));
  }
  add_wait_bands(legend, theme(), *data().together, stood_still);
  return legend;
}

// Lines across the plot.
Work LatencyView::paint_percentiles(QPainter& painter, const LatencySummary& sum, const LatencyAxis& values,
                                    const QRect& plot) const {
  Work work;
  painter.setFont(small_font());
  const QFontMetricsF metrics(small_font());
  const std::array percentiles{std::pair("p50", sum.p50), std::pair("p90", sum.p90),
                               std::pair("p99", sum.p99), std::pair("max", sum.max)};
  const auto place_of = [&](std::uint64_t ns) {
    return std::floor(y_of(values, static_cast<double>(ns), plot)) + 0.5;
  };
  painter.setPen(QPen(theme().muted, 1, Qt::DashLine));
  for (const auto& [name, ns] : percentiles) {
    painter.drawLine(QPointF(plot.left(), place_of(ns)), QPointF(plot.right(), place_of(ns)));
    ++work.primitives;
  }
  // Lines may lie closer than a name is high; of several in one place the first and the last.
  double label_above = plot.bottom() + 20;
  for (std::size_t at = 0; at < percentiles.size();) {
    const double y = place_of(percentiles[at].second);
    const std::size_t first = at;
    while (at < percentiles.size() && place_of(percentiles[at].second) == y) ++at;
    QString name = QLatin1String(percentiles[first].first);
    if (at - first > 1) name += QStringLiteral(" – ") + QLatin1String(percentiles[at - 1].first);
    const double width = metrics.horizontalAdvance(name) + 10;
    // Above its line, or where there is no room below it: what lies there stays to be seen.
    const bool room = y - metrics.height() > plot.top();
    const QRectF box(plot.right() - width, room ? y - metrics.height() : y, width, metrics.height());
    if (label_above - y > metrics.height()) {
      QColor ground = theme().surface;  // what lies there may have any colour
      ground.setAlpha(200);
      painter.fillRect(box, ground);
      painter.drawText(box, Qt::AlignCenter, name);
      label_above = y;
    }
    work.primitives += 2;
  }
  return work;
}

void LatencyView::click(QPoint at, const TimeScale& scale, const QRect& plot) {
  constexpr int near = 5;
  const OperationLevels& levels = data().levels->operations;
  const LatencyAxis values = axis();
  const PlaceRange places = levels.order().between(scale.time(at.x() - near), scale.time(at.x() + near));
  double best = 12 * 12;
  std::optional<std::size_t> nearest;
  for (std::size_t place = places.begin; place < places.end; ++place) {
    if (levels.latency()[place] == no_value) continue;
    const double x = scale.x(levels.order().time_ns(place)) - at.x();
    const double y = y_of(values, static_cast<double>(levels.latency()[place]), plot) - at.y();
    if (x * x + y * y >= best) continue;
    best = x * x + y * y;
    nearest = place;
  }
  if (nearest) session().select(select_operation(document().metrics(), levels.order().row(*nearest)));
}

void LatencyView::keyPressEvent(QKeyEvent* event) {
  const OperationLevels& levels = data().levels->operations;
  const TimeSpan seen = workspace().visible();
  const PlaceRange places = levels.order().between(seen.from, seen.upto);
  const auto select = [&](std::size_t place) {
    session().select(select_operation(document().metrics(), levels.order().row(place)),
                     Session::Step::gesture);
  };
  if (event->key() == Qt::Key_M) {
    if (const auto place = place_of_greatest(levels.latency(), places)) select(*place);
    return;
  }
  if ((event->key() == Qt::Key_Left || event->key() == Qt::Key_Right) &&
      event->modifiers() == Qt::NoModifier && places.size() > 0) {
    const TimeNs time = session().selection().time.value_or(seen.from);
    const bool right = event->key() == Qt::Key_Right;
    const PlaceRange before =
        levels.order().between(std::numeric_limits<TimeNs>::min(), right ? time + 1 : time);
    const auto known = [&](std::size_t place) { return levels.latency()[place] != no_value; };
    const std::size_t count = levels.order().size();
    std::size_t place = before.end;  // others have no point to step to
    if (right) {
      while (place < count && !known(place)) ++place;
      if (place < count) select(place);
    } else {
      while (place > 0 && !known(place - 1)) --place;
      if (place > 0) select(place - 1);
    }
    return;
  }
  PlotView::keyPressEvent(event);
}

}  // namespace iwarp::gui
