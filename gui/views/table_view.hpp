// TableView: a view that is a table; its row and the selection are one.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <QLabel>
#include <QTableView>

#include <vector>

#include "views/view.hpp"

namespace iwarp::gui {

class TableView : public View {
  Q_OBJECT
 public:
  // Becomes the owner of the model.
  TableView(TableModel* model, Workspace& workspace, const Theme& theme, const QString& name,
            QWidget* parent);

  Work paint(QPainter& painter, QSize size) override;
  [[nodiscard]] bool settled() const override { return model_->settled(); }
  [[nodiscard]] TableModel* table() const override { return model_; }
  void set_theme(const Theme& theme) override;

  [[nodiscard]] QTableView& widget() const noexcept { return *widget_; }
  // That column has what the others leave of the width; where that is little, these are hidden, the first one
  // first.
  void stretch(int column, std::vector<int> yielding);

 signals:
  // Enter, or a double click, on a row of the table.
  void activated(std::uint32_t row);

 protected:
  void paintEvent(QPaintEvent*) override {}

 private:
  // Says why, where there are no rows.
  void show_empty();
  void show_selection();
  void take_current(const QModelIndex& current);

  TableModel* model_;
  QTableView* widget_;
  QLabel* empty_;
  bool following_ = false;  // the selection's change was made here, or is being shown
};

}  // namespace iwarp::gui
