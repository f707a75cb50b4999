// Scenario A14: start-up behind another protocol, and text that only quotes its key.
// SPDX-License-Identifier: GPL-2.0-or-later
#include "framing_log.hpp"

namespace iwarp::test {
namespace {

// --- A14: delayed start-up -----------------------------------------------------------------------------

TEST(ScenarioA, A14_StartupBehindAMegabyteOfAnotherProtocol) {
  Conversation c;
  c.handshake();
  c.send(Side::a, pattern(1'300'000), Cuts::every(1448));
  c.send(Side::b, pattern(5000, 3), Cuts::every(1448));
  c.startup({.markers = true}, {.markers = true});
  c.fpdu(Side::a, send(1, pattern(1000)));
  c.fpdu(Side::b, send(1, pattern(1000)));
  c.close();
  expect_ids(c, {});
  const Analysed result(c);
  ASSERT_EQ(result.of(EventKind::startup).size(), 2U);
  EXPECT_TRUE(result.of(EventKind::startup)[0].startup.delayed);
  EXPECT_EQ(result.of(EventKind::startup)[0].offset, 1'300'000U);
  EXPECT_EQ(result.of(EventKind::startup)[1].offset, 5000U);
  ASSERT_EQ(result.fpdus().size(), 2U);
  EXPECT_EQ(result.fpdus()[0].offset, 1'300'020U);
  EXPECT_EQ(result.fpdus()[0].fpdu.stream_offset, 0U);
  EXPECT_EQ(result.fpdus()[0].fpdu.crc, CrcStatus::good);
  EXPECT_EQ(result.fpdus()[1].offset, 5020U);
  EXPECT_EQ(result.fpdus()[1].fpdu.stream_offset, 0U);
  EXPECT_EQ(result.state().first_frame, 1U);
}

TEST(ScenarioA, A14_EveryBorderInsideADelayedRequest) {
  for (std::size_t border = 1; border < 24; ++border) {
    Conversation c;
    c.handshake();
    c.send(Side::a, text("starting MPA now\r\n"));
    c.send(Side::b, text("go on\r\n"));
    c.send(Side::a, request_frame({.private_data = text("data")}), {border});
    c.send(Side::b, reply_frame(), {border % 20});
    c.full_operation();
    c.fpdu(Side::a, send(1, text("hello")));
    c.close();
    SCOPED_TRACE(border);
    expect_ids(c, {});
    EXPECT_EQ(Analysed(c).messages().size(), 1U);
  }
}

TEST(ScenarioA, A14_KeyQuotedInsideText) {
  Conversation c;
  c.handshake();
  c.send(Side::a, text("RFC 5044: the key is \"MPA ID Req Frame\", 16 octets.\r\n"));
  c.send(Side::b, text("And \"MPA ID Rep Frame\" in the answer?\r\n"));
  c.send(Side::a, text("Yes.\r\n"));
  c.close();
  const Analysed result(c);
  EXPECT_TRUE(result.of(EventKind::startup).empty());
  EXPECT_TRUE(result.of(EventKind::finding).empty()) << result.told();
  EXPECT_FALSE(result.state().iwarp);
}

TEST(ScenarioA, A14_KeyQuotedAtTheStartOfASegment) {
  Conversation c;
  c.handshake();
  c.send(Side::a, text("Which octets begin MPA?\r\n"));
  c.send(Side::b, text("MPA ID Req Frame begins it, that is all I know.\r\n"));
  c.send(Side::a, text("Thanks.\r\n"));
  c.close();
  EXPECT_FALSE(Analysed(c).state().iwarp);
}

TEST(ScenarioA, A14_WholeRequestQuotedInsideText) {
  Conversation c;
  c.handshake();
  c.send(Side::a, cat(text("a dump: "), request_frame(), text(" and more of it, and more\r\n")));
  c.send(Side::b, text("I see.\r\n"));
  c.send(Side::a, text("Good.\r\n"));
  c.close();
  EXPECT_FALSE(Analysed(c).state().iwarp);
}

TEST(ScenarioA, A14_RealStartupBehindAQuotedKey) {
  Conversation c;
  c.handshake();
  c.send(Side::a, text("the key is \"MPA ID Req Frame\", here it comes\r\n"));
  c.send(Side::b, text("I am waiting\r\n"));
  c.startup();
  c.fpdu(Side::a, send(1, text("hello")));
  c.close();
  expect_ids(c, {});
  const Analysed result(c);
  ASSERT_EQ(result.of(EventKind::startup).size(), 2U);
  EXPECT_EQ(result.of(EventKind::startup)[0].offset, 46U);
  EXPECT_EQ(result.messages().size(), 1U);
}

TEST(ScenarioA, A14_RealStartupBehindAWholeQuotedRequest) {
  Conversation c;
  c.handshake();
  const Bytes dump = cat(text("a dump: "), request_frame(), text(" that was it\r\n"));
  c.send(Side::a, dump);
  c.send(Side::b, text("I am waiting\r\n"));
  c.startup();
  c.fpdu(Side::a, send(1, text("hello")));
  c.close();
  expect_ids(c, {});
  EXPECT_EQ(Analysed(c).of(EventKind::startup).at(0).offset, dump.size());
}

}  // namespace
}  // namespace iwarp::test
