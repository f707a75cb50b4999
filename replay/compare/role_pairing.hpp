// Which requests of one role in two logs are the same: by what they are and their order, for nothing else is
// certain to be alike in both.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "compare/ignore.hpp"
#include "compare/stream_log.hpp"

namespace iwarp::replay {

// One role's entries in one log, and why some may be missing.
struct RoleEntries {
  const std::vector<LogEntry>& entries;
  std::optional<Reason> lacking;
};

// Places in the two logs.
struct RolePairing {
  std::map<std::size_t, std::size_t> pairs;                    // recorded to live, in the same order
  std::vector<std::pair<std::size_t, std::size_t>> reordered;  // the same, elsewhere
  std::vector<std::size_t> missing;                            // in the recorded log alone
  std::set<std::size_t> extra;                                 // in the live log alone
  std::optional<Reason> uncertain;  // why the one of a pair may not be the other one at all
};

// What rules ignore has no place in it.
[[nodiscard]] RolePairing pair_entries(const RoleEntries& recorded, const RoleEntries& live,
                                       const IgnoreRules& ignore);

}  // namespace iwarp::replay
