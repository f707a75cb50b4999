// Start-up frames that come in the wrong order, or that the capture shows in another one (A16; RFC 5044
// §7.1).
// SPDX-License-Identifier: GPL-2.0-or-later
#include <gtest/gtest.h>

#include "scenarios/established.hpp"

namespace iwarp::test {
namespace {

using established::a;
using established::b;
using established::evidence;
using established::Frames;

TEST(ScenarioA, A16_ReplyBeforeAnyRequest) {
  Conversation c;
  c.handshake();
  c.send(b, reply_frame());    // frame 4
  c.send(a, request_frame());  // frame 5
  c.full_operation();
  c.fpdu(a, send(1));
  c.fpdu(b, send(1));
  c.close();
  const Analysed result(c);
  EXPECT_EQ(result.ids(Severity::note), Ids{"MPA-EARLY"}) << result.told();
  EXPECT_EQ(result.findings("MPA-EARLY").at(0).side, b);
  EXPECT_EQ(result.findings("MPA-EARLY").at(0).finding.arguments[0], 20U);
  EXPECT_EQ(evidence(result, "MPA-EARLY"), (Frames{4, 5}));
}

TEST(ScenarioA, A16_ReplyCapturedBeforeTheRequestItAcknowledges) {
  Conversation c;
  c.handshake();
  const Packets request = c.send(a, request_frame());
  const Packets reply = c.send(b, reply_frame());
  c.full_operation();
  c.fpdu(a, send(1));
  c.close();
  c.move_before(reply, request);
  const Analysed result(c);
  EXPECT_EQ(result.ids(Severity::note), Ids{}) << result.told();
  EXPECT_EQ(result.undecidable("MPA-EARLY"), 0U);
}

TEST(ScenarioA, A16_ReplyWithoutACapturedRequestIsUndecidable) {
  Conversation c;
  c.handshake();
  c.drop(c.send(a, request_frame()));
  c.send(b, reply_frame());
  c.full_operation();
  c.fpdu(a, send(1));
  c.close();
  const Analysed result(c);
  EXPECT_EQ(result.ids(Severity::warning), Ids{}) << result.told();
  EXPECT_EQ(result.undecidable("MPA-EARLY", Reason::gap), 1U);
  for (const char* const of_the_request : {"MPA-KEY", "MPA-REV", "MPA-PDLEN"})
    EXPECT_EQ(result.undecidable(of_the_request, Reason::gap), 1U) << of_the_request;
}

TEST(ScenarioA, A16_FpdusBehindARequestWithoutACapturedReplyAreUndecidable) {
  Conversation c;
  c.handshake();
  c.send(a, request_frame());
  c.drop(c.send(b, reply_frame()));
  c.full_operation();
  c.fpdu(a, send(1));
  c.fpdu(b, send(1));
  c.fpdu(a, send(2));
  c.close();
  const Analysed result(c);
  EXPECT_EQ(result.ids(Severity::warning), Ids{}) << result.told();
  EXPECT_EQ(result.undecidable("MPA-EARLY", Reason::gap), 1U);
  EXPECT_EQ(result.undecidable("MPA-SREV", Reason::gap), 1U);
  EXPECT_EQ(result.undecidable("MPA-MKUSE", Reason::gap), 1U);
}

// What no rule allows shows by its CRC that it is an FPDU.
TEST(ScenarioA, A16_WrongFpduBehindARequestWithoutACapturedReply) {
  Conversation c;
  c.handshake();
  c.send(a, request_frame());
  c.drop(c.send(b, reply_frame()));
  c.full_operation();
  Bytes request = atomic_request(0, 1, {});
  request.resize(request.size() - 4);
  c.fpdu(a, request);
  c.close();
  const Analysed result(c);
  EXPECT_EQ(result.ids(Severity::warning), Ids{"RDMAP-ATLEN"}) << result.told();
}

// The snapshot length took the rest of the Reply's Private Data and what follows in the same segment.
TEST(ScenarioA, A16_ReplyThatIsCutInItsPrivateDataWithMoreBehindIt) {
  for (std::size_t captured = 16; captured < 30; ++captured) {
    Conversation c;
    c.handshake();
    c.send(a, request_frame());
    c.full_operation();
    Bytes octets = reply_frame({.private_data = pattern(8)});
    const Bytes fpdu = c.frame(b, send(1, text("at once")));
    octets.insert(octets.end(), fpdu.begin(), fpdu.end());
    c.cut(c.send(b, octets), captured);
    c.fpdu(a, send(1));
    c.close();
    const Analysed result(c);
    EXPECT_EQ(result.ids(Severity::error), Ids{}) << captured << result.told();
  }
}

// Where a direction's start is missing, a key in front of fields that no frame has may be a quote.
TEST(ScenarioA, A16_UnknownRevisionWhereTheSynWasNotCapturedIsUndecidable) {
  Conversation c;
  c.drop(c.handshake()[0]);
  c.send(a, request_frame({.revision = 3}));
  c.send(b, reply_frame());
  c.full_operation();
  c.fpdu(a, send(1));
  c.close();
  const Analysed result(c);
  EXPECT_EQ(result.ids(Severity::warning), Ids{}) << result.told();
  EXPECT_EQ(result.undecidable("MPA-REV"), 1U);
}

TEST(ScenarioA, A16_EarlyFpduIsShownByItsOwnFrame) {
  Conversation c;
  c.handshake();
  c.full_operation();
  c.send(a, request_frame());  // frame 4
  c.fpdu(a, send(1));          // frame 5
  c.send(b, reply_frame());    // frame 6
  c.fpdu(a, send(2));
  c.close();
  EXPECT_EQ(evidence(Analysed(c), "MPA-EARLY"), (Frames{5, 6}));
}

TEST(ScenarioA, A13_BrokenRequestKeyIsShownByTheRequest) {
  Conversation c;
  c.handshake();
  Bytes request = request_frame();
  request[8] ^= 0x01;
  c.send(a, request);        // frame 4
  c.send(b, reply_frame());  // frame 5
  c.full_operation();
  c.fpdu(a, send(1));
  c.close();
  EXPECT_EQ(evidence(Analysed(c), "MPA-KEY"), (Frames{4, 5}));
}

TEST(ScenarioA, A16_FpduCapturedBeforeBothStartupFramesAndTheSyn) {
  Conversation c;
  const Packets handshake = c.handshake();
  const Packets startup = c.startup();
  const Packets first = c.fpdu(a, send(1, pattern(7)));
  const Packets second_one = c.fpdu(a, send(2, pattern(40)), {3});
  c.fpdu(b, send(1));
  c.close();
  c.move_behind(handshake[1], second_one[0]);
  c.move_behind(startup[0], handshake[1]);
  c.move_before(first, startup[1]);
  const Analysed result(c);
  EXPECT_EQ(result.ids(), Ids{}) << result.told();
}

// A single octet that was not captured may be the FIN, but not inside a start-up frame.
TEST(ScenarioA, A16_ReplyThatLacksItsLastOctet) {
  Conversation c;
  c.handshake();
  c.drop(c.startup({}, {.private_data = pattern(10)})[1]);
  c.resend(b, 0, 29);
  c.fpdu(a, send(1));
  c.fpdu(a, send(2));
  const Analysed result(c);
  EXPECT_EQ(result.ids(), Ids{}) << result.told();
}

// Too few octets of an FPDU came before the Reply to tell what they are; nor had anything of its sender.
TEST(ScenarioA, A16_PartOfAnFpduCapturedBeforeTheReply) {
  Conversation c;
  const Packets handshake = c.handshake();
  const Packets startup = c.startup({}, {.markers = true});
  const Packets first = c.fpdu(a, send(1), {6});
  c.drop(first[1]);
  c.move_behind(handshake[1], first[0]);
  c.move_behind(startup[1], handshake[1]);
  const Analysed result(c);
  EXPECT_EQ(result.ids(), Ids{}) << result.told();
}

// The Reply was sent again together with FPDUs, and acknowledges what came behind the Request.
TEST(ScenarioA, A16_RepeatedReplyThatIsCapturedFirst) {
  Conversation c;
  c.handshake();
  const Packets startup = c.startup({.private_data = pattern(300)});
  c.fpdu(a, send(1));
  c.fpdu(b, send(1));
  c.drop({startup.first, 4});
  const StreamOffset sent = c.sent(a);
  c.resend(a, 0, 206);
  c.resend(a, 206, sent - 206);
  c.resend(b, 0, c.sent(b));
  c.close();
  const Analysed result(c);
  EXPECT_EQ(result.ids(), Ids{}) << result.told();
}

}  // namespace
}  // namespace iwarp::test
