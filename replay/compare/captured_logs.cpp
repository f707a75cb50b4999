// Logs of capture files, read once.
// SPDX-License-Identifier: GPL-2.0-or-later
#include <iwarp/capture/segment_reader.hpp>

#include "compare/alignment.hpp"
#include "compare/event_log.hpp"
#include "plan/planner.hpp"

namespace iwarp::replay {
namespace {

// Hands `take` what each segment of a capture tells. False: it cannot be opened, or it was `cancelled`.
template <typename Take>
bool read_capture(const std::string& path, bool payload, std::string& error, std::string& damage,
                  const Cancelled& cancelled, const Take& take) {
  const auto records = capture::RecordReader::open(path, error, cancelled);
  if (!records) return false;
  capture::SegmentReader reader(*records);
  AnalyzerOptions options;
  options.keep_payload = payload;
  Analyzer analyzer(options);
  for (TcpSegment segment; !(cancelled && cancelled()) && reader.next(segment);)
    take(analyzer.analysis(), analyzer.add(segment));
  if (cancelled && cancelled()) {
    error = "interrupted";
    return false;
  }
  take(analyzer.analysis(), analyzer.finish());
  if (records->damage()) damage = records->damage()->text;
  return true;
}

bool same_request(const LogEntry& a, const LogEntry& b) noexcept {
  return a.kind == b.kind && a.frame == b.frame && a.length == b.length;
}

// What the plan knows of a request, to the request of the log that it was made from.
void take_known(std::vector<LogEntry>& from, std::vector<LogEntry>& to) {
  const auto keys = [](const std::vector<LogEntry>& entries) {
    std::vector<std::uint64_t> out;
    for (const LogEntry& each : entries) {
      out.push_back((std::uint64_t{each.frame} << 8U) | static_cast<std::uint64_t>(each.kind));
    }
    return out;
  };
  for (const auto& [i, j] : align(keys(from), keys(to))) {
    if (same_request(from[i], to[j])) to[j].known = std::move(from[i].known);
  }
}

// Behind the damage a RST may come even to a stream that both sides had closed.
void leave_open(std::vector<EventLog>& logs, const std::string& damage) {
  if (damage.empty()) return;
  for (EventLog& log : logs) log.left_open = true;
}

}  // namespace

std::optional<std::vector<EventLog>> logs_of_capture(const std::string& path, std::string& error,
                                                     std::uint64_t kept_payload, const Cancelled& cancelled,
                                                     std::string* damage) {
  LogBuilder builder(kept_payload);
  std::string told;
  const auto take = [&](const Analysis& analysis, Events events) { builder.add(analysis, events); };
  if (!read_capture(path, kept_payload != 0, error, told, cancelled, take)) return std::nullopt;
  std::vector<EventLog> logs = builder.finish();
  leave_open(logs, told);
  if (damage != nullptr) *damage = std::move(told);
  return logs;
}

std::optional<RecordedLogs> recorded_logs_of_capture(const std::string& path, std::string& error,
                                                     const Cancelled& cancelled) {
  LogBuilder builder;
  Planner planner;
  const auto take = [&](const Analysis& analysis, Events events) {
    builder.add(analysis, events);
    planner.add(analysis, events);
  };
  std::string damage;
  if (!read_capture(path, true, error, damage, cancelled, take)) return std::nullopt;
  RecordedLogs recorded{std::make_unique<const Plan>(planner.finish()), builder.finish(), std::move(damage)};
  leave_open(recorded.logs, recorded.damage);
  // Both lists are in order of the streams; a connection that was started up again has several logs.
  std::vector<EventLog> expected = expected_logs(*recorded.plan);
  auto from = expected.begin();
  for (EventLog& log : recorded.logs) {
    while (from != expected.end() && from->stream < log.stream) ++from;
    if (from == expected.end() || from->stream != log.stream) continue;
    for (std::size_t role = 0; role < 2; ++role) take_known(from->entries[role], log.entries[role]);
    log.private_data = std::move(from->private_data);  // with the STags that were found in it
    log.refused = std::move(from->refused);
    ++from;
  }
  return recorded;
}

}  // namespace iwarp::replay
