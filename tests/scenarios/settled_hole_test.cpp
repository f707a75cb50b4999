// A hole that is long over leaves the rules behind it decidable.
// SPDX-License-Identifier: GPL-2.0-or-later
#include <gtest/gtest.h>

#include "support/analysed.hpp"

namespace iwarp::test {
namespace {

class SettledHole : public testing::Test {
 protected:
  void SetUp() override {
    c.handshake();
    c.startup({.crc = true}, {.crc = true});
    c.fpdu(Side::a, send(1));
    c.fpdu(Side::b, send(1));
    c.drop(c.fpdu(Side::a, send(2, pattern(40))));
    for (std::uint32_t msn = 3; msn < 40; ++msn) {
      c.fpdu(Side::a, send(msn));
      c.fpdu(Side::b, send(msn - 1));
    }
    c.wait(60'000'000'000);
  }
  Ids ids() { return Analysed(c).ids(); }

  Conversation c;
};

TEST_F(SettledHole, F10_AFinInsideAnFpduIsSeen) {
  const Bytes octets = c.frame(Side::a, send(40, pattern(100)));
  c.send(Side::a, part(octets, 0, 50));
  c.fin(Side::a);
  c.ack(Side::b);
  EXPECT_EQ(ids(), Ids{"MPA-CUT"});
}

TEST_F(SettledHole, F10_AFinInsideAMessageIsSeen) {
  c.fpdu(Side::a, send_segments(40, pattern(100), 50)[0]);
  c.fin(Side::a);
  c.ack(Side::b);
  EXPECT_EQ(ids(), Ids{"MPA-CUT"});
}

TEST_F(SettledHole, F8_ARstIsSeen) {
  c.rst(Side::a);
  EXPECT_EQ(ids(), Ids{"VERBS-RST"});
}

TEST_F(SettledHole, E4_AnAnswerOutOfTurnIsSeenBehindASilence) {
  for (const std::uint32_t msn : {1U, 2U})
    c.fpdu(Side::a, read_request(msn, {.sink_stag = msn, .size = 8, .source_stag = 0x77}));
  for (const std::uint32_t stag : {2U, 1U}) c.fpdu(Side::b, read_response(stag, 0, pattern(8)));
  c.close();
  EXPECT_EQ(ids(), Ids{"RDMAP-RRORDER"});
}

TEST(ScenarioE, E13_ARequestWithAnUnknownAtomicOperationDoesNotCount) {
  Conversation c;
  c.handshake();
  c.startup();
  c.fpdu(Side::a, send(1));
  c.fpdu(Side::b, send(1));
  c.fpdu(Side::a, atomic_request(1, 1, {.id = 7, .stag = 0x10}));
  c.ack(Side::b);
  c.close();
  EXPECT_EQ(Analysed(c).ids(), Ids{"RDMAP-ATOP"});
}

}  // namespace
}  // namespace iwarp::test
