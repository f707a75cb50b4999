// Report: what a person wants to read first about one capture.
//
// Collects while the events come and is printed at the end. Memory is bounded: the streams and findings
// listed one by one are limited, the others are counted.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <memory>
#include <optional>
#include <string_view>

#include <iwarp/analyzer.hpp>
#include <iwarp/export/summary.hpp>
#include <iwarp/export/text_buffer.hpp>
#include <iwarp/latency_parts.hpp>

namespace iwarp::report {
struct Content;
struct Entry;
}  // namespace iwarp::report

#pragma GCC visibility push(default)
namespace iwarp {

struct ReportOptions {
  bool color = false;                             // ANSI colours
  Severity min_severity = Severity::information;  // findings below it are only counted
  std::optional<ConnectionId> stream;             // only this stream is listed
  std::size_t max_streams = 30;                   // listed one by one
  std::size_t max_ends_of_check = 1024;  // ends of streams kept with its findings; others are counted
};

class Report {
 public:
  explicit Report(ReportOptions options = {});
  ~Report();
  Report(Report&&) noexcept;
  Report& operator=(Report&&) noexcept;

  // `connection` is that of the event; nullptr when no longer followed. `parts`: of an operation, what a
  // LatencyTracker makes of it; with them the report says where the time went.
  void add(const Event& event, const ConnectionState* connection, const LatencyParts* parts = nullptr);

  // The same in two parts, for a report on connections that several Analyzers follow, which number them in
  // ways of their own: `stream` is the number in the capture. The order of entries matters, that of what is
  // counted does not: so entries are made by each, and taken by one report in the capture's order, which
  // merges what the others counted.
  using Entry = std::shared_ptr<const report::Entry>;
  // What is said of a stream that closed, or of a finding; nullptr for any other event. Independent of
  // `event` and `connection`.
  [[nodiscard]] static Entry entry_of(const Event& event, const ConnectionState& connection,
                                      ConnectionId stream);
  // … of a finding alone, its connection being the stream's number.
  [[nodiscard]] static Entry entry_of(const Event& finding, Role from);
  void take(const report::Entry& entry);
  // A message or an operation; other events are passed over.
  void count(const Event& event, ConnectionId stream, const LatencyParts* parts = nullptr);
  // Adds what `other` counted, but none of the entries that it took.
  void merge(const Report& other);

  // Appends the report. `name` is the capture's; `stopped` tells that reading ended before its end.
  void print(TextBuffer& out, std::string_view name, const Summary& summary, bool stopped = false) const;

 private:
  std::unique_ptr<report::Content> content_;
};

// Appends the state of one connection as a person reads it: both sides next to each other, then what is
// outstanding and open. `frame`: the frame it is the state after.
void print_state(TextBuffer& out, const ConnectionState& connection, FrameNumber frame, bool color);

}  // namespace iwarp
#pragma GCC visibility pop
