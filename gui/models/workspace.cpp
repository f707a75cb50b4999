// SPDX-License-Identifier: GPL-2.0-or-later
#include "models/workspace.hpp"

namespace iwarp::gui {

Workspace::Workspace(QObject* parent) : QObject(parent), levels_(document_) {
  connect(&session_, &Session::filter_changed, this, [this] {
    levels_.set_scope({session_.filter(), std::nullopt});
  });
}

}  // namespace iwarp::gui
