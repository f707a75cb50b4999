// TcpView: time and sequence: which octets of a stream came when, in FPDUs, and what TCP did about them.
//
// Both directions, one above the other, or one of them (1, 2; 0 for both).
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "models/flow_source.hpp"
#include "models/message_model.hpp"
#include "views/time_view.hpp"

namespace iwarp::gui {

class TcpView final : public TimeView {
  Q_OBJECT
 public:
  TcpView(Workspace& workspace, const Theme& theme, QWidget* parent);

  [[nodiscard]] bool settled() const override { return source_.settled(); }
  [[nodiscard]] TableModel* table() const override { return table_; }

  // The direction to show; both where `sender` is nothing.
  void set_direction(std::optional<Role> sender);
  [[nodiscard]] std::optional<Role> direction() const noexcept { return direction_; }

 protected:
  Work paint_plot(QPainter& painter, const TimeScale& scale, const QRect& plot) override;
  Work paint_frame(QPainter& painter, const TimeScale& scale, const QRect& plot) override;
  [[nodiscard]] Legend legend() const override;
  [[nodiscard]] int left_margin() const override { return 84; }
  [[nodiscard]] int top_margin() const override { return 30; }
  void click(QPoint at, const TimeScale& scale, const QRect& plot) override;
  void keyPressEvent(QKeyEvent* event) override;
  bool event(QEvent* event) override;

 private:
  // What one direction shows: a part of the plot, and the offsets from its bottom to its top.
  struct Panel {
    Role sender = Role::initiator;
    QRect box;
    double least = 0;
    double most = 1;
    bool idle = false;  // nothing came from there

    [[nodiscard]] double y(double offset) const;
  };
  [[nodiscard]] std::vector<Panel> panels(const TimeScale& scale, const QRect& plot) const;
  Work paint_panel(QPainter& painter, const TimeScale& scale, const Panel& panel) const;
  // The nearest FPDU; nothing: none is near.
  [[nodiscard]] const FlowPiece* piece_at(QPoint at, const TimeScale& scale, const QRect& plot) const;

  FlowSource& source_;
  MessageModel* table_;
  std::optional<Role> direction_;
};

}  // namespace iwarp::gui
