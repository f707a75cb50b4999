// From a capture to printed records.
// SPDX-License-Identifier: GPL-2.0-or-later
#include "capture_job.hpp"

#include <algorithm>
#include <filesystem>
#include <system_error>

#include <iwarp/export/writers.hpp>

#include "program/interrupt.hpp"
#include "program/memory.hpp"
#include "program/printable.hpp"

namespace iwarp::cli {

namespace {

constexpr std::size_t buffer_size = 256U << 10U;
// At signals, the output's health, memory, the progress bar.
constexpr std::uint64_t frames_between_looks = 1024;
constexpr std::size_t states_between_looks = 1024;
constexpr std::uint64_t octets_between_looks = 1U << 20U;
// What one capture may come to hold between two looks, at most an eighth of the limit.
constexpr std::size_t most_between_looks = 64U << 20U;

bool hashes(const Options& options) {
  return options.payload_hash && options.wants(RecordKind::message);
}

AnalyzerOptions analyzer_options(const Options& options) {
  AnalyzerOptions chosen;
  chosen.strict = options.strict;
  chosen.keep_payload = hashes(options);
  return chosen;
}

ReportOptions report_options(const Options& options, bool color) {
  ReportOptions chosen;
  chosen.color = color;
  chosen.min_severity = options.min_severity;
  chosen.stream = options.stream;
  return chosen;
}

void write(TextBuffer& out, Format format, const Record& record) {
  switch (format) {
    case Format::jsonl: return write_json(out, record);
    case Format::csv: return write_csv(out, record);
    case Format::text: return write_line(out, record);
  }
}

}  // namespace

CaptureJob::CaptureJob(const Options& options, std::size_t slot, bool color, OrderedOutput& output,
                       Progress& progress)
    : options_(options),
      slot_(slot),
      path_(options.captures[slot]),
      name_(program::printable(path_)),
      color_(color),
      live_(path_ == "-"),
      max_memory_(options.max_memory.value_or(program::default_memory_limit())),
      output_(output),
      progress_(progress),
      analyzer_(analyzer_options(options)),
      report_(report_options(options, color)),
      hashing_(hashes(options)),
      states_due_(options.state_at.has_value()) {}

JobResult CaptureJob::run() {
  std::string error;
  std::error_code unknown;
  if (std::filesystem::is_directory(path_, unknown)) {
    complain(path_ + ": is a directory; name the captures in it, for example " + path_ + "/*.pcap");
  } else if (const auto records = capture::RecordReader::open(path_, error, program::interrupted)) {
    read(*records);
  } else {
    complain(error);
  }
  flush();
  progress_.finish(slot_);
  output_.finish(slot_ + 1);
  return result_;
}

void CaptureJob::read(capture::RecordReader& records) {
  capture::PacketDecoder decoder;
  capture::Record record;
  TcpSegment segment;
  bool early = false;
  bool out_of_memory = false;
  std::uint64_t octets_unlooked = 0;
  while (records.next(record)) {
    if (states_due_ && record.number > *options_.state_at) print_states_at();
    // Findings of what comes later count for --fail-on.
    if (!states_due_ && options_.only_states && undecided_.empty() && !options_.fail_on) break;
    summary_.add_frame(record.octets.size(), record.time_ns, record.has_time);
    if (decoder.decode(record, segment)) take(analyzer_.add(segment));
    if (buffer_.size() >= buffer_size || live_) flush();
    octets_unlooked += record.octets.size();
    if (live_ || summary_.frames % frames_between_looks == 0 || octets_unlooked >= octets_between_looks) {
      octets_unlooked = 0;
      progress_.update(slot_, records.progress(), summary_.frames);
      out_of_memory = !fits_memory();
      early = program::interrupted() || !output_.usable() || out_of_memory;
      if (early) break;
    }
  }
  if (out_of_memory) {
    flush();  // what is known goes first
    let_go(analyzer_.analysis().followed() + analyzer_.analysis().remembered());
  }
  // A pipe that had nothing to read.
  const bool waited = records.damage().has_value() && program::interrupted();
  early = early || waited;
  if (states_due_) {
    const bool there = summary_.frames >= *options_.state_at;
    print_states_at();
    if (!there && !early) {
      complain(path_ + ": has no frame " + std::to_string(*options_.state_at) + ", the last one is " +
               std::to_string(summary_.frames) + "; the states are those after it");
    }
  }
  finish(decoder, early || records.damage().has_value());
  if (records.damage() && !waited) complain(records.damage()->text);
  if (out_of_memory) {
    complain(path_ + ": memory ran out at frame " + std::to_string(summary_.frames) +
             "; what is printed covers the frames before");
  } else if (early && program::interrupted()) {
    complain(path_ + ": interrupted after frame " + std::to_string(summary_.frames) +
             "; what is printed covers the frames before");
  }
}

// Memory that others' captures hold counts, too: each lets go of what it has.
bool CaptureJob::fits_memory() {
  if (program::memory_ran_out()) return false;
  const std::size_t soon_too_much = max_memory_ - std::min(max_memory_ / 8, most_between_looks);
  while (program::memory_in_use() > soon_too_much) {
    const std::size_t kept = analyzer_.analysis().followed() + analyzer_.analysis().remembered();
    if (kept == 0) return program::memory_in_use() <= max_memory_;
    let_go(std::max<std::size_t>(1, kept / 8));
    program::return_free_memory();
  }
  return true;
}

// A few at a time: until they are dropped their whole states are there, which may have been packed before.
void CaptureJob::let_go(std::size_t connections) {
  constexpr std::size_t few = 64;
  for (; connections > few; connections -= few) take(analyzer_.let_go(few));
  take(analyzer_.let_go(connections));
  take(analyzer_.let_go(0));  // drops the last ones
}

void CaptureJob::take(Events events) {
  const ConnectionState* connection = nullptr;
  ConnectionId of = ~ConnectionId{0};  // whose `connection` is: seldom do events of one frame differ in it
  for (const Event& event : events) {
    if (event.connection != of) connection = analyzer_.analysis().connection(of = event.connection);
    summary_.add(event, connection);
    if (options_.stream == event.connection && connection != nullptr && connection->iwarp)
      stream_found_ = true;
    if (!undecided_.empty()) print_recognised(event, connection);
    if (hashing_) hash(event);
    if (buffer_.size() >= buffer_size) flush();
    if (options_.report) {
      report_.add(event, connection);
    } else {
      take_record(event);
    }
  }
}

void CaptureJob::hash(const Event& event) {
  if (options_.stream && event.connection != *options_.stream) return;
  hasher_.add(event, analyzer_.analysis().payload(event));
}

void CaptureJob::take_record(const Event& event) {
  auto record = record_of(analyzer_.analysis(), event);
  if (!record) return;
  if (record->kind == RecordKind::message && options_.payload_hash) {
    record->with_payload_hash = true;
    record->payload_sha256 = hasher_.digest(event);
  }
  if (record->kind == RecordKind::finding && event.finding.severity < options_.min_severity) return;
  if (options_.wants(record->kind)) print(*record);
  if (record->kind != RecordKind::stream || !options_.wants(RecordKind::state)) return;
  // A stream that has ended keeps its state: this is also the one after any later frame.
  const ConnectionState& connection = *record->connection;
  if (!options_.state_at) {
    print_state_record(buffer_, connection, connection.last_frame);
  } else if (states_due_) {
    print_state_record(buffer_, connection, *options_.state_at);
  }
}

void CaptureJob::print(Record record) {
  if (options_.stream && record.connection != nullptr && record.connection->id != *options_.stream) return;
  if (options_.captures.size() > 1) record.capture = name_;
  if (options_.filter && !options_.filter->matches(record)) return;
  write(buffer_, options_.format, record);
}

void CaptureJob::print_state_record(TextBuffer& out, const ConnectionState& connection, FrameNumber frame) {
  if (options_.stream && connection.id != *options_.stream) return;
  Record record = state_record(connection, frame);
  if (options_.captures.size() > 1) record.capture = name_;
  if (options_.filter && !options_.filter->matches(record)) return;
  if (options_.format == Format::text && options_.only_states) {
    if (states_printed_ || slot_ != 0) out.append('\n');
    if (!states_printed_ && options_.captures.size() > 1) out.append(name_ + ":\n");
    print_state(out, connection, frame, color_);
  } else {
    write(out, options_.format, record);
  }
  states_printed_ = true;
}

void CaptureJob::print_states_at() {
  states_due_ = false;
  const Analysis& analysis = analyzer_.analysis();
  const auto visit = [&](bool iwarp, auto&& take_state) {
    for (ConnectionId id = 0; id < analysis.connection_count(); ++id) {
      const ConnectionState* const connection = analysis.connection(id);
      if (connection != nullptr && !connection->closed && connection->iwarp == iwarp) take_state(*connection);
    }
  };
  visit(true, [&](const ConnectionState& connection) {
    print_state_record(buffer_, connection, *options_.state_at);
    if (buffer_.size() >= buffer_size) flush();
  });
  // Behind them: for these others may have to go, and among the others are those of iWARP.
  visit(false, [&](const ConnectionState& connection) {
    if (options_.stream && *options_.stream != connection.id) return;
    undecided_.emplace(connection.id, connection);
    if (undecided_.size() % states_between_looks == 0) (void)fits_memory();
  });
}

void CaptureJob::print_recognised(const Event& event, const ConnectionState* connection) {
  if (connection == nullptr || (!connection->iwarp && event.kind != EventKind::closed)) return;
  const auto found = undecided_.find(event.connection);
  if (found == undecided_.end()) return;
  if (connection->iwarp) print_state_record(buffer_, found->second, *options_.state_at);
  undecided_.erase(found);
}

// Where --state-at has nothing to show.
void CaptureJob::say_that_no_stream_had_begun() {
  if (states_printed_ || options_.filter) return;
  const std::string which =
      options_.stream ? "no iWARP stream " + std::to_string(*options_.stream) : "no iWARP stream";
  const std::string sentence =
      path_ + ": " + which + " had begun by frame " + std::to_string(*options_.state_at);
  if (options_.format == Format::text) {
    buffer_.append(program::printable(sentence) + "\n");
  } else {
    remark(sentence);
  }
}

void CaptureJob::say_that_stream_is_missing() {
  if (!options_.stream || stream_found_) return;
  const std::string number = std::to_string(*options_.stream);
  const ConnectionId count = analyzer_.analysis().connection_count();
  result_.lacks_stream = *options_.stream >= count;
  if (options_.report && !result_.lacks_stream) return;  // the report says it
  std::string sentence = path_ + ": ";
  if (*options_.stream < count) {
    sentence += "stream " + number + " is TCP without iWARP";
  } else if (count == 0) {
    sentence += "has no stream " + number + ": it holds no TCP";
  } else {
    sentence += "has no stream " + number + ", there " +
                (count == 1 ? std::string("is one: stream 0")
                            : "are " + std::to_string(count) + ": 0 to " + std::to_string(count - 1));
  }
  remark(sentence);
}

// Where no summary says it.
void CaptureJob::say_what_was_let_go() {
  if (summary_.let_go_streams == 0 || options_.wants(RecordKind::summary)) return;
  remark(path_ + ": " + std::to_string(summary_.let_go_streams) +
         " TCP streams not known to be iWARP were let go before they ended, as the limit of memory "
         "(--max-memory) or of connections at once was reached: what came of them later counts as another "
         "stream");
}

void CaptureJob::finish(const capture::PacketDecoder& decoder, bool stopped) {
  for (Events events = analyzer_.finish_some(); !events.empty(); events = analyzer_.finish_some())
    take(events);
  result_.findings = summary_.findings;
  if (options_.only_states) return say_that_no_stream_had_begun();
  say_that_stream_is_missing();
  summary_.add_undecidable(analyzer_.analysis());
  summary_.skipped.merge(decoder.skipped());
  if (options_.wants(RecordKind::summary)) print(summary_record(summary_));
  if (!options_.report) return say_what_was_let_go();
  if (slot_ != 0) buffer_.append('\n');
  report_.print(buffer_, name_, summary_, stopped);
}

void CaptureJob::flush() {
  if (buffer_.empty()) return;
  output_.write(slot_ + 1, buffer_.view());
  buffer_.clear();
}

void CaptureJob::complain(const std::string& sentence) {
  result_.failed = true;
  remark(sentence);
}

void CaptureJob::remark(const std::string& sentence) {
  output_.complain(slot_ + 1, sentence);
}

}  // namespace iwarp::cli
