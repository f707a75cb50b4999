// ReplayPanel: the stream on show, played again by iwarp-replay: its ladder beside the recorded one, as it
// grows.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <QTemporaryDir>
#include <QTimer>
#include <QWidget>

#include <memory>

#include "models/flow_source.hpp"
#include "models/replay_run.hpp"
#include "views/ladder_view.hpp"

class QLabel;
class QPlainTextEdit;
class QPushButton;
class QSplitter;
class QVBoxLayout;

namespace iwarp::gui {

class ReplayPanel : public QWidget {
  Q_OBJECT
 public:
  // `program`: the path of iwarp-replay; empty: it is not there.
  ReplayPanel(Workspace& workspace, const Theme& theme, QString program, QWidget* parent);
  ~ReplayPanel() override;

  void set_theme(const Theme& theme);
  void run();
  void stop();
  [[nodiscard]] bool running() const noexcept { return run_.running(); }
  // Why it cannot be run now; empty: it can.
  [[nodiscard]] QString why_not() const;
  // What was said until now.
  [[nodiscard]] QString output() const;
  // What the last run sent; nullptr: nothing yet.
  [[nodiscard]] Workspace* replayed() const noexcept { return replayed_.get(); }

 signals:
  void ended();

 private:
  [[nodiscard]] ReplayCall call() const;
  void show_state();
  void say(const QString& lines);
  void follow();
  void end_following();
  void save(const QString& file, const QString& title, const QString& name);

  Workspace& workspace_;
  const Theme* theme_;
  const QString program_;
  const QTemporaryDir folder_;
  ReplayRun run_;
  QPushButton* begin_;
  QPushButton* stop_;
  QPushButton* save_recording_;
  QPushButton* save_report_;
  QLabel* words_;
  QPlainTextEdit* output_;
  QLabel* recorded_title_;
  QLabel* replayed_title_;
  LadderView* recorded_ladder_;
  QLabel* nothing_;  // where the ladder of the replay is to be
  QVBoxLayout* replayed_side_;
  std::unique_ptr<Workspace> replayed_;
  std::unique_ptr<LadderView> replayed_ladder_;  // of it
  ReplayCall called_;
  QTimer last_looks_;  // whether all of the recording has been read
  int looks_left_ = 0;
};

}  // namespace iwarp::gui
