// SPDX-License-Identifier: GPL-2.0-or-later
#include "compare/cause.hpp"

#include <algorithm>

namespace iwarp::replay {
namespace {

const std::vector<LogEntry>& entries_of(const StreamLog& log, Role role) {
  return log.entries[static_cast<std::size_t>(role)];
}

bool is_end(const LogEntry& entry) noexcept {
  return is_close(entry.kind) || entry.kind == WorkKind::terminate;
}

// Reads and Atomics stand in the log of who asks. What differs in the answer came later, from the other side.
bool of_response(const Difference& difference, const LogEntry& entry) {
  const auto answers = [](LogField field) {
    return field == LogField::outcome || field == LogField::payload || field == LogField::atomic;
  };
  return (entry.kind == WorkKind::read || entry.kind == WorkKind::atomic) &&
         std::ranges::all_of(difference.fields, answers);
}

// The live frames between which what is missing would have stood.
struct Between {
  FrameNumber begin = 0;
  FrameNumber end = ~FrameNumber{0};
};
Between place_of_missing(const Difference& difference, const Comparison& comparison, const StreamLog& live) {
  Between between;
  for (const Match& each : comparison.matches) {
    if (each.role != difference.role) continue;
    const FrameNumber frame = entries_of(live, each.role)[each.live].frame;
    if (each.recorded < *difference.recorded) between.begin = std::max(between.begin, frame);
    if (each.recorded > *difference.recorded) between.end = std::min(between.end, frame);
  }
  return between;
}

// Rules of how a stream ends explain nothing that came before.
bool is_end_of(const StreamLog& live, const PlannedViolation& broken) {
  if (!broken.check.starts_with("VERBS-") && broken.check != "RDMAP-RRLOST") return false;
  return std::ranges::any_of(entries_of(live, broken.role), [&](const LogEntry& each) {
    return is_end(each) && each.frame == broken.frame;
  });
}

bool explains(const PlannedViolation& broken, const Difference& difference, const Comparison& comparison,
              const StreamLog& live) {
  if (difference.of_startup()) return true;
  if (!difference.live) {
    if (is_end_of(live, broken)) return false;
    const Between between = place_of_missing(difference, comparison, live);
    return broken.frame >= between.begin && (broken.role != difference.role || broken.frame <= between.end);
  }
  const LogEntry& entry = entries_of(live, difference.role)[*difference.live];
  if (of_response(difference, entry)) return broken.role != difference.role && broken.frame >= entry.frame;
  return broken.frame <= entry.frame;
}

const PlannedViolation* broken_first(const Difference& difference, const Comparison& comparison,
                                     const StreamLog& recorded, const StreamLog& live) {
  const PlannedViolation* first = nullptr;
  for (const PlannedViolation& each : live.violations) {
    const bool recorded_too = std::ranges::any_of(recorded.violations, [&](const PlannedViolation& other) {
      return other.check == each.check && other.role == each.role;
    });
    if (recorded_too || !explains(each, difference, comparison, live)) continue;
    if (first == nullptr || each.frame < first->frame) first = &each;
  }
  return first;
}

// The first Terminate or RST of `role` from `frame` on, or FIN where that counts.
std::optional<LiveEntry> end_by(Role role, const StreamLog& live, FrameNumber frame, bool fin = false) {
  const std::vector<LogEntry>& entries = entries_of(live, role);
  for (std::size_t i = 0; i < entries.size(); ++i) {
    if (is_end(entries[i]) && (fin || entries[i].kind != WorkKind::fin) && entries[i].frame >= frame)
      return LiveEntry{role, i};
  }
  return std::nullopt;
}

}  // namespace

Cause cause_of(const Comparison& comparison, const StreamLog& recorded, const StreamLog& live) {
  Cause cause;
  cause.difference = comparison.first();
  if (cause.difference == nullptr) return cause;
  const Difference& difference = *cause.difference;
  cause.broken = broken_first(difference, comparison, recorded, live);
  const LogEntry* const entry =
      difference.live ? &entries_of(live, difference.role)[*difference.live] : nullptr;
  const bool response = entry != nullptr && of_response(difference, *entry);
  cause.breaks_it = cause.broken != nullptr && entry != nullptr && !response &&
                    cause.broken->role == difference.role && cause.broken->frame == entry->frame;
  const FrameNumber frame = frame_of(cause, comparison, live);
  const bool ended = cause.broken == nullptr && entry != nullptr && is_end(*entry);
  const Role culprit = cause.broken != nullptr ? cause.broken->role : difference.role;
  if (!ended) cause.answer = end_by(other(culprit), live, frame);
  // Its Read or Atomic was answered by the end of the stream, by whomever.
  if (response && !cause.broken && !cause.answer) cause.answer = end_by(culprit, live, frame);
  if (entry == nullptr && !difference.of_startup() && cause.broken == nullptr && !live.timed_out)
    cause.instead = end_by(difference.role, live, frame, true);
  return cause;
}

FrameNumber frame_of(const Cause& cause, const Comparison& comparison, const StreamLog& live) {
  if (cause.difference == nullptr) return 0;
  if (cause.broken != nullptr) return cause.broken->frame;
  const Difference& difference = *cause.difference;
  if (difference.of_startup()) return 0;
  if (difference.live) return entries_of(live, difference.role)[*difference.live].frame;
  return place_of_missing(difference, comparison, live).begin;
}

}  // namespace iwarp::replay
