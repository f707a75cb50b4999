// LatencyView: latency of operations over time: their density, none of them ever thinned away; each by
// itself where there are fewer than 50 000.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "models/latency_curve.hpp"
#include "views/plot_view.hpp"

namespace iwarp::gui {

class LatencyView final : public PlotView {
  Q_OBJECT
 public:
  static constexpr std::size_t most_points = 50'000;
  LatencyView(Workspace& workspace, const Theme& theme, QWidget* parent);

  // Where an operation is in a picture of that size. REQUIRES: its latency is known.
  [[nodiscard]] QPointF place_of(std::uint32_t operation, QSize size) const;

 protected:
  Work paint_plot(QPainter& painter, const TimeScale& scale, const QRect& plot) override;
  Work paint_frame(QPainter& painter, const TimeScale& scale, const QRect& plot) override;
  [[nodiscard]] Legend legend() const override;
  void click(QPoint at, const TimeScale& scale, const QRect& plot) override;
  // Left and Right: the operation before and behind; M: the slowest one that is seen.
  void keyPressEvent(QKeyEvent* event) override;

 private:
  [[nodiscard]] LatencyAxis axis() const;
  [[nodiscard]] static double y_of(const LatencyAxis& axis, double ns, const QRect& plot);
  Work paint_percentiles(QPainter& painter, const LatencySummary& sum, const LatencyAxis& values,
                         const QRect& plot) const;
};

}  // namespace iwarp::gui
