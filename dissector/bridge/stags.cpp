// SPDX-License-Identifier: GPL-2.0-or-later
#include "bridge/stags.hpp"

#include <iwarp/wire/rdmap.hpp>

namespace iwarp::dissector {

void StagUses::add(std::uint32_t stag, Side owner, StagPart part, std::uint64_t octets) noexcept {
  std::size_t at = 0;
  while (at < count_ && (uses_[at].stag != stag || uses_[at].owner != owner || uses_[at].part != part)) ++at;
  if (at == max_uses) return;
  if (at == count_) uses_[count_++] = {stag, owner, part, 0, 0};
  ++uses_[at].count;
  uses_[at].octets += octets;
}

void StagUses::add(const FpduFact& fpdu, Side sender) noexcept {
  const wire::DdpHeader& ddp = fpdu.ddp;
  if (fpdu.crc == CrcStatus::bad || fpdu.malformed || fpdu.header_octets < ddp.size()) return;
  const Side receiver = other(sender);
  const wire::Opcode opcode = ddp.opcode();
  if (ddp.tagged()) {
    add(ddp.stag, receiver, opcode == wire::Opcode::read_response ? StagPart::placed : StagPart::written,
        fpdu.payload_length);
    return;
  }
  if (wire::invalidates(opcode)) {
    // Every segment of the message repeats it; the last one makes it happen.
    if (ddp.last()) add(ddp.stag, receiver, StagPart::invalidated, 0);
    return;
  }
  const ByteView octets = ByteView(fpdu.rdmap).first(fpdu.rdmap_octets);
  if (opcode == wire::Opcode::read_request) {
    const auto request = wire::parse_read_request(octets);
    if (!request) return;
    add(request->sink_stag, sender, StagPart::read_sink, request->size);
    add(request->source_stag, receiver, StagPart::read_source, request->size);
  } else if (opcode == wire::Opcode::atomic_request) {
    if (const auto request = wire::parse_atomic_request(octets))
      add(request->remote_stag, receiver, StagPart::atomic_target, 0);
  }
}

void StagUses::add_under_way(const ConnectionState& state, Side sender) noexcept {
  const SideState& side = state.side(sender);
  const Side receiver = other(sender);
  for (const Request& request : side.requests) {
    if (request.partial || request.unseen) continue;
    if (request.kind == RequestKind::atomic) {
      add(request.source_stag, receiver, StagPart::atomic_target, 0);
      continue;
    }
    add(request.sink_stag, sender, StagPart::read_sink, request.size);
    add(request.source_stag, receiver, StagPart::read_source, request.size);
  }
  if (side.write->active) add(side.write->stag, receiver, StagPart::written, side.write->length);
  // Where the request was seen, it names the same.
  if (side.read_response->active && state.side(receiver).requests.empty())
    add(side.read_response->stag, receiver, StagPart::placed, side.read_response->length);
}

void StagUses::add_under_way(const ConnectionState& state) noexcept {
  add_under_way(state, Side::a);
  add_under_way(state, Side::b);
}

}  // namespace iwarp::dissector
