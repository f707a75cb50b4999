// SPDX-License-Identifier: GPL-2.0-or-later
#include "views/view.hpp"

namespace iwarp::gui {

View::View(Workspace& workspace, const Theme& theme, const QString& name, QWidget* parent)
    : QWidget(parent), workspace_(workspace), theme_(&theme) {
  setAccessibleName(name);
  setFont(text_font());
}

void View::set_theme(const Theme& theme) {
  theme_ = &theme;
  update();
}

void View::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  last_work_ = paint(painter, size());
}

}  // namespace iwarp::gui
