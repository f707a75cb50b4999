// SPDX-License-Identifier: GPL-2.0-or-later
#include "app/screenshot.hpp"

#include <QApplication>
#include <QFile>

#include <cstdio>

#include "app/begin.hpp"
#include "app/compare_window.hpp"
#include "app/main_window.hpp"
#include "app/settle.hpp"
#include "program/exit_status.hpp"
#include "program/printable.hpp"
#include "views/picture.hpp"
#include "views/registry.hpp"

namespace iwarp::gui {
namespace {

void complain(const std::string& sentence) {
  std::fprintf(stderr, "iwarp-view: %s\n", program::printable(sentence).c_str());
}

// Once it has all there is. `end`: of the capture that is compared.
std::unique_ptr<CompareWindow> make_comparison(Workspace& workspace, const Options& options,
                                               const Theme& theme, Paint& paint, LoadEnd& end) {
  auto other = std::make_unique<Workspace>();
  Workspace& second = *other;
  second.document().open(QFile::decodeName(options.compare.c_str()), file_source(options.compare),
                         options.load);
  auto window = std::make_unique<CompareWindow>(workspace, std::move(other), theme, nullptr);
  window->resize(options.size);
  window->show();
  paint = [shown = window.get()](QPainter& painter, QSize) {
    shown->render(&painter);
    return Work();
  };
  wait_until_settled(second, [&] { return window->comparison().settled(); });
  end = second.document().result().end;
  if (!second.document().result().sentence.empty()) complain(second.document().result().sentence);
  return window;
}

}  // namespace

void prepare_screenshot() {
  qputenv("QT_QPA_PLATFORM", "offscreen");
  // Remarks of Qt's on a machine without a desktop are none of ours.
  qputenv("QT_LOGGING_RULES", "*.debug=false;*.info=false;*.warning=false");
  for (const char* const name :
       {"QT_SCALE_FACTOR", "QT_SCREEN_SCALE_FACTORS", "QT_FONT_DPI", "QT_STYLE_OVERRIDE",
        "QT_QPA_PLATFORMTHEME", "QT_AUTO_SCREEN_SCALE_FACTOR", "QT_ENABLE_HIGHDPI_SCALING"}) {
    qunsetenv(name);
  }
}

int take_screenshot(const Options& options) {
  const Theme& theme = options.theme == ThemeChoice::dark ? dark_theme() : light_theme();
  Workspace workspace;
  std::unique_ptr<View> view;
  std::unique_ptr<MainWindow> window;
  std::unique_ptr<CompareWindow> compared;
  Paint paint;
  if (options.view.empty()) {
    window = std::make_unique<MainWindow>(workspace, theme, MainWindow::Memory::none);
    window->resize(options.size);
    paint = [&window](QPainter& painter, QSize) {
      window->render(&painter);
      return Work();
    };
  } else {
    view.reset(find_view(options.view)->make(workspace, theme, nullptr));
    view->setPalette(theme.palette());
    view->resize(options.size);
    paint = [&view](QPainter& painter, QSize size) { return view->paint(painter, size); };
  }
  begin(workspace, options.captures.front(), options);
  wait_until_read(workspace);
  if (window) window->show();
  if (view) view->show();
  wait_until_settled(workspace, [&] { return view == nullptr || view->settled(); });
  LoadEnd other_end = LoadEnd::complete;
  if (!options.compare.empty()) compared = make_comparison(workspace, options, theme, paint, other_end);

  const LoadResult& result = workspace.document().result();
  if (result.end == LoadEnd::unreadable) {
    complain(result.sentence);
    return program::exit_failed;
  }
  if (const QString words = lacking(workspace, options);
      !words.isEmpty() && result.end == LoadEnd::complete) {
    complain(words.toStdString());
    return program::exit_failed;
  }
  if (other_end == LoadEnd::unreadable) return program::exit_failed;  // its sentence was said
  // The focus, which comes whenever the window is activated, is no part of a picture.
  if (QWidget* const focus = QApplication::focusWidget()) focus->clearFocus();
  QString error;
  const bool written =
      write_picture(paint, options.size, options.scale, QFile::decodeName(options.screenshot.c_str()), error);
  if (!written) complain(error.toStdString());
  if (!result.sentence.empty()) complain(result.sentence);
  const bool whole = result.end == LoadEnd::complete && other_end == LoadEnd::complete;
  return written && whole ? program::exit_done : program::exit_failed;
}

}  // namespace iwarp::gui
