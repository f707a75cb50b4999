// SPDX-License-Identifier: GPL-2.0-or-later
#include "views/legend_strip.hpp"

namespace iwarp::gui {

LegendStrip::LegendStrip(std::function<Legend()> make, const Theme& theme, QWidget* parent)
    : QWidget(parent), make_(std::move(make)), theme_(&theme) {
  QSizePolicy policy(QSizePolicy::Expanding, QSizePolicy::Preferred);
  policy.setHeightForWidth(true);
  setSizePolicy(policy);
  setAccessibleName(tr("Legend"));
}

void LegendStrip::set_theme(const Theme& theme) {
  theme_ = &theme;
  update();
}

void LegendStrip::renew() {
  updateGeometry();
  update();
}

QSize LegendStrip::sizeHint() const {
  return {200, heightForWidth(width())};
}

int LegendStrip::heightForWidth(int width) const {
  return legend_lines(make_(), width) * legend_line_height;
}

void LegendStrip::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  painter.setRenderHint(QPainter::Antialiasing);
  const Legend legend = make_();
  const int lines = legend_lines(legend, width()) * legend_line_height;
  paint_legend(painter, *theme_, legend, QPoint(0, std::max(0, (height() - lines) / 2 + 2)), width());
}

}  // namespace iwarp::gui
