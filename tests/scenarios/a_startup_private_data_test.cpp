// Private Data that goes on beyond PD_Length (A4; RFC 5044 §7.1.1).
// SPDX-License-Identifier: GPL-2.0-or-later
#include <gtest/gtest.h>

#include "scenarios/established.hpp"

namespace iwarp::test {
namespace {

using established::a;
using established::b;
using established::evidence;

class PrivateDataBeyondPdLength : public testing::TestWithParam<bool> {};

TEST_P(PrivateDataBeyondPdLength, A4_OfTheRequest) {
  const Startup modes = {.markers = GetParam(), .crc = true};
  Startup request = modes;
  request.private_data = text("abcdefgh");
  request.length = 4;
  Conversation c;
  c.handshake();
  c.send(a, request_frame(request));  // frame 4
  c.send(b, reply_frame(modes));
  c.full_operation(modes, modes);
  c.fpdu(a, send(1, pattern(600)));
  c.fpdu(b, send(1, pattern(600)));
  c.close();
  const Analysed result(c);
  EXPECT_EQ(result.ids(Severity::note), Ids{"MPA-PDLEN"}) << result.told();
  const Event finding = result.findings("MPA-PDLEN").at(0);
  EXPECT_EQ(finding.side, a);
  EXPECT_EQ(finding.finding.arguments[0], 4U);
  EXPECT_EQ(finding.finding.arguments[1], 8U);
  EXPECT_EQ(evidence(result, "MPA-PDLEN").at(0), 4U);
  EXPECT_EQ(result.messages().size(), 2U);
}

TEST_P(PrivateDataBeyondPdLength, A4_OfTheReply) {
  const Startup modes = {.markers = GetParam(), .crc = true};
  Startup reply = modes;
  reply.private_data = text("abcdefgh");
  reply.length = 4;
  Conversation c;
  c.handshake();
  c.send(a, request_frame(modes));
  c.send(b, reply_frame(reply));  // frame 5
  c.full_operation(modes, modes);
  c.fpdu(a, send(1, pattern(600)));
  c.fpdu(b, send(1, pattern(600)));
  c.close();
  const Analysed result(c);
  EXPECT_EQ(result.ids(Severity::note), Ids{"MPA-PDLEN"}) << result.told();
  EXPECT_EQ(result.findings("MPA-PDLEN").at(0).side, b);
  EXPECT_EQ(evidence(result, "MPA-PDLEN").at(0), 5U);
  EXPECT_EQ(result.messages().size(), 2U);
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

}  // namespace
}  // namespace iwarp::test
