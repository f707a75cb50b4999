// OperationView: the selected operation on one bar of time: request, each segment of the response, holes,
// delivery. Where no operation is selected it is the one of the selected frame, else the slowest that counts.
//
//   Left Right  the piece before, the next one    Enter  its frame    Up Down  next slower, next faster
//   W S, wheel  zoom    A D  move    Home  all of it
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "models/operation_parts.hpp"
#include "models/sought.hpp"
#include "scale/time_scale.hpp"
#include "views/inspector_view.hpp"

namespace iwarp::gui {

class OperationView final : public InspectorView {
  Q_OBJECT
 public:
  OperationView(Workspace& workspace, const Theme& theme, QWidget* parent);

  // The one that is shown.
  [[nodiscard]] std::optional<std::uint32_t> shown() const noexcept {
    return parts_ ? std::optional(parts_->row) : std::nullopt;
  }

 private:
  void update_operation();
  void show_parts(OperationParts parts);
  void session_hover(TimeNs time);
  Work paint_bar(QPainter& painter, QSize size);
  Work paint_lane(QPainter& painter, const TimeScale& scale, OperationPart::Kind kind, const QRect& lane);
  void paint_legend(QPainter& painter, QSize size);
  bool key(QKeyEvent& event);
  void choose(std::optional<std::size_t> part);
  // Where the time went, in words; the lanes of the picture begin below.
  [[nodiscard]] QRect words_rect(QSize size) const;
  [[nodiscard]] int lanes_top(QSize size) const;
  [[nodiscard]] TimeScale scale_of(QSize size) const;
  // The piece whose mark is nearest to that place, if it is near.
  [[nodiscard]] std::optional<std::size_t> part_at(QPoint at) const;
  [[nodiscard]] QColor color_of(OperationPart::Kind kind) const;
  [[nodiscard]] std::vector<OperationPart::Kind> lanes() const;

  PictureWidget& bar_;
  std::optional<OperationParts> parts_;
  QString time_spent_;  // in words, of parts_
  std::optional<std::uint32_t> wanted_;
  std::optional<Sought> sought_;  // the frame whose operation is wanted instead, if it has one
  Scope scope_;                   // of the levels that its neighbours were looked up in
  bool whole_ = false;            // these levels had all that there is
  TimeSpan seen_;
  std::optional<std::size_t> chosen_;
};

}  // namespace iwarp::gui
