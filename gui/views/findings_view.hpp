// FindingsView: broken rules as a table; below it the one that is current, explained; and what the capture
// could not decide.
//
// Enter selects the frame that shows it; Ctrl+C copies the explanation as text.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "models/finding_model.hpp"
#include "views/inspector_view.hpp"
#include "views/table_view.hpp"

namespace iwarp::gui {

class FindingsView final : public InspectorView {
  Q_OBJECT
 public:
  FindingsView(Workspace& workspace, const Theme& theme, QWidget* parent);

  [[nodiscard]] TableModel* table() const override { return model_; }
  [[nodiscard]] bool settled() const override { return InspectorView::settled() && findings_->settled(); }
  void set_theme(const Theme& theme) override;

 private:
  void explain();

  FindingModel* model_;
  TableView* findings_;
};

}  // namespace iwarp::gui
