// SPDX-License-Identifier: GPL-2.0-or-later
#include "models/loader.hpp"

#include <algorithm>
#include <chrono>

#include <iwarp/capture/packet_decoder.hpp>

#include "program/memory.hpp"

namespace iwarp::gui {
namespace {

constexpr std::uint64_t frames_between_looks = 512;  // at the clock
// A source without an end may bring its frames one by one.
constexpr std::uint64_t frames_between_looks_where_it_waits = 8;
constexpr std::uint64_t frames_between_looks_at_memory = 4096;  // a file of the system's is read for it
constexpr std::chrono::milliseconds between_overviews{50};

AnalyzerOptions analyzer_options(const LoadOptions& options) {
  AnalyzerOptions chosen;
  chosen.keep_log = true;
  chosen.keep_payload = KeepPayload::beginnings;
  chosen.acknowledgements = true;  // the line of TCP's numbers
  chosen.strict = options.strict;
  return chosen;
}

}  // namespace

Loader::Loader(OpenSource open, LoadOptions options, std::function<void(LoadResult)> ended)
    : options_(options),
      hosts_(options.hosts),
      max_memory_(options.max_memory > 0 ? options.max_memory : program::default_memory_limit()),
      ended_(std::move(ended)),
      analyzer_(analyzer_options(options)),
      timeline_(analyzer_.analysis()),
      stags_({.strict = options.strict, .hosts = options.hosts}),
      published_(std::make_shared<Overview>()) {
  thread_ = std::thread([this, open = std::move(open)] { run(open); });
}

Loader::~Loader() {
  {
    const std::lock_guard lock(mutex_);
    closing_.store(true, std::memory_order_relaxed);
  }
  wake_.notify_all();
  thread_.join();
}

LoadProgress Loader::progress() const noexcept {
  LoadProgress progress;
  progress.octets = octets_.load(std::memory_order_relaxed);
  progress.frames = frame_count_.load(std::memory_order_relaxed);
  progress.lost = lost_.load(std::memory_order_relaxed);
  if (const std::uint64_t total = total_.load(std::memory_order_relaxed); total > 0) progress.total = total;
  return progress;
}

std::shared_ptr<const Overview> Loader::overview() const {
  const std::lock_guard lock(mutex_);
  return published_;
}

void Loader::ask(std::function<void(const Log&)> question) {
  {
    const std::lock_guard lock(mutex_);
    questions_.push_back(std::move(question));
    asked_.store(true, std::memory_order_relaxed);
  }
  wake_.notify_all();
}

void Loader::run(const OpenSource& open) {
  source_ = open(result_.sentence, [this] { return wait(); });
  if (source_ == nullptr) {
    result_.end = stopping() ? LoadEnd::cancelled : LoadEnd::unreadable;
  } else {
    read(*source_);
    if (closing_.load(std::memory_order_relaxed)) return;
    finish();
  }
  ended_(result_);
  answer_until_closed();
}

void Loader::read(RecordSource& source) {
  capture::PacketDecoder decoder;
  capture::Record record;
  TcpSegment segment;
  Summary& summary = result_.summary;
  auto published = std::chrono::steady_clock::now();
  bool first = true;
  // Asked once: a file is looked up in the file system for it.
  const std::uint64_t between =
      source.progress().total ? frames_between_looks : frames_between_looks_where_it_waits;
  while (result_.end == LoadEnd::loading && !stopping()) {
    const RecordSource::Next next = source.next(record);
    if (next == RecordSource::Next::end) break;
    if (next == RecordSource::Next::record) {
      summary.add_frame(record.octets.size(), record.time_ns, record.has_time);
      if (record.has_time) overview_.add_frame(record.time_ns, record.wire_length);
      if (decoder.decode(record, segment)) take(analyzer_.add(segment));
    }
    if (asked_.load(std::memory_order_relaxed)) answer();
    if (next == RecordSource::Next::nothing_yet) {
      static_cast<void>(wait());
      continue;
    }
    if (summary.frames % between != 0) continue;
    look(source);
    const auto now = std::chrono::steady_clock::now();
    if (first || now - published >= between_overviews) {
      publish();
      published = now;
      first = false;
    }
  }
  summary.skipped.merge(decoder.skipped());
  result_.lost = source.lost();
  for (const auto& [reason, count] : result_.lost) summary.skipped[reason] += count;
  look(source);
  if (result_.end != LoadEnd::loading) return;
  if (stopping()) {
    result_.end = LoadEnd::cancelled;
  } else if (const auto& damage = source.damage()) {
    result_.end = LoadEnd::damaged;
    result_.sentence = damage->text;
    if (damage->offset > 0) result_.offset = damage->offset;  // 0: of an interface
  } else {
    result_.end = LoadEnd::complete;
  }
}

// While there is nothing to read: who looks on sees all there is until now, and is answered.
bool Loader::wait() {
  if (source_ != nullptr && frame_count_.load(std::memory_order_relaxed) != result_.summary.frames) {
    look(*source_);
    publish();
  }
  if (source_ != nullptr && asked_.load(std::memory_order_relaxed)) answer();
  return stopping();
}

void Loader::look(const RecordSource& source) {
  const capture::Progress progress = source.progress();
  octets_.store(progress.consumed, std::memory_order_relaxed);
  total_.store(progress.total.value_or(0), std::memory_order_relaxed);
  frame_count_.store(result_.summary.frames, std::memory_order_relaxed);
  if (result_.end != LoadEnd::loading || result_.summary.frames < next_look_at_memory_) return;
  next_look_at_memory_ = result_.summary.frames + frames_between_looks_at_memory;
  if (program::memory_in_use() <= max_memory_) return;
  result_.end = LoadEnd::memory_cap;
  result_.sentence = "memory: the limit of " + std::to_string(max_memory_ >> 20U) +
                     " MiB was reached at frame " + std::to_string(result_.summary.frames) +
                     "; what is shown covers the frames before";
}

void Loader::take(Events events) {
  const ConnectionState* connection = nullptr;
  ConnectionId of = ~ConnectionId{0};  // whose `connection` is
  const auto add_finding = [&](const Event& finding) {
    metrics_.add(finding, connection);
    result_.summary.add(finding, connection);
    overview_.add(finding);
  };
  for (const Event& event : events) {
    if (event.kind == EventKind::received)
      continue;  // as many as there are frames; views read them in the log
    if (event.connection != of) connection = analyzer_.analysis().connection(of = event.connection);
    latencies_.add(event);
    diagnosis_.add(event, connection, analyzer_.analysis(), latencies_);
    std::ranges::for_each(diagnosis_.findings(), add_finding);
    if (const auto attempt = startup_attempt(event, connection)) {
      if (const auto again = retries_.add(*attempt)) add_finding(*again);
    }
    metrics_.add(event, connection);
    result_.summary.add(event, connection);
    overview_.add(event, late_.add(event));
    wait_spans_.add(event);
    for (const Stall& stall : diagnosis_.stalls()) wait_spans_.add(stall);
    stags_.add(event, connection, analyzer_.analysis());
    for (const StagTable::Found& found : stags_.findings()) add_finding(found.event);
    stag_records_.add(stags_.ended());
  }
}

void Loader::finish() {
  for (Events events = analyzer_.finish_some(); !events.empty(); events = analyzer_.finish_some())
    take(events);
  stags_.finish();
  stag_records_.add(stags_.ended());
  result_.summary.add_undecidable(analyzer_.analysis());
  result_.summary.add_undecidable(stags_.table());
  publish();
}

void Loader::publish() {
  std::uint64_t lost = 0;
  for (const auto& [reason, count] : source_->lost()) lost += count;
  lost_.store(lost, std::memory_order_relaxed);
  auto copy = std::make_shared<const Overview>(overview_);
  const std::lock_guard lock(mutex_);
  published_.swap(copy);
}

void Loader::answer() {
  std::deque<std::function<void(const Log&)>> questions;
  {
    const std::lock_guard lock(mutex_);
    questions.swap(questions_);
    asked_.store(false, std::memory_order_relaxed);
  }
  const Log known = log();
  for (const auto& question : questions) {
    if (closing_.load(std::memory_order_relaxed)) return;
    question(known);
  }
}

void Loader::answer_until_closed() {
  for (;;) {
    {
      std::unique_lock lock(mutex_);
      wake_.wait(lock, [this] { return !questions_.empty() || closing_.load(std::memory_order_relaxed); });
      if (closing_.load(std::memory_order_relaxed)) return;
    }
    answer();
  }
}

}  // namespace iwarp::gui
