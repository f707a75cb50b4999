// IPv4 and IPv6 headers, extension headers, lengths that are not what they seem.
// SPDX-License-Identifier: GPL-2.0-or-later
#include <gtest/gtest.h>

#include "capture/frames.hpp"

namespace iwarp::test {
namespace {

const Tcp hello{.payload = text("hello")};

Bytes hello6() {
  return tcp_segment(hello, Ip6().source, Ip6().destination);
}

TEST(Ip, EthernetPaddingIsNoPayload) {
  // 20 + 20 + 0 octets of IP in the 46 that Ethernet has at least.
  Decoding decoding;
  ASSERT_TRUE(decoding.ethernet_frame(0x0800, cat(tcp4({}), zeros(6))));
  EXPECT_EQ(decoding.segment.wire_length, 0U);
  EXPECT_TRUE(decoding.payload.empty());
  EXPECT_EQ(decoding.segment.checksum, ChecksumStatus::good);
  // A frame check sequence behind IPv6.
  ASSERT_TRUE(decoding.ethernet_frame(0x86dd, cat(tcp6(hello), hex("deadbeef"))));
  EXPECT_EQ(decoding.payload, text("hello"));
}

TEST(Ip, Ipv4Options) {
  Decoding decoding;
  ASSERT_TRUE(decoding.ethernet_frame(0x0800, tcp4(hello, {.options = hex("94040000")})));  // router alert
  EXPECT_EQ(decoding.payload, text("hello"));
  EXPECT_EQ(decoding.segment.checksum, ChecksumStatus::good);
}

TEST(Ip, SourceRoutesLeaveTheChecksumUnknown) {
  // The destination field is the next hop's, the checksum was made with the last one.
  Decoding decoding;
  Bytes inside = tcp_segment(hello, Ip4().source, hex("c0000263"));
  ASSERT_TRUE(decoding.ethernet_frame(0x0800, ipv4({.options = hex("83070400000000 00")}, inside)));
  EXPECT_EQ(decoding.segment.checksum, ChecksumStatus::unknown);
  ASSERT_TRUE(decoding.ethernet_frame(0x0800, ipv4({.options = hex("01 89070400000000")}, inside)));
  EXPECT_EQ(decoding.segment.checksum, ChecksumStatus::unknown);
  ASSERT_TRUE(decoding.ethernet_frame(0x0800, ipv4({.options = hex("00 89070400000000")}, inside)));
  EXPECT_EQ(decoding.segment.checksum, ChecksumStatus::bad);

  inside = tcp_segment(hello, Ip6().source, hex("20010db8 00000000 00000000 00000063"));
  const Bytes routing = hex("06 02 02 01 00000000 20010db8 00000000 00000000 00000063");
  ASSERT_TRUE(decoding.ethernet_frame(0x86dd, ipv6({.next_header = 43}, cat(routing, inside))));
  EXPECT_EQ(decoding.segment.checksum, ChecksumStatus::unknown);
}

TEST(Ip, TotalLengthZeroIsASuperFrame) {
  // 64240 octets handed to a NIC that will make 44 packets of them.
  Tcp tcp{.payload = pattern(64240)};
  tcp.checksum = pseudo_sum(Ip4().source, Ip4().destination, 64260);
  Decoding decoding;
  ASSERT_TRUE(decoding.ethernet_frame(0x0800, tcp4(tcp, {.total_length = 0})));
  EXPECT_EQ(decoding.segment.wire_length, 64240U);
  EXPECT_EQ(decoding.payload, pattern(64240));
  EXPECT_EQ(decoding.segment.checksum, ChecksumStatus::offloaded);
}

TEST(Ip, BigTcpOverIpv4) {
  Decoding decoding;
  ASSERT_TRUE(decoding.ethernet_frame(0x0800, tcp4({.payload = pattern(180'001)}, {.total_length = 0})));
  EXPECT_EQ(decoding.segment.wire_length, 180'001U);
  EXPECT_EQ(decoding.segment.checksum, ChecksumStatus::good);
}

TEST(Ip, PayloadLengthZeroIsASuperFrame) {
  Tcp tcp{.payload = pattern(30000)};
  tcp.checksum = pseudo_sum(Ip6().source, Ip6().destination, 30020);
  Decoding decoding;
  ASSERT_TRUE(decoding.ethernet_frame(0x86dd, tcp6(tcp, {.payload_length = 0})));
  EXPECT_EQ(decoding.payload, pattern(30000));
  EXPECT_EQ(decoding.segment.checksum, ChecksumStatus::offloaded);
}

TEST(Ip, SuperFrameCutBySnapshotLength) {
  Decoding decoding;
  ASSERT_TRUE(decoding.ethernet_frame(0x0800, tcp4({.payload = pattern(20000)}, {.total_length = 0}), 96));
  EXPECT_EQ(decoding.segment.wire_length, 20000U);
  EXPECT_EQ(decoding.payload, part(pattern(20000), 0, 42));
  ASSERT_TRUE(decoding.ethernet_frame(0x86dd, tcp6({.payload = pattern(20000)}, {.payload_length = 0}), 96));
  EXPECT_EQ(decoding.segment.wire_length, 20000U);
  EXPECT_EQ(decoding.payload, part(pattern(20000), 0, 22));
}

TEST(Ip, Jumbogram) {
  const Bytes inside = tcp_segment({.payload = pattern(180'000)}, Ip6().source, Ip6().destination);
  // Hop-by-hop options: jumbo payload of 8 + 20 + 180000 octets, which Ethernet's trailer does not change.
  const Bytes options = cat(hex("06 00 c2 04"), be32(8 + 20 + 180'000));
  Decoding decoding;
  ASSERT_TRUE(decoding.ethernet_frame(
      0x86dd, cat(ipv6({.next_header = 0, .payload_length = 0}, cat(options, inside)), hex("deadbeef"))));
  EXPECT_EQ(decoding.segment.wire_length, 180'000U);
  EXPECT_EQ(decoding.payload, pattern(180'000));
  EXPECT_EQ(decoding.segment.checksum, ChecksumStatus::good);
}

TEST(Ip, JumbogramCutBySnapshotLength) {
  const Bytes inside = tcp_segment({}, Ip6().source, Ip6().destination);
  const Bytes options = cat(hex("06 00 c2 04"), be32(0xfffffff0));
  Decoding decoding;
  ASSERT_TRUE(
      decoding.ethernet_frame(0x86dd, ipv6({.next_header = 0, .payload_length = 0}, cat(options, inside))));
  EXPECT_EQ(decoding.segment.wire_length, 0xfffffff0U - 28);
  EXPECT_TRUE(decoding.payload.empty());
  EXPECT_EQ(decoding.segment.checksum, ChecksumStatus::unknown);
}

TEST(Ip, HopByHopOptionsOfASuperFrame) {
  const Bytes options = hex("06 00 05 02 0000 00 00");  // router alert, two times Pad1
  Decoding decoding;
  ASSERT_TRUE(
      decoding.ethernet_frame(0x86dd, ipv6({.next_header = 0, .payload_length = 0}, cat(options, hello6()))));
  EXPECT_EQ(decoding.payload, text("hello"));
}

TEST(Ip, ExtensionHeaders) {
  const Bytes chain = cat(hex("3c 00 01 04 00000000"),                             // hop-by-hop: PadN
                          hex("2b 01 01 0c 12*00"),                                // destination options
                          hex("33 02 02 00 00000000 16*00"),                       // routing, at its end
                          hex("87 04 0000 00000001 00000001 12*aa"),               // authentication
                          hex("8b 00 0000 0000 0000"), hex("8c 00 010400000000"),  // mobility, HIP
                          hex("06 00 010400000000"));                              // shim6
  Decoding decoding;
  ASSERT_TRUE(decoding.ethernet_frame(0x86dd, ipv6({.next_header = 0}, cat(chain, hello6()))));
  EXPECT_EQ(decoding.payload, text("hello"));
  EXPECT_EQ(decoding.segment.wire_length, 5U);
  EXPECT_EQ(decoding.segment.checksum, ChecksumStatus::good);
  const std::size_t whole = 14 + 40 + chain.size() + 20;
  for (std::size_t captured = 0; captured < whole; ++captured) {
    EXPECT_FALSE(decoding.ethernet_frame(0x86dd, ipv6({.next_header = 0}, cat(chain, hello6())), captured));
  }
  EXPECT_EQ(decoding.skipped(),
            (Skipped{{"link header cut", 14}, {"IP header cut", 40 + chain.size()}, {"TCP header cut", 20}}));
}

TEST(Ip, AuthenticationHeaderOverIpv4) {
  const Bytes header = hex("06 04 0000 00000001 00000001 12*aa");
  const Bytes inside = tcp_segment(hello, Ip4().source, Ip4().destination);
  Decoding decoding;
  ASSERT_TRUE(decoding.ethernet_frame(0x0800, ipv4({.protocol = 51}, cat(header, inside))));
  EXPECT_EQ(decoding.payload, text("hello"));
  EXPECT_EQ(decoding.segment.checksum, ChecksumStatus::good);
}

TEST(Ip, AtomicFragment) {
  const Bytes header = hex("06 00 0000 00000007");
  Decoding decoding;
  ASSERT_TRUE(decoding.ethernet_frame(0x86dd, ipv6({.next_header = 44}, cat(header, hello6()))));
  EXPECT_EQ(decoding.payload, text("hello"));
}

TEST(Ip, PacketsShorterThanTheySayWereCutOnTheWay) {
  // Length fields of a tool that cut the packet and wrote the new length as the wire's.
  const Bytes whole = tcp4({.payload = pattern(1000)});
  Decoding decoding;
  ASSERT_TRUE(decoding.ethernet_frame(0x0800, part(whole, 0, 100)));
  EXPECT_EQ(decoding.segment.wire_length, 1000U);
  EXPECT_EQ(decoding.payload, part(pattern(1000), 0, 60));
  EXPECT_EQ(decoding.segment.checksum, ChecksumStatus::unknown);
}

TEST(Ip, MalformedHeadersAreCounted) {
  Decoding decoding;
  const auto bad4 = [&](Bytes packet, std::size_t at, unsigned value) {
    packet[at] = static_cast<Byte>(value);
    EXPECT_FALSE(decoding.ethernet_frame(0x0800, packet));
  };
  bad4(tcp4(hello), 0, 0x44);  // header of 16 octets
  bad4(tcp4(hello), 0, 0x65);  // version 6
  EXPECT_FALSE(decoding.ethernet_frame(0x0800, tcp4(hello, {.total_length = 19})));
  EXPECT_EQ(decoding.skipped(), (Skipped{{"malformed IPv4 header", 3}}));
  bad4(part(tcp4(hello), 0, 23), 0, 0x46);  // options not there
  EXPECT_FALSE(decoding.ethernet_frame(0x86dd, tcp4(hello, {.options = zeros(40)})));
  EXPECT_EQ(decoding.skipped(),
            (Skipped{{"malformed IPv4 header", 3}, {"IP header cut", 1}, {"malformed IPv6 header", 1}}));
}

TEST(Ip, MalformedExtensionHeadersAreCounted) {
  Decoding decoding;
  const auto bad6 = [&](unsigned next_header, const Bytes& payload) {
    EXPECT_FALSE(decoding.ethernet_frame(0x86dd, ipv6({.next_header = next_header}, payload)));
  };
  bad6(0, hex("06 01 010c 00000000"));                     // longer than the packet
  bad6(60, hex("06 00 01"));                               // cut by the packet's end
  bad6(44, hex("06 00 0001 000000"));                      // so is this fragment header
  bad6(51, hex("06 05 0000 00000001 00000001 00000000"));  // longer than the packet
  EXPECT_FALSE(decoding.ethernet_frame(
      0x86dd, ipv6({.next_header = 0, .payload_length = 0}, cat(hex("06 00 c2 04 00000007"), hello6()))));
  EXPECT_EQ(decoding.skipped(), (Skipped{{"malformed IPv6 extension header", 5}}));
  bad6(59, zeros(20));  // no next header
  bad6(50, zeros(20));  // encrypted
  EXPECT_FALSE(decoding.ethernet_frame(0x0800, ipv4({.protocol = 44}, zeros(40))));
  EXPECT_FALSE(decoding.ethernet_frame(0x0800, ipv4({.protocol = 43}, zeros(40))));
  EXPECT_EQ(decoding.skipped().at("not TCP"), 4U);
}

TEST(Ip, EndlessExtensionHeadersEnd) {
  Bytes chain;
  for (int i = 0; i < 1000; ++i) chain = cat(chain, hex("3c 00 010400000000"));
  Decoding decoding;
  EXPECT_FALSE(decoding.ethernet_frame(0x86dd, ipv6({.next_header = 60}, chain)));
  EXPECT_EQ(decoding.skipped(), (Skipped{{"nested too deep", 1}}));
}

}  // namespace
}  // namespace iwarp::test
