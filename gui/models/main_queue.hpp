// MainQueue: closures that any thread posts and the thread of this object runs, in their order, from its
// event loop.
//
// What is posted is handed over under a lock of the standard library; Qt only wakes the loop. What was posted
// and not run when the queue is destroyed is dropped.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <QObject>

#include <functional>
#include <mutex>
#include <vector>

namespace iwarp::gui {

class MainQueue : public QObject {
 public:
  explicit MainQueue(QObject* parent = nullptr) : QObject(parent) {}

  // Any thread, as long as the queue lives.
  void post(std::function<void()> task);
  // Runs what is there. Its own thread.
  void drain();

  bool event(QEvent* event) override;

 private:
  std::mutex mutex_;
  std::vector<std::function<void()>> tasks_;
};

}  // namespace iwarp::gui
