// SPDX-License-Identifier: GPL-2.0-or-later
#include "views/outstanding_view.hpp"

#include <QKeyEvent>

#include <algorithm>
#include <cmath>
#include <limits>

#include <iwarp/export/names.hpp>

#include "models/operation_model.hpp"
#include "views/raster.hpp"
#include "views/wait_bands.hpp"

namespace iwarp::gui {
namespace {

constexpr int lane_gap = 22;
// That ORD is reached is seen of the depth itself.
const std::vector<WaitKind> beside_depth{WaitKind::hole, WaitKind::window};

// Of an ORD that is never come close to the curve would be a line at the bottom: it lies above the lane then.
double most_of(const DepthCurve& curve) {
  constexpr std::uint64_t close = 8;
  const std::uint64_t most = std::max<std::uint64_t>(curve.most(), 1);
  const std::uint64_t ord = curve.ord.value_or(0);
  return 1.15 * static_cast<double>(ord > close * most ? most : std::max(most, ord));
}

double y_of(double value, const DepthCurve& curve, const QRect& lane) {
  return std::floor(lane.bottom() - value / most_of(curve) * (lane.height() - 1));
}

}  // namespace

OutstandingView::OutstandingView(Workspace& workspace, const Theme& theme, QWidget* parent)
    : PlotView(workspace, theme, tr("Outstanding Reads and atomics against ORD"),
               new OperationModel(workspace), parent) {}

std::vector<const DepthCurve*> OutstandingView::curves() const {
  std::vector<const DepthCurve*> found;
  std::vector<ConnectionId> counting;
  for (const std::uint32_t row : data().stream_rows) {
    counting.push_back(document().metrics().streams().connection(row));
  }
  std::sort(counting.begin(), counting.end());
  for (const DepthCurve& curve : data().waits->depths) {
    if (std::binary_search(counting.begin(), counting.end(), curve.stream)) found.push_back(&curve);
  }
  const auto selected = session().selection().stream;
  std::stable_partition(found.begin(), found.end(),
                        [&](const DepthCurve* curve) { return selected && curve->stream == *selected; });
  return found;
}

std::vector<OutstandingView::Lane> OutstandingView::lanes(const QRect& plot) const {
  constexpr int least = 48;
  std::vector<Lane> lanes;
  const auto all = curves();
  const int count =
      std::min<int>(static_cast<int>(all.size()), std::max(1, plot.height() / (least + lane_gap)));
  for (int at = 0; at < count; ++at) {
    const int height = plot.height() / count;
    lanes.emplace_back(
        QRect(plot.left(), plot.top() + at * height + lane_gap, plot.width(), height - lane_gap),
        all[static_cast<std::size_t>(at)]);
  }
  return lanes;
}

Work OutstandingView::paint_plot(QPainter& painter, const TimeScale& scale, const QRect& plot) {
  Work work;
  const std::vector<Lane> all = lanes(plot);
  if (all.empty()) {
    return paint_empty(painter, plot,
                       tr("Reads and atomics outstanding would be here, against ORD. No stream that counts "
                          "has any whose request was captured."));
  }
  // A few lanes share the columns: together they cost no more than eight primitives of each.
  for (const auto& [lane, curve] : all) {
    const std::uint32_t row = data().levels->rows_of_streams[curve->stream];
    if (row > 0 && row <= data().waits->streams.size()) {
      const WaitTrack& track = *data().waits->streams[row - 1].track;
      work += paint_wait_bands(painter, theme(), track, beside_depth, scale, lane);
    }
    Raster raster(lane.size());
    QColor tint = theme().of(OperationKind::write);
    tint.setAlpha(70);
    const QRgb shade = qPremultiply(tint.rgba());
    const QRgb color = theme().of(OperationKind::read).rgba();
    for (int column = 0; column < scale.columns(); ++column) {
      const DepthCurve::Range range = curve->over(scale.column(column), work);
      const int top = static_cast<int>(y_of(static_cast<double>(range.greatest), *curve, lane)) - lane.top();
      const int bottom = static_cast<int>(y_of(static_cast<double>(range.least), *curve, lane)) - lane.top();
      const bool full = curve->ord && *curve->ord > 0 && range.greatest >= *curve->ord;
      if (full) raster.fill(column, 0, lane.height(), shade);
      if (range.greatest > 0) raster.fill(column, top, std::max(bottom, top + 1) + 1, color);
    }
    raster.paint(painter, lane.topLeft());
    const auto limit = [&, &box = lane, &depth = *curve](std::optional<std::uint32_t> value,
                                                         const QString& name, Qt::PenStyle style,
                                                         double& right) {
      if (!value) return;
      const bool above = *value > most_of(depth);
      const double y = above ? box.top() - 3 : y_of(*value, depth, box) + 0.5;
      painter.setPen(QPen(theme().of(Severity::error), 1, style));
      if (!above) painter.drawLine(QPointF(box.left(), y), QPointF(box.right(), y));
      painter.setFont(small_font());
      const QString words =
          QStringLiteral("%1 %2%3").arg(name).arg(*value).arg(above ? QStringLiteral(" ↑") : QString());
      const QFontMetricsF metrics(small_font());
      right -= metrics.horizontalAdvance(words) + 8;
      const QRectF back(right - 2, y - 4 - metrics.ascent(), metrics.horizontalAdvance(words) + 4,
                        metrics.height());
      if (!above) painter.fillRect(back, theme().surface);
      painter.drawText(QPointF(right, y - 4), words);
      work.primitives += 2;
    };
    double right = lane.right();  // the lane's name stands at the left
    limit(curve->peer_ird, tr("peer's IRD"), Qt::DashLine, right);
    limit(curve->ord, tr("ORD"), Qt::SolidLine, right);
    ++work.primitives;
  }
  return work;
}

Legend OutstandingView::legend() const {
  Legend legend{box_entry(theme(), theme().of(OperationKind::read), tr("outstanding, least to most"), {}),
                box_entry(theme(), theme().of(OperationKind::write), tr("reached ORD"), QStringLiteral("O")),
                box_entry(theme(), theme().of(Severity::error),
                          tr("ORD; dashed: the peer's IRD; ↑: above what is shown"), QStringLiteral("–"))};
  add_wait_bands(legend, theme(), *data().together, beside_depth);
  return legend;
}

Work OutstandingView::paint_frame(QPainter& painter, const TimeScale& scale, const QRect& plot) {
  Work work;
  const std::vector<Lane> all = lanes(plot);
  const auto known = [](std::optional<std::uint32_t> depth) {
    return depth ? QString::number(*depth) : tr("not known");
  };
  QStringList lines{range_words(scale)};
  const std::size_t there = curves().size();
  if (all.size() < there) lines << tr("\t%1 of %2 ends fit; filter for others").arg(all.size()).arg(there);
  for (const auto& [lane, curve] : all) {
    const QString name =
        tr("Stream %1, %2").arg(curve->stream).arg(QString::fromLatin1(role_name(curve->requester)));
    painter.setFont(small_font());
    painter.setPen(theme().text);
    painter.drawText(QPointF(lane.left() + 6, lane.top() - 6), name);
    ++work.primitives;
    work += paint_values(painter, lane, most_of(*curve), [](double value) {
      return value == std::floor(value) ? QString::number(value) : QString();
    });
    const DepthCurve::Range range = curve->over(measured(scale), work);
    lines << QString() << name << tr("\tleast %1, most %2 outstanding").arg(range.least).arg(range.greatest)
          << tr("\tORD %1, peer's IRD %2").arg(known(curve->ord), known(curve->peer_ird));
    if (const auto hover = session().hover())
      lines << tr("\t%1 where the cursor is").arg(curve->over({*hover, *hover + 1}, work).greatest);
  }
  return work += paint_panel(painter, plot, lines);
}

// The request that was issued last then: its state shows what was outstanding.
void OutstandingView::select_at(const DepthCurve& curve, TimeNs time, Session::Step step) {
  constexpr std::size_t looked_at = 1U << 16U;
  const OperationTable& table = document().metrics().operations();
  const TimeOrder& order = data().levels->operations.order();
  const PlaceRange before = order.between(std::numeric_limits<TimeNs>::min(), time + 1);
  for (std::size_t back = 1; back <= std::min(before.end, looked_at); ++back) {
    const std::uint32_t row = order.row(before.end - back);
    const OperationKind kind = table.kind(row);
    const bool asks = kind == OperationKind::read || kind == OperationKind::atomic;
    if (!asks || table.connection(row) != curve.stream || table.from(row) != curve.requester) continue;
    Selection selection = select_operation(document().metrics(), row);
    return session().select(selection, step);
  }
}

void OutstandingView::click(QPoint at, const TimeScale& scale, const QRect& plot) {
  for (const auto& [lane, curve] : lanes(plot)) {
    if (!lane.contains(at)) continue;
    // A column may have risen and fallen.
    return select_at(*curve, curve->most_at(scale.column(scale.column_of(scale.time(at.x())))),
                     Session::Step::next);
  }
}

void OutstandingView::keyPressEvent(QKeyEvent* event) {
  const auto all = curves();
  if (event->key() != Qt::Key_M || all.empty()) return PlotView::keyPressEvent(event);
  Work work;
  const TimeSpan seen = workspace().visible();
  const auto most = std::max_element(all.begin(), all.end(), [&](const auto* one, const auto* other) {
    return one->over(seen, work).greatest < other->over(seen, work).greatest;
  });
  select_at(**most, (*most)->most_at(seen), Session::Step::gesture);
}

}  // namespace iwarp::gui
