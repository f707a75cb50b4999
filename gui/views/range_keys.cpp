// SPDX-License-Identifier: GPL-2.0-or-later
#include "views/range_keys.hpp"

#include <QKeyEvent>

#include "scale/time_scale.hpp"

namespace iwarp::gui {

bool see_by_key(Workspace& workspace, int key) {
  constexpr double step = 0.15;  // of what is seen
  constexpr double zoom = 0.7;
  Session& session = workspace.session();
  const TimeSpan seen = workspace.visible();
  const TimeSpan all = workspace.document().span();
  const TimeNs middle = seen.from + static_cast<TimeNs>(seen.length() / 2);
  const TimeNs anchor = session.hover() && seen.contains(*session.hover()) ? *session.hover() : middle;
  const auto by = static_cast<std::int64_t>(step * static_cast<double>(seen.length()));
  const auto see = [&](TimeSpan span) { session.set_range(span, Session::Step::gesture); };
  switch (key) {
    case Qt::Key_W: see(zoomed(seen, anchor, zoom, all)); return true;
    case Qt::Key_S: see(zoomed(seen, anchor, 1 / zoom, all)); return true;
    case Qt::Key_A: see(panned(seen, -by, all)); return true;
    case Qt::Key_D: see(panned(seen, by, all)); return true;
    case Qt::Key_Home: session.set_range(std::nullopt); return true;
    default: return false;
  }
}

}  // namespace iwarp::gui
