// iwarp-view: see the flow of captured iWARP traffic.
// SPDX-License-Identifier: GPL-2.0-or-later
#include <QApplication>
#include <QFile>
#include <QStyleFactory>

#include <cstdio>
#include <filesystem>
#include <memory>
#include <vector>

#include "app/begin.hpp"
#include "app/bench.hpp"
#include "app/main_window.hpp"
#include "app/options.hpp"
#include "app/screenshot.hpp"
#include "models/live_source.hpp"
#include "program/exit_status.hpp"
#include "program/printable.hpp"

namespace {

using namespace iwarp;
using namespace iwarp::gui;

// Whether the file can be opened and is a capture; a pipe is not touched. What is wrong is said before there
// is a window.
bool is_readable(const std::string& path) {
  std::error_code unknown;
  const auto kind = std::filesystem::status(path, unknown).type();
  if (path == "-" || kind == std::filesystem::file_type::fifo ||
      kind == std::filesystem::file_type::character) {
    return true;
  }
  std::string error;
  if (file_source(path)(error, {}) != nullptr) return true;
  std::fprintf(stderr, "iwarp-view: %s\n", program::printable(error).c_str());
  return false;
}

// Whether its packets can be captured, but for the right to: a page tells how to get that.
bool is_capturable(const Options& options) {
  std::string error;
  if (live_source(options.interface, options.capture_filter)(error, {}) != nullptr ||
      !commands_for_right(options.interface, error).empty()) {
    return true;
  }
  std::fprintf(stderr, "iwarp-view: %s\n", program::printable(error).c_str());
  return false;
}

int show_windows(const Options& options) {
  if (!options.interface.empty() && !is_capturable(options)) return program::exit_failed;
  for (const std::string& capture : options.captures) {
    if (!options.follow && !is_readable(capture)) return program::exit_failed;
  }
  const Theme& remembered = MainWindow::remembered_theme();
  const Theme& theme = options.theme == ThemeChoice::light  ? light_theme()
                       : options.theme == ThemeChoice::dark ? dark_theme()
                                                            : remembered;
  if (!options.interface.empty()) {
    MainWindow& window = MainWindow::open_window(theme);
    window.show_view(options.view);
    begin(window.workspace(), {}, options);
  } else if (options.captures.empty()) {
    MainWindow::open_window(theme);
  }
  for (const std::string& capture : options.captures) {
    MainWindow& window = MainWindow::open_window(theme);
    window.show_view(options.view);
    if (!options.compare.empty()) {
      QObject::connect(&window.workspace().document(), &CaptureDocument::ended, &window, [&window, &options] {
        window.compare_with(QFile::decodeName(options.compare.c_str()));
      });
    }
    begin(window.workspace(), capture, options);
  }
  return QApplication::exec();
}

}  // namespace

int main(int argc, char** argv) {
  int status = program::exit_done;
  const auto options = parse_options(argc, argv, status);
  if (!options) return status;
  if (!options->screenshot.empty() || options->bench) {
    prepare_screenshot();
#if defined(Q_OS_UNIX) && !defined(Q_OS_DARWIN)
  } else if (qEnvironmentVariableIsEmpty("DISPLAY") && qEnvironmentVariableIsEmpty("WAYLAND_DISPLAY") &&
             qEnvironmentVariableIsEmpty("QT_QPA_PLATFORM")) {
    std::fprintf(stderr,
                 "iwarp-view: there is no display (DISPLAY and WAYLAND_DISPLAY are empty); "
                 "--screenshot writes a picture without one\n");
    return program::exit_failed;
#endif
  }
  QApplication::setHighDpiScaleFactorRoundingPolicy(Qt::HighDpiScaleFactorRoundingPolicy::PassThrough);
  int no_arguments = 1;  // all are ours: Qt gets the program's name alone
  QApplication application(no_arguments, argv);
  QApplication::setApplicationName(QStringLiteral("iwarp-view"));
  QApplication::setOrganizationName(QStringLiteral("iwarpstate"));
  QApplication::setDesktopFileName(QStringLiteral("iwarp-view"));
  const int result = [&] {
    QApplication::setStyle(QStyleFactory::create(QStringLiteral("Fusion")));
    QApplication::setFont(text_font());
    if (options->bench) return run_bench(*options);
    return options->screenshot.empty() ? show_windows(*options) : take_screenshot(*options);
  }();
  return result;
}
