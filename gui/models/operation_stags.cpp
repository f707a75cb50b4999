// SPDX-License-Identifier: GPL-2.0-or-later
#include "models/operation_stags.hpp"

#include <QObject>

#include <iwarp/wire/rdmap.hpp>

#include "models/stag_story.hpp"
#include "scale/text.hpp"

namespace iwarp::gui {
namespace {

// The life that the STag had when `frame` came; nullptr: none is known.
const StagRecord* life_of(const std::vector<StagRecord>& records, const std::string& host, std::uint32_t stag,
                          FrameNumber frame) {
  const StagRecord* found = nullptr;
  FrameNumber begun = 0;
  for (const StagRecord& record : records) {
    if (record.stag != stag || record.host != host) continue;
    const FrameNumber first = record.advertised ? record.advertised->frame : record.first_use;
    if (first > frame || (found != nullptr && first < begun)) continue;
    found = &record;
    begun = first;
  }
  return found;
}

Fact fact_of(const Log& log, const QString& name, const std::string& host, std::uint32_t stag,
             FrameNumber frame) {
  Fact fact{name, {QString::fromStdString(hex_text(stag, 8) + " of " + host)}};
  const StagRecord* const record = life_of(log.stag_records.records(), host, stag, frame);
  if (record == nullptr) return fact;
  const QStringList lines = life_lines({*record, {}, {}, {}, {}});
  fact.values[0] += QStringLiteral(": ") + lines.front();
  fact.frame = record->advertised ? record->advertised->frame : 0;
  for (const QString& line : lines.mid(1)) fact.children.push_back({QString(), {line}});
  return fact;
}

}  // namespace

std::vector<Fact> stag_facts(const Log& log, ConnectionId connection, const Event& event) {
  const ConnectionState* const state = log.analysis.connection(connection);
  if (state == nullptr) return {};
  const MessageConclusion& message = event.message;
  const auto host = [&](Side side) { return log.hosts.name(state->endpoints[index(side)].address); };
  const std::string peer = host(other(event.side));
  const ByteView header(message.rdmap.data(), message.rdmap_octets);
  const auto fact = [&](const QString& name, const std::string& of, std::uint32_t stag) {
    return fact_of(log, name, of, stag, message.placed.frame);
  };
  switch (message.opcode) {
    case wire::Opcode::rdma_write:
      if (message.length == 0) return {};  // it names no memory (RFC 5041 §5.2)
      return {fact(QObject::tr("Written to STag"), peer, message.stag)};
    case wire::Opcode::read_request: {
      const auto request = wire::parse_read_request(header);
      if (!request || request->size == 0) return {};  // RFC 5040 §5.2.1
      return {fact(QObject::tr("Source STag"), peer, request->source_stag),
              fact(QObject::tr("Sink STag"), host(event.side), request->sink_stag)};
    }
    case wire::Opcode::atomic_request: {
      const auto request = wire::parse_atomic_request(header);
      if (!request) return {};
      return {fact(QObject::tr("Remote STag"), peer, request->remote_stag)};
    }
    case wire::Opcode::send_inv:
    case wire::Opcode::send_se_inv: return {fact(QObject::tr("Invalidates STag"), peer, message.stag)};
    default: return {};
  }
}

}  // namespace iwarp::gui
