// A finding on a stream that the log does not have; of checks whose severity is the same for all products.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <algorithm>
#include <array>
#include <memory>

#include <iwarp/event.hpp>
#include <iwarp/finding.hpp>

namespace iwarp {

// `decided`: the event that shows it. `side`: who causes it, or breaks the rule. `time_ns`: of the first of
// the frames that are evidence; 0 is none.
[[nodiscard]] inline Event finding_event(const Event& decided, CheckId check, Side side,
                                         const std::array<std::uint64_t, 4>& arguments,
                                         const std::array<FrameNumber, 2>& frames, TimeNs time_ns) {
  Event event;
  event.kind = EventKind::finding;
  event.connection = decided.connection;
  event.side = side;
  event.frame = decided.frame;
  event.time_ns = decided.time_ns;
  Finding finding;
  finding.check = check;
  finding.severity = check_info(check).strict_severity;
  finding.time_ns = time_ns;
  std::copy(arguments.begin(), arguments.end(), finding.arguments.begin());
  for (const FrameNumber frame : frames) {
    if (frame != 0 && (finding.evidence_count == 0 || finding.evidence[0] != frame))
      finding.evidence[finding.evidence_count++] = frame;
  }
  std::construct_at(&event.finding, finding);
  return event;
}

}  // namespace iwarp
