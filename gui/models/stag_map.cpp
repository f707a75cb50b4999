// SPDX-License-Identifier: GPL-2.0-or-later
#include "models/stag_map.hpp"

#include <algorithm>

#include <iwarp/wire/rdmap.hpp>

namespace iwarp::gui {

void StagMap::add(const StagName& name, StagUse use) {
  StagLane& lane = lanes_[name];
  ++lane.counts[use.kind];
  lane.octets += use.length;
  if (use.kind != StagUse::invalidation) {
    const std::uint64_t end = use.to > ~use.length ? ~std::uint64_t{0} : use.to + use.length;
    lane.least_to = std::min(lane.least_to, use.to);
    lane.greatest_to = std::max(lane.greatest_to, end);
  }
  // Rows come nearly in the order of time: what is late goes a few places back.
  auto place = lane.uses.end();
  while (place != lane.uses.begin() && std::prev(place)->time_ns > use.time_ns) --place;
  lane.uses.insert(place, use);
}

void StagMap::extend(const Metrics& metrics, std::size_t end) {
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
    const IpAddress& receiver = ends->second[index(other(event.side))].address;
    StagUse use{table.time_ns(taken_), message.to, message.length, static_cast<std::uint32_t>(taken_),
                StagUse::write};
    const ByteView header(message.rdmap.data(), message.rdmap_octets);
    switch (message.opcode) {
      case wire::Opcode::rdma_write: add({receiver, message.stag}, use); break;
      case wire::Opcode::read_response:
        use.kind = StagUse::read_into;
        add({receiver, message.stag}, use);
        break;
      case wire::Opcode::read_request:
        if (const auto request = wire::parse_read_request(header)) {
          if (request->size == 0) break;  // names no memory (RFC 5040 §5.2)
          use.kind = StagUse::read_from;
          use.to = request->source_to;
          use.length = request->size;
          add({receiver, request->source_stag}, use);
        }
        break;
      case wire::Opcode::atomic_request:
        if (const auto request = wire::parse_atomic_request(header)) {
          use.kind = StagUse::atomic;
          use.to = request->remote_to;
          use.length = 8;
          add({receiver, request->remote_stag}, use);
        }
        break;
      case wire::Opcode::send_inv:
      case wire::Opcode::send_se_inv:
        use.kind = StagUse::invalidation;
        use.to = use.length = 0;
        add({receiver, message.stag}, use);
        break;
      default: break;
    }
  }
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
