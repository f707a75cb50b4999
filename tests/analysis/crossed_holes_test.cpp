// Holes in both directions at once: segments of each wait for octets of the other one, which wait as well, or
// were never captured. Whatever is missing, the end comes.
// SPDX-License-Identifier: GPL-2.0-or-later
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

#include <iwarp/analyzer.hpp>

#include "support/conversation.hpp"

namespace iwarp::test {
namespace {

struct Packet {
  Side side;
  std::uint32_t sequence;
  std::uint32_t length;
  std::uint32_t acknowledgement;
};

void read(const std::vector<Packet>& packets) {
  Analyzer analyzer{AnalyzerOptions()};
  const Bytes octets(2000, Byte{});
  const std::array ends{endpoint("192.0.2.1", 40000), endpoint("192.0.2.2", 18515)};
  FrameNumber frame = 0;
  for (const Packet& packet : packets) {
    TcpSegment segment;
    segment.frame = ++frame;
    segment.time_ns = static_cast<TimeNs>(frame) * 1000;
    segment.source = ends[index(packet.side)];
    segment.destination = ends[index(other(packet.side))];
    segment.flags = tcp::ack;
    segment.sequence = packet.sequence;
    segment.acknowledgement = packet.acknowledgement;
    segment.payload = ByteView(octets).first(packet.length);
    segment.wire_length = packet.length;
    static_cast<void>(analyzer.add(segment));
  }
  while (!analyzer.finish_some().empty()) {
  }
  EXPECT_EQ(analyzer.analysis().followed(), 0U);
}

// What b holds waits for a's octets up to 10621, of which those at 6445 wait to be read behind b's first
// segment, and those at 9201 for octets of b.
TEST(CrossedHoles, OctetsThatWaitToBeReadAreReadBeforeTheHoleBehindThem) {
  constexpr Side a = Side::a;
  constexpr Side b = Side::b;
  read({{a, 2441, 1420, 10441},
        {b, 12169, 520, 6445},
        {a, 6445, 1340, 14105},
        {b, 14841, 0, 10621},
        {b, 9021, 1420, 2441},
        {a, 9201, 1420, 14841}});
}

// Conforming TCP, of which many packets were lost before the capture, and the rest came out of order.
TEST(CrossedHoles, WhateverIsMissingTheEndComes) {
  for (std::uint32_t seed = 0; seed < 4000; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937 random(seed);
    const auto one_of = [&](std::uint32_t count) { return static_cast<std::uint32_t>(random() % count); };
    std::array<std::uint32_t, 2> sent{1000, 900'000};
    std::vector<Packet> packets;
    const std::array losses{one_of(90), one_of(90)};
    for (int turn = 0; turn < 24; ++turn) {
      const Side side = one_of(2) == 0 ? Side::a : Side::b;
      const std::uint32_t length = one_of(4) == 0 ? 0 : 1 + one_of(1448);
      const Packet packet{side, sent[index(side)], length, sent[index(other(side))]};
      sent[index(side)] += length;
      if (one_of(100) >= losses[index(side)]) packets.push_back(packet);
    }
    for (std::size_t at = 0; at + 1 < packets.size(); ++at) {
      const std::size_t with = std::min<std::size_t>(packets.size() - 1, at + one_of(4));
      std::swap(packets[at], packets[with]);
    }
    read(packets);
  }
}

}  // namespace
}  // namespace iwarp::test
