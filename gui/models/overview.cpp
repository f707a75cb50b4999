// SPDX-License-Identifier: GPL-2.0-or-later
#include "models/overview.hpp"

namespace iwarp::gui {

void Overview::add_frame(TimeNs time, std::uint64_t wire_octets) {
  const TimeNs behind = time == std::numeric_limits<TimeNs>::max() ? time : time + 1;
  span = hull(span, {behind - 1, behind});
  OverviewCell cell;
  cell.octets = wire_octets;
  cell.frames = 1;
  bins.add(time, cell);
}

void Overview::add(const Event& event, bool late) {
  OverviewCell cell;
  TimeNs time = event.time_ns;
  if (event.kind == EventKind::gap && !event.gap.restated) {
    cell.gap_octets = std::max<std::uint64_t>(event.gap.length, 1);
  } else if (event.kind == EventKind::retransmitted && !event.retransmitted.duplicate_frame) {
    cell.retransmitted = event.retransmitted.length;
  } else if (late) {
    cell.late = event.fpdu.wire_size;
    time = event.fpdu.placed.time_ns;
  } else if (event.kind == EventKind::finding) {
    cell.findings = 1;
    cell.worst = event.finding.severity;
    time = event.finding.time_ns;
  } else {
    return;
  }
  bins.add(time, cell);
}

}  // namespace iwarp::gui
