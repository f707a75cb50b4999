// EarlierConnections: what is remembered of connections that were let go, so that what still trickles
// in does not look like a connection begun mid-stream.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <algorithm>
#include <cstddef>
#include <unordered_map>

#include <iwarp/fifo.hpp>
#include <iwarp/ids.hpp>
#include <iwarp/segment.hpp>

#include "analysis/connection_key.hpp"
#include "analysis/tcp_reach.hpp"

namespace iwarp {

class EarlierConnections {
 public:
  static constexpr std::size_t max_remembered = 1U << 16U;
  // Nothing is in the network for longer: twice RFC 9293's maximum segment lifetime (§3.4.2).
  static constexpr TimeNs lifetime_ns = 240'000'000'000;

  // `a`: the endpoint that `reach` calls Side::a.
  void add(const ConnectionKey& key, const Endpoint& a, const TcpReach& reach, TimeNs now_ns) {
    Ended& ended = ended_[key];
    ended = {a, reach, now_ns, ended.times + 1};
    in_order_.push_back(key);
    if (in_order_.size() <= max_remembered) return;
    forget_first();
  }
  // Forgets the earliest, as many as that or all; returns how many. Their memory is free then.
  std::size_t forget(std::size_t connections) {
    const std::size_t forgotten = std::min(connections, in_order_.size());
    for (std::size_t left = forgotten; left > 0; --left) forget_first();
    if (in_order_.empty()) *this = EarlierConnections();
    return forgotten;
  }
  [[nodiscard]] std::size_t size() const noexcept { return in_order_.size(); }

  // Whether the segment, without SYN, belongs to one of them.
  [[nodiscard]] bool has(const ConnectionKey& key, const TcpSegment& segment) const {
    const auto found = ended_.find(key);
    if (found == ended_.end()) return false;
    const Ended& ended = found->second;
    if (segment.time_ns - ended.since_ns > lifetime_ns) return false;
    return ended.reach.has_late(segment.source == ended.a ? Side::a : Side::b, segment);
  }

 private:
  void forget_first() {
    const auto first = ended_.find(in_order_.front());
    if (--first->second.times == 0) ended_.erase(first);
    in_order_.pop_front();
  }

  struct Ended {
    Endpoint a;
    TcpReach reach;
    TimeNs since_ns = 0;
    std::size_t times = 0;  // that its key is in in_order_
  };

  std::unordered_map<ConnectionKey, Ended, ConnectionKey::Hash> ended_;
  Fifo<ConnectionKey> in_order_;  // oldest first; a key may be in it twice
};

}  // namespace iwarp
