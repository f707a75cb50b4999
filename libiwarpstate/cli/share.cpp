// SPDX-License-Identifier: GPL-2.0-or-later
#include "share.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include <iwarp/export/writers.hpp>

#include "program/memory.hpp"
#include "program/printable.hpp"
#include "record_output.hpp"

namespace iwarp::cli {

namespace {

constexpr std::size_t states_between_looks = 1024;
// What one capture may come to hold between two looks at memory, at most an eighth of the limit.
constexpr std::size_t most_between_looks = 64U << 20U;

bool hashes(const Options& options) {
  return options.payload_hash && options.wants(RecordKind::message);
}

AnalyzerOptions analyzer_options(const Options& options, Share& share) {
  AnalyzerOptions chosen;
  chosen.take_portion = [&share](Events events) { share.take_early(events); };
  chosen.strict = options.strict;
  chosen.acknowledgements = options.follows_deliveries();
  if (options.follows_stags() || options.follows_stalls()) chosen.keep_payload = KeepPayload::beginnings;
  if (hashes(options)) chosen.keep_payload = KeepPayload::all;
  return chosen;
}

ReportOptions report_options(const Options& options, bool color) {
  ReportOptions chosen;
  chosen.color = color;
  chosen.min_severity = options.min_severity;
  chosen.stream = options.stream;
  return chosen;
}

}  // namespace

Share::Share(const Options& options, std::size_t capture, bool color,
             std::function<void(std::string_view)> write)
    : options_(options),
      capture_(capture),
      name_(program::printable(options.captures[capture])),
      color_(color),
      max_memory_(options.memory_limit()),
      write_(std::move(write)),
      analyzer_(analyzer_options(options, *this)),
      report_(report_options(options, color)),
      hosts_(options, capture, report_, summary_),
      hashing_(hashes(options)),
      states_due_(options.state_at.has_value()) {}

Share::Share(const Options& options, std::size_t capture, std::function<ConnectionId(ConnectionId)> number_of)
    : options_(options),
      capture_(capture),
      name_(program::printable(options.captures[capture])),
      color_(false),
      max_memory_(options.memory_limit()),
      find_number_(std::move(number_of)),
      analyzer_(analyzer_options(options, *this)),
      report_(report_options(options, false)),
      hosts_(options, capture, report_, summary_),
      hashing_(hashes(options)),
      states_due_(false) {}

ConnectionId Share::number_of(ConnectionId connection) {
  if (!find_number_) return connection;
  if (connection >= numbers_.size())
    numbers_.resize(std::max<std::size_t>(connection + 1, 2 * numbers_.size()));
  std::optional<ConnectionId>& number = numbers_[connection];
  if (!number) number = find_number_(connection);
  return *number;
}

bool Share::memory_is_short() const noexcept {
  return program::memory_in_use() > max_memory_ - std::min(max_memory_ / 8, most_between_looks);
}

bool Share::lets_enough_go(std::size_t connections) {
  const std::size_t before = kept();
  while (memory_is_short()) {
    if (kept() == 0) return program::memory_in_use() <= max_memory_;
    if (before - kept() >= connections || has_said_much()) break;
    let_go(std::clamp<std::size_t>(kept() / 8, 1, connections));
    program::return_free_memory();
  }
  return true;
}

bool Share::fits_memory() {
  return !spent_ && !program::memory_ran_out() && lets_enough_go(std::numeric_limits<std::size_t>::max());
}

void Share::let_go_all() {
  flush();  // what is known goes first
  let_go(kept());
}

// A few at a time: until they are dropped their whole states are there, which may have been packed before.
void Share::let_go(std::size_t connections) {
  constexpr std::size_t few = 16;
  for (; connections > few && !has_said_much(); connections -= few) take(analyzer_.let_go(few));
  take(analyzer_.let_go(std::min(connections, few)));
  take(analyzer_.let_go(0));  // drops the last ones
}

void Share::finish(ConnectionId end) {
  if (spent_) return take_as_they_stand(end);
  for (Events events = analyzer_.finish_some(end); !events.empty(); events = analyzer_.finish_some(end))
    take(events);
}

void Share::take_as_they_stand(ConnectionId end) {
  end = std::min(end, analysis().connection_count());
  for (ConnectionId& id = taken_as_they_stand_; id < end; ++id) {
    const ConnectionState* const connection = analysis().connection(id);
    if (connection == nullptr || connection->closed) continue;
    Event closed;
    closed.kind = EventKind::closed;
    closed.connection = id;
    closed.closed = {CloseCause::capture_end, connection->last_frame, connection->last_time_ns};
    take({&closed, 1});
  }
}

template <typename Captured>
void Share::add_any(const Captured& captured) {
  latest_ns_ = std::max(latest_ns_, captured.time_ns);
  for (auto due = analyzer_.next_due(); due && due->behind_ns < latest_ns_; due = analyzer_.next_due()) {
    analyzer_.go_on_to(captured.frame, captured.time_ns, latest_ns_);
    take(analyzer_.close_due());
  }
  take(analyzer_.add(captured));
}
template void Share::add_any(const TcpSegment& segment);
template void Share::add_any(const SctpPacket& packet);

void Share::take(Events events) {
  take_portion(events);
  print_hosts();
  taken_of_.reset();
}

void Share::take_early(Events events) {
  take_portion(events);
  if (behind_portion_) behind_portion_();
}

void Share::take_portion(Events events) {
  taken_ += events.size();
  const bool follows_latency = options_.follows_latency();
  const bool follows_stalls = options_.follows_stalls();
  const bool follows_stags = options_.follows_stags();
  const bool follows_deliveries = options_.follows_deliveries();
  const ConnectionState* connection = taken_of_ ? analysis().connection(*taken_of_) : nullptr;
  for (const Event& event : events) {
    if (event.connection != taken_of_) {
      print_hosts();
      connection = analysis().connection(event.connection);
      taken_of_ = event.connection;
    }
    summary_.add(event, connection);
    if (options_.stream && !stream_found_ && connection != nullptr && connection->iwarp)
      stream_found_ = is_of_stream(event.connection);
    if (!undecided_.empty()) print_recognised(event, connection);
    if (hashing_ && is_of_stream(event.connection)) hasher_.add(event, analysis().payload(event));
    flush_much();
    if (follows_latency) latencies_.add(event);
    if (follows_stalls) diagnose(event, connection);
    if (follows_deliveries) print_deliveries(event, connection);
    if (options_.report) {
      take_for_report(event, connection);
    } else {
      take_record(event);
    }
    if (follows_stags) take_stags(event, connection);
  }
}

void Share::print_deliveries(const Event& event, const ConnectionState* connection) {
  deliveries_.add(event, connection);
  if (!is_of_stream(event.connection)) return;
  for (const Delivery& delivery : deliveries_.deliveries()) {
    Record record = delivery_record(delivery);
    record.stream = number_of(delivery.stream);
    if (print_record(text(), options_, name_, record)) whole_ = text().size();
  }
}

void Share::diagnose(const Event& event, const ConnectionState* connection) {
  diagnosis_.add(event, connection, analysis(), latencies_);
  for (const Stall& stall : diagnosis_.stalls()) {
    if (options_.wants(RecordKind::stall) && is_of_stream(stall.stream)) {
      Record record = stall_record(stall);
      record.stream = number_of(stall.stream);
      if (print_record(text(), options_, name_, record)) whole_ = text().size();
    }
  }
  for (const Event& finding : diagnosis_.findings()) {
    summary_.add(finding, connection);
    options_.report ? take_for_report(finding, connection) : take_record(finding);
  }
  if (auto attempt = startup_attempt(event, connection)) {
    attempt->stream = number_of(event.connection);
    take(*attempt);
  }
}

void Share::take_stags(const Event& event, const ConnectionState* connection) {
  const auto uses = stag_reader_.add(event, connection, analysis());
  if (uses.empty()) return;
  const ConnectionId number = number_of(event.connection);
  for (StagUse use : uses) {
    use.stream = number;
    take(use);
  }
}

void Share::take(const HostFact& fact) {
  const bool at_once = !find_number_ && options_.report;  // which has no order of records
  if (at_once) return hosts_.take(fact, text());
  said_->host_facts.push_back(fact);
}

void Share::print_hosts() {
  if (find_number_) return;
  for (const HostFact& fact : said_->host_facts) hosts_.take(fact, text());
  said_->host_facts.clear();
  whole_ = text().size();
}

void Share::take_for_report(const Event& event, const ConnectionState* connection) {
  if (!find_number_) return report_.add(event, connection, latencies_.parts());
  if (connection == nullptr) return;
  switch (event.kind) {
    case EventKind::message:
    case EventKind::operation:
      if (is_of_stream(event.connection))
        report_.count(event, options_.stream.value_or(0), latencies_.parts());
      break;
    case EventKind::finding:
    case EventKind::closed:
      if (event.kind == EventKind::closed && !connection->iwarp) break;
      said_->entries.push_back(Report::entry_of(event, *connection, number_of(event.connection)));
      break;
    default: break;
  }
}

void Share::take_record(const Event& event) {
  auto record = record_of(analysis(), event);
  if (!record) return;
  if (record->kind == RecordKind::message && options_.payload_hash) {
    record->with_payload_hash = true;
    record->payload_sha256 = hasher_.digest(event);
  }
  if (record->kind == RecordKind::operation && options_.why) {
    record->with_parts = true;
    record->parts = latencies_.parts();
  }
  if (record->kind == RecordKind::finding && event.finding.severity < options_.min_severity) return;
  if (options_.wants(record->kind)) print(*record);
  if (record->kind != RecordKind::stream || !options_.wants(RecordKind::state)) return;
  // A stream that has ended keeps its state: this is also the one after any later frame.
  const ConnectionState& connection = *record->connection;
  if (!options_.state_at) {
    print_state_record(text(), connection, connection.last_frame);
  } else if (states_due_) {
    print_state_record(text(), connection, *options_.state_at);
  }
}

void Share::print(Record record) {
  if (record.connection != nullptr) {
    if (!is_of_stream(record.connection->id)) return;
    record.stream = number_of(record.connection->id);
  }
  if (print_record(text(), options_, name_, record)) whole_ = text().size();
}

void Share::print_state_record(TextBuffer& out, const ConnectionState& connection, FrameNumber frame) {
  if (!is_of_stream(connection.id)) return;
  Record record = state_record(connection, frame);
  record.stream = number_of(connection.id);
  if (options_.captures.size() > 1) record.capture = name_;
  if (options_.filter && !options_.filter->matches(record)) return;
  if (options_.format == Format::text && options_.only_states) {
    if (states_printed_ || capture_ != 0) out.append('\n');
    if (!states_printed_ && options_.captures.size() > 1) out.append(name_ + ":\n");
    print_state(out, connection, frame, color_);
  } else {
    write_record(out, options_.format, record);
  }
  states_printed_ = true;
  whole_ = text().size();
}

void Share::print_states() {
  states_due_ = false;
  const auto visit = [&](bool iwarp, auto&& take_state) {
    for (ConnectionId id = 0; id < analysis().connection_count(); ++id) {
      const ConnectionState* const connection = analysis().connection(id);
      if (connection != nullptr && !connection->closed && connection->iwarp == iwarp) take_state(*connection);
    }
  };
  visit(true, [&](const ConnectionState& connection) {
    print_state_record(text(), connection, *options_.state_at);
    if (text().size() >= much_text) flush();
  });
  // Behind them: for these others may have to go, and among the others are those of iWARP.
  visit(false, [&](const ConnectionState& connection) {
    if (!is_of_stream(connection.id)) return;
    undecided_.emplace(connection.id, connection);
    if (undecided_.size() % states_between_looks == 0) (void)fits_memory();
  });
}

void Share::print_recognised(const Event& event, const ConnectionState* connection) {
  if (connection == nullptr || (!connection->iwarp && event.kind != EventKind::closed)) return;
  const auto found = undecided_.find(event.connection);
  if (found == undecided_.end()) return;
  if (connection->iwarp) print_state_record(text(), found->second, *options_.state_at);
  undecided_.erase(found);
}

void Share::flush() {
  if (!write_ || text().empty()) return;
  write_(text().view());
  text().clear();
  whole_ = 0;
}

}  // namespace iwarp::cli
