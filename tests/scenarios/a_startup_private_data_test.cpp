// Private Data that goes on beyond PD_Length (A4; RFC 5044 §7.1.1).
// SPDX-License-Identifier: GPL-2.0-or-later
#include <gtest/gtest.h>

#include "scenarios/established.hpp"

namespace iwarp::test {
namespace {

using established::a;
using established::b;
using established::evidence;

class PrivateDataBeyondPdLength : public testing::TestWithParam<bool> {
 protected:
  // The start-up frame of `side` has eight octets of Private Data and says four.
  void expect_of(Side side) const {
    const Startup modes = {.markers = GetParam(), .crc = true};
    Startup longer = modes;
    longer.private_data = text("abcdefgh");
    longer.length = 4;
    Conversation c;
    c.handshake();
    c.send(a, request_frame(side == a ? longer : modes));  // frame 4
    c.send(b, reply_frame(side == b ? longer : modes));    // frame 5
    c.full_operation(modes, modes);
    c.fpdu(a, send(1, pattern(600)));
    c.fpdu(b, send(1, pattern(600)));
    c.close();
    const Analysed result(c);
    EXPECT_EQ(result.ids(Severity::note), Ids{"MPA-PDLEN"}) << result.told();
    const Event finding = result.findings("MPA-PDLEN").at(0);
    EXPECT_EQ(finding.side, side);
    EXPECT_EQ(finding.finding.arguments[0], 4U);
    EXPECT_EQ(finding.finding.arguments[1], 8U);
    EXPECT_EQ(evidence(result, "MPA-PDLEN").at(0), side == a ? 4U : 5U);
    EXPECT_EQ(result.messages().size(), 2U);
  }
};

TEST_P(PrivateDataBeyondPdLength, A4_OfTheRequest) {
  expect_of(a);
}

TEST_P(PrivateDataBeyondPdLength, A4_OfTheReply) {
  expect_of(b);
}

INSTANTIATE_TEST_SUITE_P(Markers, PrivateDataBeyondPdLength, testing::Bool());

TEST(ScenarioA, A4_PrivateDataBeyondPdLengthAndNothingBehind) {
  Conversation c;
  c.handshake();
  c.send(a, request_frame({.private_data = text("abcdefgh"), .length = 4}));
  c.send(b, reply_frame());
  c.close();
  EXPECT_EQ(Analysed(c).ids(Severity::note), Ids{"MPA-PDLEN"});
}

// Sent again, a Reply may be joined with FPDUs. Whether these carry markers only the Request tells, which may
// stand before the capture: they are no Private Data either way.
TEST(ScenarioA, A4_AReplySentAgainWithFpdusBehindIt) {
  for (const bool markers : {false, true}) {
    for (const bool midstream : {false, true}) {
      SCOPED_TRACE(testing::Message() << markers << midstream);
      Conversation c;
      const Packets opening = c.handshake();
      const Packets request = c.send(a, request_frame({.markers = markers}));
      c.full_operation({.markers = markers});
      c.drop(c.send(b, reply_frame({.private_data = text("abcdefgh")})));
      const Packets first = c.fpdu(a, send(1));
      c.drop(c.fpdu(b, send(1, pattern(40))));
      c.resend(b, 0, static_cast<std::size_t>(c.sent(b)));
      if (midstream) {
        for (const Packets& each : {opening, request, first}) c.drop(each);
      }
      c.fpdu(a, send(2));
      c.fpdu(b, send(2));
      c.close();
      const Analysed result(c);
      EXPECT_EQ(result.ids(Severity::warning), Ids{}) << result.told();
      EXPECT_EQ(result.messages().size(), midstream ? 3U : 4U);
    }
  }
}

}  // namespace
}  // namespace iwarp::test
