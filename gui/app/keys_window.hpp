// KeysWindow: the keys, as a table. The window behind it goes on.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <QDialog>

#include "views/theme.hpp"

namespace iwarp::gui {

class KeysWindow : public QDialog {
  Q_OBJECT
 public:
  KeysWindow(const Theme& theme, QWidget* parent);
};

}  // namespace iwarp::gui
