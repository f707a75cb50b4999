// SPDX-License-Identifier: GPL-2.0-or-later
#include "models/wait_spans.hpp"

#include <algorithm>

namespace iwarp::gui {

void WaitSpans::add(const Event& event) {
  if (event.kind == EventKind::fpdu) {
    const Placement& placed = event.fpdu.placed;
    // One that nothing had to wait for is delivered by the frame that placed it.
    if (placed.frame == 0 || placed.frame == event.frame || placed.time_ns >= event.time_ns) return;
    std::vector<TimeSpan>& holes = stream(event.connection).holes;
    // Whatever stood behind one hole is delivered at once.
    if (!holes.empty() && holes.back().upto == event.time_ns) {
      holes.back().from = std::min(holes.back().from, placed.time_ns);
    } else {
      holes.push_back({placed.time_ns, event.time_ns});
    }
  } else if (event.kind == EventKind::window_full) {
    stream(event.connection).windows.push_back({event.window_full.since.time_ns, event.time_ns});
  } else if (event.kind == EventKind::window) {
    Stream& own = stream(event.connection);
    std::optional<TimeNs>& since = own.closed_since[index(event.side)];
    if (event.window.closed) {
      if (!since) since = event.time_ns;
    } else if (since) {
      own.windows.push_back({*since, event.time_ns});
      since.reset();
    }
  }
}

void WaitSpans::add(const Stall& stall) {
  if (stall.cause != StallCause::ord && stall.cause != StallCause::credits) return;
  Stream& own = stream(stall.stream);
  std::vector<TimeSpan>& spans = stall.cause == StallCause::ord ? own.at_ord : own.no_credit;
  spans.push_back({stall.begin.time_ns, stall.end.time_ns});
}

WaitSpans::Stream& WaitSpans::stream(ConnectionId connection) {
  Stream* const found = streams_.find(connection);
  return found != nullptr ? *found : streams_.add(connection);
}

}  // namespace iwarp::gui
