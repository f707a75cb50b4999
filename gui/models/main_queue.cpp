// SPDX-License-Identifier: GPL-2.0-or-later
#include "models/main_queue.hpp"

#include <QCoreApplication>
#include <QEvent>
#include <QPointer>

namespace iwarp::gui {

void MainQueue::post(std::function<void()> task) {
  const std::lock_guard lock(mutex_);
  tasks_.push_back(std::move(task));
  if (tasks_.size() == 1) QCoreApplication::postEvent(this, new QEvent(QEvent::User));
}

void MainQueue::drain() {
  std::vector<std::function<void()>> tasks;
  {
    const std::lock_guard lock(mutex_);
    tasks.swap(tasks_);
  }
  const QPointer<MainQueue> alive = this;  // a task may be the end of the queue's owner
  for (const auto& task : tasks) {
    if (!alive) return;
    task();
  }
}

bool MainQueue::event(QEvent* event) {
  if (event->type() != QEvent::User) return QObject::event(event);
  drain();
  return true;
}

}  // namespace iwarp::gui
