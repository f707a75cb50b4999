// FlowsView: the streams of a capture: what they carried, how long it took, what was wrong, when.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "models/stream_model.hpp"
#include "views/table_view.hpp"

namespace iwarp::gui {

class FlowsView final : public TableView {
  Q_OBJECT
 public:
  FlowsView(Workspace& workspace, const Theme& theme, QWidget* parent);

 private:
  void select_slowest(std::uint32_t row);

  StreamModel& streams_;
};

}  // namespace iwarp::gui
