// SPDX-License-Identifier: GPL-2.0-or-later
#include <algorithm>

#include "verbs/backend.hpp"

namespace iwarp::replay::verbs {

void keep_visible(EventLog& log, Role role) {
  for (const Role each : {Role::initiator, Role::responder}) {
    std::erase_if(log.entries[static_cast<std::size_t>(each)], [&](const LogEntry& entry) {
      if (is_close(entry.kind) || entry.kind == WorkKind::terminate) return true;
      if (each == role) return false;
      // A message that nobody received: no buffer, too long.
      return !is_send(entry.kind) || entry.outcome != OperationStatus::complete;
    });
  }
}

}  // namespace iwarp::replay::verbs
