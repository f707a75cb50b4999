// StagOutput: STags of one capture, from the uses that its shares find, in the capture's order, to records
// and findings.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <string>

#include <iwarp/export/report.hpp>
#include <iwarp/export/summary.hpp>
#include <iwarp/export/text_buffer.hpp>
#include <iwarp/stags.hpp>

#include "options.hpp"

namespace iwarp::cli {

class StagOutput {
 public:
  // Of options.captures the one at `capture`. REQUIRES: the references outlive this.
  StagOutput(const Options& options, std::size_t capture, Report& report, Summary& summary);
  StagOutput(const StagOutput&) = delete;
  StagOutput& operator=(const StagOutput&) = delete;

  // `use.stream` is the stream's number in the capture; what is to be printed is appended to `out`.
  void take(const StagUse& use, TextBuffer& out);
  // Everything was taken. `out` is flushed by `flush` now and then.
  template <typename Flush>
  void finish(TextBuffer& out, const Flush& flush) {
    table_.finish();
    for (const StagRecord& stag : table_.ended()) {
      print(stag, out);
      flush();
    }
    summary_.add_undecidable(table_);
  }

 private:
  void print(const StagRecord& stag, TextBuffer& out) const;

  const Options& options_;
  const std::string name_;  // of the capture, as people and scripts read it
  Report& report_;
  Summary& summary_;
  StagTable table_;
};

}  // namespace iwarp::cli
