// The command line of iwarp-analyze.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <array>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <iwarp/capture/live_capture.hpp>
#include <iwarp/export/filter.hpp>
#include <iwarp/export/record.hpp>
#include <iwarp/finding.hpp>

namespace iwarp::cli {

enum class Format {
  text,
  jsonl,
  csv
};
enum class When {
  automatic,
  always,
  never
};
enum class Catalogue {
  none,
  checks_text,
  checks_markdown,
  checks_json,
  fields
};

struct Options {
  std::vector<std::string> captures;
  std::optional<capture::LiveOptions> live;  // of an interface, which is the only one of `captures` then
  std::string keep_in;                       // the file that keeps its packets; empty: none
  Format format = Format::text;
  bool report = true;  // the text report rather than records
  std::array<bool, record_kind_count> records{};
  std::optional<FrameNumber> state_at;
  bool only_states = false;  // reading may end behind state_at
  std::optional<ConnectionId> stream;
  std::optional<Filter> filter;
  Severity min_severity = Severity::information;
  std::optional<Severity> fail_on;
  bool strict = false;
  std::map<IpAddress, std::string> hosts;  // addresses of hosts that have several
  bool payload_hash = false;
  bool why = false;  // where the time of operations went, in their records
  unsigned jobs = 1;
  std::optional<unsigned> threads;  // on each capture; empty: as it is worth it
  unsigned processors = 1;
  std::optional<std::size_t> max_memory;  // octets; empty: half of what there is
  When color = When::automatic;
  When progress = When::automatic;
  Catalogue catalogue = Catalogue::none;

  [[nodiscard]] std::size_t memory_limit() const noexcept;  // octets
  // Captures side by side: fewer than --jobs says where memory is scarce, as one cannot let go what another
  // has.
  [[nodiscard]] unsigned jobs_wanted() const noexcept;
  // Threads on each capture. What one has in work takes some 20 MiB, and 64 of addresses: where memory is
  // scarce there are fewer than --threads says.
  [[nodiscard]] unsigned threads_wanted(bool worth_sharing) const noexcept;
  [[nodiscard]] bool wants(RecordKind kind) const noexcept { return records[static_cast<unsigned>(kind)]; }
  // Findings or records are wanted that need the lives of STags.
  [[nodiscard]] bool follows_stags() const noexcept {
    return report || fail_on || wants(RecordKind::finding) || wants(RecordKind::stag) ||
           wants(RecordKind::summary);
  }
  // … that need what streams waited for.
  [[nodiscard]] bool follows_stalls() const noexcept {
    return report || wants(RecordKind::finding) || wants(RecordKind::stall) || wants(RecordKind::summary);
  }
  [[nodiscard]] bool follows_deliveries() const noexcept { return wants(RecordKind::delivery); }
  [[nodiscard]] bool follows_latency() const noexcept { return why || follows_stalls(); }
};

// Reads the arguments. Nothing when there is no more to do: help was printed, or a sentence saying what is
// wrong; `status` is then the exit status.
[[nodiscard]] std::optional<Options> parse_options(int argc, const char* const* argv, int& status);

}  // namespace iwarp::cli
