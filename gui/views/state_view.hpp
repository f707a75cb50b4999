// StateView: the full state of both ends behind a frame, what that frame changed, and the states of both
// queue pairs with the way that was walked.
//
//   Left Right  the frame before, the next one    PageUp PageDown  a hundred of them    Home End  first, last
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <QSlider>

#include "models/state_at.hpp"
#include "views/inspector_view.hpp"

namespace iwarp::gui {

class StateView final : public InspectorView {
  Q_OBJECT
 public:
  StateView(Workspace& workspace, const Theme& theme, QWidget* parent);

  [[nodiscard]] const std::optional<StateAt>& shown() const noexcept { return state_; }
  [[nodiscard]] QSlider& slider() const noexcept { return *slider_; }

 private:
  void update_state();
  void scrub(int place);
  void show_state(StateAt state, bool select);
  bool key(QKeyEvent& event);
  Work paint_diagrams(QPainter& painter, QSize size);
  Work paint_diagram(QPainter& painter, const QRect& place, Role role);

  PictureWidget& diagrams_;
  QSlider* slider_;
  std::optional<StateAt> state_;
  std::optional<std::pair<ConnectionId, FrameNumber>> wanted_;  // asked for last, by what is selected
  bool showing_ = false;                                        // the slider moves because of what is shown
};

}  // namespace iwarp::gui
