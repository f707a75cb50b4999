// BookmarksPanel: places worth coming back to, with their notes: go there, edit, remove.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <QTableView>
#include <QWidget>

#include "models/bookmark_model.hpp"
#include "views/theme.hpp"

class QPushButton;

namespace iwarp::gui {

class BookmarksPanel : public QWidget {
  Q_OBJECT
 public:
  BookmarksPanel(Workspace& workspace, QWidget* parent);
  void set_theme(const Theme& theme);
  [[nodiscard]] QTableView& table() const noexcept { return *table_; }

 protected:
  // Enter: go there. F2: the note. Delete: remove.
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  void go();
  void edit();
  void remove();
  void show_state();

  Workspace& workspace_;
  BookmarkModel* model_;
  QTableView* table_;
  QPushButton* go_;
  QPushButton* edit_;
  QPushButton* remove_;
};

}  // namespace iwarp::gui
