// InspectorView: a view about what is selected: a picture, and what is known in words beside or below it,
// whichever leaves more room; or a sentence that says what would be here, and how to get it.
//
// Enter on a line, or a double click, selects the frame that the line leads to. Ctrl+C copies all lines.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <QLabel>
#include <QSplitter>
#include <QStackedWidget>
#include <QTreeView>

#include <functional>

#include "models/fact_model.hpp"
#include "views/view.hpp"

namespace iwarp::gui {

// A part of a view that is a picture: painted, pressed and typed at as its owner says.
class PictureWidget : public QWidget {
  Q_OBJECT
 public:
  using Paint = std::function<Work(QPainter&, QSize)>;

  PictureWidget(const QString& name, Paint paint, QWidget* parent);
  [[nodiscard]] const Work& last_work() const noexcept { return work_; }

  QSize sizeHint() const override { return {600, minimumHeight()}; }

  // Called with events of the kinds in the name; true: it was dealt with.
  std::function<bool(QKeyEvent&)> on_key;
  std::function<void(QMouseEvent&)> on_press;
  std::function<void(QMouseEvent&)> on_move;
  std::function<void(QWheelEvent&)> on_wheel;
  std::function<QString(QPoint)> tip_at;

 protected:
  bool event(QEvent* event) override;
  void paintEvent(QPaintEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;
  void wheelEvent(QWheelEvent* event) override;

 private:
  const Paint paint_;
  Work work_;
};

class InspectorView : public View {
  Q_OBJECT
 public:
  InspectorView(Workspace& workspace, const Theme& theme, const QString& name, QStringList titles,
                QWidget* parent);

  Work paint(QPainter& painter, QSize size) override;
  [[nodiscard]] bool settled() const override { return asked_ == 0 && workspace().levels().settled(); }
  void set_theme(const Theme& theme) override;

  [[nodiscard]] FactModel& facts() const noexcept { return *facts_; }
  [[nodiscard]] QTreeView& tree() const noexcept { return *tree_; }
  // What stands there where there is nothing to show; empty: there is something.
  [[nodiscard]] QString placeholder() const;
  // How the room is divided, for the next time.
  [[nodiscard]] QByteArray division() const { return content_->saveState(); }
  void set_division(const QByteArray& division) { content_->restoreState(division); }

 protected:
  void paintEvent(QPaintEvent*) override {}
  void resizeEvent(QResizeEvent* event) override;

  // With the facts.
  PictureWidget& add_picture(const QString& name, PictureWidget::Paint paint, int height);
  void add_widget(QWidget* widget);
  // Of the width where words stand beside it, in percent.
  void give_lead(int share) { lead_share_ = share; }
  // Values too long for a line take several; for views that list few.
  void wrap_values();
  void show_placeholder(const QString& words);
  void show_facts(std::vector<Fact> facts);
  // The same stream, this frame: what else was selected is not any more.
  void select_frame(FrameNumber frame, TimeNs time, Session::Step step = Session::Step::next);

  // Asks the log, and is not settled meanwhile. The newest question wins.
  template <typename Answer>
  void ask(std::function<Answer(const Log&)> question, std::function<void(Answer)> answer) {
    ++asked_;
    const std::uint64_t number = ++newest_;
    document().ask<Answer>(this, "inspector", std::move(question), [this, number, answer](Answer result) {
      if (number != newest_) return;
      asked_ = 0;
      answer(std::move(result));
      emit settled_changed();
    });
  }

 private:
  void go_to(const QModelIndex& index);

  FactModel* facts_;
  QStackedWidget* pages_;
  QLabel* placeholder_;
  QSplitter* content_;  // of lead_ and tree_
  QWidget* lead_;
  int lead_share_ = 55;
  QTreeView* tree_;
  std::vector<PictureWidget*> pictures_;
  int asked_ = 0;
  std::uint64_t newest_ = 0;
};

}  // namespace iwarp::gui
