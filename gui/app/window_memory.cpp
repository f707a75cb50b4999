// What a window remembers: its own shape, the theme, captures that were open lately, and the session of each.
// SPDX-License-Identifier: GPL-2.0-or-later
#include "app/main_window.hpp"

#include <QApplication>
#include <QCryptographicHash>
#include <QDir>
#include <QFileInfo>
#include <QMenu>
#include <QSettings>
#include <QStandardPaths>
#include <QStatusBar>

#include "views/inspector_view.hpp"

namespace iwarp::gui {
namespace {

constexpr qsizetype most_recent = 12;
constexpr int settings_version = 1;
constexpr const char* theme_setting = "window/theme";
constexpr int autosave_ms = 2000;  // behind the first change

QString division_setting(const std::string& view) {
  return QStringLiteral("window/division/") + QString::fromStdString(view);
}

}  // namespace

void MainWindow::restore_window() {
  autosave_.setObjectName(QStringLiteral("autosave"));
  autosave_.setSingleShot(true);
  autosave_.setInterval(autosave_ms);
  connect(&autosave_, &QTimer::timeout, this, &MainWindow::save_own_session);
  for (const auto changed : {&Session::history_changed, &Session::bookmarks_changed}) {
    connect(&workspace_.session(), changed, this, [this] {
      if (!autosave_.isActive()) autosave_.start();
    });
  }
  if (memory_ == Memory::settings) {
    const QSettings settings;
    restoreGeometry(settings.value(QStringLiteral("window/geometry")).toByteArray());
    restoreState(settings.value(QStringLiteral("window/docks")).toByteArray(), settings_version);
    for (const auto& [name, view] : views_) {
      const QVariant division = settings.value(division_setting(name));
      auto* const inspector = qobject_cast<InspectorView*>(view);
      if (inspector != nullptr && division.isValid()) inspector->set_division(division.toByteArray());
    }
  }
}

const Theme& MainWindow::remembered_theme() {
  const QString name = QSettings().value(QLatin1String(theme_setting)).toString();
  static const QPalette desktop = QApplication::palette();  // before any window changes it
  return name == QLatin1String("light")  ? light_theme()
         : name == QLatin1String("dark") ? dark_theme()
                                         : theme_for(desktop);
}

// nullptr: the one that goes with the desktop, from now on, too.
void MainWindow::choose_theme(const char* name) {
  if (memory_ == Memory::none) {
    if (name != nullptr) set_theme(qstrcmp(name, "dark") == 0 ? dark_theme() : light_theme());
    return;
  }
  QSettings settings;
  if (name == nullptr) {
    settings.remove(QLatin1String(theme_setting));
  } else {
    settings.setValue(QLatin1String(theme_setting), QLatin1String(name));
  }
  set_theme(remembered_theme());
}

void MainWindow::show_recent() {
  recent_->clear();
  const QStringList recent = QSettings().value(QStringLiteral("recent")).toStringList();
  for (const QString& path : recent) {
    QAction* const action =
        recent_->addAction(QFileInfo(path).fileName(), this, [this, path] { open_capture(path); });
    action->setToolTip(path);
    action->setEnabled(QFileInfo::exists(path));
  }
  if (recent.isEmpty()) recent_->addAction(tr("None yet"))->setEnabled(false);
}

// One for each file, by its path.
QString MainWindow::session_path() const {
  const QByteArray name = QFileInfo(workspace_.document().file()).absoluteFilePath().toUtf8();
  const QString hash =
      QString::fromLatin1(QCryptographicHash::hash(name, QCryptographicHash::Sha256).toHex().left(32));
  return QStandardPaths::writableLocation(QStandardPaths::AppDataLocation) + QStringLiteral("/sessions/") +
         hash + QStringLiteral(".json");
}

// Once the capture was read: rows that a session names are there then.
void MainWindow::recall_session() {
  const QString name = workspace_.document().file();
  const bool unreadable = workspace_.document().result().end == LoadEnd::unreadable;
  if (memory_ == Memory::none || unreadable || name.isEmpty()) return;
  QSettings settings;
  QStringList recent = settings.value(QStringLiteral("recent")).toStringList();
  const QString path = QFileInfo(name).absoluteFilePath();
  recent.removeAll(path);
  recent.prepend(path);
  while (recent.size() > most_recent) recent.removeLast();
  settings.setValue(QStringLiteral("recent"), recent);
  if (!QFileInfo::exists(session_path())) return;
  Session& session = workspace_.session();
  // Who has gone somewhere while it was read stays there, and what was marked meanwhile is kept.
  const std::optional<Place> here = session.can_go_back() ? std::optional(session.place()) : std::nullopt;
  const std::vector<Bookmark> added = session.bookmarks();
  QString error;
  const auto fitted = [this](Place place) { return workspace_.fitted_place(std::move(place)); };
  if (!session.load(session_path(), error, fitted)) {
    statusBar()->showMessage(error);
    return;
  }
  session.add_bookmarks(added);
  if (here) session.go(*here);
}

// Under the name of its capture, from which it comes back when that is opened again.
void MainWindow::save_own_session() {
  autosave_.stop();
  if (memory_ == Memory::none) return;
  const CaptureDocument& document = workspace_.document();
  // While it is read, the session from before has not come back yet.
  if (!document.opened() || document.loading() || document.file().isEmpty()) return;
  const bool has_file = QFileInfo::exists(session_path());
  const bool worth_it = workspace_.session().can_go_back() || !workspace_.session().bookmarks().empty();
  if (!worth_it && !has_file) return;
  QString error;
  QDir().mkpath(QFileInfo(session_path()).path());
  if (!workspace_.session().save(session_path(), error)) statusBar()->showMessage(error);
}

void MainWindow::save_session(const QString& path) {
  const QString named = QFileInfo(path).suffix().isEmpty() ? path + QStringLiteral(".json") : path;
  QString error;
  const bool saved = workspace_.session().save(named, error);
  say(saved ? tr("Saved %1").arg(named) : error);
}

// One of another capture leaves what this one does not have.
void MainWindow::load_session(const QString& path) {
  bool whole = true;
  const auto fitted = [&](const Place& place) {
    Place fit = workspace_.fitted_place(place);
    whole = fit == place;
    return fit;
  };
  QString error;
  const bool loaded = workspace_.session().load(path, error, fitted);
  if (!loaded) return say(error);
  say(whole ? tr("Loaded %1").arg(path)
            : tr("The session is of another capture: its filter and bookmarks were taken, not its place"));
}

void MainWindow::closeEvent(QCloseEvent* event) {
  if (memory_ == Memory::settings) {
    QSettings settings;
    settings.setValue(QStringLiteral("window/geometry"), saveGeometry());
    settings.setValue(QStringLiteral("window/docks"), saveState(settings_version));
    for (const auto& [name, view] : views_) {
      const auto* const inspector = qobject_cast<InspectorView*>(view);
      if (inspector != nullptr) settings.setValue(division_setting(name), inspector->division());
    }
    save_own_session();
  }
  QMainWindow::closeEvent(event);
}

}  // namespace iwarp::gui
