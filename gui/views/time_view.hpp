// TimeView: a view whose picture has the time of the capture from left to right.
//
// It paints the axis, the linked cursor and what is brushed, and moves through time by wheel, mouse and
// keyboard:
//   W S  zoom    A D  move    Home  all of it    wheel: zoom where the mouse is    Shift and wheel: move
//   drag: brush, which then offers to zoom or to filter    middle button: drag the picture
// What is derived from it paints the plot, between the axes.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <optional>

#include "scale/time_scale.hpp"
#include "views/legend.hpp"
#include "views/view.hpp"

namespace iwarp::gui {

class TimeView : public View {
  Q_OBJECT
 public:
  using View::View;

  Work paint(QPainter& painter, QSize size) final;

 protected:
  // Paints the inside, over its background and the grid of times, clipped to it. `scale` has one column for
  // each pixel of `plot`.
  virtual Work paint_plot(QPainter& painter, const TimeScale& scale, const QRect& plot) = 0;
  // Paints what stands around it, an axis of values. Not clipped.
  virtual Work paint_frame(QPainter& painter, const TimeScale& scale, const QRect& plot);
  // Stands above the plot, which gives way where it needs more than one line.
  [[nodiscard]] virtual Legend legend() const { return {}; }
  [[nodiscard]] virtual int legend_left() const { return 12; }
  // Room to the left of the plot, above it with a legend of one line, and to its right.
  [[nodiscard]] virtual int left_margin() const { return 72; }
  [[nodiscard]] virtual int top_margin() const { return 28; }
  [[nodiscard]] virtual int right_margin() const { return 16; }
  // What is brushed just now; empty: nothing.
  [[nodiscard]] TimeSpan brushed() const noexcept { return brushed_; }
  // What the picture says there, for the tool tip; empty: nothing.
  [[nodiscard]] virtual QString words_at(QPoint at, const TimeScale& scale, const QRect& plot);
  // Somebody clicked into the plot, and did not brush.
  virtual void click(QPoint at, const TimeScale& scale, const QRect& plot);

  void wheelEvent(QWheelEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;
  void mouseReleaseEvent(QMouseEvent* event) override;
  void leaveEvent(QEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;
  void showEvent(QShowEvent* event) override;
  bool event(QEvent* event) override;

  // The inside of a picture of that size, and its times as they are seen now.
  [[nodiscard]] QRect plot_of(QSize size) const;
  [[nodiscard]] TimeScale scale_of(const QRect& plot) const;

 private:
  [[nodiscard]] int legend_width(QSize size) const;
  Work paint_axis(QPainter& painter, const TimeScale& scale, const QRect& plot);
  void paint_marks(QPainter& painter, const TimeScale& scale, const QRect& plot);
  void offer(TimeSpan brushed, QPoint where);

  std::optional<QPoint> pressed_;
  std::optional<TimeNs> dragged_from_;  // with the middle button: what lies under the mouse
  TimeSpan brushed_;
  bool connected_ = false;
};

}  // namespace iwarp::gui
