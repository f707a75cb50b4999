// Peers: which live peer stands for which recorded responder (--connect, --map).
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <iwarp/segment.hpp>

#include "plan/plan.hpp"

namespace iwarp::replay {

struct MappedPeer {
  std::string text;  // as it was given
  IpAddress address;
  std::optional<std::uint16_t> port = std::nullopt;  // nothing: any
  Endpoint live;
};

// "10.1.1.1:7174=192.0.2.7:7174", "10.1.1.1=peer.example:4420", "[2001:db8::1]:4420=…"; nothing: `error` says
// what is wrong with it.
[[nodiscard]] std::optional<MappedPeer> parse_mapped_peer(const std::string& text, std::string& error);

// By stream, of these: who stands for its responder. An address with its port goes before one without, and
// what is in no mapping is `other`'s. Nothing: `error` names a responder for whom nobody stands, or a mapping
// of which no stream is.
[[nodiscard]] std::optional<std::map<std::uint32_t, Endpoint>> peers_of(
    const Plan& plan, const std::vector<std::uint32_t>& streams, const std::vector<MappedPeer>& mapped,
    const std::optional<Endpoint>& other, std::string& error);

}  // namespace iwarp::replay
