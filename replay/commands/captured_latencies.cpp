// SPDX-License-Identifier: GPL-2.0-or-later
#include "commands/captured_latencies.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "commands/load.hpp"

namespace iwarp::replay {
namespace {

// A faulty message is in the log of its capture what it will be in that of the run, whatever a plan makes of
// it. What is known of the octets the plan tells.
std::vector<LogEntry> as_captured(const std::vector<LogEntry>& captured,
                                  const std::vector<LogEntry>& planned) {
  std::vector<LogEntry> made = captured;
  auto from = planned.begin();
  for (LogEntry& each : made) {
    const auto found = std::find_if(from, planned.end(), [&](const LogEntry& entry) {
      return entry.kind == each.kind && entry.frame == each.frame && entry.length == each.length;
    });
    if (found == planned.end()) continue;
    each.known = found->known;
    each.advertised = found->advertised;
    from = found + 1;
  }
  return made;
}

}  // namespace

void add_captured(const std::vector<std::string>& inputs, const std::vector<std::uint32_t>& numbered_from,
                  const Plan& plan, const std::vector<std::uint32_t>& streams,
                  const std::vector<ExactSide>& exact, std::vector<StreamLog>& expected) {
  std::string error;
  std::vector<StreamLog> logs;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    auto more = load_logs(inputs[i], error);
    if (!more) return;
    for (StreamLog& each : *more) {
      each.stream += numbered_from[i];
      logs.push_back(std::move(each));
    }
  }
  std::map<std::uint32_t, std::size_t> attempts;
  std::map<std::pair<std::uint32_t, std::size_t>, const StreamLog*> found;
  for (const StreamLog& log : logs) found[{log.stream, attempts[log.stream]++}] = &log;
  for (std::size_t i = 0; i < streams.size(); ++i) {
    const PlannedStream& stream = plan.streams[streams[i]];
    const auto log = found.find({stream.number, stream.attempt});
    if (log == found.end()) continue;
    const bool as_sent =
        std::ranges::any_of(exact, [&](const ExactSide& side) { return side.stream == streams[i]; });
    for (std::size_t role = 0; role < 2; ++role) {
      std::vector<LogEntry>& to = expected[i].entries[role];
      const std::vector<LogEntry>& from = log->second->entries[role];
      if (as_sent) to = as_captured(from, to);
      if (to.size() != from.size()) continue;
      for (std::size_t j = 0; j < to.size(); ++j) to[j].latency_ns = from[j].latency_ns;
    }
  }
}

}  // namespace iwarp::replay
