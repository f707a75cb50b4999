// SPDX-License-Identifier: GPL-2.0-or-later
#include "app/settle.hpp"

#include <QEventLoop>
#include <QTimer>

namespace iwarp::gui {

void wait_until_read(Workspace& workspace) {
  if (!workspace.document().loading()) return;
  QEventLoop loop;
  QObject::connect(&workspace.document(), &CaptureDocument::ended, &loop, &QEventLoop::quit);
  loop.exec();
}

void wait_until_settled(Workspace& workspace, const std::function<bool()>& settled) {
  QEventLoop loop;
  QTimer looks;
  // Looks in a row at which nothing was going on: an answer may be the cause of another question.
  int quiet = 0;
  QObject::connect(&looks, &QTimer::timeout, &loop, [&] {
    const bool done =
        !workspace.document().loading() &&
        (workspace.document().result().end == LoadEnd::unreadable || workspace.levels().settled()) &&
        workspace.document().waiting() == 0 && settled();
    quiet = done ? quiet + 1 : 0;
    if (quiet == 3) loop.quit();
  });
  looks.start(2);
  loop.exec();
}

}  // namespace iwarp::gui
