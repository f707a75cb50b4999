// PlotView: what the plots along the time have in common: their data, values at the left, and a panel of
// figures at the right about what is brushed or, else, seen.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <functional>
#include <vector>

#include "models/plot_data.hpp"
#include "views/time_view.hpp"

namespace iwarp::gui {

class PlotView : public TimeView {
  Q_OBJECT
 public:
  // Becomes the owner of the table.
  PlotView(Workspace& workspace, const Theme& theme, const QString& name, TableModel* table, QWidget* parent);
  ~PlotView() override;
  [[nodiscard]] TableModel* table() const override { return table_; }
  [[nodiscard]] bool settled() const override { return builder_.settled(); }

 protected:
  [[nodiscard]] const PlotData& data() const noexcept { return *builder_.data(); }
  [[nodiscard]] PlotBuilder& builder() noexcept { return builder_; }
  [[nodiscard]] int right_margin() const override { return 250; }
  void showEvent(QShowEvent* event) override;
  void hideEvent(QHideEvent* event) override;
  // What the panel is about.
  [[nodiscard]] TimeSpan measured(const TimeScale& scale) const {
    return brushed().empty() ? scale.span() : brushed();
  }
  // Lines of text at the right; one that begins with a tabulator is muted.
  Work paint_panel(QPainter& painter, const QRect& plot, const QStringList& lines) const;
  Work paint_empty(QPainter& painter, const QRect& plot, const QString& words) const;
  // Values of [0, most] at the left of a lane.
  Work paint_values(QPainter& painter, const QRect& lane, double most,
                    const std::function<QString(double)>& words) const;
  // "Brushed: 20 ms", "Seen: 3 s"
  [[nodiscard]] QString range_words(const TimeScale& scale) const;

 private:
  PlotBuilder& builder_;
  TableModel* table_;
};

}  // namespace iwarp::gui
