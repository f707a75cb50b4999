// SPDX-License-Identifier: GPL-2.0-or-later
#include "stag_output.hpp"

#include <algorithm>

#include "program/printable.hpp"
#include "record_output.hpp"

namespace iwarp::cli {

namespace {

StagOptions stag_options(const Options& options) {
  StagOptions chosen;
  chosen.strict = options.strict;
  chosen.hosts = options.hosts;
  // At most an eighth of the memory, since none of it can be let go.
  constexpr std::size_t octets_of_a_life = 512;
  chosen.max_stags =
      std::clamp<std::size_t>(options.memory_limit() / 8 / octets_of_a_life, 1024, chosen.max_stags);
  return chosen;
}

}  // namespace

StagOutput::StagOutput(const Options& options, std::size_t capture, Report& report, Summary& summary)
    : options_(options),
      name_(program::printable(options.captures[capture])),
      report_(report),
      summary_(summary),
      table_(stag_options(options)) {}

void StagOutput::take(const StagUse& use, TextBuffer& out) {
  table_.add(use);
  for (const StagTable::Found& found : table_.findings()) {
    summary_.add(found.event, nullptr);
    if (options_.report) {
      report_.take(*Report::entry_of(found.event, found.from));
      continue;
    }
    const bool excluded = found.event.finding.severity < options_.min_severity ||
                          (options_.stream && *options_.stream != found.event.connection);
    if (excluded || !options_.wants(RecordKind::finding)) continue;
    Record record;
    record.kind = RecordKind::finding;
    record.stream = found.event.connection;
    record.event = &found.event;
    record.from = found.from;
    print_record(out, options_, name_, record);
  }
  for (const StagRecord& stag : table_.ended()) print(stag, out);
}

void StagOutput::print(const StagRecord& stag, TextBuffer& out) const {
  if (!options_.wants(RecordKind::stag)) return;
  const auto& streams = stag.streams;
  if (options_.stream && std::find(streams.begin(), streams.end(), *options_.stream) == streams.end()) return;
  print_record(out, options_, name_, stag_record(stag));
}

}  // namespace iwarp::cli
