// CompareWindow: a comparison as a table, with both distributions of what is selected in it.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <QTableView>
#include <QWidget>

#include <memory>

#include "models/compare_model.hpp"
#include "views/inspector_view.hpp"

class QLabel;
class QSplitter;

namespace iwarp::gui {

class CompareWindow : public QWidget {
  Q_OBJECT
 public:
  // All of `workspace` against all of `other`, which this becomes the owner of;
  // what counts is in both what the filter of the first one says. REQUIRES: workspace outlives this.
  CompareWindow(Workspace& workspace, std::unique_ptr<Workspace> other, const Theme& theme, QWidget* parent);
  // Two ranges of one capture.
  CompareWindow(Workspace& workspace, TimeSpan a, TimeSpan b, const Theme& theme, QWidget* parent);
  ~CompareWindow() override;

  void set_theme(const Theme& theme);
  [[nodiscard]] const Comparison& comparison() const noexcept { return *comparison_; }
  [[nodiscard]] CompareModel& model() const noexcept { return *model_; }
  [[nodiscard]] QTableView& table() const noexcept { return *table_; }

 private:
  void make(const Theme& theme);
  void show_state();
  [[nodiscard]] QString why_nothing() const;
  void save_table(TableFormat format);
  void save_picture();
  Work paint_distributions(QPainter& painter, QSize size) const;

  const std::unique_ptr<Workspace> other_;  // nothing: both sides are of one capture
  std::unique_ptr<Comparison> comparison_;
  const Theme* theme_;
  CompareModel* model_ = nullptr;
  QTableView* table_ = nullptr;
  PictureWidget* picture_ = nullptr;
  QSplitter* parts_ = nullptr;
  QLabel* nothing_ = nullptr;  // in their place, why there are none
  QLabel* names_ = nullptr;
  QLabel* state_ = nullptr;
};

}  // namespace iwarp::gui
