// Spreads the captures over threads and sums up.
// SPDX-License-Identifier: GPL-2.0-or-later
#include "run.hpp"

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <exception>
#include <string>
#include <thread>
#include <vector>

#include <iwarp/export/writers.hpp>

#include "capture_job.hpp"
#include "catalogue.hpp"
#include "program/exit_status.hpp"
#include "program/interrupt.hpp"
#include "program/memory.hpp"
#include "program/standard_output.hpp"

namespace iwarp::cli {

namespace {

bool decide(When when, int descriptor) {
  if (when != When::automatic) return when == When::always;
  return ::isatty(descriptor) == 1;
}

bool use_color(const Options& options) {
  // https://no-color.org: set and not empty means no colour, unless asked for.
  const char* const refused = std::getenv("NO_COLOR");
  if (options.color == When::automatic && refused != nullptr && *refused != '\0') return false;
  return decide(options.color, STDOUT_FILENO);
}

// What stands before the records of all captures.
void write_head(TextBuffer& out, const Options& options) {
  if (options.format != Format::csv) return;
  for (unsigned kind = 0; kind < record_kind_count; ++kind) {
    if (options.records[kind]) {
      write_csv_header(out, static_cast<RecordKind>(kind), options.captures.size() > 1, options.payload_hash,
                       options.why);
    }
  }
}

int exit_status(const Options& options, const std::vector<JobResult>& results) {
  // A stream number is wrong where no capture has that many.
  bool failed = !results.empty() && std::all_of(results.begin(), results.end(),
                                                [](const JobResult& each) { return each.lacks_stream; });
  bool found = false;
  for (const JobResult& result : results) {
    failed = failed || result.failed;
    if (!options.fail_on) continue;
    for (auto level = static_cast<std::size_t>(*options.fail_on); level < result.findings.size(); ++level) {
      found = found || result.findings[level] != 0;
    }
  }
  return failed ? program::exit_failed : found ? program::exit_no : program::exit_done;
}

}  // namespace

int run(const Options& options) {
  program::watch_signals();
  program::keep_memory_reserve("iwarp-analyze");
  TextBuffer head;
  if (options.catalogue != Catalogue::none) {
    write_catalogue(head, options.catalogue);
  } else {
    write_head(head, options);
  }
  const std::size_t captures = options.catalogue == Catalogue::none ? options.captures.size() : 0;
  Progress progress(decide(options.progress, STDERR_FILENO), captures);
  OrderedOutput output(STDOUT_FILENO, captures + 1, progress);
  // Slot 0 is the head, slot n + 1 capture n.
  output.write(0, head.view());
  output.finish(0);

  std::vector<JobResult> results(captures);
  std::atomic<std::size_t> next{0};
  const bool color = use_color(options);
  const auto work = [&] {
    for (std::size_t capture = next++; capture < captures; capture = next++) {
      if (program::interrupted() || !output.usable()) {
        results[capture].failed = true;
        if (program::interrupted())
          output.complain(capture + 1, options.captures[capture] + ": not read: interrupted");
        output.finish(capture + 1);
        continue;
      }
      results[capture] = CaptureJob(options, capture, color, output, progress).run();
    }
  };
  {
    std::vector<std::jthread> helpers;
    try {
      for (std::size_t count = std::min<std::size_t>(options.jobs_wanted(), captures); count > 1; --count)
        helpers.emplace_back(work);
    } catch (const std::exception&) {
      // The system has no room for more of them: those that are there do it all.
    }
    work();
  }

  if (const std::string failure = output.failure(); !failure.empty()) {
    program::complain("iwarp-analyze: " + failure + "\n");
    return program::exit_failed;
  }
  // An interrupt is how a live capture ends.
  if (!program::interrupted() || options.live) return exit_status(options, results);
  const auto told = [](const JobResult& each) { return each.failed; };
  if (std::none_of(results.begin(), results.end(), told))
    program::complain("iwarp-analyze: interrupted when all had been read: what is printed is whole\n");
  return program::exit_failed;
}

}  // namespace iwarp::cli
