// OperationsView and MessagesView: all that count, as tables to sort and to walk through: what the pictures
// of operations and of messages show, for who looks for one, or cannot see pictures.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "views/table_view.hpp"

namespace iwarp::gui {

class OperationsView final : public TableView {
  Q_OBJECT
 public:
  OperationsView(Workspace& workspace, const Theme& theme, QWidget* parent);

 private:
  // The time is zoomed to it.
  void see(std::uint32_t row);
};

class MessagesView final : public TableView {
  Q_OBJECT
 public:
  MessagesView(Workspace& workspace, const Theme& theme, QWidget* parent);
};

}  // namespace iwarp::gui
