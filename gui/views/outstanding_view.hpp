// OutstandingView: Reads and atomics outstanding over time, least and most of each moment, against ORD and
// IRD.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "views/plot_view.hpp"

namespace iwarp::gui {

class OutstandingView final : public PlotView {
  Q_OBJECT
 public:
  OutstandingView(Workspace& workspace, const Theme& theme, QWidget* parent);

 protected:
  Work paint_plot(QPainter& painter, const TimeScale& scale, const QRect& plot) override;
  Work paint_frame(QPainter& painter, const TimeScale& scale, const QRect& plot) override;
  [[nodiscard]] Legend legend() const override;
  void click(QPoint at, const TimeScale& scale, const QRect& plot) override;
  void keyPressEvent(QKeyEvent* event) override;

 private:
  using Lane = std::pair<QRect, const DepthCurve*>;
  // Of streams that count; that of the selected one first.
  [[nodiscard]] std::vector<const DepthCurve*> curves() const;
  [[nodiscard]] std::vector<Lane> lanes(const QRect& plot) const;
  void select_at(const DepthCurve& curve, TimeNs time, Session::Step step);
};

}  // namespace iwarp::gui
