// FindingsView: broken rules, as a table.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "models/finding_model.hpp"
#include "views/table_view.hpp"

namespace iwarp::gui {

class FindingsView final : public TableView {
  Q_OBJECT
 public:
  FindingsView(Workspace& workspace, const Theme& theme, QWidget* parent);
};

}  // namespace iwarp::gui
