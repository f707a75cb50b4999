// SPDX-License-Identifier: GPL-2.0-or-later
#include "bridge/derived_findings.hpp"

namespace iwarp::dissector {

void DerivedFindings::note(Events events, const Analysis& analysis) {
  present_.clear();
  for (const Event& event : events) {
    const ConnectionState* const connection = analysis.connection(event.connection);
    latencies_.add(event);
    if (latencies_.parts() != nullptr) parts_.add(event, *latencies_.parts());
    diagnosis_.add(event, connection, analysis, latencies_);
    for (const Event& finding : diagnosis_.findings()) put(finding);
    if (const auto attempt = startup_attempt(event, connection)) {
      if (const auto again = retries_.add(*attempt)) put(*again);
    }
    for (const StagUse& use : stag_reader_.add(event, connection, analysis)) {
      stags_.add(use);
      for (const StagTable::Found& found : stags_.findings()) put(found.event);
      story_.note(use, stags_);
    }
  }
}

void DerivedFindings::put(const Event& finding) {
  present_.push_back(finding);
  by_frame_[finding.finding.evidence[0]].push_back(finding);
}

void DerivedFindings::of(FrameNumber frame, EventBuffer& to) const {
  const auto found = by_frame_.find(frame);
  if (found != by_frame_.end()) append(found->second, to);
}

}  // namespace iwarp::dissector
