// SPDX-License-Identifier: GPL-2.0-or-later
#include <algorithm>
#include <set>

#include "verbs/backend.hpp"

namespace iwarp::replay::verbs {

void keep_visible(StreamLog& log, const PlannedStream& stream, Role role) {
  // The peer's messages that found no buffer, or too short a one.
  std::set<FrameNumber> refused;
  for (const PlannedWork& work : stream.work) {
    if (work.role == role && work.kind == WorkKind::terminate && work.quoted)
      refused.insert(stream.work[*work.quoted].frame);
  }
  for (const Role each : {Role::initiator, Role::responder}) {
    std::erase_if(log.entries[static_cast<std::size_t>(each)], [&](const LogEntry& entry) {
      if (is_close(entry.kind) || entry.kind == WorkKind::terminate) return true;
      if (each == role) return false;
      return !is_send(entry.kind) || entry.outcome != OperationStatus::complete ||
             refused.contains(entry.frame);
    });
  }
}

}  // namespace iwarp::replay::verbs
