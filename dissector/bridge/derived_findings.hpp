// DerivedFindings: findings that are in no event log, since they are drawn from it: what the lives of STags,
// which belong to hosts, break or explain, and what cost streams time. Kept by the frames in which they
// stand. Knows nothing of epan.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <map>
#include <vector>

#include <iwarp/diagnosis.hpp>
#include <iwarp/latency_parts.hpp>
#include <iwarp/stags.hpp>
#include <iwarp/startup_retries.hpp>

#include "bridge/operation_parts.hpp"
#include "bridge/stag_story.hpp"

namespace iwarp::dissector {

class DerivedFindings {
 public:
  explicit DerivedFindings(bool strict) : stags_({.strict = strict}) {}

  // The events of the frame just added, or of the capture's end.
  void note(Events events, const Analysis& analysis);
  // What the frame just added brings.
  void as_added(EventBuffer& to) const { append(present_, to); }
  // Where the time of the operations noted so far went.
  [[nodiscard]] const OperationParts& parts() const noexcept { return parts_; }
  // What messages name and tell of STags, as far as noted.
  [[nodiscard]] const StagStory& stag_story() const noexcept { return story_; }
  // What stands in the frame.
  void of(FrameNumber frame, EventBuffer& to) const;

 private:
  static void append(const std::vector<Event>& events, EventBuffer& to) {
    to.insert(to.end(), events.begin(), events.end());
  }

  void put(const Event& finding);

  LatencyTracker latencies_;
  OperationParts parts_;
  Diagnosis diagnosis_;
  StartupRetries retries_;
  StagReader stag_reader_;
  StagTable stags_;
  StagStory story_;
  std::vector<Event> present_;
  std::map<FrameNumber, std::vector<Event>> by_frame_;
};

}  // namespace iwarp::dissector
