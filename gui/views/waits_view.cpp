// SPDX-License-Identifier: GPL-2.0-or-later
#include "views/waits_view.hpp"

#include <algorithm>

#include "models/operation_model.hpp"
#include "views/raster.hpp"
#include "views/wait_bands.hpp"

namespace iwarp::gui {
namespace {

// Of more streams the picture is coarser and the words are fewer: one is looked for, not read.
constexpr std::size_t few = 8;

}  // namespace

WaitsView::WaitsView(Workspace& workspace, const Theme& theme, QWidget* parent)
    : PlotView(workspace, theme, tr("Where the time went, by stream"), new OperationModel(workspace),
               parent) {}

WaitsView::Lanes WaitsView::lanes(const QRect& plot) const {
  constexpr int gap = 4;
  constexpr int least = 18;
  const int top = std::max(40, plot.height() / 3);
  Lanes lanes{QRect(plot.left(), plot.top(), plot.width(), top), {}};
  const int room = plot.height() - top - gap;
  const int count = std::min<int>(static_cast<int>(data().stream_rows.size()), room / (least + gap));
  if (count <= 0) return lanes;
  const int height = std::min(60, room / count - gap);
  for (int at = 0; at < count; ++at) {
    lanes.streams.emplace_back(
        QRect(plot.left(), plot.top() + top + gap + at * (height + gap), plot.width(), height),
        data().stream_rows[static_cast<std::size_t>(at)]);
  }
  return lanes;
}

// Each `step` columns of pixels are divided by the shares of their time.
Work WaitsView::paint_track(QPainter& painter, const WaitTrack& track, const TimeScale& scale,
                            const QRect& lane, int step) const {
  Raster raster(lane.size());
  Work work{1, 0};
  WaitShares before = track.until(scale.span().from, work);
  std::array<QRgb, wait_kinds> colors;
  for (std::size_t kind = 0; kind < wait_kinds; ++kind) {
    colors[kind] = color_of(theme(), static_cast<WaitKind>(kind)).rgb();
  }
  for (int column = 0; column < scale.columns(); column += step) {
    const int last = std::min(column + step, scale.columns()) - 1;
    const WaitShares behind = track.until(scale.column(last).upto, work);
    const double total = behind.total() - before.total();
    double part = 0;
    int row = lane.height();
    for (std::size_t kind = 0; kind < wait_kinds && total > 0; ++kind) {
      const double share = behind.ns[kind] - before.ns[kind];
      if (share <= 0) continue;
      part += share;
      int above = lane.height() - static_cast<int>(part / total * lane.height() + 0.5);
      // A wait, however short, is seen.
      if (kind != static_cast<std::size_t>(WaitKind::idle))
        above = std::clamp(above, 0, std::max(0, row - 1));
      for (int x = column; x <= last; ++x) raster.fill(x, above, row, colors[kind]);
      row = above;
    }
    before = behind;
  }
  raster.paint(painter, lane.topLeft());
  return work;
}

Work WaitsView::paint_plot(QPainter& painter, const TimeScale& scale, const QRect& plot) {
  if (data().stream_rows.empty()) {
    return paint_empty(painter, plot,
                       tr("What each stream waited for would be here: holes, closed windows, its ORD, "
                          "responses. No stream counts: there is none, or the filter leaves none."));
  }
  const Lanes all = lanes(plot);
  // What is no lane has the colour of the window: in a lane, time without one means that the stream was not
  // there.
  int free_from = all.together.bottom() + 1;
  for (const auto& [lane, row] : all.streams) {
    painter.fillRect(QRect(plot.left(), free_from, plot.width(), lane.top() - free_from), theme().window);
    free_from = lane.bottom() + 1;
  }
  painter.fillRect(QRect(plot.left(), free_from, plot.width(), plot.bottom() + 1 - free_from),
                   theme().window);
  const int step = all.streams.size() <= few ? 1 : 2;
  Work work = paint_track(painter, *data().together, scale, all.together, 1);
  for (const auto& [lane, row] : all.streams) {
    if (row < data().waits->streams.size()) {
      work += paint_track(painter, *data().waits->streams[row].track, scale, lane, step);
    }
  }
  return work;
}

Legend WaitsView::legend() const {
  Legend legend;
  for (std::size_t kind = 0; kind < wait_kinds; ++kind) {
    const auto of = static_cast<WaitKind>(kind);
    legend.push_back(box_entry(theme(), color_of(theme(), of), tr(wait_name(of)), letter_of(of)));
  }
  legend.push_back(box_entry(theme(), theme().surface, tr("not open"), {}));
  return legend;
}

Work WaitsView::paint_frame(QPainter& painter, const TimeScale& scale, const QRect& plot) {
  Work work;
  if (data().stream_rows.empty()) return work;
  const Lanes all = lanes(plot);
  painter.setFont(small_font());
  painter.setPen(theme().text);
  painter.drawText(QRect(4, all.together.top(), plot.left() - 8, all.together.height()),
                   Qt::AlignRight | Qt::AlignVCenter, tr("together"));
  for (const auto& [lane, row] : all.streams) {
    painter.drawText(QRect(4, lane.top(), plot.left() - 8, lane.height()), Qt::AlignRight | Qt::AlignVCenter,
                     tr("stream %1").arg(document().metrics().streams().connection(row)));
    ++work.primitives;
  }
  QStringList lines{range_words(scale)};
  const auto add = [&](const QString& title, const WaitTrack& track) {
    const WaitShares shares = track.over(measured(scale), work);
    const double total = shares.total();
    lines << QString() << title;
    for (std::size_t kind = 0; kind < wait_kinds; ++kind) {
      if (total <= 0 || shares.ns[kind] <= 0) continue;
      lines << tr("\t%1 %  %2")
                   .arg(100 * shares.ns[kind] / total, 0, 'f', 1)
                   .arg(tr(wait_name(static_cast<WaitKind>(kind))));
    }
  };
  add(tr("All that count, together"), *data().together);
  const bool briefly = all.streams.size() > few;
  if (briefly) lines << QString() << tr("Each, most of what it waited for");
  for (const auto& [lane, row] : all.streams) {
    if (row >= data().waits->streams.size()) continue;
    const StreamWaits& stream = data().waits->streams[row];
    if (!briefly) {
      add(tr("Stream %1").arg(stream.stream), *stream.track);
      continue;
    }
    const WaitShares shares = stream.track->over(measured(scale), work);
    const auto* const most = std::max_element(shares.ns.begin(), shares.ns.end() - 1);
    static_assert(static_cast<std::size_t>(WaitKind::idle) == wait_kinds - 1);
    lines << (*most > 0 ? tr("\tstream %1: %2 %  %3")
                              .arg(stream.stream)
                              .arg(100 * *most / shares.total(), 0, 'f', 1)
                              .arg(tr(wait_name(static_cast<WaitKind>(most - shares.ns.begin()))))
                        : tr("\tstream %1: %2")
                              .arg(stream.stream)
                              .arg(shares.total() > 0 ? tr("nothing on the wire") : tr("not open")));
  }
  if (all.streams.size() < data().stream_rows.size()) {
    lines.insert(1, tr("\t%1 of %2 streams fit; filter for others")
                        .arg(all.streams.size())
                        .arg(data().stream_rows.size()));
  }
  return work += paint_panel(painter, plot, lines);
}

}  // namespace iwarp::gui
