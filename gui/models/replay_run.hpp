// ReplayRun: iwarp-replay at work on one stream of a capture: both ends on this machine, over loopback. Its
// recording grows meanwhile (follow_source).
//
//   const ReplayCall call = replay_call(file, 3, find_replay(), folder);
//   if (call.why_not.isEmpty()) run.start(call);
//
// Threads: belongs to the one it was made in, and never waits for the process but to end it.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <QObject>
#include <QProcess>
#include <QString>
#include <QStringList>
#include <QTimer>

#include <optional>

#include <iwarp/ids.hpp>

namespace iwarp::gui {

struct ReplayCall {
  QString program;
  QStringList arguments;
  QString recording;  // the file that gets what is sent
  QString report;     // the file that gets the comparison, at the end
  QString why_not;    // a sentence; empty: it can be called
};

// `file`: the capture; empty: it is in none. `program`: the path of iwarp-replay; empty: it was not found.
// `folder`: where results go.
[[nodiscard]] ReplayCall replay_call(const QString& file, std::optional<ConnectionId> stream,
                                     const QString& program, const QString& folder);
// Beside this program, else in PATH; empty: it is not there.
[[nodiscard]] QString find_replay();

class ReplayRun : public QObject {
  Q_OBJECT
 public:
  explicit ReplayRun(QObject* parent = nullptr);
  ~ReplayRun() override;

  // REQUIRES: not running(), call.why_not is empty.
  void start(const ReplayCall& call);
  // Asks it to end: what was run until then is compared. The second time, or when it has not ended some
  // seconds later, it is ended as it is.
  void stop();
  [[nodiscard]] bool running() const noexcept { return running_; }

 signals:
  // What it prints, whole lines.
  void said(const QString& lines);
  // There are octets in the recording: once a run, if at all.
  void recording_begun();
  // It is over: how, as a sentence.
  void ended(const QString& sentence);

 private:
  void take_output(bool all);
  void look_at_recording();
  void finish(const QString& sentence);

  QProcess process_;
  QTimer looks_;     // at the recording
  QTimer patience_;  // of who asked it to end
  QByteArray line_;  // whose end is still to come
  QString recording_;
  bool running_ = false;
  bool asked_to_end_ = false;
};

}  // namespace iwarp::gui
