// SPDX-License-Identifier: GPL-2.0-or-later
#include "commands/peers.hpp"

#include <algorithm>
#include <set>

#include "commands/options.hpp"

namespace iwarp::replay {
namespace {

// One colon, or one behind a bracket: what is behind it is a port.
bool has_port(const std::string& text) {
  if (text.starts_with('[')) return text.find("]:") != std::string::npos;
  return std::ranges::count(text, ':') == 1;
}

const MappedPeer* mapping_of(const Endpoint& responder, const std::vector<MappedPeer>& mapped) {
  const MappedPeer* any_port = nullptr;
  for (const MappedPeer& each : mapped) {
    if (each.address != responder.address) continue;
    if (each.port == responder.port) return &each;
    if (!each.port) any_port = &each;
  }
  return any_port;
}

}  // namespace

std::optional<MappedPeer> parse_mapped_peer(const std::string& text, std::string& error) {
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos || equals == 0) {
    error = "--map takes RECORDED=LIVE, such as 10.1.1.1:7174=192.0.2.7:7174, not '" + text + "'";
    return std::nullopt;
  }
  MappedPeer made;
  made.text = text;
  const std::string recorded = text.substr(0, equals);
  const bool with_port = has_port(recorded);
  const bool bare = !with_port && recorded.find(':') != std::string::npos && recorded.front() != '[';
  std::string why;
  const auto from =
      parse_endpoint(with_port ? recorded : (bare ? "[" + recorded + "]" : recorded) + ":1", why);
  if (!from) {
    error = "--map takes the recorded responder's address, with its port or without, not '" + recorded + "'";
    return std::nullopt;
  }
  made.address = from->address;
  if (with_port) made.port = from->port;
  const auto live = parse_endpoint(text.substr(equals + 1), why);
  if (!live) {
    error = "--map: " + why;
    return std::nullopt;
  }
  made.live = *live;
  return made;
}

std::optional<std::map<std::uint32_t, Endpoint>> peers_of(const Plan& plan,
                                                          const std::vector<std::uint32_t>& streams,
                                                          const std::vector<MappedPeer>& mapped,
                                                          const std::optional<Endpoint>& other,
                                                          std::string& error) {
  std::map<std::uint32_t, Endpoint> peers;
  std::set<const MappedPeer*> used;
  for (const std::uint32_t each : streams) {
    const Endpoint& responder = plan.streams[each].endpoints[static_cast<std::size_t>(Role::responder)];
    const MappedPeer* const found = mapping_of(responder, mapped);
    if (found == nullptr && !other) {
      error = "nobody stands for " + to_string(responder) + ", the responder of stream " +
              std::to_string(plan.streams[each].number) + ": --map " + to_string(responder) +
              "=HOST:PORT, or --connect HOST:PORT for all that no --map names";
      return std::nullopt;
    }
    if (found != nullptr) used.insert(found);
    peers[each] = found != nullptr ? found->live : *other;
  }
  for (const MappedPeer& each : mapped) {
    if (used.contains(&each)) continue;
    error = "--map " + each.text + ": no stream that is run has this responder, or a --map before it has it";
    return std::nullopt;
  }
  return peers;
}

}  // namespace iwarp::replay
