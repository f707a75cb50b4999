// The whole log of an analysis, unpacked.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <iwarp/analyzer.hpp>

namespace iwarp::test {

// What the end of the capture concludes comes last.
inline EventBuffer all_events(const Analysis& analysis) {
  EventBuffer all;
  EventBuffer some;
  for (FrameNumber frame = 1; frame <= analysis.last_frame(); ++frame) {
    const Events events = analysis.events_of(frame, some);
    all.insert(all.end(), events.begin(), events.end());
  }
  const Events end = analysis.events_of(end_of_capture, some);
  all.insert(all.end(), end.begin(), end.end());
  return all;
}

}  // namespace iwarp::test
