// SPDX-License-Identifier: GPL-2.0-or-later
#include "engine/observed_actions.hpp"

#include <algorithm>

#include <iwarp/wire/mpa.hpp>
#include <iwarp/wire/rdmap.hpp>

namespace iwarp::replay {

bool ObservedActions::accepts() const noexcept {
  const auto frame = wire::parse_startup(opening);
  return frame && frame->kind == wire::StartupKind::reply && !frame->rejected;
}

bool ObservedActions::says_more() const noexcept {
  const auto frame = wire::parse_startup(opening);
  return frame && octets > frame->size();
}

void ActionsOfEnds::note(const Packet& packet) {
  ObservedActions& actions = actions_[{packet.source, packet.destination}];
  actions.fin = actions.fin || packet.has(tcp::fin);
  actions.rst = actions.rst || packet.has(tcp::rst);
  actions.octets += packet.payload.size();
  const std::size_t wanted = wire::startup_header_size - actions.opening.size();
  const ByteView first = ByteView(packet.payload).first(std::min(wanted, packet.payload.size()));
  actions.opening.insert(actions.opening.end(), first.begin(), first.end());
}

void ActionsOfEnds::note(const Event& event, const ConnectionState* state) {
  if (state == nullptr) return;
  const std::array<Endpoint, 2>& ends = state->endpoints;
  ObservedActions& actions = actions_[{ends[index(event.side)], ends[index(other(event.side))]}];
  switch (event.kind) {
    case EventKind::finding: actions.broken.insert(event.finding.check); break;
    case EventKind::startup: ++actions.startups; break;
    case EventKind::fpdu: ++actions.fpdus; break;
    case EventKind::message: {
      const MessageConclusion& message = event.message;
      if (message.opcode != wire::Opcode::terminate || message.tagged) break;
      const auto octets = ByteView(message.rdmap).first(message.rdmap_octets);
      const auto terminate = wire::parse_terminate(octets, message.bit_order);
      actions.terminates.push_back(terminate ? terminate->meant.value() : std::uint16_t{0});
      break;
    }
    default: break;
  }
}

ObservedActions ActionsOfEnds::of(const std::array<Endpoint, 2>& ends, Role role) const {
  const auto from = static_cast<std::size_t>(role);
  const auto found = actions_.find({ends[from], ends[1 - from]});
  return found == actions_.end() ? ObservedActions() : found->second;
}

}  // namespace iwarp::replay
