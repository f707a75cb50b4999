// SPDX-License-Identifier: GPL-2.0-or-later
#include "support/analysed.hpp"

#include <cstdio>
#include <cstdlib>

#include "support/all_events.hpp"

namespace iwarp::test {
namespace {

AnalyzerOptions with_log(AnalyzerOptions options) {
  options.keep_log = true;
  return options;
}

}  // namespace

Analysed::Analysed(const Conversation& conversation, const AnalyzerOptions& options)
    : Analysed(conversation.segments(), options) {}

Analysed::Analysed(const std::vector<OwnedSegment>& segments, const AnalyzerOptions& options)
    : analyzer_(with_log(options)) {
  for (const OwnedSegment& each : segments) analyzer_.add(each.segment());
  analyzer_.finish();
  events_ = all_events(analysis());
}

Analysed::Analysed(const SctpConversation& conversation, const AnalyzerOptions& options)
    : Analysed(conversation.packets(), options) {}

Analysed::Analysed(const std::vector<OwnedPacket>& packets, const AnalyzerOptions& options)
    : analyzer_(with_log(options)) {
  for (const OwnedPacket& each : packets) analyzer_.add(each.packet());
  analyzer_.finish();
  events_ = all_events(analysis());
}

std::vector<Event> Analysed::of(EventKind kind) const {
  std::vector<Event> found;
  for (const Event& event : events()) {
    if (event.kind == kind) found.push_back(event);
  }
  return found;
}

std::vector<Event> Analysed::messages(bool complete_only) const {
  std::vector<Event> found = of(EventKind::message);
  if (complete_only)
    std::erase_if(found, [](const Event& event) { return event.message.end != MessageEnd::complete; });
  return found;
}

std::vector<Event> Analysed::messages(wire::Opcode opcode, bool complete_only) const {
  std::vector<Event> found = messages(complete_only);
  std::erase_if(found, [opcode](const Event& event) { return event.message.opcode != opcode; });
  return found;
}

std::vector<OperationConclusion> Analysed::operations(OperationKind kind) const {
  std::vector<OperationConclusion> found;
  for (const Event& event : of(EventKind::operation)) {
    if (event.operation.kind == kind) found.push_back(event.operation);
  }
  return found;
}

Ids Analysed::ids(Severity least) const {
  Ids found;
  for (const Event& event : of(EventKind::finding)) {
    if (event.finding.severity >= least) found.emplace_back(check_info(event.finding.check).id);
  }
  return found;
}

std::vector<Event> Analysed::findings(std::string_view id) const {
  std::vector<Event> found = of(EventKind::finding);
  std::erase_if(found, [id](const Event& event) { return check_info(event.finding.check).id != id; });
  return found;
}

std::uint64_t Analysed::undecidable(std::string_view id) const {
  std::uint64_t sum = 0;
  for (unsigned reason = 0; reason < static_cast<unsigned>(Reason::count); ++reason) {
    sum += undecidable(id, static_cast<Reason>(reason));
  }
  return sum;
}

std::uint64_t Analysed::undecidable(std::string_view id, Reason reason) const {
  std::uint64_t sum = 0;
  for (unsigned check = 0; check < check_count; ++check) {
    if (check_info(static_cast<CheckId>(check)).id == id)
      sum += analysis().undecidable(static_cast<CheckId>(check), reason);
  }
  return sum;
}

const ConnectionState& Analysed::state(ConnectionId id) const {
  const ConnectionState* found = analysis().connection(id);
  if (found == nullptr) {
    std::fprintf(stderr, "no connection %u\n", id);
    std::abort();
  }
  return *found;
}

std::string Analysed::told() const {
  std::string lines;
  for (const Event& event : of(EventKind::finding)) {
    lines += "frame " + std::to_string(event.frame) + (event.side == Side::a ? " a: " : " b: ") +
             severity_name(event.finding.severity) + " " + check_info(event.finding.check).id + " " +
             describe(event.finding) + "\n";
  }
  return lines;
}

}  // namespace iwarp::test
