// Faults that a review of the running program found.
// SPDX-License-Identifier: GPL-2.0-or-later
#include <gtest/gtest.h>

#include "support/analysed.hpp"

namespace iwarp::test {
namespace {

TEST(ScenarioD, D3_OneWrongMsnAmongRightOnesIsNoRepetition) {
  Conversation c;
  c.handshake();
  c.startup();
  for (const std::uint32_t msn : {1U, 2U, 77U, 4U, 5U, 6U}) c.fpdu(Side::a, send(msn, text("x")));
  c.close();
  const Analysed result(c);
  EXPECT_EQ(result.ids(), (Ids{"DDP-MSNGAP", "DDP-MSNGAP"})) << result.told();
  EXPECT_EQ(result.messages(wire::Opcode::send).size(), 6U);
  EXPECT_EQ(result.side(Side::a).queues[0].next_msn, 7U);
}

TEST(ScenarioD, D3_AnMsnJumpedOverThenUsedTwiceIsARepetition) {
  Conversation c;
  c.handshake();
  c.startup();
  for (const std::uint32_t msn : {1U, 5U, 2U, 2U}) c.fpdu(Side::a, send(msn));
  c.close();
  EXPECT_EQ(Analysed(c).ids(), (Ids{"DDP-MSNGAP", "DDP-MSNGAP", "DDP-MSNDUP"}));
}

TEST(ScenarioA, A4_AStartupFrameCutShortByFinIsToldAtTheFin) {
  Conversation c;
  c.handshake();
  c.send(Side::a, part(request_frame({.private_data = pattern(100)}), 0, 56));
  c.fin(Side::a);  // frame 5
  c.ack(Side::b);
  c.wait(1'000'000'000);
  c.ack(Side::b);
  const Analysed result(c);
  const auto findings = result.findings("MPA-PDLEN");
  ASSERT_EQ(findings.size(), 1U) << result.told();
  EXPECT_EQ(findings[0].frame, 5U);
}

TEST(ScenarioA, A13_AReplyKeyBrokenBehindItsFirstWordIsNoReply) {
  Conversation c;
  c.handshake();
  c.send(Side::a, request_frame());
  Bytes reply = reply_frame();
  reply[8] ^= 0x01;
  c.send(Side::b, reply);
  c.close();
  const Analysed result(c);
  EXPECT_TRUE(result.has("MPA-KEY")) << result.told();
}

}  // namespace
}  // namespace iwarp::test
