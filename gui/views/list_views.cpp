// SPDX-License-Identifier: GPL-2.0-or-later
#include "views/list_views.hpp"

#include "models/message_model.hpp"
#include "models/operation_model.hpp"
#include "models/slowest.hpp"

namespace iwarp::gui {

OperationsView::OperationsView(Workspace& workspace, const Theme& theme, QWidget* parent)
    : TableView(new OperationModel(workspace), workspace, theme, tr("Operations"), parent) {
  connect(this, &TableView::activated, this, &OperationsView::see);
}

void OperationsView::see(std::uint32_t row) {
  const Metrics& metrics = document().metrics();
  Place place = session().place();
  place.selection = select_operation(metrics, row);
  place.range = fitted(span_of_operation(metrics, row), document().span());
  session().go(place);
}

MessagesView::MessagesView(Workspace& workspace, const Theme& theme, QWidget* parent)
    : TableView(new MessageModel(workspace), workspace, theme, tr("Messages"), parent) {}

}  // namespace iwarp::gui
