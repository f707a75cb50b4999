// Link layers, VLAN tags and MPLS in front of one and the same TCP segment.
// SPDX-License-Identifier: GPL-2.0-or-later
#include <gtest/gtest.h>

#include "capture/frames.hpp"

namespace iwarp::test {
namespace {

namespace link_type = capture::link_type;

const Tcp hello{.payload = text("hello")};

TEST(LinkLayer, EthernetFrameFromTheWire) {
  // A client's MPA Request as a host captured it; every field below is read off the octets by hand.
  const Bytes frame =
      hex("525400000001 52550a000202 0800"
          "4500 0040 005b 0000 4006 624d 0a000202 0a00020f"
          "8b1c 1c06 06447e02 f8e82b82 5018 ffff 9a24 0000"
          "4d504120494420526571204672616d65 50 02 0004 0010 0010");
  Decoding decoding;
  ASSERT_TRUE(decoding.frame(link_type::ethernet, frame));
  const TcpSegment& segment = decoding.segment;
  EXPECT_EQ(segment.frame, 1U);
  EXPECT_EQ(segment.time_ns, 1'000);
  EXPECT_EQ(to_string(segment.source), "10.0.2.2:35612");
  EXPECT_EQ(to_string(segment.destination), "10.0.2.15:7174");
  EXPECT_EQ(segment.network, 0U);
  EXPECT_EQ(segment.sequence, 0x06447e02U);
  EXPECT_EQ(segment.acknowledgement, 0xf8e82b82U);
  EXPECT_EQ(segment.window, 0xffffU);
  EXPECT_EQ(segment.flags, tcp::psh | tcp::ack);
  EXPECT_EQ(segment.mss, 0U);
  EXPECT_EQ(segment.checksum, ChecksumStatus::good);
  EXPECT_EQ(segment.wire_length, 24U);
  EXPECT_EQ(decoding.payload, part(frame, 54));
  EXPECT_NE(segment.packet_identity, 0U);
  EXPECT_TRUE(decoding.skipped().empty());
}

struct LinkCase {
  const char* name;
  std::uint32_t link_type;
  Bytes octets;
};

class LinkTypes : public testing::TestWithParam<LinkCase> {};

TEST_P(LinkTypes, LeadToTheSegment) {
  Decoding decoding;
  ASSERT_TRUE(decoding.frame(GetParam().link_type, GetParam().octets));
  EXPECT_EQ(decoding.payload, text("hello"));
  EXPECT_EQ(decoding.segment.wire_length, 5U);
  EXPECT_EQ(decoding.segment.checksum, ChecksumStatus::good);
  EXPECT_EQ(decoding.segment.network, 0U);
  EXPECT_TRUE(decoding.skipped().empty());
}

// No frame ends within its headers unnoticed, whatever they are.
TEST_P(LinkTypes, CutAnywhereGiveWhatIsThere) {
  const Bytes& octets = GetParam().octets;
  const std::size_t headers = octets.size() - 5;
  for (std::size_t captured = 0; captured < octets.size(); ++captured) {
    SCOPED_TRACE(captured);
    Decoding decoding;
    ASSERT_EQ(decoding.frame(GetParam().link_type, octets, captured), captured >= headers);
    if (captured < headers) continue;
    EXPECT_EQ(decoding.payload, part(text("hello"), 0, captured - headers));
    EXPECT_EQ(decoding.segment.wire_length, 5U);
    EXPECT_EQ(decoding.segment.checksum, ChecksumStatus::unknown);
  }
}

INSTANTIATE_TEST_SUITE_P(
    All, LinkTypes,
    testing::Values(
        LinkCase{"Ethernet4", link_type::ethernet, ethernet(0x0800, tcp4(hello))},
        LinkCase{"Ethernet6", link_type::ethernet, ethernet(0x86dd, tcp6(hello))},
        LinkCase{"Snap", link_type::ethernet, ethernet(57, cat(hex("aaaa03 000000 0800"), tcp4(hello)))},
        LinkCase{"PriorityTag", link_type::ethernet, ethernet(0x8100, cat(hex("e000 0800"), tcp4(hello)))},
        LinkCase{"Mpls", link_type::ethernet, ethernet(0x8847, cat(hex("00064140"), tcp4(hello)))},
        LinkCase{"MplsStack6", link_type::ethernet,
                 ethernet(0x8848, cat(hex("00064040 00065040 00066140"), tcp6(hello)))},
        LinkCase{"Raw4", link_type::raw, tcp4(hello)}, LinkCase{"Raw6", link_type::raw, tcp6(hello)},
        LinkCase{"RawBsd", link_type::raw_bsd, tcp4(hello)},
        LinkCase{"RawOpenBsd", link_type::raw_openbsd, tcp6(hello)},
        LinkCase{"Ipv4", link_type::ipv4, tcp4(hello)}, LinkCase{"Ipv6", link_type::ipv6, tcp6(hello)},
        LinkCase{"NullLittleEndian", link_type::null, cat(hex("02000000"), tcp4(hello))},
        LinkCase{"NullBigEndian", link_type::null, cat(hex("00000002"), tcp4(hello))},
        LinkCase{"NullLinux6", link_type::null, cat(hex("0a000000"), tcp6(hello))},
        LinkCase{"NullNetBsd6", link_type::null, cat(hex("18000000"), tcp6(hello))},
        LinkCase{"NullFreeBsd6", link_type::null, cat(hex("1c000000"), tcp6(hello))},
        LinkCase{"NullMacOs6", link_type::null, cat(hex("0000001e"), tcp6(hello))},
        LinkCase{"Loop", link_type::loop, cat(hex("00000002"), tcp4(hello))},
        LinkCase{"LoopSwapped", link_type::loop, cat(hex("18000000"), tcp6(hello))},
        LinkCase{"Sll", link_type::linux_sll, cat(hex("0000 0001 0006 0200000000010000 0800"), tcp4(hello))},
        LinkCase{"SllLlc", link_type::linux_sll,
                 cat(hex("0000 0001 0006 0200000000010000 0004 aaaa03 000000 86dd"), tcp6(hello))},
        LinkCase{"Sll2", link_type::linux_sll2,
                 cat(hex("86dd 0000 00000003 0001 04 06 0200000000010000"), tcp6(hello))}),
    [](const auto& chosen) { return chosen.param.name; });

std::uint32_t network_of(unsigned type, const Bytes& octets) {
  Decoding decoding;
  EXPECT_TRUE(decoding.ethernet_frame(type, octets));
  return decoding.segment.network;
}

TEST(LinkLayer, VlansAreNetworks) {
  const std::uint32_t ten = network_of(0x8100, cat(hex("000a 0800"), tcp4(hello)));
  const std::uint32_t twenty = network_of(0x8100, cat(hex("0014 0800"), tcp4(hello)));
  EXPECT_NE(ten, 0U);
  EXPECT_NE(twenty, 0U);
  EXPECT_NE(ten, twenty);
  // Priority and "drop eligible" may differ between the directions.
  EXPECT_EQ(ten, network_of(0x8100, cat(hex("f00a 0800"), tcp4(hello))));

  const std::uint32_t stacked = network_of(0x88a8, cat(hex("000a 8100 0014 0800"), tcp4(hello)));
  EXPECT_NE(stacked, ten);
  EXPECT_NE(stacked, twenty);
  EXPECT_NE(stacked, network_of(0x88a8, cat(hex("0014 8100 000a 0800"), tcp4(hello))));
  EXPECT_EQ(stacked, network_of(0x9100, cat(hex("000a 8100 0014 0800"), tcp4(hello))));
}

TEST(LinkLayer, TaggedCookedFrame) {
  Decoding decoding;
  ASSERT_TRUE(decoding.frame(link_type::linux_sll,
                             cat(hex("0000 0001 0006 0200000000010000 8100 000a 0800"), tcp4(hello))));
  EXPECT_EQ(decoding.segment.network, network_of(0x8100, cat(hex("000a 0800"), tcp4(hello))));
}

TEST(LinkLayer, OtherFramesAreCountedByReason) {
  Decoding decoding;
  EXPECT_FALSE(decoding.frame(147, tcp4(hello)));
  EXPECT_FALSE(decoding.frame(147, tcp4(hello)));
  EXPECT_FALSE(decoding.frame(195, tcp4(hello)));
  EXPECT_FALSE(decoding.ethernet_frame(0x0806, zeros(28)));                             // ARP
  EXPECT_FALSE(decoding.ethernet_frame(38, hex("424203 35*00")));                       // spanning tree
  EXPECT_FALSE(decoding.frame(link_type::null, cat(hex("17000000"), zeros(40))));       // IPX
  EXPECT_FALSE(decoding.ethernet_frame(0x8847, cat(hex("00064140"), zeros(40))));       // a pseudo-wire
  EXPECT_FALSE(decoding.frame(link_type::raw, cat(hex("50"), zeros(40))));              // version 5
  EXPECT_FALSE(decoding.frame(link_type::linux_sll, hex("0000 0338 0000 8*00 0000")));  // netlink
  EXPECT_FALSE(decoding.frame(link_type::linux_sll2, hex("0000 0000 00000003 0338 00 00 8*00")));
  EXPECT_FALSE(decoding.ethernet_frame(0x8100, hex("00")));
  EXPECT_FALSE(decoding.ethernet_frame(0x0800, ipv4({.protocol = 1}, zeros(8))));
  const Skipped expected{{"unknown link type 147", 2},
                         {"unknown link type 195", 1},
                         {"not IP", 7},
                         {"link header cut", 1},
                         {"not TCP", 1}};
  EXPECT_EQ(decoding.skipped(), expected);
}

TEST(LinkLayer, EndlessTagsEnd) {
  Bytes tags;
  for (int i = 0; i < 1000; ++i) tags = cat(tags, hex("0001 8100"));
  Decoding decoding;
  EXPECT_FALSE(decoding.ethernet_frame(0x8100, tags));
  EXPECT_FALSE(decoding.ethernet_frame(0x8847, zeros(4000)));
  EXPECT_EQ(decoding.skipped(), (Skipped{{"nested too deep", 2}}));
}

TEST(LinkLayer, FramesWithoutTimeTakeTheLastOne) {
  Decoding decoding;
  decoding.has_time = false;
  ASSERT_TRUE(decoding.ethernet_frame(0x0800, tcp4(hello)));
  EXPECT_EQ(decoding.segment.time_ns, 0);
  decoding.has_time = true;
  decoding.time_ns = 77;
  EXPECT_FALSE(decoding.ethernet_frame(0x0806, zeros(28)));
  decoding.has_time = false;
  ASSERT_TRUE(decoding.ethernet_frame(0x0800, tcp4(hello)));
  EXPECT_EQ(decoding.segment.time_ns, 77);
}

}  // namespace
}  // namespace iwarp::test
