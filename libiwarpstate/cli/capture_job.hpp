// CaptureJob: reads one capture, has it analysed by one thread or by several, prints what was asked for.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>

#include <iwarp/capture/packet_decoder.hpp>

#include "options.hpp"
#include "ordered_output.hpp"
#include "progress.hpp"
#include "record_source.hpp"
#include "share.hpp"
#include "shares.hpp"

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
  enum class End {
    of_capture,
    interrupted,  // or nobody reads the results any more
    out_of_memory
  };

  // Nothing: it could not be opened, which was said.
  [[nodiscard]] std::unique_ptr<RecordSource> open();
  [[nodiscard]] unsigned threads(const RecordSource& records) const;
  void read(RecordSource& records);
  template <typename Take, typename Flush, typename FitsMemory>
  void read(RecordSource& records, const Take& take, const Flush& flush, const FitsMemory& fits_memory);
  void show_progress(const RecordSource& records);
  void finish_states();
  void finish(const capture::PacketDecoder& decoder, const RecordSource& records);
  void print_end(const capture::PacketDecoder& decoder, bool stopped);
  void say_that_no_stream_had_begun();
  // When --stream names none of the iWARP streams, standard error says so: no records could mean anything.
  void say_that_stream_is_missing();
  void say_what_was_let_go();
  // The same of --state-at.
  void say_whose_states_are_lost();
  void say_what_was_lost(const RecordSource& records);
  void complain(const std::string& sentence);
  void remark(const std::string& sentence);

  const Options& options_;
  const std::size_t slot_;
  const std::string& path_;
  const bool prompt_;  // standard input: what is known is printed as it comes
  OrderedOutput& output_;
  Progress& progress_;
  Share all_;  // what is printed, and the totals; the connections, too, where no threads share them
  End end_ = End::of_capture;
  bool stream_found_ = false;  // the one of --stream is iWARP
  ConnectionId connections_ = 0;
  JobResult result_;
};

}  // namespace iwarp::cli
