// TCP fields, checksum kinds, packet identities.
// SPDX-License-Identifier: GPL-2.0-or-later
#include <gtest/gtest.h>

#include "capture/frames.hpp"

namespace iwarp::test {
namespace {

const Bytes timestamps = hex("01 01 08 0a 00000001 00000002");

TcpSegment decode4(const Tcp& tcp, const Ip4& ip = {}) {
  Decoding decoding;
  EXPECT_TRUE(decoding.ethernet_frame(0x0800, tcp4(tcp, ip)));
  return decoding.segment;
}

TcpSegment decode6(const Tcp& tcp, const Ip6& ip = {}) {
  Decoding decoding;
  EXPECT_TRUE(decoding.ethernet_frame(0x86dd, tcp6(tcp, ip)));
  return decoding.segment;
}

TEST(TcpHeader, WindowScaleAndTimestampsOfASyn) {
  const Bytes all = hex("02 04 05b4 04 02 08 0a 00000001 00000000 01 03 03 07");
  const auto syn = decode4({.flags = tcp::syn, .options = all});
  EXPECT_EQ(syn.window_scale, 7);
  EXPECT_TRUE(syn.timestamps);
  const auto later = decode4({.flags = tcp::ack, .options = all});
  EXPECT_LT(later.window_scale, 0) << "RFC 7323 §2.2: only a SYN's counts";
  EXPECT_FALSE(later.timestamps);
  const auto none = decode4({.flags = tcp::syn, .options = hex("02 04 05b4")});
  EXPECT_LT(none.window_scale, 0);
  EXPECT_FALSE(none.timestamps);
  EXPECT_EQ(decode4({.flags = tcp::syn, .options = hex("03 03 00 00")}).window_scale, 0);
  EXPECT_EQ(decode4({.flags = tcp::syn, .options = hex("03 03 ff 00")}).window_scale, 14);  // RFC 7323 §2.3
  EXPECT_LT(decode4({.flags = tcp::syn, .options = hex("03 04 07 00")}).window_scale, 0);   // too long
  EXPECT_LT(decode4({.flags = tcp::syn, .options = hex("01 01 03 03")}).window_scale, 0);   // cut
}

TEST(TcpHeader, MaximumSegmentSizeOfASyn) {
  EXPECT_EQ(decode4({.flags = tcp::syn, .options = hex("02 04 05b4")}).mss, 1460U);
  EXPECT_EQ(decode4({.flags = tcp::syn | tcp::ack, .options = hex("01 01 03 03 07 02 04 2300 00 0000")}).mss,
            8960U);
  EXPECT_EQ(decode4({.flags = tcp::ack, .options = hex("02 04 05b4")}).mss, 0U);
  EXPECT_EQ(decode4({.flags = tcp::syn, .options = hex("00 02 04 05 b4 000000")}).mss, 0U);  // behind the end
  EXPECT_EQ(decode4({.flags = tcp::syn, .options = hex("03 00 02 04 05 b4 0000")}).mss, 0U);  // length 0
  EXPECT_EQ(decode4({.flags = tcp::syn, .options = hex("01 01 02 04")}).mss, 0U);             // cut
  EXPECT_EQ(decode4({.flags = tcp::syn, .options = hex("02 03 05 00")}).mss, 0U);             // too short
}

TEST(TcpHeader, EveryFlagIsKept) {
  for (unsigned flags = 0; flags < 256; ++flags) EXPECT_EQ(decode4({.flags = flags}).flags, flags);
}

TEST(TcpHeader, MalformedOnesAreCounted) {
  Decoding decoding;
  EXPECT_FALSE(decoding.ethernet_frame(0x0800, tcp4({.header_words = 4})));
  EXPECT_FALSE(decoding.ethernet_frame(0x0800, tcp4({.header_words = 6})));  // longer than the packet
  EXPECT_FALSE(decoding.ethernet_frame(0x0800, ipv4({}, zeros(19))));
  EXPECT_EQ(decoding.skipped(), (Skipped{{"malformed TCP header", 3}}));
}

TEST(TcpHeader, OptionsCutBySnapshotLength) {
  Decoding decoding;
  const Tcp tcp{.flags = tcp::syn, .options = cat(hex("02 04 05b4"), timestamps), .payload = pattern(100)};
  ASSERT_TRUE(decoding.ethernet_frame(0x0800, tcp4(tcp), 60));
  EXPECT_EQ(decoding.segment.sequence, 1000U);
  EXPECT_EQ(decoding.segment.wire_length, 100U);
  EXPECT_EQ(decoding.segment.mss, 1460U);
  EXPECT_TRUE(decoding.payload.empty());
  EXPECT_EQ(decoding.segment.checksum, ChecksumStatus::unknown);
}

TEST(TcpPayload, SumIsThatOfTheCapturedOctets) {
  Decoding decoding;
  ASSERT_TRUE(decoding.ethernet_frame(0x0800, tcp4({.payload = hex("0102 0304 05")})));
  EXPECT_EQ(decoding.segment.payload_sum, 0x0201U + 0x0403U + 0x05U);
  ASSERT_TRUE(decoding.ethernet_frame(0x0800, tcp4({.payload = hex("0102 0304 05")}), 14 + 40 + 3));
  EXPECT_EQ(decoding.segment.payload_sum, 0x0201U + 0x03U);
}

TEST(TcpChecksum, GoodForEveryLength) {
  for (std::size_t length = 0; length < 300; ++length) {
    EXPECT_EQ(decode4({.payload = pattern(length)}).checksum, ChecksumStatus::good) << length;
    EXPECT_EQ(decode6({.options = timestamps, .payload = pattern(length)}).checksum, ChecksumStatus::good);
  }
}

TEST(TcpChecksum, BadForEveryFlippedBit) {
  const Bytes good = tcp4({.payload = pattern(50)});
  for (std::size_t bit = 20 * 8; bit < good.size() * 8; ++bit) {
    if (bit / 8 == 32) continue;  // the header length: no header any more, or other octets in it
    Bytes bad = good;
    bad[bit / 8] = static_cast<Byte>(bad[bit / 8] ^ 1U << bit % 8);
    Decoding decoding;
    ASSERT_TRUE(decoding.ethernet_frame(0x0800, bad));
    EXPECT_EQ(decoding.segment.checksum, ChecksumStatus::bad) << bit;
  }
}

TEST(TcpChecksum, LeftToTheNic) {
  const Ip4 ip;
  const Ip6 ip6;
  const unsigned sum = pseudo_sum(ip.source, ip.destination, 120);
  const unsigned sum_without_length = pseudo_sum(ip.source, ip.destination, 0);
  const unsigned sum6 = pseudo_sum(ip6.source, ip6.destination, 120);
  for (const unsigned checksum :
       {sum, 0xffffU - sum, sum_without_length, 0xffffU - sum_without_length, 0U, 0xffffU}) {
    EXPECT_EQ(decode4({.payload = pattern(100), .checksum = checksum}).checksum, ChecksumStatus::offloaded)
        << checksum;
  }
  EXPECT_EQ(decode6({.payload = pattern(100), .checksum = sum6}).checksum, ChecksumStatus::offloaded);
  EXPECT_EQ(decode4({.payload = pattern(100), .checksum = sum + 1}).checksum, ChecksumStatus::bad);
}

TEST(TcpChecksum, ZeroAndAllOnesCanBeRight) {
  // The payload makes the sum of everything else ffff, so that the right checksum is 0.
  Bytes segment = tcp_segment({.payload = zeros(2)}, Ip4().source, Ip4().destination);
  const unsigned checksum = load_be16(&segment[16]);
  const Bytes payload = be16(checksum);
  EXPECT_EQ(decode4({.payload = payload, .checksum = 0}).checksum, ChecksumStatus::good);
  EXPECT_EQ(decode4({.payload = payload, .checksum = 0xffff}).checksum, ChecksumStatus::good);
}

TEST(PacketIdentity, SameForCopies) {
  const Tcp tcp{.options = timestamps, .payload = pattern(100)};
  const std::uint64_t identity = decode4(tcp).packet_identity;
  EXPECT_NE(identity, 0U);
  EXPECT_EQ(decode4(tcp).packet_identity, identity);
  // One copy from before the NIC filled in the checksum; one cut short; one in a VLAN.
  Tcp unfilled = tcp;
  unfilled.checksum = 0;
  EXPECT_EQ(decode4(unfilled).packet_identity, identity);
  Decoding decoding;
  ASSERT_TRUE(decoding.ethernet_frame(0x0800, tcp4(tcp), 80));
  EXPECT_EQ(decoding.segment.packet_identity, identity);
  ASSERT_TRUE(decoding.ethernet_frame(0x8100, cat(hex("000a 0800"), tcp4(tcp))));
  EXPECT_EQ(decoding.segment.packet_identity, identity);
}

TEST(PacketIdentity, DiffersForWhatARetransmissionChanges) {
  const Tcp tcp{.options = timestamps, .payload = pattern(100)};
  const std::uint64_t identity = decode4(tcp).packet_identity;
  EXPECT_NE(decode4(tcp, {.identification = 0x1235}).packet_identity, identity);
  Tcp other = tcp;
  other.options = hex("01 01 08 0a 00000002 00000002");
  EXPECT_NE(decode4(other).packet_identity, identity);
  EXPECT_NE(decode6(other).packet_identity, decode6(tcp).packet_identity);
  other = tcp;
  other.acknowledgement += 1;
  EXPECT_NE(decode4(other).packet_identity, identity);
  other = tcp;
  other.sequence += 1;
  EXPECT_NE(decode4(other).packet_identity, identity);
  other = tcp;
  other.payload = pattern(99);
  EXPECT_NE(decode4(other).packet_identity, identity);
  other = tcp;
  other.window += 1;
  EXPECT_NE(decode4(other).packet_identity, identity);
  EXPECT_NE(decode4(tcp, {.source = hex("c0000203")}).packet_identity, identity);
}

// Of the same packet, captured again so long after it.
bool is_same_later(const Bytes& packet, std::uint16_t ether_type, TimeNs later_ns) {
  capture::PacketDecoder decoder;
  const Bytes frame = cat(Bytes(12), be16(ether_type), packet);
  capture::Record record;
  record.octets = frame;
  record.wire_length = frame.size();
  record.link_type = 1;
  record.has_time = true;
  record.time_ns = 1'700'000'000'000'000'000;
  TcpSegment first;
  TcpSegment second;
  EXPECT_TRUE(decoder.decode(record, first));
  record.time_ns += later_ns;
  EXPECT_TRUE(decoder.decode(record, second));
  EXPECT_NE(first.packet_identity, 0U);
  return first.packet_identity == second.packet_identity;
}

TEST(PacketIdentity, TimeTellsWithoutIdentificationAndTimestamps) {
  const Tcp bare{.payload = pattern(100)};
  const Tcp timed{.options = timestamps, .payload = pattern(100)};
  // Timestamps at another place, as some stacks have them.
  const Tcp unusual{.options = hex("08 0a 00000001 00000002 01 01"), .payload = pattern(100)};
  const Tcp other_option{.options = hex("05 0a 00000001 00000002 01 01"), .payload = pattern(100)};
  for (const TimeNs later : {TimeNs{0}, TimeNs{1000}, TimeNs{20'000}}) {
    EXPECT_TRUE(is_same_later(tcp6(bare), 0x86dd, later));
    EXPECT_TRUE(is_same_later(tcp4(bare, {.identification = 0}), 0x0800, later));
    EXPECT_TRUE(is_same_later(tcp6(timed), 0x86dd, later));
  }
  for (const TimeNs later : {TimeNs{20'001}, TimeNs{1'000'000}}) {
    EXPECT_FALSE(is_same_later(tcp6(bare), 0x86dd, later));
    EXPECT_FALSE(is_same_later(tcp4(bare, {.identification = 0}), 0x0800, later));
    EXPECT_FALSE(is_same_later(tcp6(other_option), 0x86dd, later));
    EXPECT_TRUE(is_same_later(tcp6(timed), 0x86dd, later));
    EXPECT_TRUE(is_same_later(tcp6(unusual), 0x86dd, later));
    EXPECT_TRUE(is_same_later(tcp4(bare), 0x0800, later));
  }
}

}  // namespace
}  // namespace iwarp::test
