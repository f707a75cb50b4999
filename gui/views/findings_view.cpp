// SPDX-License-Identifier: GPL-2.0-or-later
#include "views/findings_view.hpp"

#include "views/cell_delegate.hpp"
#include "views/glyphs.hpp"

namespace iwarp::gui {
namespace {

class SeverityDelegate final : public CellDelegate {
 public:
  SeverityDelegate(View& view, const FindingModel& findings) : CellDelegate(view), findings_(findings) {}

  void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override {
    constexpr int room = 16;
    paint_back(*painter, option);
    paint_text(*painter, option, index, side + room);
    const Severity severity = findings_.finding(findings_.row_at(index.row())).severity;
    draw_glyph(*painter, theme(), severity,
               QPointF(option.rect.left() + side + 5, option.rect.center().y() + 1), 10);
  }

 private:
  const FindingModel& findings_;
};

}  // namespace

FindingsView::FindingsView(Workspace& workspace, const Theme& theme, QWidget* parent)
    : TableView(new FindingModel(workspace), workspace, theme, tr("Findings: broken rules"), parent) {
  auto& findings = static_cast<FindingModel&>(*table());
  widget().setItemDelegateForColumn(FindingModel::severity, new SeverityDelegate(*this, findings));
}

}  // namespace iwarp::gui
