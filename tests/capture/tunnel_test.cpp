// Tunnels in front of one and the same TCP segment.
// SPDX-License-Identifier: GPL-2.0-or-later
#include <gtest/gtest.h>

#include "capture/frames.hpp"

namespace iwarp::test {
namespace {

const Tcp hello{.payload = text("hello")};
const Ip4 inner{.source = hex("0a000001"), .destination = hex("0a000002"), .identification = 7};

Bytes inner4() {
  return tcp4(hello, inner);
}

struct TunnelCase {
  const char* name;
  Bytes packet;  // IPv4 or IPv6
  bool is_network_of_its_own;
};

class Tunnels : public testing::TestWithParam<TunnelCase> {};

TEST_P(Tunnels, LeadToTheInnerSegment) {
  Decoding decoding;
  ASSERT_TRUE(decoding.frame(capture::link_type::raw, GetParam().packet));
  EXPECT_EQ(to_string(decoding.segment.source), "10.0.0.1:40000");
  EXPECT_EQ(decoding.payload, text("hello"));
  EXPECT_EQ(decoding.segment.checksum, ChecksumStatus::good);
  EXPECT_EQ(decoding.segment.network != 0, GetParam().is_network_of_its_own);
  EXPECT_TRUE(decoding.skipped().empty());
}

TEST_P(Tunnels, CutAnywhereGiveWhatIsThere) {
  const Bytes& packet = GetParam().packet;
  for (std::size_t captured = 0; captured < packet.size() - 5; ++captured) {
    Decoding decoding;
    EXPECT_FALSE(decoding.frame(capture::link_type::raw, packet, captured)) << captured;
  }
}

INSTANTIATE_TEST_SUITE_P(
    All, Tunnels,
    testing::Values(
        TunnelCase{"Ipv4InIpv4", ipv4({.protocol = 4}, inner4()), false},
        TunnelCase{"Ipv4InIpv6", ipv6({.next_header = 4}, inner4()), false},
        TunnelCase{"Ipv4InIpv6InIpv4", ipv4({.protocol = 41}, ipv6({.next_header = 4}, inner4())), false},
        TunnelCase{"Gre", ipv4({.protocol = 47}, cat(hex("0000 0800"), inner4())), false},
        TunnelCase{"GreChecksum", ipv4({.protocol = 47}, cat(hex("8000 0800 12340000"), inner4())), false},
        TunnelCase{"GreKey", ipv4({.protocol = 47}, cat(hex("2000 0800 00000000"), inner4())), true},
        TunnelCase{"GreEverything",
                   ipv6({.next_header = 47}, cat(hex("b000 0800 12340000 00000005 00000009"), inner4())),
                   true},
        TunnelCase{"GreMpls", ipv4({.protocol = 47}, cat(hex("0000 8847 00064140"), inner4())), false},
        TunnelCase{"GreEthernet", ipv4({.protocol = 47}, cat(hex("0000 6558"), ethernet(0x0800, inner4()))),
                   false},
        TunnelCase{
            "GreTaggedEthernet",
            ipv4({.protocol = 47}, cat(hex("0000 6558"), ethernet(0x8100, cat(hex("0005 0800"), inner4())))),
            true},
        TunnelCase{"Erspan1", ipv4({.protocol = 47}, cat(hex("0000 88be"), ethernet(0x0800, inner4()))),
                   false},
        TunnelCase{"Erspan2",
                   ipv4({.protocol = 47},
                        cat(hex("1000 88be 00000001 10010002 00000003"), ethernet(0x0800, inner4()))),
                   false},
        TunnelCase{"Erspan3",
                   ipv4({.protocol = 47}, cat(hex("1000 22eb 00000001 20010002 00000003 00000000"),
                                              ethernet(0x0800, inner4()))),
                   false},
        TunnelCase{"Erspan3Platform",
                   ipv4({.protocol = 47}, cat(hex("1000 22eb 00000001 20010002 00000003 00000001 8*00"),
                                              ethernet(0x0800, inner4()))),
                   false},
        TunnelCase{
            "Vxlan",
            ipv4({.protocol = 17}, udp(4789, cat(hex("08000000 00002a00"), ethernet(0x0800, inner4())))),
            true},
        TunnelCase{
            "VxlanOldPort6",
            ipv6({.next_header = 17}, udp(8472, cat(hex("08000000 00002a00"), ethernet(0x0800, inner4())))),
            true},
        TunnelCase{
            "Geneve",
            ipv4({.protocol = 17}, udp(6081, cat(hex("00006558 00002a00"), ethernet(0x0800, inner4())))),
            true},
        TunnelCase{
            "GeneveOptions6",
            ipv6({.next_header = 17}, udp(6081, cat(hex("03406558 00002a00 01028001 00000001 01030000"),
                                                    ethernet(0x0800, inner4())))),
            true},
        TunnelCase{"GeneveIp", ipv4({.protocol = 17}, udp(6081, cat(hex("00000800 00002a00"), inner4()))),
                   true}),
    [](const auto& chosen) { return chosen.param.name; });

std::uint32_t network_of(const Bytes& packet) {
  Decoding decoding;
  EXPECT_TRUE(decoding.frame(capture::link_type::raw, packet));
  return decoding.segment.network;
}

Bytes vxlan(std::uint32_t vni, const Ip4& outer) {
  return ipv4(outer, udp(4789, cat(hex("08000000"), be32(vni << 8U), ethernet(0x0800, inner4()))));
}

TEST(TunnelNetwork, DiffersByIdentifierAlone) {
  const std::uint32_t there = network_of(vxlan(42, {.protocol = 17}));
  const std::uint32_t back =
      network_of(vxlan(42, {.source = Ip4().destination, .destination = Ip4().source, .protocol = 17}));
  EXPECT_EQ(there, back);
  EXPECT_NE(there, network_of(vxlan(43, {.protocol = 17})));
  EXPECT_NE(there, network_of(ipv4({.protocol = 17}, udp(6081, cat(hex("00000800 00002a00"), inner4())))));
  EXPECT_NE(network_of(ipv4({.protocol = 47}, cat(hex("2000 0800 00000001"), inner4()))),
            network_of(ipv4({.protocol = 47}, cat(hex("2000 0800 00000002"), inner4()))));
}

TEST(Tunnel, OtherUdpAndMalformedHeadersAreCounted) {
  Decoding decoding;
  const auto skip = [&](const Bytes& packet) {
    EXPECT_FALSE(decoding.frame(capture::link_type::raw, packet));
  };
  skip(ipv4({.protocol = 17}, udp(4791, zeros(40))));
  EXPECT_EQ(decoding.skipped(), (Skipped{{"not TCP", 1}}));
  skip(ipv4({.protocol = 17}, udp(4789, zeros(40))));                                // no network identifier
  skip(ipv4({.protocol = 17}, udp(6081, cat(hex("40000800 00002a00"), inner4()))));  // version 1 of Geneve
  skip(ipv4({.protocol = 47}, cat(hex("4000 0800 00000000"), inner4())));  // source routing of RFC 1701
  skip(ipv4({.protocol = 47}, cat(hex("0001 880b"), zeros(20))));          // version 1: PPTP
  EXPECT_EQ(decoding.skipped(), (Skipped{{"not TCP", 1}, {"malformed tunnel header", 4}}));
  skip(ipv4({.protocol = 47}, cat(hex("0000 0003"), zeros(20))));
  EXPECT_EQ(decoding.skipped().at("not IP"), 1U);
}

TEST(Tunnel, EndlessNestingEnds) {
  Bytes packet = inner4();
  for (int i = 0; i < 1000; ++i) packet = ipv4({.protocol = 4}, packet);
  Decoding decoding;
  EXPECT_FALSE(decoding.frame(capture::link_type::raw, packet));
  EXPECT_EQ(decoding.skipped(), (Skipped{{"nested too deep", 1}}));
}

}  // namespace
}  // namespace iwarp::test
