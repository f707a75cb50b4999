// SPDX-License-Identifier: GPL-2.0-or-later
#include "engine/deeds.hpp"

#include <algorithm>

#include <iwarp/wire/mpa.hpp>
#include <iwarp/wire/rdmap.hpp>

namespace iwarp::replay {

bool Deeds::accepts() const noexcept {
  const auto frame = wire::parse_startup(opening);
  return frame && frame->kind == wire::StartupKind::reply && !frame->rejected;
}

bool Deeds::says_more() const noexcept {
  const auto frame = wire::parse_startup(opening);
  return frame && octets > frame->size();
}

void DeedsOfEnds::note(const Packet& packet) {
  Deeds& deeds = deeds_[packet.source];
  deeds.fin = deeds.fin || packet.has(tcp::fin);
  deeds.rst = deeds.rst || packet.has(tcp::rst);
  deeds.octets += packet.payload.size();
  const std::size_t wanted = wire::startup_header_size - deeds.opening.size();
  const ByteView first = ByteView(packet.payload).first(std::min(wanted, packet.payload.size()));
  deeds.opening.insert(deeds.opening.end(), first.begin(), first.end());
}

void DeedsOfEnds::note(const Event& event, const ConnectionState* state) {
  if (state == nullptr) return;
  Deeds& deeds = deeds_[state->endpoints[index(event.side)]];
  switch (event.kind) {
    case EventKind::finding: deeds.broken.insert(event.finding.check); break;
    case EventKind::startup: ++deeds.startups; break;
    case EventKind::fpdu: ++deeds.fpdus; break;
    case EventKind::message: {
      const MessageConclusion& message = event.message;
      if (message.opcode != wire::Opcode::terminate || message.tagged) break;
      const auto octets = ByteView(message.rdmap).first(message.rdmap_octets);
      const auto terminate = wire::parse_terminate(octets, message.bit_order);
      deeds.terminates.push_back(terminate ? terminate->meant.value() : std::uint16_t{0});
      break;
    }
    default: break;
  }
}

Deeds DeedsOfEnds::of(const Endpoint& end) const {
  const auto found = deeds_.find(end);
  return found == deeds_.end() ? Deeds() : found->second;
}

}  // namespace iwarp::replay
