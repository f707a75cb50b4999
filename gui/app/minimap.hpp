// Minimap: the whole capture, always there: traffic, holes, findings, and what of it is seen.
//
// Drag: see this range. Drag inside of it: move it. Double click: all. Wheel and keys as in every picture of
// time.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "views/view.hpp"

namespace iwarp::gui {

class Minimap final : public View {
  Q_OBJECT
 public:
  Minimap(Workspace& workspace, const Theme& theme, QWidget* parent);

  Work paint(QPainter& painter, QSize size) override;
  QSize sizeHint() const override { return {600, 64}; }
  QSize minimumSizeHint() const override { return {200, 64}; }

 protected:
  void wheelEvent(QWheelEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;
  void mouseReleaseEvent(QMouseEvent* event) override;
  void mouseDoubleClickEvent(QMouseEvent* event) override;
  void leaveEvent(QEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;

 private:
  [[nodiscard]] TimeScale scale_of(QSize size) const;

  std::optional<TimeNs> pressed_;  // where, in time
  std::optional<TimeSpan> moved_;  // the range that is being moved, as it was
};

}  // namespace iwarp::gui
