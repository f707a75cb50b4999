// SPDX-License-Identifier: GPL-2.0-or-later
#include "views/findings_view.hpp"

#include "models/finding_facts.hpp"
#include "views/cell_delegate.hpp"
#include "views/glyphs.hpp"

namespace iwarp::gui {
namespace {

class SeverityDelegate final : public CellDelegate {
 public:
  SeverityDelegate(View& view, const FindingModel& findings) : CellDelegate(view), findings_(findings) {}

  void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override {
    const Severity severity = findings_.finding(findings_.row_at(index.row())).severity;
    paint_back(*painter, option);
    draw_glyph(*painter, theme(), severity,
               QPointF(option.rect.left() + side + 5, option.rect.center().y() + 0.5), 11);
    paint_text(*painter, option, index, side + 16);
  }

 private:
  const FindingModel& findings_;
};

}  // namespace

FindingsView::FindingsView(Workspace& workspace, const Theme& theme, QWidget* parent)
    : InspectorView(workspace, theme, tr("Findings"), {tr("Finding"), tr("Explanation")}, parent),
      model_(new FindingModel(workspace)),
      findings_(new TableView(model_, workspace, theme, tr("Table of findings"), nullptr)) {
  findings_->widget().setItemDelegateForColumn(FindingModel::severity,
                                               new SeverityDelegate(*findings_, *model_));
  findings_->widget().sortByColumn(FindingModel::severity, Qt::DescendingOrder);
  // Clauses stand in the explanation, and so does who it is of; what was found takes the room.
  findings_->stretch(FindingModel::words, {FindingModel::from, FindingModel::time, FindingModel::stream});
  findings_->widget().setColumnHidden(FindingModel::reference, true);
  add_widget(findings_);
  give_lead(64);
  wrap_values();
  setFocusProxy(&findings_->widget());
  connect(&session(), &Session::selection_changed, this, &FindingsView::explain);
  connect(model_, &QAbstractItemModel::modelReset, this, &FindingsView::explain);
  connect(model_, &QAbstractItemModel::rowsInserted, this, &FindingsView::explain);
  connect(model_, &QAbstractItemModel::layoutChanged, this, [this] { explain(); });  // another row is first
  connect(&document(), &CaptureDocument::grew, this, [this] {
    if (model_->rowCount() == 0) explain();  // a capture is open, and none is found so far
  });
  connect(&document(), &CaptureDocument::ended, this, &FindingsView::explain);
  connect(findings_, &TableView::activated, this, [this](std::uint32_t row) {
    const Finding& finding = model_->finding(row);
    if (finding.evidence_count > 0) select_frame(finding.evidence[0], finding.time_ns);
  });
  explain();
}

void FindingsView::set_theme(const Theme& theme) {
  InspectorView::set_theme(theme);
  findings_->set_theme(theme);
}

// The selected one, else the first of the table.
void FindingsView::explain() {
  if (!document().opened()) {
    return show_placeholder(
        tr("Here the rules of the standards are listed that the captured octets break.\n\n"
           "No capture is open."));
  }
  if (document().result().end == LoadEnd::unreadable)
    return show_placeholder(tr("Nothing is known: the capture cannot be read."));
  const FindingTable& table = document().metrics().findings();
  std::vector<Fact> facts;
  std::optional<std::uint32_t> row = session().selection().finding;
  if (!row && model_->rowCount() > 0) row = model_->row_at(0);
  if (row && *row < table.size())
    facts = finding_facts(table.finding(*row), table.connection(*row), table.from(*row));
  const Summary& summary = document().result().summary;
  if (facts.empty() && document().loading()) {
    return show_placeholder(
        tr("Here the rules of the standards are listed that the captured octets break.\n\n"
           "None so far; the capture is still read."));
  }
  if (facts.empty() && document().metrics().streams().size() == 0)
    return show_placeholder(tr("There is no iWARP in this capture, and so no rule for it to break."));
  if (facts.empty()) {
    facts.push_back({tr("Findings"),
                     {session().filter().empty() ? tr("No rule was broken, as far as the capture tells")
                                                 : tr("None counts with this filter")}});
  }
  facts.push_back(undecidable_fact(summary));
  if (!session().filter().empty()) facts.back().name += tr(", in all of the capture");
  show_facts(std::move(facts));
}

}  // namespace iwarp::gui
