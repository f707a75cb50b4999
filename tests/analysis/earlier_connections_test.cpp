// EarlierConnections: what ended last on addresses and ports is remembered, whatever is forgotten before it.
// SPDX-License-Identifier: GPL-2.0-or-later
#include "analysis/earlier_connections.hpp"

#include <gtest/gtest.h>

namespace iwarp::test {
namespace {

constexpr TimeNs now = 1'000'000'000;

Endpoint endpoint(std::uint16_t port) {
  Endpoint end;
  end.port = port;
  return end;
}

TcpReach reach_up_to(std::uint32_t number) {
  TcpReach reach;
  reach.next = {number, number};
  reach.carried = {1000, 1000};
  return reach;
}

TcpSegment late(const Endpoint& source, std::uint32_t sequence) {
  TcpSegment segment;
  segment.source = source;
  segment.sequence = sequence;
  segment.time_ns = now;
  return segment;
}

TEST(EarlierConnections, TheLatestOfSeveralOnTheSamePortsStays) {
  const Endpoint a = endpoint(1);
  const Endpoint b = endpoint(2);
  const ConnectionKey key(a, b, 0);
  EarlierConnections earlier;
  earlier.add(key, a, reach_up_to(5000), now);
  earlier.add(key, a, reach_up_to(2'000'000'000), now);
  EXPECT_EQ(earlier.forget(1), 1U);
  EXPECT_EQ(earlier.size(), 1U);
  EXPECT_TRUE(earlier.has(key, late(a, 2'000'000'000)));
  EXPECT_FALSE(earlier.has(key, late(a, 5000)));
  EXPECT_EQ(earlier.forget(5), 1U);
  EXPECT_FALSE(earlier.has(key, late(a, 2'000'000'000)));
}

}  // namespace
}  // namespace iwarp::test
