// LegendStrip: a legend as a widget of its own, for views that are no one picture.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <QWidget>

#include <functional>

#include "views/legend.hpp"

namespace iwarp::gui {

class LegendStrip final : public QWidget {
  Q_OBJECT
 public:
  // `make` says what it shows, each time that it is painted.
  LegendStrip(std::function<Legend()> make, const Theme& theme, QWidget* parent);

  void set_theme(const Theme& theme);
  // What it shows is something else by now, and may need more lines.
  void renew();
  [[nodiscard]] Legend legend() const { return make_(); }
  [[nodiscard]] QSize sizeHint() const override;
  [[nodiscard]] bool hasHeightForWidth() const override { return true; }
  [[nodiscard]] int heightForWidth(int width) const override;

 protected:
  void paintEvent(QPaintEvent* event) override;

 private:
  const std::function<Legend()> make_;
  const Theme* theme_;
};

}  // namespace iwarp::gui
