// Collecting for a report.
// SPDX-License-Identifier: GPL-2.0-or-later
#include "export/report/content.hpp"

#include <algorithm>
#include <string_view>

#include <iwarp/diagnosis.hpp>
#include <iwarp/export/names.hpp>

#include "export/fields/stream_fields.hpp"

namespace iwarp {

namespace report {

namespace {

// Whether `a` has more to look at than `b`.
bool is_worse(const StreamRow& a, const StreamRow& b) noexcept {
  const auto weight = [](const StreamRow& row) {
    return std::tuple(row.findings[3], row.findings[2], row.findings[1], ~row.id);
  };
  return weight(a) > weight(b);
}

// The frame that shows the finding. Its event's frame may be another connection's, added when this one was
// closed.
FrameNumber shown_by(const Event& event) noexcept {
  return event.finding.evidence_count == 0 ? event.frame : event.finding.evidence[0];
}

}  // namespace

StreamRow stream_row(const ConnectionState& connection) {
  StreamRow row;
  row.id = connection.id;
  row.first_frame = connection.first_frame;
  row.start = start_name(connection);
  row.close = close_name(connection);
  row.role_basis = connection.role_basis;
  row.llp = connection.llp;
  row.sctp = connection.sctp;
  const auto& settling = fields::settling_frame(connection.mpa);
  if (settling && row.llp == Llp::tcp) row.revision = settling->revision;
  row.rejected = connection.mpa.rejected;
  row.crc = fields::crc_mode(connection);
  row.rtr = rtr_kind_name(connection.mpa.rtr);
  row.findings = connection.findings;
  const auto note = [&row](Flaw flaw) { row.flaws.set(static_cast<std::size_t>(flaw)); };
  if (!connection.outstanding_known()) note(Flaw::one_direction);
  if (connection.opened_by == OpenedBy::midstream) note(Flaw::midstream);
  for (const SideState& side : connection.sides) {
    const bool cut = side.violated.test(static_cast<std::size_t>(CheckId::cap_snap));
    if (side.gaps > 0 && !cut) note(Flaw::gaps);
    for (const auto& [check, flaw] :
         {std::pair(CheckId::cap_snap, Flaw::cut), std::pair(CheckId::cap_dupframe, Flaw::duplicates),
          std::pair(CheckId::cap_tsrev, Flaw::backward), std::pair(CheckId::cap_cksum, Flaw::checksums)}) {
      if (side.violated.test(static_cast<std::size_t>(check))) note(flaw);
    }
  }
  for (const Role role : {Role::initiator, Role::responder}) {
    const Side side = connection.side_of(role);
    const SideState& state = connection.side(side);
    const auto at = static_cast<std::size_t>(role);
    EndRow& end = row.ends[at];
    end.endpoint = connection.endpoints[index(side)];
    end.ird = connection.mpa.ird[at];
    end.ord = connection.mpa.ord[at];
    end.markers = state.known_markers();
    end.fpdus = state.fpdus;
    end.payload_octets = state.payload_octets;
    end.retransmitted_octets = state.retransmitted_octets;
    end.gaps = state.gaps;
    end.gap_octets = state.gap_octets;
    end.max_outstanding = connection.outstanding_known() ? state.max_outstanding : 0;
    end.qp = state.qp;
    end.stack = stack_of(connection, role);
    row.crc_counts.good += state.crc_counts.good;
    row.crc_counts.bad += state.crc_counts.bad;
    row.crc_counts.unchecked += state.crc_counts.unchecked;
  }
  return row;
}

Entry::Stream closed(const ConnectionState& connection, ConnectionId number) {
  Entry::Stream stream;
  stream.row = stream_row(connection);
  stream.row.id = number;
  for (const Side side : {Side::a, Side::b}) {
    const SideState& state = connection.side(side);
    const Role role = connection.role_of(side);
    stream.messages[static_cast<std::size_t>(role)] = state.messages;
    for (const TerminateSeen& seen : state.terminates) stream.terminates.emplace_back(role, seen);
  }
  return stream;
}

Entry::Found found(const Event& finding, const ConnectionState& connection, ConnectionId number) {
  Entry::Found found{finding, connection.role_of(finding.side)};
  found.event.connection = number;
  return found;
}

void Content::add(const Entry::Stream& stream) {
  const StreamRow& row = stream.row;
  if (!listed(row.id)) return;
  ++streams;
  for (std::size_t role = 0; role < 2; ++role) {
    const EndRow& end = row.ends[role];
    fpdus[role] += end.fpdus;
    payload_octets[role] += end.payload_octets;
    retransmitted_octets[role] += end.retransmitted_octets;
    gaps += end.gaps;
    gap_octets += end.gap_octets;
    for (std::size_t opcode = 0; opcode < messages.size(); ++opcode)
      messages[opcode] += stream.messages[role][opcode];
  }
  crc_counts.good += row.crc_counts.good;
  crc_counts.bad += row.crc_counts.bad;
  crc_counts.unchecked += row.crc_counts.unchecked;
  const std::string_view close = row.close;
  ++closed[close == "fin" ? 0 : close == "rst" ? 1 : 2];
  const bool serious = row.findings[2] + row.findings[3] > 0;
  if (serious) ++streams_with_findings;
  add_terminates(stream);
  for (std::size_t flaw = 0; flaw < flaw_count; ++flaw) flawed[flaw] += row.flaws.test(flaw) ? 1U : 0U;
  const std::string likeness = stream_likeness(row);
  auto group = alike.find(likeness);
  if (group == alike.end() && alike.size() < max_stream_groups) {
    group = alike.emplace(likeness, StreamGroup{0, 0, row}).first;
  }
  if (group == alike.end()) {
    ++unlike;
  } else {
    ++group->second.count;
    if (serious) ++group->second.with_findings;
    if (row.id < group->second.first.id) group->second.first = row;
  }
  if (serious) {
    worst.insert(std::upper_bound(worst.begin(), worst.end(), row, is_worse), row);
    if (worst.size() > max_worst) worst.pop_back();
  }
  if (streams <= options.max_streams) {
    rows.emplace(row.id, row);
  } else {
    rows.clear();
  }
}

void Content::add_terminates(const Entry::Stream& stream) {
  for (const auto& [from, seen] : stream.terminates) {
    const TerminateKey key{from, seen.code_captured, seen.raw, seen.bit_order};
    auto group = terminates.find(key);
    if (group == terminates.end()) {
      if (terminates.size() >= max_terminate_groups) {
        ++ungrouped_terminates;
        continue;
      }
      group = terminates.emplace(key, TerminateGroup{0, stream.row.id, seen}).first;
    }
    ++group->second.count;
    if (seen.frame < group->second.first.frame)
      group->second.stream = stream.row.id, group->second.first = seen;
  }
}

void Content::add(const Entry::Found& found) {
  const Event& event = found.event;
  const Finding& finding = event.finding;
  if (!listed(event.connection)) return;
  if (is_diagnosis(finding.check)) return add_cost(found);
  ++findings[static_cast<std::size_t>(finding.severity) & 3U];
  if (finding.severity < options.min_severity) return;
  CheckFindings& check = by_check[{finding.severity, finding.check}];
  ++check.count;
  const std::pair key(event.connection, event.side);
  auto group = check.groups.find(key);
  if (group == check.groups.end()) {
    if (check.groups.size() >= options.max_ends_of_check) {
      check.all_grouped = false;
      return;
    }
    group = check.groups.emplace(key, FindingGroup{}).first;
    group->second.first = event;
    group->second.first_frame = shown_by(event);
    group->second.from = found.from;
  }
  ++group->second.count;
  group->second.last_frame = shown_by(event);
}

void Content::add_cost(const Entry::Found& found) {
  Cost& cost = costs[found.event.finding.check];
  const std::uint64_t lost_ns = found.event.finding.arguments[0];
  cost.lost_ns += lost_ns;
  const bool is_first = cost.count++ == 0;
  const Event& before = cost.worst.event;
  // The order in which they come depends on when streams end.
  if (is_first || lost_ns > before.finding.arguments[0] ||
      (lost_ns == before.finding.arguments[0] && found.event.connection < before.connection)) {
    cost.worst = found;
  }
}

void Content::add_message(const MessageConclusion& message) {
  if (message.end == MessageEnd::complete) return;  // counted by the state
  ++incomplete[static_cast<std::size_t>(message.opcode) % wire::opcode_count];
}

void Content::add_operation(const OperationConclusion& operation) {
  const bool read = operation.kind == OperationKind::read;
  if (!read && operation.kind != OperationKind::atomic) return;
  ++statuses[read ? 0 : 1][std::min<std::size_t>(static_cast<std::size_t>(operation.status), 4)];
  // Of a request that was sent again it is not known which copy was answered.
  if (operation.request.frame == 0 || operation.request_retransmitted) return;
  if (operation.status != OperationStatus::complete) return;
  if (const auto latency = operation.latency()) (read ? read_full : atomic).add(*latency);
  if (const auto latency = operation.first_byte_latency(); read && latency) read_first.add(*latency);
}

void Content::merge(const Content& other) {
  for (std::size_t opcode = 0; opcode < incomplete.size(); ++opcode)
    incomplete[opcode] += other.incomplete[opcode];
  for (std::size_t kind = 0; kind < statuses.size(); ++kind) {
    for (std::size_t status = 0; status < statuses[kind].size(); ++status)
      statuses[kind][status] += other.statuses[kind][status];
  }
  read_first.merge(other.read_first);
  read_full.merge(other.read_full);
  atomic.merge(other.atomic);
  spent.merge(other.spent);
}

}  // namespace report

Report::Report(ReportOptions options) : content_(std::make_unique<report::Content>()) {
  content_->options = options;
}
Report::~Report() = default;
Report::Report(Report&&) noexcept = default;
Report& Report::operator=(Report&&) noexcept = default;

void Report::add(const Event& event, const ConnectionState* connection, const LatencyParts* parts) {
  if (connection == nullptr) return;
  count(event, event.connection, parts);
  if (event.kind == EventKind::finding) {
    content_->add(report::found(event, *connection, event.connection));
  } else if (event.kind == EventKind::closed && connection->iwarp) {
    content_->add(report::closed(*connection, event.connection));
  }
}

Report::Entry Report::entry_of(const Event& event, const ConnectionState& connection, ConnectionId stream) {
  if (event.kind == EventKind::finding)
    return std::make_shared<const report::Entry>(report::Entry{report::found(event, connection, stream)});
  if (event.kind != EventKind::closed || !connection.iwarp) return nullptr;
  return std::make_shared<const report::Entry>(report::Entry{report::closed(connection, stream)});
}

Report::Entry Report::entry_of(const Event& finding, Role from) {
  return std::make_shared<const report::Entry>(report::Entry{report::Entry::Found{finding, from}});
}

void Report::take(const report::Entry& entry) {
  std::visit([this](const auto& what) { content_->add(what); }, entry.what);
}

void Report::count(const Event& event, ConnectionId stream, const LatencyParts* parts) {
  const bool counts = event.kind == EventKind::message || event.kind == EventKind::operation;
  if (!counts || !content_->listed(stream)) return;
  if (event.kind == EventKind::message) {
    content_->add_message(event.message);
  } else {
    content_->add_operation(event.operation);
    if (parts != nullptr) content_->spent.add(*parts, event.operation);
  }
}

void Report::merge(const Report& other) {
  content_->merge(*other.content_);
}

}  // namespace iwarp
