// SPDX-License-Identifier: GPL-2.0-or-later
#include "models/stag_map.hpp"

#include <iwarp/wire/rdmap.hpp>

namespace iwarp::gui {

void StagMap::extend(const Metrics& metrics, std::size_t end, const Hosts& hosts) {
  const StreamTable& streams = metrics.streams();
  for (const std::size_t count = streams.size(); streams_ < count; ++streams_) {
    ends_[streams.connection(streams_)] = streams.endpoints(streams_);
  }
  const MessageTable& table = metrics.messages();
  for (; taken_ < end; ++taken_) {
    const auto ends = ends_.find(table.connection(taken_));
    if (ends == ends_.end()) continue;
    const Event event = table.event(taken_);
    const MessageConclusion& message = event.message;
    const IpAddress receiver = hosts.of(ends->second[index(other(event.side))].address);
    const auto add = [&, stream = table.connection(taken_)](std::uint32_t stag, const StagUse& use) {
      StagTrack& track = tracks_[{receiver, stag}];
      track.add(use);
      track.note_stream(stream);
    };
    StagUse use{table.time_ns(taken_), message.to, message.length, static_cast<std::uint32_t>(taken_),
                StagUse::write};
    const ByteView header(message.rdmap.data(), message.rdmap_octets);
    // STag and TO of a zero-length one are not checked: it names no memory (RFC 5041 §5.2).
    const bool writes = message.length > 0;
    switch (message.opcode) {
      case wire::Opcode::rdma_write:
        if (writes) add(message.stag, use);
        break;
      case wire::Opcode::read_response:
        use.kind = StagUse::read_into;
        if (writes) add(message.stag, use);
        break;
      case wire::Opcode::read_request:
        if (const auto request = wire::parse_read_request(header)) {
          if (request->size == 0) break;  // nor does this (RFC 5040 §5.2.1)
          use.kind = StagUse::read_from;
          use.to = request->source_to;
          use.length = request->size;
          add(request->source_stag, use);
        }
        break;
      case wire::Opcode::atomic_request:
        if (const auto request = wire::parse_atomic_request(header)) {
          use.kind = StagUse::atomic;
          use.to = request->remote_to;
          use.length = 8;
          add(request->remote_stag, use);
        }
        break;
      case wire::Opcode::send_inv:
      case wire::Opcode::send_se_inv:
        use.kind = StagUse::invalidation;
        use.to = use.length = 0;
        add(message.stag, use);
        break;
      default: break;
    }
  }
}

std::optional<StagName> StagMap::stag_of(const Metrics& metrics, const Selection& selection) const {
  if (selection.stag) return selection.stag;
  const MessageTable& messages = metrics.messages();
  TimeNs time = 0;
  OperationConclusion operation;
  if (selection.message && *selection.message < messages.size()) {
    time = messages.time_ns(*selection.message);
  } else if (selection.operation && *selection.operation < metrics.operations().size()) {
    operation = metrics.operations().event(*selection.operation).operation;
    time = metrics.operations().time_ns(*selection.operation);
  } else {
    return std::nullopt;
  }
  const auto is_meant = [&](std::uint32_t row) {
    if (selection.message) return row == *selection.message;
    return messages.connection(row) == metrics.operations().connection(*selection.operation) &&
           messages.event(row).message.number == operation.message;
  };
  Work work;
  for (const auto& [name, track] : tracks_) {
    const std::vector<StagUse>& uses = track.uses();
    for (std::size_t use = track.first_at(0, time, work); use < uses.size() && uses[use].time_ns == time;
         ++use) {
      if (is_meant(uses[use].message)) return name;
    }
  }
  return std::nullopt;
}

const char* stag_use_name(StagUse::Kind kind) noexcept {
  switch (kind) {
    case StagUse::write: return "Write";
    case StagUse::read_from: return "Read from";
    case StagUse::read_into: return "Read into";
    case StagUse::atomic: return "atomic";
    case StagUse::invalidation: return "invalidation";
  }
  return "";
}

}  // namespace iwarp::gui
