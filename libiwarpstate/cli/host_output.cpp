// SPDX-License-Identifier: GPL-2.0-or-later
#include "host_output.hpp"

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

HostOutput::HostOutput(const Options& options, std::size_t capture, Report& report, Summary& summary)
    : options_(options),
      name_(program::printable(options.captures[capture])),
      report_(report),
      summary_(summary),
      table_(stag_options(options)) {}

void HostOutput::take(const HostFact& fact, TextBuffer& out) {
  if (const auto* const attempt = std::get_if<StartupAttempt>(&fact)) {
    if (const auto finding = retries_.add(*attempt)) take(*finding, Role::responder, out);
    return;
  }
  table_.add(std::get<StagUse>(fact));
  for (const StagTable::Found& found : table_.findings()) take(found.event, found.from, out);
  for (const StagRecord& stag : table_.ended()) print(stag, out);
}

void HostOutput::take(const Event& finding, Role from, TextBuffer& out) {
  summary_.add(finding, nullptr);
  if (options_.report) {
    report_.take(*Report::entry_of(finding, from));
    return;
  }
  const bool excluded = finding.finding.severity < options_.min_severity ||
                        (options_.stream && *options_.stream != finding.connection);
  if (excluded || !options_.wants(RecordKind::finding)) return;
  Record record;
  record.kind = RecordKind::finding;
  record.stream = finding.connection;
  record.event = &finding;
  record.from = from;
  print_record(out, options_, name_, record);
}

void HostOutput::print(const StagRecord& stag, TextBuffer& out) const {
  if (!options_.wants(RecordKind::stag)) return;
  const auto& streams = stag.streams;
  if (options_.stream && std::find(streams.begin(), streams.end(), *options_.stream) == streams.end()) return;
  print_record(out, options_, name_, stag_record(stag));
}

}  // namespace iwarp::cli
