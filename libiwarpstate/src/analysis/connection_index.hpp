// ConnectionIndex: the ids of the connections followed, by their addresses and ports.
//
// Equal addresses in two networks are two connections most of the time; a connection may also be known in
// further networks than its own. One look is enough for what has no VLAN or tunnel: the entry of network 0
// knows the connection there, and the latest one in whatever network.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstdint>
#include <optional>
#include <unordered_map>

#include <iwarp/ids.hpp>
#include <iwarp/segment.hpp>

#include "analysis/connection_key.hpp"

namespace iwarp {

class ConnectionIndex {
 public:
  // Most lookups of a capture with very many connections are for new ones: they find an empty bucket at once.
  ConnectionIndex() { entries_.max_load_factor(0.5F); }

  struct Found {
    std::optional<ConnectionId> own;     // in the network asked for
    std::optional<ConnectionId> latest;  // the one added last, in whatever network, while it is followed
  };

  [[nodiscard]] Found find(const Endpoint& one, const Endpoint& another, std::uint32_t network) const {
    const Entry* const any = entry({one, another, 0});
    const Entry* const own = network == 0 ? any : entry({one, another, network});
    Found found;
    if (own != nullptr && own->own != none) found.own = own->own;
    if (any != nullptr && any->latest != none) found.latest = any->latest;
    return found;
  }

  // A new connection.
  void add(const Endpoint& one, const Endpoint& another, std::uint32_t network, ConnectionId id) {
    Entry& any = entries_[{one, another, 0}];
    any.latest = id;
    (network == 0 ? any : entries_[{one, another, network}]).own = id;
  }

  // The connection is in this network, too.
  void add_network(const Endpoint& one, const Endpoint& another, std::uint32_t network, ConnectionId id) {
    entries_[{one, another, network}].own = id;
    further_networks_.emplace(id, network);
  }

  // It is followed no more.
  void forget(const Endpoint& one, const Endpoint& another, std::uint32_t network, ConnectionId id) {
    forget({one, another, 0}, id);
    if (network != 0) forget({one, another, network}, id);
    if (further_networks_.empty()) return;
    const auto [first, last] = further_networks_.equal_range(id);
    for (auto further = first; further != last; ++further) forget({one, another, further->second}, id);
    further_networks_.erase(first, last);
  }

 private:
  static constexpr ConnectionId none = ~ConnectionId{0};
  struct Entry {
    ConnectionId own = none;
    ConnectionId latest = none;  // of network 0
  };

  [[nodiscard]] const Entry* entry(const ConnectionKey& key) const {
    const auto found = entries_.find(key);
    return found == entries_.end() ? nullptr : &found->second;
  }

  void forget(const ConnectionKey& key, ConnectionId id) {
    const auto found = entries_.find(key);
    if (found == entries_.end()) return;
    Entry& entry = found->second;
    if (entry.own == id) entry.own = none;
    if (entry.latest == id) entry.latest = none;
    if (entry.own == none && entry.latest == none) entries_.erase(found);
  }

  std::unordered_map<ConnectionKey, Entry, ConnectionKey::Hash> entries_;
  std::unordered_multimap<ConnectionId, std::uint32_t> further_networks_;
};

}  // namespace iwarp
