// BookmarkModel: the bookmarks of a session as a table; notes can be edited, rows removed.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <QAbstractTableModel>

#include "models/workspace.hpp"

namespace iwarp::gui {

class BookmarkModel final : public QAbstractTableModel {
  Q_OBJECT
 public:
  enum Column {
    note,
    range,
    filter,
    selected
  };

  // REQUIRES: the workspace outlives this.
  explicit BookmarkModel(Workspace& workspace, QObject* parent = nullptr);

  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
  QVariant headerData(int section, Qt::Orientation orientation, int role) const override;
  Qt::ItemFlags flags(const QModelIndex& index) const override;
  bool setData(const QModelIndex& index, const QVariant& value, int role = Qt::EditRole) override;
  bool removeRows(int row, int count, const QModelIndex& parent = {}) override;

 private:
  void update();
  [[nodiscard]] const std::vector<Bookmark>& bookmarks() const { return workspace_.session().bookmarks(); }

  Workspace& workspace_;
  int rows_ = 0;  // as views know it
};

}  // namespace iwarp::gui
