// LadderView: one stream as messages between its two ends, from top to bottom.
//
// The window shows sheets that a worker paints; until the sharp one is there, the last one is shown, moved
// and stretched. Pictures in files are painted at once.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <QImage>
#include <QThreadPool>
#include <QToolButton>

#include "models/flow_source.hpp"
#include "models/main_queue.hpp"
#include "models/message_model.hpp"
#include "views/ladder_picture.hpp"
#include "views/view.hpp"

namespace iwarp::gui {

class LadderView final : public View {
  Q_OBJECT
 public:
  LadderView(Workspace& workspace, const Theme& theme, QWidget* parent);
  ~LadderView() override;

  Work paint(QPainter& painter, QSize size) override;
  [[nodiscard]] bool settled() const override { return source_.settled(); }
  [[nodiscard]] TableModel* table() const override { return table_; }
  void set_theme(const Theme& theme) override;

  void set_order(LadderOrder order);
  [[nodiscard]] LadderOrder order() const noexcept { return order_; }
  // The window shows what there is at its sharpest.
  [[nodiscard]] bool sharp() const;

 protected:
  void paintEvent(QPaintEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;
  void wheelEvent(QWheelEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;
  void mouseReleaseEvent(QMouseEvent* event) override;
  void mouseDoubleClickEvent(QMouseEvent* event) override;
  void leaveEvent(QEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;
  bool event(QEvent* event) override;

 private:
  // All that a sheet depends on.
  struct Key {
    std::shared_ptr<const Flow> flow;
    LadderLook look;
    QSize size;
    double ratio = 1;
    const Theme* theme = nullptr;
    bool operator==(const Key&) const = default;
  };

  [[nodiscard]] LadderLook look() const;
  [[nodiscard]] Key key() const;
  [[nodiscard]] LadderScale scale() const;
  void want_sheet();
  [[nodiscard]] bool is_empty() const;
  void paint_empty(QPainter& painter, QSize size) const;
  void paint_marks(QPainter& painter) const;
  void select_place(std::size_t place);
  void select_step(const FlowStep& step);
  void step(int by);
  void offer(TimeSpan brushed, QPoint where);

  FlowSource& source_;
  MessageModel* table_;
  QToolButton* by_order_;
  QToolButton* fold_;
  LadderOrder order_ = LadderOrder::folded;

  Key painted_;
  QImage sheet_;
  Work sheet_work_;
  bool painting_ = false;
  std::optional<QPoint> pressed_;
  TimeSpan brushed_;
  MainQueue queue_;
  QThreadPool pool_;
};

}  // namespace iwarp::gui
