// CaptureDocument: one capture, opened: what was read of it so far, and who reads on.
//
//   CaptureDocument document;
//   connect(&document, &CaptureDocument::grew, …);      // at most twenty times a second
//   document.open("a.pcap", file_source("a.pcap"));
//   document.metrics().operations().size();             // at any time, without waiting
//   document.ask<Snapshot>(this, "state", [=](const Log& log) { return log.timeline.state_after(stream,
//   frame); },
//                          [=](Snapshot state) { show(state); });
//
// Threads: belongs to the thread it was made in, which never waits for the loading one but to end it.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <QElapsedTimer>
#include <QObject>
#include <QPointer>
#include <QString>
#include <QTimer>

#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>

#include "models/loader.hpp"
#include "models/main_queue.hpp"

namespace iwarp::gui {

class CaptureDocument : public QObject {
  Q_OBJECT
 public:
  enum class Origin {
    file,
    standard_input,
    interface,  // frames come as they pass
  };

  explicit CaptureDocument(QObject* parent = nullptr);
  ~CaptureDocument() override;

  // REQUIRES: nothing was opened before. `name`: what people call it; of a file, its path.
  void open(QString name, OpenSource source, LoadOptions options = {}, Origin origin = Origin::file);
  // What was read stays. `ended` follows soon.
  void cancel();

  [[nodiscard]] bool opened() const noexcept { return loader_ != nullptr; }
  [[nodiscard]] const QString& name() const noexcept { return name_; }
  // LoadOptions::hosts
  [[nodiscard]] const Hosts& hosts() const noexcept { return hosts_; }
  [[nodiscard]] bool live() const noexcept { return origin_ == Origin::interface; }
  // The path of its file; empty: it is no file's.
  [[nodiscard]] QString file() const { return origin_ == Origin::file ? name_ : QString(); }
  [[nodiscard]] bool loading() const noexcept { return opened() && result_.end == LoadEnd::loading; }
  // Once it ended. Its summary is empty before.
  [[nodiscard]] const LoadResult& result() const noexcept { return result_; }
  [[nodiscard]] LoadProgress progress() const;
  // Octets a second since the beginning.
  [[nodiscard]] double rate() const;

  // REQUIRES: opened(). They live as long as the document.
  [[nodiscard]] const Metrics& metrics() const noexcept { return loader_->metrics(); }
  // As they were at the last `grew` or `ended`.
  [[nodiscard]] const Overview& overview() const noexcept { return *overview_; }
  // From the first frame to behind the last one; not empty, even where nothing is known.
  [[nodiscard]] TimeSpan span() const noexcept;

  // Asks something about the log, in its thread; `answer` is called with the result in this one, as long as
  // `asker` lives. A newer question of the same asker and topic takes the place of this one, wherever it has
  // come to.
  template <typename Answer>
  void ask(QObject* asker, const std::string& topic, std::function<Answer(const Log&)> question,
           std::function<void(Answer)> answer) {
    ask_any(asker, topic, [question = std::move(question), answer = std::move(answer)](const Log& log) {
      return std::function<void()>([answer, result = question(log)] { answer(result); });
    });
  }
  // Questions that were asked and not answered.
  [[nodiscard]] std::size_t waiting() const noexcept { return waiting_; }

 signals:
  void grew();
  void ended();
  // waiting() became 0.
  void answered();

 private:
  using Question = std::function<std::function<void()>(const Log&)>;
  void ask_any(QObject* asker, const std::string& topic, Question question);
  void look();

  QString name_;
  Origin origin_ = Origin::file;
  Hosts hosts_;
  LoadResult result_;
  std::shared_ptr<const Overview> overview_;
  QElapsedTimer clock_;
  qint64 took_ms_ = 0;
  QTimer looks_;
  std::size_t rows_ = 0;
  std::uint64_t frames_ = 0;
  std::size_t waiting_ = 0;
  // The newest question of each asker and topic.
  std::map<std::pair<QObject*, std::string>, std::shared_ptr<std::atomic<bool>>> newest_;
  MainQueue queue_;
  std::unique_ptr<Loader> loader_;  // last: it uses the others until it is gone
};

}  // namespace iwarp::gui
