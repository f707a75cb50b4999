// SPDX-License-Identifier: GPL-2.0-or-later
#include "bridge/stag_findings.hpp"

namespace iwarp::dissector {

void StagFindings::note(Events events, const Analysis& analysis) {
  present_.clear();
  for (const Event& event : events) {
    lives_.add(event, analysis.connection(event.connection), analysis);
    for (const StagTable::Found& found : lives_.findings()) {
      present_.push_back(found.event);
      by_frame_[found.event.finding.evidence[0]].push_back(found.event);
    }
  }
}

void StagFindings::of(FrameNumber frame, EventBuffer& to) const {
  const auto found = by_frame_.find(frame);
  if (found != by_frame_.end()) append(found->second, to);
}

}  // namespace iwarp::dissector
