// The makers of test octets against octets worked out by hand from the RFCs, CRCs included.
// SPDX-License-Identifier: GPL-2.0-or-later
#include <gtest/gtest.h>

#include "support/octets.hpp"

namespace iwarp::test {
namespace {

void expect_octets(const Bytes& made, std::string_view expected) {
  EXPECT_EQ(to_hex(made), to_hex(hex(expected)));
}

TEST(HexTest, ReadsPairsSpacesAndRepetitions) {
  EXPECT_EQ(hex("00 1f 2*A5\n4141"), (Bytes{0x00, 0x1f, 0xa5, 0xa5, 0x41, 0x41}));
  EXPECT_EQ(hex("12*00").size(), 12U);
  EXPECT_EQ(to_hex(hex("0017414300")), "00174143 00");
}

TEST(HexDeathTest, RefusesHalfOctetsAndOtherLetters) {
  EXPECT_DEATH((void)hex("123"), "half an octet");
  EXPECT_DEATH((void)hex("0x12"), "no hexadecimal digit");
}

TEST(BitwiseCrcTest, GivesTheCheckValueAndContinues) {
  const Bytes digits = text("123456789");
  EXPECT_EQ(bitwise_crc32c(digits), 0xE3069283U);
  EXPECT_EQ(bitwise_crc32c(part(digits, 4), bitwise_crc32c(part(digits, 0, 4))), 0xE3069283U);
}

TEST(StartupFrameTest, MatchesWorkedExamples) {
  expect_octets(request_frame(), "4d504120 49442052 65712046 72616d65 40010000");
  expect_octets(reply_frame(), "4d504120 49442052 65702046 72616d65 40010000");
  const Depths asked{.peer_to_peer = true, .rtr_write = true, .rtr_read = true, .ird = 16, .ord = 8};
  expect_octets(request_frame({.word = asked, .private_data = text("priv")}),
                "4d504120 49442052 65712046 72616d65 50020008 8010c008 70726976");
  const Depths granted{.peer_to_peer = true, .rtr_read = true, .ird = 8, .ord = 16};
  expect_octets(reply_frame({.word = granted}), "4d504120 49442052 65702046 72616d65 50020004 80084010");
}

TEST(FpduTest, MatchesReadyToReceiveExamples) {
  expect_octets(fpdu(read_request(1, {.source_stag = 1})),
                "002e4141 00000000 00000001 00000001 00000000 00000000 00000000 00000000 00000000 00000001"
                "00000000 00000000 ba10e3c9");
}

TEST(FpduTest, MatchesMessageExamples) {
  const std::uint32_t stag = 0x1234ab01;
  expect_octets(fpdu(read_response(0, 0)), "000ec142 00000000 00000000 00000000 6975d6ca");
  expect_octets(fpdu(write(1, 0)), "000ec140 00000001 00000000 00000000 ebd34c5f");
  expect_octets(fpdu(send(1)), "00124143 00000000 00000000 00000001 00000000 587be8c4");
  expect_octets(fpdu(send(1, text("hello"))),
                "00174143 00000000 00000000 00000001 00000000 68656c6c 6f000000 b990b10c");
  expect_octets(fpdu(send_se_inv(2, stag, text("bye!"))),
                "00164146 1234ab01 00000000 00000002 00000000 62796521 219dd536");
  expect_octets(fpdu(write(stag, 0x1000, text("WXYZ"))),
                "0012c140 1234ab01 00000000 00001000 5758595a dba65249");
  expect_octets(fpdu(immediate(1, 0x1122334455667788)),
                "001a4148 00000000 00000000 00000001 00000000 11223344 55667788 fa7ee097");
}

TEST(FpduTest, MatchesReadExamples) {
  const Read read{.sink_stag = 0x00a1b202,
                  .sink_to = 0x7f0000001000,
                  .size = 16,
                  .source_stag = 0x1234ab01,
                  .source_to = 0x2000};
  expect_octets(fpdu(read_request(1, read)),
                "002e4141 00000000 00000001 00000001 00000000 00a1b202 00007f00 00001000 00000010 1234ab01"
                "00000000 00002000 9f630272");
  const std::vector<Bytes> response =
      read_response_segments(0x00a1b202, 0x7f0000001000, hex("00010203 04050607 08090a0b 0c0d0e0f"), 8);
  ASSERT_EQ(response.size(), 2U);
  expect_octets(fpdu(response[0]), "00168142 00a1b202 00007f00 00001000 00010203 04050607 5e6f100b");
  expect_octets(fpdu(response[1]), "0016c142 00a1b202 00007f00 00001008 08090a0b 0c0d0e0f 5d33f581");
}

TEST(FpduTest, MatchesAtomicExamples) {
  expect_octets(fpdu(fetch_add(2, {.id = 0xa0000001, .stag = 0x1234ab01, .to = 0x1008, .data = 5})),
                "0046414a 00000000 00000001 00000002 00000000 00000000 a0000001 1234ab01 00000000 00001008"
                "00000000 00000005 00000000 00000000 00000000 00000000 ffffffff ffffffff 32e482c7");
  expect_octets(fpdu(cmp_swap(3, {.id = 0xa0000002,
                                  .stag = 0x1234ab01,
                                  .to = 0x1010,
                                  .data = 0x2222,
                                  .mask = ~std::uint64_t{0},
                                  .compare = 0x1111})),
                "0046414a 00000000 00000001 00000003 00000000 00000002 a0000002 1234ab01 00000000 00001010"
                "00000000 00002222 ffffffff ffffffff 00000000 00001111 ffffffff ffffffff 5f8f56f1");
  expect_octets(fpdu(atomic_response(1, 0xa0000001, 0x25)),
                "001e414b 00000000 00000003 00000001 00000000 a0000001 00000000 00000025 854caf6d");
}

TEST(FpduTest, MatchesTerminateExamples) {
  const Bytes bad = read_request(
      2, {.sink_stag = 0x00a1b202, .sink_to = 0x7f0000002000, .size = 64, .source_stag = 0xdeadbe00});
  expect_octets(fpdu(bad),
                "002e4141 00000000 00000001 00000002 00000000 00a1b202 00007f00 00002000 00000040 deadbe00"
                "00000000 00000000 5f84ab04");
  expect_octets(fpdu(terminate(0x0100, about(bad, true))),
                "00464147 00000000 00000002 00000001 00000000 0100e000 002e4141 00000000 00000001 00000002"
                "00000000 00a1b202 00007f00 00002000 00000040 deadbe00 00000000 00000000 a695261d");
  expect_octets(fpdu(terminate(0x1100, about(write(0xbad00001, 0x10, zeros(8))))),
                "00264147 00000000 00000002 00000001 00000000 1100c000 0016c140 bad00001 00000000 00000010"
                "3b98bdfa");
  expect_octets(fpdu(terminate(0x1202, about(send(9, zeros(16))))),
                "002a4147 00000000 00000002 00000001 00000000 1202c000 00224143 00000000 00000000 00000009"
                "00000000 5fef842d");
  expect_octets(fpdu(terminate(0x2002)), "00164147 00000000 00000002 00000001 00000000 20020000 7fe42585");
}

TEST(FpduTest, PutsSiwsControlWordInItsOrder) {
  const Terminate all{.m = true, .d = true, .r = true, .layout = TerminateLayout::siw};
  EXPECT_EQ(to_hex(part(terminate(0x0100, all), 18)), "10000700");
  EXPECT_EQ(to_hex(part(terminate(0x1202, {.m = true, .d = true, .layout = TerminateLayout::siw}), 18)),
            "21020300");
  EXPECT_EQ(to_hex(part(terminate(0x2002, {.layout = TerminateLayout::siw}), 18)), "02020000");
}

TEST(FpduTest, FollowsFraming) {
  const Bytes right = fpdu(send(1, text("hello")));
  const Bytes wrong = fpdu(send(1, text("hello")), {.crc = Crc::wrong});
  EXPECT_EQ(part(right, 0, 28), part(wrong, 0, 28));
  EXPECT_NE(part(right, 28), part(wrong, 28));
  expect_octets(part(fpdu(send(1, text("hello")), {.crc = Crc::big_endian}), 28), "0cb190b9");
  expect_octets(part(fpdu(send(1), {.crc = Crc::unused, .unused_crc = 0xdeadbeef}), 20), "efbeadde");
  expect_octets(part(fpdu(send(1, text("hello")), {.pad = 0xee}), 25, 3), "eeeeee");
  expect_octets(part(fpdu(send(1), {.length = 99}), 0, 2), "0063");
}

TEST(FpduStreamTest, MatchesFirstMarkedFpdu) {
  FpduStream stream(Markers::on);
  expect_octets(stream.add(send(1, text("hello"))),
                "00000000 00174143 00000000 00000000 00000001 00000000 68656c6c 6f000000 7a61e971");
  EXPECT_EQ(stream.position(), 36U);
}

TEST(FpduStreamTest, MatchesRfc5044Figures5And6) {
  FpduStream stream(Markers::on);
  expect_octets(stream.add(send(1, zeros(24))),
                "00000000 002a4143 00000000 00000000 00000001 00000000 24*00 52239983");
  FpduStream second(Markers::on, 0x1ec);
  expect_octets(second.add(send(2, zeros(24))),
                "002a4143 00000000 00000000 00000002 00000000 00000014 24*00 84925898");
}

TEST(FpduStreamTest, BreaksTheChosenMarker) {
  FpduStream stream(Markers::on);
  stream.break_marker({.pointer_delta = 4, .skip = 1});
  const Bytes first = stream.add(send(1, zeros(600)));
  EXPECT_EQ(to_hex(part(first, 0, 4)), "00000000");
  EXPECT_EQ(to_hex(part(first, 512, 4)), "00000200");  // 0x1fc and 4 too many
  stream.break_marker({.reserved = 0xbeef});
  const Bytes second = stream.add(send(2, zeros(600)));
  EXPECT_EQ(to_hex(part(second, 1024 - first.size(), 4)).substr(0, 4), "beef");
}

// A 1200-octet Send at 36, and FPDUs whose markers come after ULPDU_Length and both control octets, and
// between PAD and CRC.
TEST(FpduStreamTest, PutsMarkersWhereWorkedExamplesHaveThem) {
  Bytes counting;
  for (unsigned i = 0; i < 1200; ++i) counting.push_back(static_cast<Byte>(i));
  const Bytes large = FpduStream(Markers::on, 36).add(send(2, counting));
  EXPECT_EQ(to_hex(part(large, 476, 4)), "000001dc");
  EXPECT_EQ(to_hex(part(large, 988, 4)), "000003dc");
  EXPECT_EQ(to_hex(part(large, 1228)), "91367274");
  EXPECT_EQ(to_hex(part(FpduStream(Markers::on, 1532).add(send(3, pattern(8))), 4, 4)), "00000004");
  expect_octets(FpduStream(Markers::on, 2532).add(send(5, text("12345"))),
                "00174143 00000000 00000000 00000005 00000000 31323334 35000000 0000001c 8eee5aef");
}

// Without its markers the stream is the unmarked one but for the CRCs, and every marker leads back to the
// start of its FPDU.
TEST(FpduStreamTest, HasMarkersAtMultiplesOf512ThatLeadBack) {
  for (std::uint64_t phase = 0; phase < 512; phase += 4) {
    FpduStream marked(Markers::on, phase);
    for (const std::size_t size : {0U, 1U, 490U, 3000U, 7U, 480U, 512U}) {
      const Bytes ulpdu = send(1, pattern(size));
      const std::uint64_t first = marked.position();
      const Bytes wire = marked.add(ulpdu);
      const std::uint64_t start = first % 512 == 0 ? first + 4 : first;
      Bytes stripped;
      for (std::size_t i = 0; i < wire.size();) {
        if ((first + i) % 512 != 0) {
          stripped.push_back(wire[i++]);
          continue;
        }
        const std::uint64_t pointer = i == 0 ? 0 : first + i - start;
        EXPECT_EQ(part(wire, i, 4),
                  (Bytes{0, 0, static_cast<Byte>(pointer >> 8), static_cast<Byte>(pointer)}));
        i += 4;
      }
      const Bytes plain = fpdu(ulpdu);
      ASSERT_EQ(stripped.size(), plain.size()) << phase << ' ' << size;
      EXPECT_EQ(part(stripped, 0, plain.size() - 4), part(plain, 0, plain.size() - 4))
          << phase << ' ' << size;
    }
  }
}

}  // namespace
}  // namespace iwarp::test
