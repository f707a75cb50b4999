// FlowsView: the streams of a capture: what they carried, how long it took, what was wrong, when; as a table,
// or below the pairs of hosts that they are between.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <QToolButton>
#include <QTreeView>

#include "models/host_pairs.hpp"
#include "views/legend_strip.hpp"
#include "views/stream_delegates.hpp"
#include "views/table_view.hpp"

namespace iwarp::gui {

class FlowsView final : public TableView {
  Q_OBJECT
 public:
  FlowsView(Workspace& workspace, const Theme& theme, QWidget* parent);

  void set_theme(const Theme& theme) override;
  // Also by the key G.
  void set_grouped(bool grouped);
  // nullptr until it is grouped for the first time.
  [[nodiscard]] QTreeView* tree() const noexcept { return tree_; }

 private:
  void select_slowest(std::uint32_t row);
  void make_tree();
  [[nodiscard]] Legend legend() const;
  void show_selected();

  StreamModel& streams_;
  QToolButton* grouped_;
  SparkDelegate* throughput_;
  SparkDelegate* latency_;
  LegendStrip* legend_;
  HostPairModel* pairs_ = nullptr;
  QTreeView* tree_ = nullptr;
  bool following_ = false;  // the selection's change was made in the tree, or is being shown
};

}  // namespace iwarp::gui
