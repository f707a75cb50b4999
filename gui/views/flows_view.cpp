// SPDX-License-Identifier: GPL-2.0-or-later
#include "views/flows_view.hpp"

#include "views/stream_delegates.hpp"

namespace iwarp::gui {

FlowsView::FlowsView(Workspace& workspace, const Theme& theme, QWidget* parent)
    : TableView(new StreamModel(workspace), workspace, theme, tr("Flows: the streams of the capture"),
                parent),
      streams_(static_cast<StreamModel&>(*table())) {
  widget().setItemDelegateForColumn(StreamModel::findings, new FindingsDelegate(*this, streams_));
  widget().setItemDelegateForColumn(StreamModel::throughput_spark,
                                    new SparkDelegate(*this, streams_, SparkDelegate::octets));
  widget().setItemDelegateForColumn(StreamModel::latency_spark,
                                    new SparkDelegate(*this, streams_, SparkDelegate::latency));
  connect(this, &TableView::activated, this, &FlowsView::select_slowest);
}

// Where the question is, what was slow: from a stream to its slowest operation.
void FlowsView::select_slowest(std::uint32_t row) {
  if (const auto slowest = streams_.counts(row).slowest) {
    session().select(select_operation(document().metrics(), *slowest));
  }
}

}  // namespace iwarp::gui
