// A conversation in which one end's TCP window is never larger.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <vector>

#include "support/conversation.hpp"

namespace iwarp::test {

// `window`: unscaled, of all that Conversation's a sends, or b.
[[nodiscard]] inline std::vector<OwnedSegment> with_window(const Conversation& conversation, Side side,
                                                           std::uint16_t window) {
  const Conversation::Options endpoints;
  std::vector<OwnedSegment> segments = conversation.segments();
  for (OwnedSegment& each : segments) {
    if (each.meta.source == (side == Side::a ? endpoints.a : endpoints.b)) each.meta.window = window;
  }
  return segments;
}

}  // namespace iwarp::test
