// SPDX-License-Identifier: GPL-2.0-or-later
#include "app/replay_panel.hpp"

#include <QCoreApplication>
#include <QFile>
#include <QFileDialog>
#include <QFileInfo>
#include <QHBoxLayout>
#include <QLabel>
#include <QPlainTextEdit>
#include <QPointer>
#include <QPushButton>
#include <QSplitter>
#include <QThreadPool>
#include <QVBoxLayout>

#include "models/follow_source.hpp"

namespace iwarp::gui {
namespace {

constexpr int most_lines = 2000;
constexpr int between_last_looks_ms = 50;
constexpr int most_last_looks = 200;

}  // namespace

ReplayPanel::ReplayPanel(Workspace& workspace, const Theme& theme, QString program, QWidget* parent)
    : QWidget(parent),
      workspace_(workspace),
      theme_(&theme),
      program_(std::move(program)),
      begin_(new QPushButton(tr("Replay"), this)),
      stop_(new QPushButton(tr("Stop"), this)),
      save_recording_(new QPushButton(tr("Save recording…"), this)),
      save_report_(new QPushButton(tr("Save report…"), this)),
      words_(new QLabel(this)),
      output_(new QPlainTextEdit(this)),
      recorded_title_(new QLabel(this)),
      replayed_title_(new QLabel(this)),
      recorded_ladder_(new LadderView(workspace, theme, this)),
      nothing_(new QLabel(tr("What the replay sends appears here while it runs."), this)) {
  setAccessibleName(tr("Replay on this machine"));
  recorded_ladder_->setAccessibleName(tr("Ladder as recorded"));
  begin_->setToolTip(tr("Runs iwarp-replay on this stream: both ends on this machine, over loopback"));
  stop_->setToolTip(tr("Ends the replay: what was run until then is compared. Once more: ends it at once"));
  output_->setReadOnly(true);
  output_->setFont(fixed_font());
  output_->setMaximumBlockCount(most_lines);
  output_->setLineWrapMode(QPlainTextEdit::NoWrap);
  output_->setTabChangesFocus(true);
  output_->setAccessibleName(tr("What iwarp-replay says"));
  words_->setWordWrap(true);
  nothing_->setAlignment(Qt::AlignCenter);
  nothing_->setWordWrap(true);
  for (QLabel* const title : {recorded_title_, replayed_title_}) title->setContentsMargins(8, 4, 8, 0);

  auto* const left = new QWidget(this);
  auto* const column = new QVBoxLayout(left);
  auto* const buttons = new QHBoxLayout();
  buttons->addWidget(begin_);
  buttons->addWidget(stop_);
  buttons->addStretch(1);
  buttons->addWidget(save_recording_);
  buttons->addWidget(save_report_);
  column->addLayout(buttons);
  column->addWidget(words_);
  column->addWidget(output_, 1);
  const auto side = [this](QLabel* title, QWidget* inside) {
    auto* const widget = new QWidget(this);
    auto* const layout = new QVBoxLayout(widget);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addWidget(title);
    layout->addWidget(inside, 1);
    return std::pair(widget, layout);
  };
  auto* const parts = new QSplitter(Qt::Horizontal, this);
  parts->addWidget(left);
  parts->addWidget(side(recorded_title_, recorded_ladder_).first);
  const auto [replayed, layout] = side(replayed_title_, nothing_);
  replayed_side_ = layout;
  parts->addWidget(replayed);
  parts->setSizes({340, 470, 470});
  auto* const all = new QHBoxLayout(this);
  all->setContentsMargins(0, 0, 0, 0);
  all->addWidget(parts);

  connect(begin_, &QPushButton::clicked, this, &ReplayPanel::run);
  connect(stop_, &QPushButton::clicked, this, &ReplayPanel::stop);
  connect(save_recording_, &QPushButton::clicked, this,
          [this] { save(called_.recording, tr("Save recording"), QStringLiteral("replay.pcapng")); });
  connect(save_report_, &QPushButton::clicked, this,
          [this] { save(called_.report, tr("Save report"), QStringLiteral("replay.json")); });
  connect(&run_, &ReplayRun::said, this, &ReplayPanel::say);
  connect(&run_, &ReplayRun::recording_begun, this, &ReplayPanel::follow);
  connect(&run_, &ReplayRun::ended, this, [this](const QString& sentence) {
    say(sentence);
    looks_left_ = most_last_looks;
    last_looks_.start(between_last_looks_ms);
    show_state();
    emit ended();
  });
  connect(&last_looks_, &QTimer::timeout, this, &ReplayPanel::end_following);
  connect(&FlowSource::of(workspace), &FlowSource::changed, this, &ReplayPanel::show_state);
  connect(&workspace.document(), &CaptureDocument::grew, this, &ReplayPanel::show_state);
  connect(&workspace.document(), &CaptureDocument::ended, this, &ReplayPanel::show_state);
  show_state();
}

ReplayPanel::~ReplayPanel() = default;

void ReplayPanel::set_theme(const Theme& theme) {
  theme_ = &theme;
  setPalette(theme.palette());
  for (QWidget* const child : findChildren<QWidget*>()) child->setPalette(theme.palette());
  recorded_ladder_->set_theme(theme);
  if (replayed_ladder_ != nullptr) replayed_ladder_->set_theme(theme);
}

ReplayCall ReplayPanel::call() const {
  const CaptureDocument& document = workspace_.document();
  const auto& flow = FlowSource::of(workspace_).flow();
  ReplayCall call =
      replay_call(document.opened() ? document.file() : QString(),
                  flow != nullptr ? std::optional(flow->stream) : std::nullopt, program_, folder_.path());
  if (!document.opened()) call.why_not = tr("No capture is open");
  if (call.why_not.isEmpty() && !folder_.isValid()) call.why_not = folder_.errorString();
  return call;
}

QString ReplayPanel::why_not() const {
  return run_.running() ? tr("A replay is running") : call().why_not;
}

QString ReplayPanel::output() const {
  return output_->toPlainText();
}

void ReplayPanel::run() {
  if (!why_not().isEmpty()) return;
  last_looks_.stop();
  called_ = call();
  // The old ladder first: it looks at the workspace.
  replayed_ladder_.reset();
  replayed_.reset();
  nothing_->show();
  QFile::remove(called_.recording);
  QFile::remove(called_.report);
  output_->clear();
  say(QStringLiteral("$ iwarp-replay ") + called_.arguments.join(QLatin1Char(' ')));
  run_.start(called_);
  show_state();
}

void ReplayPanel::stop() {
  run_.stop();
}

void ReplayPanel::say(const QString& lines) {
  output_->appendPlainText(lines);
}

void ReplayPanel::follow() {
  replayed_ = std::make_unique<Workspace>();
  replayed_ladder_ = std::make_unique<LadderView>(*replayed_, *theme_, this);
  replayed_ladder_->setPalette(theme_->palette());
  replayed_ladder_->setAccessibleName(tr("Ladder of the replay"));
  nothing_->hide();
  replayed_side_->addWidget(replayed_ladder_.get(), 1);
  replayed_->document().open(called_.recording,
                             follow_source(QFile::encodeName(called_.recording).toStdString()));
  show_state();
}

// The process is over: once all it wrote has been read, nothing more will come.
void ReplayPanel::end_following() {
  const bool all =
      replayed_ == nullptr || replayed_->document().progress().octets >=
                                  static_cast<std::uint64_t>(QFileInfo(called_.recording).size());
  if (!all && --looks_left_ > 0) return;
  last_looks_.stop();
  if (replayed_ != nullptr) replayed_->document().cancel();
}

void ReplayPanel::show_state() {
  const QString reason = call().why_not;
  const auto& flow = FlowSource::of(workspace_).flow();
  begin_->setEnabled(reason.isEmpty() && !run_.running());
  stop_->setEnabled(run_.running());
  save_recording_->setEnabled(!run_.running() && replayed_ != nullptr);
  save_report_->setEnabled(!run_.running() && QFileInfo(called_.report).size() > 0);
  const QString stream = flow == nullptr ? tr("no stream") : tr("stream %1").arg(flow->stream);
  recorded_title_->setText(tr("Recorded: %1").arg(stream));
  const int at = static_cast<int>(called_.arguments.indexOf(QStringLiteral("--stream"))) + 1;
  replayed_title_->setText(at > 0 ? tr("Replayed: stream %1, over loopback").arg(called_.arguments[at])
                                  : tr("Replayed: nothing yet"));
  words_->setText(!reason.isEmpty() ? tr("It cannot be replayed: %1.").arg(reason)
                  : run_.running()
                      ? tr("The replay is running.")
                      : tr("Ready: %1, as it was recorded. Another one: select it in Flows.").arg(stream));
}

// In a thread, however long the file is.
void ReplayPanel::save(const QString& file, const QString& title, const QString& name) {
  const QString path = QFileDialog::getSaveFileName(this, title, name);
  if (path.isEmpty()) return;
  QThreadPool::globalInstance()->start([file, path, panel = QPointer<ReplayPanel>(this)] {
    QFile::remove(path);
    const bool saved = QFile::copy(file, path);
    QMetaObject::invokeMethod(
        QCoreApplication::instance(),
        [saved, path, panel] {
          if (panel) panel->say(saved ? tr("Saved %1").arg(path) : tr("%1 could not be written").arg(path));
        },
        Qt::QueuedConnection);
  });
}

}  // namespace iwarp::gui
