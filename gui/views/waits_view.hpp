// WaitsView: where the time went, of all streams that count together and of each, as shares that add up.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "views/plot_view.hpp"

namespace iwarp::gui {

class WaitsView final : public PlotView {
  Q_OBJECT
 public:
  WaitsView(Workspace& workspace, const Theme& theme, QWidget* parent);

 protected:
  Work paint_plot(QPainter& painter, const TimeScale& scale, const QRect& plot) override;
  Work paint_frame(QPainter& painter, const TimeScale& scale, const QRect& plot) override;
  [[nodiscard]] Legend legend() const override;

 private:
  Work paint_track(QPainter& painter, const WaitTrack& track, const TimeScale& scale, const QRect& lane,
                   int step) const;
  struct Lanes {
    QRect together;
    std::vector<std::pair<QRect, std::uint32_t>> streams;  // rows of StreamTable
  };
  [[nodiscard]] Lanes lanes(const QRect& plot) const;
};

}  // namespace iwarp::gui
