// CellDelegate: cells of tables with some room at their sides; the base of those that are pictures.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <QPainter>
#include <QStyledItemDelegate>

#include "views/view.hpp"

namespace iwarp::gui {

// The back of a cell whose row is selected; where its table has the keyboard, a bar at its row's left edge,
// too.
void paint_selected(QPainter& painter, const Theme& theme, const QStyleOptionViewItem& option);

class CellDelegate : public QStyledItemDelegate {
  Q_OBJECT
 public:
  explicit CellDelegate(View& view) : QStyledItemDelegate(&view), view_(view) {}

  void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override;

 protected:
  static constexpr int side = 8;  // pixels of room, as in headers

  [[nodiscard]] const Theme& theme() const noexcept { return view_.theme(); }
  // What is behind a cell.
  void paint_back(QPainter& painter, const QStyleOptionViewItem& option) const;
  void paint_text(QPainter& painter, const QStyleOptionViewItem& option, const QModelIndex& index,
                  int left) const;

 private:
  const View& view_;
};

}  // namespace iwarp::gui
