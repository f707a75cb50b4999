// SPDX-License-Identifier: GPL-2.0-or-later
#include "views/findings_view.hpp"

#include <QStyledItemDelegate>

#include "views/glyphs.hpp"

namespace iwarp::gui {
namespace {

class SeverityDelegate final : public QStyledItemDelegate {
 public:
  SeverityDelegate(View& view, const FindingModel& findings)
      : QStyledItemDelegate(&view), view_(view), findings_(findings) {}

  void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override {
    constexpr int room = 18;
    QStyleOptionViewItem beside = option;
    if (option.state.testFlag(QStyle::State_Selected)) painter->fillRect(option.rect, view_.theme().selection);
    beside.rect.setLeft(option.rect.left() + room);
    QStyledItemDelegate::paint(painter, beside, index);
    const Severity severity = findings_.finding(findings_.row_at(index.row())).severity;
    draw_glyph(*painter, view_.theme(), severity, QPointF(option.rect.left() + 12, option.rect.center().y() + 1), 10);
  }

 private:
  const View& view_;
  const FindingModel& findings_;
};

}  // namespace

FindingsView::FindingsView(Workspace& workspace, const Theme& theme, QWidget* parent)
    : TableView(new FindingModel(workspace), workspace, theme, tr("Findings: broken rules"), parent) {
  auto& findings = static_cast<FindingModel&>(*table());
  widget().setItemDelegateForColumn(FindingModel::severity, new SeverityDelegate(*this, findings));
}

}  // namespace iwarp::gui
