// CaptureJob: reads one capture, analyses it, prints what was asked for.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <map>
#include <string>

#include <iwarp/analyzer.hpp>
#include <iwarp/capture/packet_decoder.hpp>
#include <iwarp/capture/record_reader.hpp>
#include <iwarp/export/report.hpp>
#include <iwarp/export/text_buffer.hpp>

#include "message_hasher.hpp"
#include "options.hpp"
#include "ordered_output.hpp"
#include "progress.hpp"

namespace iwarp::cli {

// What the whole command needs to know of one capture.
struct JobResult {
  bool failed = false;                      // could not be read, or only in part
  bool lacks_stream = false;                // --stream names one beyond its last
  std::array<std::uint64_t, 4> findings{};  // by Severity
};

class CaptureJob {
 public:
  // REQUIRES: the references outlive the job. `slot`: which of options.captures; it writes to slot + 1 of
  // output.
  CaptureJob(const Options& options, std::size_t slot, bool color, OrderedOutput& output, Progress& progress);

  [[nodiscard]] JobResult run();

 private:
  void read(capture::RecordReader& records);
  void take(Events events);
  // Keeps the program below --max-memory; false: it cannot.
  [[nodiscard]] bool fits_memory();
  void let_go(std::size_t connections);
  void take_record(const Event& event);
  void hash(const Event& event);
  // Writes the record if it is wanted.
  void print(Record record);
  void print_state_record(TextBuffer& out, const ConnectionState& connection, FrameNumber frame);
  // The frame of --state-at was taken: prints the states of the streams known by then.
  void print_states_at();
  // Prints those of connections that turned out to be iWARP since.
  void print_recognised(const Event& event, const ConnectionState* connection);
  void say_that_no_stream_had_begun();
  void finish(const capture::PacketDecoder& decoder, bool stopped);
  void flush();
  // When --stream names none of the iWARP streams, standard error says so: no records could mean anything.
  void say_that_stream_is_missing();
  void say_what_was_let_go();
  void complain(const std::string& sentence);
  void remark(const std::string& sentence);

  const Options& options_;
  const std::size_t slot_;
  const std::string& path_;
  const std::string name_;  // as people and scripts read it
  const bool color_;
  const bool live_;  // standard input: what is known is printed as it comes
  const std::size_t max_memory_;
  OrderedOutput& output_;
  Progress& progress_;
  Analyzer analyzer_;
  Summary summary_;
  Report report_;
  const bool hashing_;  // message records show the SHA-256 of their octets
  MessageHasher hasher_;
  TextBuffer buffer_;
  bool states_due_;  // --state-at is still to come
  bool states_printed_ = false;
  bool stream_found_ = false;  // the one of --stream is iWARP
  // What connections were at --state-at that were not known to be iWARP then.
  std::map<ConnectionId, ConnectionState> undecided_;
  JobResult result_;
};

}  // namespace iwarp::cli
