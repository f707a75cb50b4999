// From a capture to printed records.
// SPDX-License-Identifier: GPL-2.0-or-later
#include "capture_job.hpp"

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <utility>

#include "live_records.hpp"
#include "program/interrupt.hpp"
#include "program/memory.hpp"
#include "program/printable.hpp"

namespace iwarp::cli {

namespace {

// At signals, the output's health, memory, the progress bar.
constexpr std::uint64_t frames_between_looks = 1024;
constexpr std::uint64_t octets_between_looks = 1U << 20U;
// A shorter capture is analysed before several threads have begun.
constexpr std::uint64_t worth_sharing = 4U << 20U;

}  // namespace

CaptureJob::CaptureJob(const Options& options, std::size_t slot, bool color, OrderedOutput& output,
                       Progress& progress)
    : options_(options),
      slot_(slot),
      path_(options.captures[slot]),
      prompt_(!options.live && path_ == "-"),
      output_(output),
      progress_(progress),
      all_(options, slot, color, [this](std::string_view text) { output_.write(slot_ + 1, text); }) {}

JobResult CaptureJob::run() {
  if (const auto records = open()) read(*records);
  all_.flush();
  progress_.finish(slot_);
  output_.finish(slot_ + 1);
  return result_;
}

std::unique_ptr<RecordSource> CaptureJob::open() {
  std::string error;
  std::error_code unknown;
  const bool threads = options_.threads != 1 && !prompt_;
  if (options_.live) {
    capture::LiveOptions live = *options_.live;
    live.ring_octets = std::min(live.ring_octets, options_.memory_limit() / 4);
    if (auto records = LiveRecords::open(live, options_.keep_in, error)) {
      output_.announce("capturing from " + path_ + "; Ctrl-C ends it");
      return records;
    }
  } else if (std::filesystem::is_directory(path_, unknown)) {
    error = path_ + ": is a directory; name the captures in it, for example " + path_ + "/*.pcap";
  } else if (auto reader =
                 capture::RecordReader::open(path_, error, program::interrupted, nullptr, threads)) {
    return std::make_unique<FileRecords>(std::move(reader));
  }
  complain(error);
  return nullptr;
}

// --state-at looks at all states at once; the records of a pipe and of a network are printed as they come.
unsigned CaptureJob::threads(const RecordSource& records) const {
  const auto size = records.progress().total;
  if (prompt_ || options_.state_at || !size) return 1;
  return options_.threads_wanted(*size >= worth_sharing);
}

void CaptureJob::read(RecordSource& records) {
  capture::FragmentLimits fragments;
  fragments.octets = std::min(fragments.octets, options_.memory_limit() / 8);
  capture::PacketDecoder decoder(fragments);
  TcpSegment segment;
  SctpPacket packet;
  // Gives the frame's segment or packet to whoever adds it.
  const auto decode = [&](const capture::Record& record, const auto& add) {
    using Decoded = capture::PacketDecoder::Decoded;
    switch (decoder.decode(record, segment, packet)) {
      case Decoded::tcp: return add(segment);
      case Decoded::sctp: return add(packet);
      case Decoded::nothing: break;
    }
  };
  if (const unsigned threads = this->threads(records); threads > 1) {
    Shares shares(options_, slot_, threads, all_.report(), all_.hosts(),
                  [this](std::string_view text) { output_.write(slot_ + 1, text); });
    const auto take = [&](const capture::Record& record) {
      decode(record, [&](const auto& found) { shares.add(found, record.octets, records); });
    };
    all_.attempt([&] {
      read(
          records, take, [] {}, [&] { return shares.usable(); });
      shares.finish(all_.summary());
    });
    if (all_.spent() || !shares.usable()) end_ = End::out_of_memory;
    stream_found_ = shares.stream_found();
    connections_ = shares.connection_count();
    return finish(decoder, records);
  }
  const auto take = [&](const capture::Record& record) {
    decode(record, [&](const auto& found) { all_.add(found); });
  };
  all_.attempt([&] {
    read(
        records, take, [&] { all_.flush(); }, [&] { return all_.fits_memory(); });
    if (end_ == End::out_of_memory) all_.let_go_all();
    finish_states();
    all_.finish();
    all_.finish_hosts();
  });
  if (all_.spent()) {
    end_ = End::out_of_memory;
    all_.attempt([&] { all_.finish(); });
  }
  stream_found_ = all_.stream_found();
  connections_ = all_.analysis().connection_count();
  all_.summary().add_undecidable(all_.analysis());
  finish(decoder, records);
}

// `take` gets each record, `flush` is called where nobody shall wait for what is known; `fits_memory` tells
// now and then whether reading may go on.
template <typename Take, typename Flush, typename FitsMemory>
void CaptureJob::read(RecordSource& records, const Take& take, const Flush& flush,
                      const FitsMemory& fits_memory) {
  using Step = RecordSource::Step;
  Summary& summary = all_.summary();
  capture::Record record;
  std::uint64_t octets_unlooked = 0;
  for (Step step = records.next(record); step != Step::end; step = records.next(record)) {
    const bool at_once = prompt_ || step == Step::pause;
    bool look = at_once;
    if (step == Step::record) {
      if (all_.states_due() && record.number > *options_.state_at) all_.print_states();
      // Findings of what comes later count for --fail-on.
      const bool states_known = !all_.states_due() && !all_.states_undecided();
      if (options_.only_states && states_known && !options_.fail_on) break;
      summary.add_frame(record.octets.size(), record.time_ns, record.has_time);
      take(record);
      octets_unlooked += record.octets.size();
      look = look || summary.frames % frames_between_looks == 0 || octets_unlooked >= octets_between_looks ||
             all_.has_taken_much();
    }
    if (at_once) flush();
    if (!look) continue;
    octets_unlooked = 0;
    show_progress(records);
    if (!fits_memory()) {
      end_ = End::out_of_memory;
    } else if ((program::interrupted() && !options_.live) || !output_.usable()) {
      end_ = End::interrupted;
    }
    if (end_ != End::of_capture) break;
  }
  // A pipe that had nothing to read.
  if (!records.failure().empty() && program::interrupted() && !options_.live) end_ = End::interrupted;
}

// What is known of a live capture so far stands behind its frames.
void CaptureJob::show_progress(const RecordSource& records) {
  if (!progress_.shown()) return;
  const Summary& summary = all_.summary();
  std::string totals;
  const auto add = [&totals](std::uint64_t count, const char* what) {
    totals += ", " + std::to_string(count) + " " + what;
  };
  if (options_.live) {
    std::uint64_t messages = 0;
    for (const std::uint64_t count : summary.messages) messages += count;
    std::uint64_t lost = 0;
    for (const auto& [reason, count] : records.lost()) lost += count;
    add(all_.analysis().connection_count(), "TCP connections");
    add(messages, "messages");
    add(summary.findings[static_cast<std::size_t>(Severity::error)], "errors");
    add(summary.findings[static_cast<std::size_t>(Severity::warning)], "warnings");
    add(lost, "packets lost");
  }
  progress_.update(slot_, records.progress(), summary.frames, totals);
}

void CaptureJob::finish_states() {
  if (!all_.states_due()) return;
  const std::uint64_t frames = all_.summary().frames;
  all_.print_states();
  if (frames < *options_.state_at && end_ == End::of_capture) {
    complain(path_ + ": has no frame " + std::to_string(*options_.state_at) + ", the last one is " +
             std::to_string(frames) + "; the states are those after it");
  }
}

// Where --state-at has nothing to show.
void CaptureJob::say_that_no_stream_had_begun() {
  if (all_.states_printed() || options_.filter) return;
  const std::string which =
      options_.stream ? "no iWARP stream " + std::to_string(*options_.stream) : "no iWARP stream";
  const std::string sentence =
      path_ + ": " + which + " had begun by frame " + std::to_string(*options_.state_at);
  if (options_.format == Format::text) {
    all_.text().append(program::printable(sentence) + "\n");
  } else {
    remark(sentence);
  }
}

void CaptureJob::say_that_stream_is_missing() {
  if (!options_.stream || stream_found_) return;
  const std::string number = std::to_string(*options_.stream);
  result_.lacks_stream = *options_.stream >= connections_;
  if (options_.report && !result_.lacks_stream) return;  // the report says it
  std::string sentence = path_ + ": ";
  if (*options_.stream < connections_) {
    sentence += "stream " + number + " is TCP without iWARP";
  } else if (connections_ == 0) {
    sentence += "has no stream " + number + ": it holds no TCP";
  } else {
    sentence += "has no stream " + number + ", there " +
                (connections_ == 1
                     ? std::string("is one: stream 0")
                     : "are " + std::to_string(connections_) + ": 0 to " + std::to_string(connections_ - 1));
  }
  remark(sentence);
}

// Where no summary says it.
void CaptureJob::say_what_was_let_go() {
  const std::uint64_t let_go = all_.summary().let_go_streams;
  if (let_go == 0 || options_.wants(RecordKind::summary)) return;
  remark(path_ + ": " + std::to_string(let_go) +
         " TCP streams not known to be iWARP were let go before they ended, as the limit of memory "
         "(--max-memory) or of connections at once was reached: what came of them later counts as another "
         "stream");
}

void CaptureJob::say_whose_states_are_lost() {
  const std::uint64_t iwarp = all_.summary().let_go_iwarp_streams;
  const std::uint64_t others = all_.summary().let_go_streams;
  if (iwarp + others == 0) return;
  remark(
      path_ + ": " + std::to_string(iwarp + others) +
      " TCP streams were let go before they ended, as the limit of memory (--max-memory) or of connections "
      "at once was reached: the states of " +
      std::to_string(iwarp) + " are those when they went, and " + std::to_string(others) +
      " not known to be iWARP by then have none");
}

// Packets that passed the interface and are no frames of the capture.
void CaptureJob::say_what_was_lost(const RecordSource& records) {
  std::string counts;
  for (const auto& [reason, count] : records.lost()) {
    all_.summary().skipped[reason] += count;
    counts += (counts.empty() ? "" : ", ") + std::to_string(count) + " " + reason;
  }
  if (!counts.empty()) remark(path_ + ": packets were lost, and are no frames of the capture: " + counts);
}

void CaptureJob::finish(const capture::PacketDecoder& decoder, const RecordSource& records) {
  result_.findings = all_.summary().findings;
  const std::string failure = records.failure();
  say_what_was_lost(records);
  print_end(decoder, end_ != End::of_capture || !failure.empty());
  if (!failure.empty() && end_ != End::interrupted) complain(failure);
  if (end_ == End::of_capture) return;
  const bool interrupted = program::interrupted();
  if (end_ == End::interrupted && !interrupted) return;  // nobody reads on
  complain(path_ +
           (end_ == End::out_of_memory ? ": memory ran out at frame " : ": interrupted after frame ") +
           std::to_string(all_.summary().frames) + "; what is printed covers the frames before");
}

void CaptureJob::print_end(const capture::PacketDecoder& decoder, bool stopped) {
  if (options_.only_states) {
    say_whose_states_are_lost();
    return say_that_no_stream_had_begun();
  }
  say_that_stream_is_missing();
  Summary& summary = all_.summary();
  summary.skipped.merge(decoder.skipped());
  if (options_.wants(RecordKind::summary)) all_.print(summary_record(summary));
  if (!options_.report) return say_what_was_let_go();
  if (slot_ != 0) all_.text().append('\n');
  all_.report().print(all_.text(), program::printable(path_), summary, stopped);
}

void CaptureJob::complain(const std::string& sentence) {
  result_.failed = true;
  remark(sentence);
}

void CaptureJob::remark(const std::string& sentence) {
  output_.complain(slot_ + 1, sentence);
}

}  // namespace iwarp::cli
