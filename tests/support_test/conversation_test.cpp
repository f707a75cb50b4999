// Scripted conversations: numbers that come by themselves, losses, copies, and the capture file.
// SPDX-License-Identifier: GPL-2.0-or-later
#include "support/conversation.hpp"

#include <gtest/gtest.h>

namespace iwarp::test {
namespace {

constexpr Side a = Side::a;
constexpr Side b = Side::b;

std::vector<std::uint32_t> sequences(const Conversation& c) {
  std::vector<std::uint32_t> out;
  for (const OwnedSegment& each : c.segments()) out.push_back(each.meta.sequence);
  return out;
}

TEST(ConversationTest, HandshakeAndCloseCountSynAndFin) {
  Conversation c;
  c.handshake({.mss_a = 1448, .isn_a = 0xffffffff, .isn_b = 50});
  c.send(a, text("hello"));
  c.close();
  const std::vector<OwnedSegment> s = c.segments();
  ASSERT_EQ(s.size(), 7U);
  EXPECT_EQ(s[0].meta.flags, tcp::syn);
  EXPECT_EQ(s[0].meta.sequence, 0xffffffffU);
  EXPECT_EQ(s[0].meta.mss, 1448);
  EXPECT_EQ(s[1].meta.flags, tcp::syn | tcp::ack);
  EXPECT_EQ(s[1].meta.acknowledgement, 0U);
  EXPECT_EQ(s[2].meta.sequence, 0U);
  EXPECT_EQ(s[2].meta.acknowledgement, 51U);
  EXPECT_EQ(s[3].meta.sequence, 0U);
  EXPECT_EQ(s[4].meta.flags, tcp::fin | tcp::ack);
  EXPECT_EQ(s[4].meta.sequence, 5U);
  EXPECT_EQ(s[5].meta.flags, tcp::fin | tcp::ack);
  EXPECT_EQ(s[5].meta.sequence, 51U);
  EXPECT_EQ(s[5].meta.acknowledgement, 6U);
  EXPECT_EQ(s[6].meta.sequence, 6U);
  EXPECT_EQ(s[6].meta.acknowledgement, 52U);
  for (std::size_t i = 0; i < s.size(); ++i) {
    EXPECT_EQ(s[i].meta.frame, i + 1);
    EXPECT_EQ(s[i].segment().checksum, ChecksumStatus::good);
    if (i != 0) {
      EXPECT_GT(s[i].meta.time_ns, s[i - 1].meta.time_ns);
    }
  }
}

TEST(ConversationTest, CutsOctetsIntoSegments) {
  EXPECT_EQ(Cuts({2, 3}).apply(text("abcdefgh")), (std::vector<Bytes>{text("ab"), text("cde"), text("fgh")}));
  EXPECT_EQ(Cuts::every(3).apply(text("abcdefgh")),
            (std::vector<Bytes>{text("abc"), text("def"), text("gh")}));
  EXPECT_EQ(Cuts().apply(text("abc")), (std::vector<Bytes>{text("abc")}));
  Conversation c;
  const Packets packets = c.send(a, text("abcdefgh"), {2, 3});
  ASSERT_EQ(packets.count, 3U);
  EXPECT_EQ(c.packet(packets[1]).octets, text("cde"));
  EXPECT_EQ(sequences(c), (std::vector<std::uint32_t>{1001, 1003, 1006}));
}

TEST(ConversationTest, LossHoldsBackAcknowledgementsUntilResent) {
  Conversation c;
  c.send(a, text("ab"));
  const Packets lost = c.lose(a, text("cd"));
  c.send(a, text("ef"));
  EXPECT_EQ(c.packet(c.ack(b)).meta.acknowledgement, 1003U);
  const Packets again = c.resend(lost);
  EXPECT_EQ(c.packet(c.ack(b)).meta.acknowledgement, 1007U);
  EXPECT_EQ(c.packet(again).meta.sequence, 1003U);
  EXPECT_EQ(c.packet(again).octets, text("cd"));
  EXPECT_NE(c.packet(again).ip_id, c.packet(lost).ip_id);
  EXPECT_EQ(c.segments().size(), 5U);
}

TEST(ConversationTest, ResendsOtherCutsAndInjectsAnywhere) {
  Conversation c;
  c.send(a, text("abcdefgh"));
  const Packets again = c.resend(a, 1, 6, {4});
  EXPECT_EQ(c.packet(again[0]).octets, text("bcde"));
  EXPECT_EQ(c.packet(again[1]).octets, text("fg"));
  c.inject(a, c.sent(a) - 1, text("?"));
  c.send(a, text("i"));
  EXPECT_EQ(sequences(c), (std::vector<std::uint32_t>{1001, 1002, 1006, 1008, 1009}));
  EXPECT_EQ(c.packet(c.ack(b)).meta.acknowledgement, 1010U);
}

TEST(ConversationTest, CaptureSeesWhatItIsToldTo) {
  Conversation c;
  c.unseen([&] {
    c.handshake();
    c.send(a, text("early"));
  });
  const Packets second = c.send(a, text("second"));
  const Packets third = c.send(a, text("third"));
  c.duplicate(second);
  c.move_before(third, second);
  c.cut(third, 2);
  c.capture(b, false);
  c.ack(b);
  const std::vector<OwnedSegment> s = c.segments();
  ASSERT_EQ(s.size(), 3U);
  EXPECT_EQ(s[0].octets, text("third"));
  EXPECT_EQ(s[0].segment().payload.size(), 2U);
  EXPECT_EQ(s[0].segment().wire_length, 5U);
  EXPECT_EQ(s[0].segment().checksum, ChecksumStatus::unknown);
  EXPECT_EQ(s[0].meta.frame, 1U);
  EXPECT_EQ(s[1].octets, s[2].octets);
  EXPECT_EQ(s[1].meta.packet_identity, s[2].meta.packet_identity);
  EXPECT_NE(s[0].meta.packet_identity, s[1].meta.packet_identity);
  EXPECT_LT(s[0].meta.time_ns, s[1].meta.time_ns);
}

TEST(ConversationTest, SnaplenCountsHeaders) {
  Conversation c;
  c.snaplen(96);
  c.send(a, pattern(100));
  EXPECT_EQ(c.segments()[0].segment().payload.size(), 96U - 54U);
}

TEST(ConversationTest, StartupSetsMarkersCrossedAndCrcByEither) {
  Conversation c;
  c.handshake();
  c.startup({.markers = true, .crc = false}, {.crc = false});
  const Packets from_a = c.fpdu(a, send(1, text("hello")));
  const Packets from_b = c.fpdu(b, send(1, text("hello")));
  EXPECT_EQ(to_hex(part(c.packet(from_a).octets, 0, 4)), "00174143");
  EXPECT_EQ(to_hex(part(c.packet(from_b).octets, 0, 8)), "00000000 00174143");
  EXPECT_EQ(to_hex(part(c.packet(from_a).octets, 28)), "00000000");
  c.full_operation({.crc = false}, {.crc = true});
  const Packets with_crc = c.fpdu(a, send(1, text("hello")), {10, 10});
  EXPECT_EQ(to_hex(part(c.packet(with_crc[2]).octets, 8)), "b990b10c");
  const Packets wrong = c.fpdu(a, send(1, text("hello")), {.crc = Crc::wrong});
  EXPECT_NE(to_hex(part(c.packet(wrong).octets, 28)), "b990b10c");
}

TEST(ConversationTest, ReopensOnTheSamePorts) {
  Conversation c;
  c.handshake();
  c.send(a, text("abc"));
  c.close();
  c.wait(2'000'000'000);
  const Packets syn = c.handshake({.isn_a = 77, .isn_b = 88});
  EXPECT_EQ(c.sent(a), 0U);
  EXPECT_EQ(c.packet(syn[2]).meta.sequence, 78U);
  EXPECT_EQ(c.packet(syn[2]).meta.acknowledgement, 89U);
  const std::vector<OwnedSegment> s = c.segments();
  EXPECT_EQ(s[7].meta.time_ns - s[6].meta.time_ns, 2'000'010'000);
}

TEST(ConversationTest, MergesByTime) {
  Conversation one;
  Conversation two({.a = endpoint("2001:db8::1", 1), .b = endpoint("2001:db8::2", 2), .step_ns = 15'000});
  one.send(a, text("1"));
  one.send(a, text("2"));
  two.send(a, text("3"));
  two.send(a, text("4"));
  const std::vector<OwnedSegment> s = merge({&one, &two});
  ASSERT_EQ(s.size(), 4U);
  EXPECT_EQ(cat({s[0].octets, s[1].octets, s[2].octets, s[3].octets}), text("1324"));
  EXPECT_EQ(s[3].meta.frame, 4U);
}

TEST(PcapTest, WritesTheRecordOctetForOctet) {
  Conversation c(
      {.a = endpoint("10.0.0.1", 0x1122), .b = endpoint("10.0.0.2", 0x3344), .start_ns = 1'000'000'002});
  c.send(a, text("hi!"));
  EXPECT_EQ(to_hex(c.to_pcap()), to_hex(hex("4d3cb2a1 0200 0400 00000000 00000000 00000400 01000000"
                                            "01000000 02000000 39000000 39000000"
                                            "02000000000b 02000000000a 0800"
                                            "4500 002b 0001 4000 4006 26ca 0a000001 0a000002"
                                            "1122 3344 000003e9 000dbba1 50 18 ffff 0e60 0000 686921")));
}

}  // namespace
}  // namespace iwarp::test
