// View: one way to look at a capture. Windows, pictures in files and benchmarks paint it by the same
// function.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <QPainter>
#include <QWidget>

#include "models/table_model.hpp"
#include "models/workspace.hpp"
#include "scale/work.hpp"
#include "views/theme.hpp"

namespace iwarp::gui {

class View : public QWidget {
  Q_OBJECT
 public:
  // `name` is what screen readers call it. REQUIRES: workspace and theme outlive the view; themes live for
  // ever.
  View(Workspace& workspace, const Theme& theme, const QString& name, QWidget* parent);

  // The whole view at that size, whatever the widget's: its background, too. Returns what that cost.
  virtual Work paint(QPainter& painter, QSize size) = 0;
  // What the picture shows is all there, nothing is being worked out that would change it. settled_changed()
  // tells.
  [[nodiscard]] virtual bool settled() const { return true; }
  // The table that says the same, for export and for who cannot see pictures; nullptr for views without one.
  [[nodiscard]] virtual TableModel* table() const { return nullptr; }
  // Colours changed. Call the base class's first.
  virtual void set_theme(const Theme& theme);

  [[nodiscard]] const Theme& theme() const noexcept { return *theme_; }
  // What the last paint() of the widget cost.
  [[nodiscard]] const Work& last_work() const noexcept { return last_work_; }

  QSize sizeHint() const override { return {800, 400}; }
  QSize minimumSizeHint() const override { return {240, 120}; }

 signals:
  void settled_changed();
  // The view of that name is to come to the front.
  void view_asked(const QString& name);

 protected:
  // By paint(): for views that are pictures. Others have widgets that paint themselves.
  void paintEvent(QPaintEvent* event) override;

  [[nodiscard]] Workspace& workspace() const noexcept { return workspace_; }
  [[nodiscard]] CaptureDocument& document() const noexcept { return workspace_.document(); }
  [[nodiscard]] Session& session() const noexcept { return workspace_.session(); }

 private:
  Workspace& workspace_;
  const Theme* theme_;
  Work last_work_;
};

}  // namespace iwarp::gui
