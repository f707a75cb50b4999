// SPDX-License-Identifier: GPL-2.0-or-later
#include "models/replay_run.hpp"

#include <QCoreApplication>
#include <QFileInfo>
#include <QStandardPaths>

namespace iwarp::gui {
namespace {

constexpr int between_looks_ms = 50;
constexpr int patience_ms = 3000;
constexpr qsizetype longest_line = 64 << 10;

QString sentence_of_status(int status) {
  switch (status) {
    case 0: return QObject::tr("The replay is over: it went as recorded.");
    case 1: return QObject::tr("The replay is over: it differs from what was recorded.");
    default: return QObject::tr("The replay could not be done.");
  }
}

}  // namespace

ReplayCall replay_call(const QString& file, std::optional<ConnectionId> stream, const QString& program,
                       const QString& folder) {
  ReplayCall call;
  call.program = program;
  if (program.isEmpty()) {
    call.why_not = QObject::tr("iwarp-replay is not installed, or not in PATH");
  } else if (file.isEmpty()) {
    call.why_not = QObject::tr("Only a capture in a file can be replayed");
  } else if (!QFileInfo::exists(file)) {
    call.why_not = QObject::tr("The file is not there any more");
  } else if (!stream) {
    call.why_not = QObject::tr("No stream was found yet");
  }
  if (!call.why_not.isEmpty()) return call;
  call.recording = folder + QStringLiteral("/replay.pcapng");
  call.report = folder + QStringLiteral("/replay.json");
  // Absolute: a name that begins with a dash is no option.
  call.arguments = QStringList{QStringLiteral("run"),
                               QFileInfo(file).absoluteFilePath(),
                               QStringLiteral("--stream"),
                               QString::number(*stream),
                               QStringLiteral("--loopback"),
                               QStringLiteral("--report"),
                               call.report,
                               QStringLiteral("--record"),
                               call.recording};
  return call;
}

QString find_replay() {
  const QString name = QStringLiteral("iwarp-replay");
  const QString beside = QStandardPaths::findExecutable(name, {QCoreApplication::applicationDirPath()});
  return beside.isEmpty() ? QStandardPaths::findExecutable(name) : beside;
}

ReplayRun::ReplayRun(QObject* parent) : QObject(parent) {
  process_.setProcessChannelMode(QProcess::MergedChannels);
  process_.setStandardInputFile(QProcess::nullDevice());
  looks_.setInterval(between_looks_ms);
  patience_.setInterval(patience_ms);
  patience_.setSingleShot(true);
  connect(&looks_, &QTimer::timeout, this, &ReplayRun::look_at_recording);
  connect(&patience_, &QTimer::timeout, &process_, &QProcess::kill);
  connect(&process_, &QProcess::readyRead, this, [this] { take_output(false); });
  connect(&process_, &QProcess::errorOccurred, this, [this](QProcess::ProcessError error) {
    if (error != QProcess::FailedToStart) return;  // any other one ends it, and finished() follows
    finish(tr("%1 could not be started: %2").arg(process_.program(), process_.errorString()));
  });
  connect(&process_, &QProcess::finished, this, [this](int status, QProcess::ExitStatus how) {
    take_output(true);
    finish(how == QProcess::NormalExit ? sentence_of_status(status)
           : asked_to_end_             ? tr("The replay was ended.")
                                       : tr("The replay broke off: the program crashed."));
  });
}

ReplayRun::~ReplayRun() {
  process_.disconnect(this);
  if (process_.state() == QProcess::NotRunning) return;
  process_.kill();
  process_.waitForFinished();
}

void ReplayRun::start(const ReplayCall& call) {
  line_.clear();
  recording_ = call.recording;
  asked_to_end_ = false;
  running_ = true;
  looks_.start();
  process_.start(call.program, call.arguments);
}

void ReplayRun::stop() {
  if (!running_) return;
  if (asked_to_end_) return process_.kill();
  asked_to_end_ = true;
  patience_.start();
  process_.terminate();
}

void ReplayRun::take_output(bool all) {
  line_ += process_.readAll();
  const qsizetype end = all || line_.size() > longest_line ? line_.size() : line_.lastIndexOf('\n') + 1;
  if (end == 0) return;
  QString lines = QString::fromUtf8(line_.first(end));
  line_.remove(0, end);
  if (lines.endsWith(QLatin1Char('\n'))) lines.chop(1);
  emit said(lines);
}

void ReplayRun::look_at_recording() {
  if (QFileInfo(recording_).size() == 0) return;
  looks_.stop();
  emit recording_begun();
}

void ReplayRun::finish(const QString& sentence) {
  patience_.stop();
  if (looks_.isActive()) look_at_recording();
  looks_.stop();
  running_ = false;
  emit ended(sentence);
}

}  // namespace iwarp::gui
