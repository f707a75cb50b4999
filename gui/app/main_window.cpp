// SPDX-License-Identifier: GPL-2.0-or-later
#include "app/main_window.hpp"

#include <QAction>
#include <QApplication>
#include <QDockWidget>
#include <QDragEnterEvent>
#include <QFileDialog>
#include <QFileInfo>
#include <QLabel>
#include <QMimeData>
#include <QProgressBar>
#include <QScreen>
#include <QStackedWidget>
#include <QStatusBar>
#include <QTabWidget>
#include <QToolBar>
#include <QToolButton>
#include <QVBoxLayout>

#include <algorithm>
#include <initializer_list>

#include "app/interface_dialog.hpp"
#include "app/keys_window.hpp"
#include "models/leave_out.hpp"
#include "models/live_source.hpp"
#include "models/selection_words.hpp"
#include "models/table_export.hpp"
#include "scale/text.hpp"
#include "views/picture.hpp"

namespace iwarp::gui {
namespace {

constexpr const char* file_kinds =
    "Captures (*.pcap *.pcapng *.cap *.pcap.gz *.pcapng.gz *.pcap.zst *.pcapng.zst);;All files (*)";

QString some(std::size_t count, const char* one, const char* many) {
  return QString::fromStdString(count_text(count)) + QLatin1Char(' ') +
         QString::fromLatin1(count == 1 ? one : many);
}

}  // namespace

MainWindow::MainWindow(Workspace& workspace, const Theme& theme, Memory memory, QWidget* parent)
    : QMainWindow(parent),
      workspace_(workspace),
      theme_(&theme),
      memory_(memory),
      filter_(new FilterBar(workspace.session(), theme, this)),
      minimap_(new Minimap(workspace, theme, this)),
      notice_(new Notice(theme, this)),
      page_(new Page(this)),
      middle_(new QStackedWidget(this)),
      tabs_(new QTabWidget(this)) {
  setWindowTitle(tr("iwarp-view"));
  setAcceptDrops(true);
  setDockNestingEnabled(true);
  setContextMenuPolicy(Qt::NoContextMenu);
  resize(1280, 800);
  if (memory_ == Memory::settings) {  // with its frame
    constexpr QSize frame(8, 48);
    resize(size().boundedTo(screen()->availableSize() - frame));
  }
  tabs_->setDocumentMode(true);
  tabs_->setAccessibleName(tr("Views"));
  auto* const with_notice = new QWidget(this);
  auto* const layout = new QVBoxLayout(with_notice);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(0);
  layout->addWidget(notice_);
  layout->addWidget(tabs_, 1);
  middle_->addWidget(page_);
  middle_->addWidget(with_notice);
  setCentralWidget(middle_);
  make_bars();
  make_views();
  make_replay();
  make_bookmarks();
  make_menus();
  page_->show_text(empty_page());
  connect(page_, &Page::open_asked, this, &MainWindow::ask_for_capture);
  connect(&workspace_.document(), &CaptureDocument::grew, this, &MainWindow::show_state);
  connect(&workspace_.document(), &CaptureDocument::ended, this, &MainWindow::show_end);
  connect(&workspace_.levels(), &LevelsBuilder::changed, this, &MainWindow::show_state);
  connect(&workspace_.session(), &Session::range_changed, this, &MainWindow::show_state);
  connect(&workspace_.session(), &Session::filter_changed, this, &MainWindow::show_state);
  connect(&workspace_.session(), &Session::selection_changed, this, &MainWindow::say_selection);
  connect(statusBar(), &QStatusBar::messageChanged, this, [this](const QString& shown) {
    if (shown.isEmpty()) said_.clear();
  });
  restore_window();
  set_theme(theme);
  show_state();
}

MainWindow::~MainWindow() = default;

MainWindow& MainWindow::open_window(const Theme& theme) {
  auto* const workspace = new Workspace();
  auto* const window = new MainWindow(*workspace, theme, Memory::settings);
  window->setAttribute(Qt::WA_DeleteOnClose);
  connect(window, &QObject::destroyed, workspace, &QObject::deleteLater);
  window->show();
  return *window;
}

void MainWindow::make_bars() {
  auto* const tools = addToolBar(tr("Filter"));
  tools->setObjectName(QStringLiteral("filter"));
  tools->setMovable(false);
  back_ = tools->addAction(QStringLiteral("←"), &workspace_.session(), &Session::go_back);
  back_->setShortcut(QKeySequence(Qt::ALT | Qt::Key_Left));
  back_->setToolTip(tr("Back: the zoom, filter and selection before (Alt+Left)"));
  forward_ = tools->addAction(QStringLiteral("→"), &workspace_.session(), &Session::go_forward);
  forward_->setShortcut(QKeySequence(Qt::ALT | Qt::Key_Right));
  forward_->setToolTip(tr("Forward again (Alt+Right)"));
  for (QAction* const action : {back_, forward_}) {
    tools->widgetForAction(action)->setAccessibleName(action->toolTip());
  }
  tools->addWidget(filter_);
  addToolBarBreak();
  auto* const map = addToolBar(tr("Minimap"));
  map->setObjectName(QStringLiteral("minimap"));
  map->setMovable(false);
  map->addWidget(minimap_);
  const auto show_history = [this] {
    back_->setEnabled(workspace_.session().can_go_back());
    forward_->setEnabled(workspace_.session().can_go_forward());
  };
  connect(&workspace_.session(), &Session::history_changed, this, show_history);
  show_history();

  state_ = new QLabel(this);
  counts_ = new QLabel(this);
  progress_ = new QProgressBar(this);
  progress_->setMaximumWidth(180);
  progress_->setTextVisible(false);
  progress_->setAccessibleName(tr("How much of the capture is read"));
  cancel_ = new QToolButton(this);
  cancel_->setText(tr("Cancel"));
  cancel_->setToolTip(tr("Read no further; what was read stays"));
  connect(cancel_, &QToolButton::clicked, &workspace_.document(), &CaptureDocument::cancel);
  statusBar()->addWidget(state_, 1);
  statusBar()->addPermanentWidget(progress_);
  statusBar()->addPermanentWidget(cancel_);
  statusBar()->addPermanentWidget(counts_);
}

void MainWindow::make_views() {
  QDockWidget* last = nullptr;
  for (const ViewKind& kind : view_kinds()) {
    View* const view = kind.make(workspace_, *theme_, this);
    views_[kind.name] = view;
    connect(view, &View::view_asked, this, [this](const QString& name) { show_view(name.toStdString()); });
    if (kind.place == ViewPlace::main) {
      tabs_->addTab(view, tr(kind.title));
      tabs_->setTabToolTip(tabs_->count() - 1, tr(kind.words));
      continue;
    }
    auto* const dock = new QDockWidget(tr(kind.title), this);
    dock->setObjectName(QString::fromLatin1(kind.name));
    dock->setWidget(view);
    dock->setToolTip(tr(kind.words));
    addDockWidget(Qt::BottomDockWidgetArea, dock);
    if (last != nullptr) tabifyDockWidget(last, dock);
    last = dock;
    resizeDocks({dock}, {300}, Qt::Vertical);
  }
  // What an inspector shows in front is the first of them.
  for (const ViewKind& kind : view_kinds()) {
    if (kind.place != ViewPlace::inspector) continue;
    findChild<QDockWidget*>(QString::fromLatin1(kind.name))->raise();
    break;
  }
}

void MainWindow::make_bookmarks() {
  auto* const dock = new QDockWidget(tr("Bookmarks"), this);
  dock->setObjectName(QStringLiteral("bookmarks"));
  bookmarks_panel_ = new BookmarksPanel(workspace_, this);
  dock->setWidget(bookmarks_panel_);
  addDockWidget(Qt::BottomDockWidgetArea, dock);
  if (auto* const other = findChild<QDockWidget*>(QStringLiteral("operation"))) tabifyDockWidget(other, dock);
  dock->hide();
}

void MainWindow::make_replay() {
  replay_ = new ReplayPanel(workspace_, *theme_, find_replay(), this);
  auto* const dock = new QDockWidget(tr("Replay"), this);
  dock->setObjectName(QStringLiteral("replay"));
  dock->setWidget(replay_);
  addDockWidget(Qt::BottomDockWidgetArea, dock);
  if (auto* const other = findChild<QDockWidget*>(QStringLiteral("operation"))) tabifyDockWidget(other, dock);
  dock->hide();
}

// What has no room beside the counts is elided; the status bar itself would cut it.
void MainWindow::say(const QString& sentence, int shown_ms) {
  QStatusBar& bar = *statusBar();
  constexpr int gap = 24;  // to what stands beside it, and from there to the border
  constexpr int between = 6;
  int room = bar.width() - 2 * gap;
  for (const QWidget* const each : std::initializer_list<const QWidget*>{progress_, cancel_, counts_})
    if (each->isVisible()) room -= each->sizeHint().width() + between;
  bar.showMessage(bar.fontMetrics().elidedText(sentence, Qt::ElideRight, std::max(0, room)), shown_ms);
  said_ = sentence;
}

// For a while: how much of the capture is seen stands there else.
void MainWindow::say_selection() {
  statusBar()->clearMessage();
  if (!workspace_.document().opened()) return;
  const QString words = selection_words(workspace_.document().metrics(), workspace_.session().selection());
  constexpr int shown_ms = 6000;
  if (!words.isEmpty()) say(tr("Selected: %1").arg(words), shown_ms);
}

void MainWindow::show_replay() {
  auto* const dock = findChild<QDockWidget*>(QStringLiteral("replay"));
  dock->show();
  dock->raise();
  constexpr int others = 450;  // bars, tabs, and enough of the view above
  resizeDocks({dock}, {std::min(height() / 2, std::max(200, height() - others))}, Qt::Vertical);
  if (replay_->why_not().isEmpty()) return replay_->setFocus();
  say(tr("It cannot be replayed: %1").arg(replay_->why_not()));
}

void MainWindow::ask_for_comparison() {
  if (!workspace_.document().opened()) {
    say(tr("No capture is open"));
    return;
  }
  const QString path = QFileDialog::getOpenFileName(this, tr("Compare with"), QString(), tr(file_kinds));
  if (!path.isEmpty()) compare_with(path);
}

CompareWindow& MainWindow::compare_with(const QString& path) {
  auto other = std::make_unique<Workspace>();
  other->document().open(path, file_source(QFile::encodeName(path).toStdString()));
  return show_comparison(new CompareWindow(workspace_, std::move(other), *theme_, this));
}

void MainWindow::compare_ranges(TimeSpan a, TimeSpan b) {
  show_comparison(new CompareWindow(workspace_, a, b, *theme_, this));
}

CompareWindow& MainWindow::show_comparison(CompareWindow* window) {
  window->setAttribute(Qt::WA_DeleteOnClose);
  window->show();
  return *window;
}

void MainWindow::set_theme(const Theme& theme) {
  theme_ = &theme;
  const QPalette palette = theme.palette();
  setPalette(palette);
  // Of menus and completions, too, which are windows of their own.
  if (memory_ == Memory::settings) QApplication::setPalette(palette);
  for (QWidget* const child : findChildren<QWidget*>()) child->setPalette(palette);
  filter_->set_theme(theme);
  minimap_->set_theme(theme);
  notice_->set_theme(theme);
  replay_->set_theme(theme);
  bookmarks_panel_->set_theme(theme);
  for (CompareWindow* const window : findChildren<CompareWindow*>()) window->set_theme(theme);
  for (const auto& [name, view] : views_) view->set_theme(theme);
}

void MainWindow::show_view(const std::string& name) {
  View* const shown = view(name);
  if (shown == nullptr) return;
  if (tabs_->indexOf(shown) >= 0) {
    tabs_->setCurrentWidget(shown);
  } else if (auto* const dock = findChild<QDockWidget*>(QString::fromStdString(name))) {
    dock->show();
    dock->raise();
  }
  shown->setFocus();
}

View* MainWindow::view(const std::string& name) const {
  const auto found = views_.find(name);
  return found == views_.end() ? nullptr : found->second;
}

// The one that has the keyboard, else the one in front.
View* MainWindow::current_view() const {
  for (QWidget* widget = focusWidget(); widget != nullptr; widget = widget->parentWidget()) {
    for (const auto& [name, view] : views_) {
      if (view == widget) return view;
    }
  }
  return qobject_cast<View*>(tabs_->currentWidget());
}

void MainWindow::show_state() {
  CaptureDocument& document = workspace_.document();
  const bool loading = document.loading();
  progress_->setVisible(loading);
  cancel_->setVisible(loading);
  if (!document.opened()) {
    counts_->clear();
    return;
  }
  const QString file = QFileInfo(document.name()).fileName();
  setWindowTitle(tr("%1 – iwarp-view").arg(file));
  if (document.result().end == LoadEnd::unreadable) {
    state_->clear();
    counts_->clear();
    return;
  }
  const Metrics& metrics = document.metrics();
  if (metrics.streams().size() > 0) {
    middle_->setCurrentIndex(1);
  } else if (loading) {
    page_->show_text(reading_page(document));
  }
  cancel_->setText(document.live() ? tr("Stop") : tr("Cancel"));
  const LoadProgress progress = document.progress();
  if (loading) {
    progress_->setRange(0, progress.total ? 1000 : 0);
    if (progress.total) {
      progress_->setValue(static_cast<int>(1000.0 * static_cast<double>(progress.octets) /
                                           static_cast<double>(*progress.total)));
    }
    QString words =
        (document.live() ? tr("Capturing: %1, %2/s") : tr("Reading: %1, %2/s"))
            .arg(some(progress.frames, "frame", "frames"),
                 QString::fromStdString(octets_text(static_cast<std::uint64_t>(document.rate()))));
    if (progress.lost > 0) words += tr(", %1 lost").arg(some(progress.lost, "packet", "packets"));
    state_->setText(words);
  } else {
    const TimeSpan seen = workspace_.visible();
    const auto length = static_cast<TimeNs>(std::min<std::uint64_t>(seen.length(), INT64_MAX));
    const QString part = workspace_.session().range() ? tr("%1 of %2 are seen") : tr("All %1 of %2 are seen");
    QString words = part.arg(
        QString::fromStdString(duration_text(length)),
        document.result().end == LoadEnd::complete ? tr("the capture") : tr("the part that was read"));
    if (!workspace_.levels().settled()) words += tr("; counting what is shown …");
    state_->setText(words);
  }
  const Levels& levels = *workspace_.levels().levels();
  const bool filtered = !levels.scope.all();
  QStringList narrowed;
  for (const auto& [rows, name] :
       {std::pair(&levels.operation_rows, tr("operations")), std::pair(&levels.message_rows, tr("messages")),
        std::pair(&levels.finding_rows, tr("findings"))}) {
    if (!rows->all()) narrowed << name;
  }
  filter_->show_scope(filtered ? narrowed : QStringList());
  const auto part = [filtered](std::size_t counting, std::size_t all, const char* one, const char* many) {
    const QString total = some(all, one, many);
    return filtered && all > 0 ? QString::fromStdString(count_text(counting)) + QObject::tr(" of ") + total
                               : total;
  };
  counts_->setText(
      QStringList{part(levels.stream_rows.size(), metrics.streams().size(), "stream", "streams"),
                  part(levels.operation_rows.size(), metrics.operations().size(), "operation", "operations"),
                  part(levels.finding_rows.size(), metrics.findings().size(), "finding", "findings")}
          .join(QStringLiteral("   ")));
  if (!said_.isEmpty()) say(said_);  // they may need more room than they had
}

void MainWindow::show_end() {
  const LoadResult& result = workspace_.document().result();
  const CaptureDocument& document = workspace_.document();
  show_state();
  QString notice = notice_of(result, document.live());
  if (result.end == LoadEnd::memory_cap) {
    const QString words = leave_out_words(document.metrics(), document.span(), document.file());
    if (!words.isEmpty()) notice += QLatin1Char('\n') + words;
  }
  notice_->show_text(notice);
  if (result.end == LoadEnd::unreadable) {
    page_->show_text(unreadable_page(document));
    middle_->setCurrentIndex(0);
  } else if (workspace_.document().metrics().streams().size() == 0) {
    PageText text = no_iwarp_page(document.name(), result);
    if (!notice.isEmpty()) text.text += QStringLiteral("\n\n") + notice;
    page_->show_text(text);
    middle_->setCurrentIndex(0);
  }
  recall_session();
}

void MainWindow::ask_for_capture() {
  const QString path = QFileDialog::getOpenFileName(this, tr("Open a capture"), QString(), tr(file_kinds));
  if (!path.isEmpty()) open_capture(path);
}

void MainWindow::open_capture(const QString& path) {
  if (workspace_.document().opened()) {
    open_window(*theme_).open_capture(path);
    return;
  }
  workspace_.document().open(path, file_source(QFile::encodeName(path).toStdString()));
  show_state();
}

void MainWindow::ask_for_interface() {
  auto* const dialog = new InterfaceDialog(live_interfaces(), this);
  dialog->setAttribute(Qt::WA_DeleteOnClose);
  connect(dialog, &InterfaceDialog::chosen, this, &MainWindow::open_interface);
  dialog->open();
}

void MainWindow::open_interface(const QString& name, const QString& filter) {
  if (workspace_.document().opened()) {
    open_window(*theme_).open_interface(name, filter);
    return;
  }
  workspace_.document().open(name, live_source(name.toStdString(), filter.toStdString()), {},
                             CaptureDocument::Origin::interface);
  show_state();
}

void MainWindow::show_keys() {
  auto* const window = new KeysWindow(*theme_, this);
  window->setAttribute(Qt::WA_DeleteOnClose);
  window->show();
}

// As in "05a-nvme-ladder.png".
QString MainWindow::name_of_file(const View& view, const QString& ending) const {
  for (const auto& [kind, one] : views_) {
    if (one == &view) return name_of_file(QString::fromStdString(kind) + QLatin1Char('.') + ending);
  }
  return name_of_file(QStringLiteral("view.") + ending);
}

QString MainWindow::name_of_file(const QString& what) const {
  const QString capture = QFileInfo(workspace_.document().file()).completeBaseName();
  return (capture.isEmpty() ? QStringLiteral("iwarp-view") : capture) + QLatin1Char('-') + what;
}

void MainWindow::save_picture() {
  View* const view = current_view();
  if (view == nullptr) return;
  const QString path = QFileDialog::getSaveFileName(
      this, tr("Save picture"), name_of_file(*view, QStringLiteral("png")), tr("Pictures (*.png *.svg)"));
  if (path.isEmpty()) return;
  QString error;
  const QSize size = view->size();
  const bool written =
      write_picture([view](QPainter& painter, QSize area) { return view->paint(painter, area); }, size,
                    devicePixelRatioF(), path, error);
  say(written ? tr("Saved %1").arg(path) : error);
}

// The view whose table the one in front has.
void MainWindow::show_table() {
  const View* const shown = current_view();
  const TableModel* const table = shown == nullptr ? nullptr : shown->table();
  if (table == nullptr) {
    say(tr("This view has no table"));
    return;
  }
  const char* name = "flows";
  if (table->record_kind() == RecordKind::operation) name = "operations";
  if (table->record_kind() == RecordKind::message) name = "messages";
  if (table->record_kind() == RecordKind::finding) name = "findings";
  if (view(name) == shown) return say(tr("This view is a table"));
  show_view(name);
}

void MainWindow::save_table(bool csv) {
  View* const view = current_view();
  if (view == nullptr || view->table() == nullptr) {
    say(tr("This view has no table"));
    return;
  }
  const QString path = QFileDialog::getSaveFileName(
      this, tr("Save table"), name_of_file(*view, csv ? QStringLiteral("csv") : QStringLiteral("jsonl")));
  if (path.isEmpty()) return;
  export_table(
      *view->table(), path, csv ? TableFormat::csv : TableFormat::json_lines, this,
      [this, path](const QString& error) { say(error.isEmpty() ? tr("Saved %1").arg(path) : error); });
}

void MainWindow::dragEnterEvent(QDragEnterEvent* event) {
  if (event->mimeData()->hasUrls()) event->acceptProposedAction();
}

void MainWindow::dropEvent(QDropEvent* event) {
  for (const QUrl& url : event->mimeData()->urls()) {
    if (url.isLocalFile()) open_capture(url.toLocalFile());
  }
}

}  // namespace iwarp::gui
