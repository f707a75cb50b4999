// IP fragments in any order, twice, cut, contradicting one another, too many.
// SPDX-License-Identifier: GPL-2.0-or-later
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <vector>

#include "capture/frames.hpp"

namespace iwarp::test {
namespace {

const Ip4 ip;
const Ip6 ip6;

constexpr const char* incomplete = "fragment of an incomplete datagram";

// A fragment of `whole`, an IP payload, from `offset` on.
Bytes fragment4(const Bytes& whole, std::size_t offset, std::size_t length, unsigned identification = 9) {
  const bool more = offset + length < whole.size();
  Ip4 header = ip;
  header.identification = identification;
  header.flags_and_offset = (more ? 0x2000U : 0U) | static_cast<unsigned>(offset / 8);
  return ipv4(header, part(whole, offset, length));
}

Bytes fragment6(const Bytes& whole, std::size_t offset, std::size_t length,
                std::uint32_t identification = 9) {
  const bool more = offset + length < whole.size();
  const Bytes header =
      cat(hex("06 00"), be16(static_cast<unsigned>(offset) | (more ? 1U : 0U)), be32(identification));
  return ipv6({.next_header = 44}, cat(header, part(whole, offset, length)));
}

Bytes segment4(std::size_t length) {
  return tcp_segment({.payload = pattern(length)}, ip.source, ip.destination);
}

TEST(Fragments, AnyOrderGivesTheSegmentWithTheLastOne) {
  // A jumbo frame's segment behind a link with an MTU of 1500.
  const Bytes whole = segment4(8940);
  std::vector<Bytes> parts;
  for (std::size_t at = 0; at < whole.size(); at += 1480) parts.push_back(fragment4(whole, at, 1480));
  ASSERT_EQ(parts.size(), 7U);
  std::vector<std::size_t> order(parts.size());
  std::iota(order.begin(), order.end(), 0U);
  Decoding decoding;
  FrameNumber frames = 0;
  do {
    for (std::size_t i = 0; i < order.size(); ++i) {
      Bytes packet = parts[order[i]];
      // Another datagram for every order.
      store_be16(&packet[4], static_cast<std::uint16_t>(frames / parts.size()));
      ASSERT_EQ(decoding.ethernet_frame(0x0800, packet), i + 1 == order.size());
      ++frames;
    }
    ASSERT_EQ(decoding.segment.frame, frames);
    ASSERT_EQ(decoding.payload, pattern(8940));
    ASSERT_EQ(decoding.segment.wire_length, 8940U);
    ASSERT_EQ(decoding.segment.checksum, ChecksumStatus::good);
  } while (std::next_permutation(order.begin(), order.end()));
  EXPECT_EQ(decoding.skipped(), Skipped{});  // all of them had a part in a segment
  EXPECT_EQ(decoding.decoder().reassembled(), 5040U * 6);
}

TEST(Fragments, Ipv6BehindHopByHopOptions) {
  const Bytes whole = tcp_segment({.payload = pattern(3000)}, ip6.source, ip6.destination);
  const auto packet = [&](std::size_t offset, std::size_t length) {
    const Bytes options = hex("2c 00 010400000000");
    return ipv6({.next_header = 0}, cat(options, part(fragment6(whole, offset, length), 40)));
  };
  Decoding decoding;
  EXPECT_FALSE(decoding.ethernet_frame(0x86dd, packet(2400, 1200)));
  EXPECT_FALSE(decoding.ethernet_frame(0x86dd, packet(0, 1200)));
  ASSERT_TRUE(decoding.ethernet_frame(0x86dd, packet(1200, 1200)));
  EXPECT_EQ(decoding.payload, pattern(3000));
  EXPECT_EQ(decoding.segment.checksum, ChecksumStatus::good);
}

TEST(Fragments, OfDifferentDatagramsStayApart) {
  const Bytes whole = segment4(100),
              other = tcp_segment({.payload = pattern(100, 1)}, ip.source, ip.destination);
  Decoding decoding;
  EXPECT_FALSE(decoding.ethernet_frame(0x0800, fragment4(whole, 0, 64, 1)));
  EXPECT_FALSE(decoding.ethernet_frame(0x0800, fragment4(other, 64, 64, 2)));
  EXPECT_FALSE(decoding.ethernet_frame(0x8100, cat(hex("0005 0800"), fragment4(other, 64, 64, 1))));
  ASSERT_TRUE(decoding.ethernet_frame(0x0800, fragment4(whole, 64, 64, 1)));
  EXPECT_EQ(decoding.payload, pattern(100));
  ASSERT_TRUE(decoding.ethernet_frame(0x0800, fragment4(other, 0, 64, 2)));
  EXPECT_EQ(decoding.payload, pattern(100, 1));
}

TEST(Fragments, SecondCopiesAreKnown) {
  const Bytes whole = segment4(100);
  Decoding decoding;
  EXPECT_FALSE(decoding.ethernet_frame(0x0800, fragment4(whole, 0, 64)));
  EXPECT_FALSE(decoding.ethernet_frame(0x0800, fragment4(whole, 0, 64)));
  ASSERT_TRUE(decoding.ethernet_frame(0x0800, fragment4(whole, 64, 64)));
  EXPECT_FALSE(decoding.ethernet_frame(0x0800, fragment4(whole, 64, 64)));
  EXPECT_EQ(decoding.skipped(), (Skipped{{"duplicate fragment", 2}}));
  // The same identification again, for other octets.
  const Bytes next = tcp_segment({.payload = pattern(100, 5)}, ip.source, ip.destination);
  EXPECT_FALSE(decoding.ethernet_frame(0x0800, fragment4(next, 0, 64)));
  ASSERT_TRUE(decoding.ethernet_frame(0x0800, fragment4(next, 64, 64)));
  EXPECT_EQ(decoding.payload, pattern(100, 5));
  EXPECT_EQ(decoding.decoder().fragment_losses().overlapping, 0U);
}

TEST(Fragments, ContradictingOnesMakeNoDatagram) {
  const Bytes whole = segment4(200);
  struct Case {
    std::size_t offset, length;
    bool more;
  };
  // Known: octets 64 to 128, and that there are 220. Overlaps from below, above, inside, around; another end.
  for (const Case& bad : {Case{56, 16, true}, Case{120, 16, true}, Case{72, 8, true}, Case{0, 160, true},
                          Case{64, 32, true}, Case{208, 24, true}, Case{216, 20, false}}) {
    Decoding decoding;
    EXPECT_FALSE(decoding.ethernet_frame(0x0800, fragment4(whole, 64, 64)));
    EXPECT_FALSE(decoding.ethernet_frame(0x0800, fragment4(whole, 216, 64)));
    const Bytes longer = cat(whole, zeros(bad.more ? 100 : 16));
    EXPECT_FALSE(decoding.ethernet_frame(0x0800, fragment4(longer, bad.offset, bad.length)));
    EXPECT_EQ(decoding.decoder().fragment_losses().overlapping, 1U) << bad.offset;
    // The rest of the first datagram does not bring it back.
    EXPECT_FALSE(decoding.ethernet_frame(0x0800, fragment4(whole, 0, 64)));
    EXPECT_FALSE(decoding.ethernet_frame(0x0800, fragment4(whole, 128, 88)));
  }
  // The same range with other octets.
  Decoding decoding;
  EXPECT_FALSE(decoding.ethernet_frame(0x0800, fragment4(whole, 64, 64)));
  EXPECT_FALSE(decoding.ethernet_frame(0x0800, fragment4(zeros(220), 64, 64)));
  EXPECT_EQ(decoding.decoder().fragment_losses().overlapping, 1U);
}

TEST(Fragments, OctetsBehindTheEndContradict) {
  const Bytes whole = segment4(100);
  Decoding decoding;
  EXPECT_FALSE(decoding.ethernet_frame(0x0800, fragment4(cat(whole, zeros(100)), 128, 32)));
  EXPECT_FALSE(
      decoding.ethernet_frame(0x0800, fragment4(whole, 64, 64)));  // the last one of a shorter datagram
  EXPECT_EQ(decoding.decoder().fragment_losses().overlapping, 1U);
  ASSERT_TRUE(decoding.ethernet_frame(0x0800, fragment4(whole, 0, 64)));
  EXPECT_EQ(decoding.payload, pattern(100));
}

TEST(Fragments, CutBySnapshotLength) {
  const Bytes whole = segment4(300);
  Decoding decoding;
  EXPECT_FALSE(decoding.ethernet_frame(0x0800, fragment4(whole, 160, 160)));
  ASSERT_TRUE(decoding.ethernet_frame(0x0800, fragment4(whole, 0, 160), 14 + 20 + 100));
  EXPECT_EQ(decoding.segment.wire_length, 300U);
  EXPECT_EQ(decoding.payload, part(pattern(300), 0, 80));
  EXPECT_EQ(decoding.segment.checksum, ChecksumStatus::unknown);
}

TEST(Fragments, CutWholeAndCapturedTwice) {
  const Bytes whole = segment4(300);
  Decoding decoding;
  for (int copy = 0; copy < 2; ++copy) {
    EXPECT_FALSE(decoding.ethernet_frame(0x0800, fragment4(whole, 160, 160), 14 + 20));
  }
  EXPECT_EQ(decoding.skipped(), (Skipped{{incomplete, 1}, {"duplicate fragment", 1}}));
}

TEST(Fragments, OnesThatCannotBeAreCounted) {
  Decoding decoding;
  const Bytes whole = zeros(1000);
  EXPECT_FALSE(decoding.ethernet_frame(0x0800, fragment4(whole, 0, 63)));  // no multiple of 8
  EXPECT_FALSE(decoding.ethernet_frame(0x0800, fragment4(whole, 64, 0)));  // empty
  Ip4 far = ip;
  far.flags_and_offset = 0x1fff;  // 65528
  EXPECT_FALSE(decoding.ethernet_frame(0x0800, ipv4(far, zeros(8))));
  far.flags_and_offset = 0x2000;
  far.total_length = 0;
  EXPECT_FALSE(decoding.ethernet_frame(0x0800, ipv4(far, zeros(8))));
  EXPECT_FALSE(decoding.ethernet_frame(
      0x86dd, ipv6({.next_header = 44, .payload_length = 0}, hex("06 00 0001 00000001 8*00"))));
  EXPECT_EQ(decoding.skipped(), (Skipped{{"malformed fragment", 5}}));
}

TEST(Fragments, TheOldestDatagramMakesRoom) {
  Decoding decoding({.octets = 1 << 20, .datagrams = 3});
  const Bytes whole = segment4(100);
  for (unsigned i = 1; i <= 4; ++i) EXPECT_FALSE(decoding.ethernet_frame(0x0800, fragment4(whole, 0, 64, i)));
  EXPECT_EQ(decoding.decoder().fragment_losses().evicted, 1U);
  for (unsigned i = 2; i <= 4; ++i) EXPECT_TRUE(decoding.ethernet_frame(0x0800, fragment4(whole, 64, 64, i)));
  EXPECT_FALSE(decoding.ethernet_frame(0x0800, fragment4(whole, 64, 64, 1)));
  // Complete ones make room without being missed.
  EXPECT_EQ(decoding.decoder().fragment_losses().evicted, 1U);
}

TEST(Fragments, OctetsAreBounded) {
  Decoding decoding({.octets = 100'000, .datagrams = 1000});
  for (unsigned i = 0; i < 100; ++i) {
    Ip4 header = ip;
    header.identification = i;
    header.flags_and_offset = 0x2000U | 5000 / 8;
    EXPECT_FALSE(decoding.ethernet_frame(0x0800, ipv4(header, zeros(800))));
  }
  EXPECT_GE(decoding.decoder().fragment_losses().evicted, 82U);
  EXPECT_LE(decoding.decoder().fragment_losses().evicted, 95U);
}

TEST(Fragments, OldOnesExpire) {
  Decoding decoding;
  const Bytes whole = segment4(100);
  EXPECT_FALSE(decoding.ethernet_frame(0x0800, fragment4(whole, 0, 64)));
  decoding.time_ns += 61'000'000'000;
  EXPECT_FALSE(decoding.ethernet_frame(0x0800, fragment4(whole, 64, 64)));
  EXPECT_EQ(decoding.decoder().fragment_losses().expired, 1U);
  ASSERT_TRUE(decoding.ethernet_frame(0x0800, fragment4(whole, 0, 64)));
}

TEST(Fragments, InsideAFragmentedTunnel) {
  const Bytes whole = segment4(1000);
  const auto outer = [](unsigned identification, const Bytes& inside, std::size_t at, std::size_t length) {
    Bytes packet = fragment4(inside, at, length, identification);
    packet[9] = 4;  // IPv4 inside
    return packet;
  };
  const Bytes first = fragment4(whole, 0, 512), second = fragment4(whole, 512, 1000);
  Decoding decoding;
  EXPECT_FALSE(decoding.ethernet_frame(0x0800, outer(9, first, 0, 256)));
  EXPECT_FALSE(decoding.ethernet_frame(0x0800, outer(9, first, 256, 1000)));
  EXPECT_FALSE(decoding.ethernet_frame(0x0800, outer(10, second, 256, 1000)));
  ASSERT_TRUE(decoding.ethernet_frame(0x0800, outer(10, second, 0, 256)));
  EXPECT_EQ(decoding.payload, pattern(1000));
  EXPECT_EQ(decoding.segment.checksum, ChecksumStatus::good);
  EXPECT_EQ(decoding.skipped(), Skipped{});
  // Three frames brought what is a first fragment only, a fourth one less than that.
  EXPECT_FALSE(decoding.ethernet_frame(0x0800, outer(11, first, 0, 256)));
  EXPECT_FALSE(decoding.ethernet_frame(0x0800, outer(11, first, 256, 128)));
  EXPECT_FALSE(decoding.ethernet_frame(0x0800, outer(11, first, 384, 1000)));
  EXPECT_EQ(decoding.skipped(), (Skipped{{"duplicate fragment", 3}}));
  Bytes next = first;
  store_be16(&next[4], 77);
  EXPECT_FALSE(decoding.ethernet_frame(0x0800, outer(12, next, 0, 256)));
  EXPECT_FALSE(decoding.ethernet_frame(0x0800, outer(12, next, 256, 1000)));
  EXPECT_FALSE(decoding.ethernet_frame(0x0800, outer(13, second, 0, 256)));
  EXPECT_EQ(decoding.skipped(), (Skipped{{"duplicate fragment", 3}, {incomplete, 3}}));
}

TEST(Fragments, OnlyThoseOfIncompleteDatagramsAreSkipped) {
  const Bytes whole = segment4(100);
  Decoding decoding({.datagrams = 2});
  EXPECT_FALSE(decoding.ethernet_frame(0x0800, fragment4(whole, 0, 64, 1)));
  EXPECT_FALSE(decoding.ethernet_frame(0x0800, fragment4(whole, 0, 32, 2)));
  EXPECT_FALSE(decoding.ethernet_frame(0x0800, fragment4(whole, 32, 32, 2)));
  EXPECT_EQ(decoding.skipped(), (Skipped{{incomplete, 3}}));
  EXPECT_TRUE(decoding.ethernet_frame(0x0800, fragment4(whole, 64, 64, 2)));
  EXPECT_EQ(decoding.skipped(), (Skipped{{incomplete, 1}}));
  // What is given up stays counted: 1 makes room for 3, which expires.
  EXPECT_FALSE(decoding.ethernet_frame(0x0800, fragment4(whole, 0, 64, 3)));
  decoding.time_ns += 61'000'000'000;
  EXPECT_FALSE(decoding.ethernet_frame(0x0800, fragment4(whole, 0, 64, 3)));
  EXPECT_EQ(decoding.skipped(), (Skipped{{incomplete, 3}}));
  EXPECT_TRUE(decoding.ethernet_frame(0x0800, fragment4(whole, 64, 64, 3)));
  EXPECT_EQ(decoding.skipped(), (Skipped{{incomplete, 2}}));
}

TEST(Fragments, DatagramOfAnotherProtocol) {
  Decoding decoding;
  Bytes first = fragment4(zeros(100), 0, 64), second = fragment4(zeros(100), 64, 64);
  first[9] = second[9] = 17;
  EXPECT_FALSE(decoding.ethernet_frame(0x0800, first));
  EXPECT_FALSE(decoding.ethernet_frame(0x0800, second));
  EXPECT_EQ(decoding.skipped(), (Skipped{{"not TCP", 2}}));
}

}  // namespace
}  // namespace iwarp::test
