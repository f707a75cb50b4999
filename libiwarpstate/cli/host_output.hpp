// HostOutput: what belongs to the hosts of one capture and not to one stream, STags and connections that are
// opened again. From what the capture's shares find, in its order, to records and findings.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <string>
#include <variant>

#include <iwarp/export/report.hpp>
#include <iwarp/export/summary.hpp>
#include <iwarp/export/text_buffer.hpp>
#include <iwarp/stags.hpp>
#include <iwarp/startup_retries.hpp>

#include "options.hpp"

namespace iwarp::cli {

using HostFact = std::variant<StagUse, StartupAttempt>;

class HostOutput {
 public:
  // Of options.captures the one at `capture`. REQUIRES: the references outlive this.
  HostOutput(const Options& options, std::size_t capture, Report& report, Summary& summary);
  HostOutput(const HostOutput&) = delete;
  HostOutput& operator=(const HostOutput&) = delete;

  // `stream` of the fact is the stream's number in the capture; what is to be printed is appended to `out`.
  void take(const HostFact& fact, TextBuffer& out);
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
  void take(const Event& finding, Role from, TextBuffer& out);
  void print(const StagRecord& stag, TextBuffer& out) const;

  const Options& options_;
  const std::string name_;  // of the capture, as people and scripts read it
  Report& report_;
  Summary& summary_;
  StagTable table_;
  StartupRetries retries_;
};

}  // namespace iwarp::cli
