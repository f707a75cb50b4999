// SPDX-License-Identifier: GPL-2.0-or-later
#include "models/flow_source.hpp"

namespace iwarp::gui {

FlowSource& FlowSource::of(Workspace& workspace) {
  auto* const there = workspace.findChild<FlowSource*>(QString(), Qt::FindDirectChildrenOnly);
  return there != nullptr ? *there : *new FlowSource(workspace);
}

FlowSource::FlowSource(Workspace& workspace) : QObject(&workspace), workspace_(workspace) {
  connect(&workspace.levels(), &LevelsBuilder::changed, this, &FlowSource::refresh);
  connect(&workspace.document(), &CaptureDocument::ended, this, &FlowSource::refresh);
  connect(&workspace.session(), &Session::selection_changed, this, &FlowSource::refresh);
  refresh();
}

FlowSource::Wanted FlowSource::wanted() const {
  const Levels& levels = *workspace_.levels().levels();
  Wanted wanted;
  wanted.filter = levels.scope.filter;
  wanted.complete = levels.complete;
  wanted.rows = levels.message_rows.taken();
  wanted.stream = workspace_.stream();
  return wanted;
}

bool FlowSource::settled() const {
  return !asking_ && workspace_.levels().settled() && have_ == wanted();
}

void FlowSource::refresh() {
  if (asking_ || !workspace_.document().opened()) return;
  const Wanted next = wanted();
  if (next == have_) return;
  const bool grown = next.complete || next.rows >= have_.rows + have_.rows / 3 + 1;
  if (next.stream == have_.stream && next.filter == have_.filter && !grown) return;
  if (!next.stream) {
    have_ = next;
    flow_.reset();
    emit changed();
    return;
  }
  asking_ = true;
  workspace_.document().ask<std::shared_ptr<const Flow>>(
      this, "flow",
      [stream = *next.stream, levels = workspace_.levels().levels()](const Log& log) {
        return make_flow(log, stream, *levels);
      },
      [this, next](std::shared_ptr<const Flow> flow) {
        flow_ = std::move(flow);
        have_ = next;
        asking_ = false;
        emit changed();
        refresh();
      });
}

}  // namespace iwarp::gui
