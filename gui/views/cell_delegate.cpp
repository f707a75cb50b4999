// SPDX-License-Identifier: GPL-2.0-or-later
#include "views/cell_delegate.hpp"

namespace iwarp::gui {

void paint_selected(QPainter& painter, const Theme& theme, const QStyleOptionViewItem& option) {
  painter.fillRect(option.rect, theme.selection);
  constexpr int bar = 3;
  const bool first = option.rect.left() <= 0 || option.viewItemPosition == QStyleOptionViewItem::Beginning ||
                     option.viewItemPosition == QStyleOptionViewItem::OnlyOne;
  if (first && option.widget != nullptr && option.widget->hasFocus())
    painter.fillRect(0, option.rect.top(), bar, option.rect.height(), theme.accent);
}

void CellDelegate::paint_back(QPainter& painter, const QStyleOptionViewItem& option) const {
  if (option.state.testFlag(QStyle::State_Selected)) paint_selected(painter, theme(), option);
}

void CellDelegate::paint_text(QPainter& painter, const QStyleOptionViewItem& option, const QModelIndex& index,
                              int left) const {
  const QRect place = option.rect.adjusted(left, 0, -side, 0);
  const QFontMetrics metrics(option.font);
  const QString text = metrics.elidedText(index.data().toString(), Qt::ElideRight, place.width());
  painter.setFont(option.font);
  painter.setPen(theme().text);
  painter.drawText(place, index.data(Qt::TextAlignmentRole).toInt() | Qt::TextSingleLine, text);
}

void CellDelegate::paint(QPainter* painter, const QStyleOptionViewItem& option,
                         const QModelIndex& index) const {
  paint_back(*painter, option);
  paint_text(*painter, option, index, side);
}

}  // namespace iwarp::gui
