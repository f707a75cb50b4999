// StagFindings: what the lives of STags break or explain, which is in no event log: it needs all streams of a
// host. Kept by the frames in which they stand. Knows nothing of epan.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <map>
#include <vector>

#include <iwarp/stags.hpp>

namespace iwarp::dissector {

class StagFindings {
 public:
  explicit StagFindings(bool strict) : lives_({.strict = strict}) {}

  // The events of the frame just added, or of the capture's end.
  void note(Events events, const Analysis& analysis);
  // What the frame just added brings.
  void as_added(EventBuffer& to) const { append(present_, to); }
  // What stands in the frame.
  void of(FrameNumber frame, EventBuffer& to) const;

 private:
  static void append(const std::vector<Event>& events, EventBuffer& to) {
    to.insert(to.end(), events.begin(), events.end());
  }

  StagLives lives_;
  std::vector<Event> present_;
  std::map<FrameNumber, std::vector<Event>> by_frame_;
};

}  // namespace iwarp::dissector
