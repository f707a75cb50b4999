// ThroughputView: octets a second of each direction by kind, and messages a second.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "views/plot_view.hpp"

namespace iwarp::gui {

class ThroughputView final : public PlotView {
  Q_OBJECT
 public:
  ThroughputView(Workspace& workspace, const Theme& theme, QWidget* parent);

 protected:
  void showEvent(QShowEvent* event) override;
  int left_margin() const override { return 96; }
  Work paint_plot(QPainter& painter, const TimeScale& scale, const QRect& plot) override;
  Work paint_frame(QPainter& painter, const TimeScale& scale, const QRect& plot) override;
  [[nodiscard]] Legend legend() const override;

 private:
  static constexpr int step = 4;   // pixels that a bar is wide
  static constexpr int lanes = 4;  // octets from either end, messages from either end
  [[nodiscard]] QColor color_of(TrafficKind kind) const;
  [[nodiscard]] static QRect lane(const QRect& plot, int number);
  std::array<double, lanes> most_{};  // a second, of what was painted last
};

}  // namespace iwarp::gui
