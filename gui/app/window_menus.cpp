// The menus of a window, and the keys of what is in them.
// SPDX-License-Identifier: GPL-2.0-or-later
#include "app/main_window.hpp"

#include <QAction>
#include <QApplication>
#include <QDockWidget>
#include <QFileDialog>
#include <QInputDialog>
#include <QMenuBar>
#include <QStatusBar>
#include <QTabWidget>

namespace iwarp::gui {

void MainWindow::make_menus() {
  QMenu* const file = menuBar()->addMenu(tr("&File"));
  file->addAction(tr("&Open…"), QKeySequence::Open, this, &MainWindow::ask_for_capture);
  recent_ = file->addMenu(tr("Open &recent"));
  connect(recent_, &QMenu::aboutToShow, this, &MainWindow::show_recent);
  file->addAction(tr("Capture from an &interface…"), QKeySequence(Qt::CTRL | Qt::Key_I), this,
                  &MainWindow::ask_for_interface);
  QAction* const cancel =
      file->addAction(tr("&Cancel reading"), &workspace_.document(), &CaptureDocument::cancel);
  connect(file, &QMenu::aboutToShow, this,
          [this, cancel] { cancel->setEnabled(workspace_.document().loading()); });
  file->addSeparator();
  file->addAction(tr("Save &picture…"), QKeySequence(Qt::CTRL | Qt::Key_P), this, &MainWindow::save_picture);
  file->addAction(tr("Save table as CS&V…"), this, [this] { save_table(true); });
  file->addAction(tr("Save table as &JSON Lines…"), this, [this] { save_table(false); });
  file->addSeparator();
  file->addAction(tr("Save &session…"), this, [this] {
    const QString path = QFileDialog::getSaveFileName(
        this, tr("Save session"), name_of_file(QStringLiteral("session.json")), tr("Sessions (*.json)"));
    if (!path.isEmpty()) save_session(path);
  });
  file->addAction(tr("&Load session…"), this, [this] {
    const QString path =
        QFileDialog::getOpenFileName(this, tr("Load session"), QString(), tr("Sessions (*.json)"));
    if (!path.isEmpty()) load_session(path);
  });
  file->addSeparator();
  file->addAction(tr("Close &window"), QKeySequence::Close, this, &QWidget::close);
  file->addAction(tr("&Quit"), QKeySequence::Quit, qApp, &QApplication::closeAllWindows);

  QMenu* const go = menuBar()->addMenu(tr("&Go"));
  go->addAction(back_);
  go->addAction(forward_);
  back_->setText(tr("Back"));
  back_->setIconText(QStringLiteral("←"));
  forward_->setText(tr("Forward"));
  forward_->setIconText(QStringLiteral("→"));
  go->addAction(tr("&See all of the capture"), QKeySequence(Qt::CTRL | Qt::Key_0), this,
                [this] { workspace_.session().set_range(std::nullopt); });
  go->addSeparator();
  go->addAction(tr("Slowest &Read"), QKeySequence(Qt::CTRL | Qt::Key_R), this,
                [this] { go_to_slowest(OperationKind::read); });
  go->addAction(tr("Slowest &Write"), this, [this] { go_to_slowest(OperationKind::write); });
  go->addAction(tr("Slowest S&end"), this, [this] { go_to_slowest(OperationKind::send); });
  go->addSeparator();
  go->addAction(tr("&Next finding"), QKeySequence(Qt::Key_F8), this, [this] { go_to_finding(1); });
  go->addAction(tr("&Previous finding"), QKeySequence(Qt::SHIFT | Qt::Key_F8), this,
                [this] { go_to_finding(-1); });
  go->addSeparator();
  QAction* const jump =
      go->addAction(tr("Open in &Wireshark"), QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_W), this,
                    &MainWindow::open_in_wireshark);
  QAction* const copy =
      go->addAction(tr("&Copy display filter"), QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_C), this,
                    &MainWindow::copy_display_filter);
  go->setToolTipsVisible(true);
  // Asked when the menu opens: the keys always answer, with the reason where it cannot be done.
  connect(go, &QMenu::aboutToShow, this, [this, jump, copy] {
    const WiresharkCall call = call_of_wireshark();
    jump->setEnabled(call.why_not.isEmpty());
    jump->setToolTip(call.why_not);
    const bool nothing = filter_of_selection().isEmpty();
    copy->setEnabled(!nothing);
    copy->setToolTip(nothing ? tr("No frame and no stream is selected") : QString());
  });
  connect(go, &QMenu::aboutToHide, this, [jump, copy] {
    jump->setEnabled(true);
    copy->setEnabled(true);
  });
  go->addSeparator();
  go->addAction(tr("&Filter"), QKeySequence(Qt::CTRL | Qt::Key_F), filter_, &FilterBar::take_focus);
  go->addAction(tr("&Take the filter off"), QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_F), filter_,
                &FilterBar::take_all_off);
  go->addSeparator();
  go->addAction(tr("Add &bookmark…"), QKeySequence(Qt::CTRL | Qt::Key_B), this, [this] {
    bool right = false;
    const QString note =
        QInputDialog::getText(this, tr("Add bookmark"), tr("Note:"), QLineEdit::Normal, QString(), &right);
    if (right) workspace_.session().add_bookmark(note);
  });
  go->addAction(tr("&Edit bookmarks"), QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_B), this, [this] {
    auto* const dock = findChild<QDockWidget*>(QStringLiteral("bookmarks"));
    dock->show();
    dock->raise();
    dock->widget()->setFocus();
  });
  bookmarks_ = go->addMenu(tr("Book&marks"));
  const auto show_bookmarks = [this] {
    bookmarks_->clear();
    bookmarks_->setEnabled(!workspace_.session().bookmarks().empty());
    for (const Bookmark& bookmark : workspace_.session().bookmarks()) {
      const QString name = bookmark.note.isEmpty() ? tr("(no note)") : bookmark.note;
      bookmarks_->addAction(name, this, [this, place = bookmark.place] {
        workspace_.session().go(workspace_.fitted_place(place));
      });
    }
  };
  connect(&workspace_.session(), &Session::bookmarks_changed, this, show_bookmarks);
  show_bookmarks();

  QMenu* const views = menuBar()->addMenu(tr("&View"));
  int number = 0;
  for (const ViewKind& kind : view_kinds()) {
    ++number;
    QAction* const action =
        views->addAction(tr(kind.title), this, [this, name = std::string(kind.name)] { show_view(name); });
    action->setToolTip(tr(kind.words));
    constexpr int digits = 9;  // the others have them with Alt
    const int digit = number <= digits ? number : number - digits;
    action->setShortcut(
        QKeySequence((number <= digits ? Qt::CTRL : Qt::ALT) | static_cast<Qt::Key>(Qt::Key_0 + digit)));
  }
  views->addSeparator();
  views->addAction(tr("Show as &table"), QKeySequence(Qt::CTRL | Qt::Key_L), this, &MainWindow::show_table);
  views->addSeparator();
  views->addAction(tr("Switch between &light and dark"), QKeySequence(Qt::CTRL | Qt::Key_T), this,
                   [this] { choose_theme(theme_->dark ? "light" : "dark"); });
  views->addAction(tr("Colours of the &desktop"), this, [this] { choose_theme(nullptr); });

  QMenu* const tools = menuBar()->addMenu(tr("&Tools"));
  tools->addAction(tr("&Replay on this machine"), QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_R), this,
                   &MainWindow::show_replay);
  tools->addSeparator();
  tools->addAction(tr("&Compare with another capture…"), QKeySequence(Qt::CTRL | Qt::Key_D), this,
                   &MainWindow::ask_for_comparison);
  tools->addAction(tr("&Mark what is seen, to compare other times with it"),
                   QKeySequence(Qt::CTRL | Qt::Key_M), this, [this] {
                     if (workspace_.document().opened()) workspace_.session().mark(workspace_.visible());
                   });
  tools->addAction(tr("Compare the marked time with &what is seen"),
                   QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_M), this, [this] {
                     if (!workspace_.session().marked()) {
                       statusBar()->showMessage(tr("No time is marked: zoom, and press Ctrl+M first"));
                     } else {
                       workspace_.session().compare_with_marked(workspace_.visible());
                     }
                   });
  connect(&workspace_.session(), &Session::compare_asked, this, &MainWindow::compare_ranges);
  connect(&workspace_.session(), &Session::marked_changed, this, [this] {
    constexpr int shown_ms = 10'000;
    statusBar()->showMessage(
        tr("Marked. Brush or zoom to another time, and compare it (Ctrl+Shift+M, or the menu of the brush)"),
        shown_ms);
  });

  QMenu* const help = menuBar()->addMenu(tr("&Help"));
  help->addAction(tr("&Keys"), QKeySequence(Qt::Key_Question), this, &MainWindow::show_keys);
  help->addAction(tr("&Version"), this,
                  [this] { say(tr("iwarp-view %1").arg(QStringLiteral(IWARP_VERSION))); });
}

}  // namespace iwarp::gui
