// Logs of capture files, read once.
// SPDX-License-Identifier: GPL-2.0-or-later
#include <iwarp/capture/segment_reader.hpp>

#include "compare/alignment.hpp"
#include "compare/stream_log.hpp"
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
  options.keep_payload = payload ? KeepPayload::all : KeepPayload::none;
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

std::vector<std::uint64_t> keys_of(const std::vector<LogEntry>& entries) {
  std::vector<std::uint64_t> keys;
  for (const LogEntry& each : entries) {
    keys.push_back((std::uint64_t{each.frame} << 8U) | static_cast<std::uint64_t>(each.kind));
  }
  return keys;
}

// What the plan knows of a request, to the request of the log that it was made from.
void take_known(std::vector<LogEntry>& from, std::vector<LogEntry>& to) {
  for (const auto& [i, j] : align(keys_of(from), keys_of(to))) {
    if (!same_request(from[i], to[j])) continue;
    to[j].known = std::move(from[i].known);
    to[j].advertised = std::move(from[i].advertised);
  }
}

// Behind the damage a RST may come even to a stream that both sides had closed.
void leave_open(std::vector<StreamLog>& logs, const std::string& damage) {
  if (damage.empty()) return;
  for (StreamLog& log : logs) log.left_open = true;
}

void take_latencies(const std::vector<LogEntry>& from, std::vector<LogEntry>& to) {
  for (const auto& [i, j] : align(keys_of(from), keys_of(to))) {
    if (same_request(from[i], to[j])) to[j].latency_ns = from[i].latency_ns;
  }
}

}  // namespace

std::optional<std::vector<StreamLog>> logs_of_capture(const std::string& path, std::string& error,
                                                      std::uint64_t kept_payload, const Cancelled& cancelled,
                                                      std::string* damage) {
  LogBuilder builder(kept_payload);
  std::string told;
  const auto take = [&](const Analysis& analysis, Events events) { builder.add(analysis, events); };
  if (!read_capture(path, kept_payload != 0, error, told, cancelled, take)) return std::nullopt;
  std::vector<StreamLog> logs = builder.finish();
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
  std::vector<StreamLog> expected = expected_logs(*recorded.plan);
  auto from = expected.begin();
  for (StreamLog& log : recorded.logs) {
    while (from != expected.end() && from->stream < log.stream) ++from;
    if (from == expected.end() || from->stream != log.stream) continue;
    for (std::size_t role = 0; role < 2; ++role) take_known(from->entries[role], log.entries[role]);
    log.private_data = std::move(from->private_data);  // with the STags that were found in it
    log.refused = std::move(from->refused);
    ++from;
  }
  return recorded;
}

void expect_run(RecordedLogs& recorded) {
  // A connection that was started up again has several logs.
  std::map<std::pair<std::uint32_t, std::uint32_t>, const StreamLog*> captured;
  std::map<std::uint32_t, std::uint32_t> attempts;
  for (const StreamLog& each : recorded.logs) captured[{each.stream, attempts[each.stream]++}] = &each;
  std::vector<StreamLog> logs;
  for (std::uint32_t i = 0; i < recorded.plan->streams.size(); ++i) {
    const PlannedStream& stream = recorded.plan->streams[i];
    StreamLog& log = logs.emplace_back(expected_log(*recorded.plan, i));
    const auto from = captured.find({stream.number, stream.attempt});
    if (from == captured.end()) continue;
    for (std::size_t role = 0; role < 2; ++role)
      take_latencies(from->second->entries[role], log.entries[role]);
  }
  leave_open(logs, recorded.damage);
  recorded.logs = std::move(logs);
}

}  // namespace iwarp::replay
