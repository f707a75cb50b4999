// MPA-KEY: start-up frames whose key is broken, and other protocols' octets that only look like one (RFC 5044
// §7.1.1).
// SPDX-License-Identifier: GPL-2.0-or-later
#include <algorithm>

#include "framing_log.hpp"

namespace iwarp::test {
namespace {

Bytes broken(Bytes frame, std::size_t octet = 8) {
  frame[octet] ^= 0x21;
  return frame;
}

// One message each way.
void converse(Conversation& c) {
  c.fpdu(Side::a, send(1, text("hello")));
  c.fpdu(Side::b, send(1, text("world")));
  c.close();
}

void expect_key(const Conversation& c, Side side, FrameNumber shown_by) {
  const Analysed result(c);
  EXPECT_EQ(result.ids(Severity::note), (Ids{"MPA-KEY"})) << result.told();
  const auto findings = result.findings("MPA-KEY");
  ASSERT_EQ(findings.size(), 1U);
  EXPECT_EQ(findings[0].side, side);
  EXPECT_EQ(findings[0].finding.severity, Severity::error);
  const Finding& finding = findings[0].finding;
  const auto end = finding.evidence.begin() + finding.evidence_count;
  EXPECT_NE(std::find(finding.evidence.begin(), end, shown_by), end);
}

// --- the Request's key ---------------------------------------------------------------------------------

TEST(ScenarioA, BrokenRequestKeyIsProvenByTheReply) {
  for (std::size_t octet = 0; octet < 16; ++octet) {
    SCOPED_TRACE(octet);
    Conversation c;
    c.handshake();
    c.send(Side::a, broken(request_frame({.private_data = text("data")}), octet));  // frame 4
    c.send(Side::b, reply_frame());
    c.full_operation();
    converse(c);
    expect_key(c, Side::a, 4);
    const Analysed result(c);
    EXPECT_EQ(result.messages().size(), 2U);
    EXPECT_EQ(result.state().initiator, Side::a);
    for (const Event& event : result.of(EventKind::startup)) EXPECT_FALSE(event.startup.delayed);
  }
}

// No Request of the responder's can be among what is missing: it sends a Reply.
TEST(ScenarioA, BrokenRequestKeyIsProvenByTheReplyOfAnUnseenListener) {
  Conversation c;
  c.drop(c.handshake()[1]);
  c.send(Side::a, broken(request_frame()));  // frame 3
  c.send(Side::b, reply_frame());
  c.full_operation();
  converse(c);
  expect_key(c, Side::a, 3);
  EXPECT_EQ(Analysed(c).messages().size(), 2U);
}

TEST(ScenarioA, BrokenRequestKeyInAnyModes) {
  for (const bool crc : {false, true}) {
    for (const bool markers_of_b : {false, true}) {
      for (const bool markers_of_a : {false, true}) {
        const Startup request{.markers = markers_of_b, .crc = crc};
        const Startup reply{.markers = markers_of_a, .crc = crc};
        Conversation c;
        c.handshake({.mss_a = 65495, .mss_b = 65495});
        c.send(Side::a, broken(request_frame(request)));
        c.send(Side::b, reply_frame(reply));
        c.full_operation(request, reply);
        for (std::uint32_t msn = 1; msn < 5; ++msn) {
          c.fpdu(Side::a, send(msn, pattern(700)));
          c.fpdu(Side::b, send(msn, pattern(700)));
        }
        c.close();
        expect_key(c, Side::a, 4);
        EXPECT_EQ(Analysed(c).messages().size(), 8U);
      }
    }
  }
}

TEST(ScenarioA, BrokenRequestKeyInAnyPieces) {
  const Bytes request = broken(request_frame({.private_data = pattern(30)}));
  for (std::size_t border = 1; border < request.size(); ++border) {
    SCOPED_TRACE(border);
    Conversation c;
    c.handshake();
    c.send(Side::a, request, {border});
    c.send(Side::b, reply_frame(), {border % 20});
    c.full_operation();
    converse(c);
    expect_key(c, Side::a, 4);
    EXPECT_EQ(Analysed(c).messages().size(), 2U);
  }
}

TEST(ScenarioA, BrokenRequestKeyOfTheTcpListener) {
  Conversation c;
  c.handshake();
  c.send(Side::b, broken(request_frame()));
  c.send(Side::a, reply_frame());
  c.full_operation({}, {}, Side::b);
  c.fpdu(Side::b, send(1, text("hello")));
  c.close();
  expect_key(c, Side::b, 4);
  EXPECT_EQ(Analysed(c).state().initiator, Side::b);
}

TEST(ScenarioA, BrokenRequestKeyAndARejection) {
  Conversation c;
  c.handshake();
  c.send(Side::a, broken(request_frame()));
  c.send(Side::b, reply_frame({.rejected = true}));
  c.close();
  expect_key(c, Side::a, 4);
  EXPECT_TRUE(Analysed(c).state().mpa.rejected);
}

TEST(ScenarioA, BrokenRequestKeyIsProvenByFpdusBehindIt) {
  for (const bool markers : {false, true}) {
    Conversation c;
    c.handshake();
    c.full_operation({}, {.markers = markers});
    c.send(Side::a, cat(broken(request_frame()), c.frame(Side::a, send(1, text("hello")))));
    c.fpdu(Side::a, send(2, text("hello")));
    c.close();
    expect_key(c, Side::a, 4);
    EXPECT_TRUE(Analysed(c).state().iwarp);
  }
}

TEST(ScenarioA, BrokenRequestKeyIsProvenByThreeFpdusWithoutCrc) {
  Conversation c;
  c.handshake();
  c.full_operation({.crc = false}, {.crc = false});
  c.send(Side::a, broken(request_frame({.crc = false})));
  for (std::uint32_t msn = 1; msn < 4; ++msn) {
    EXPECT_FALSE(state_so_far(c).iwarp);
    c.fpdu(Side::a, send(msn, pattern(100)));
  }
  c.close();
  expect_key(c, Side::a, 4);
}

TEST(ScenarioA, BrokenKeysOfBothFrames) {
  Conversation c;
  c.handshake();
  c.send(Side::a, broken(request_frame(), 0));
  c.send(Side::b, broken(reply_frame(), 0));
  c.full_operation();
  c.fpdu(Side::a, send(1, text("hello")));
  c.fpdu(Side::b, send(1, text("world")));
  c.fpdu(Side::a, send(2, text("hello")));
  c.close();
  const Analysed result(c);
  EXPECT_EQ(result.ids(), (Ids{"MPA-KEY", "MPA-KEY"})) << result.told();
  EXPECT_EQ(result.messages().size(), 3U);
}

TEST(ScenarioA, AlmostARequestAndNothingElseIsNoIwarp) {
  Conversation c;
  c.handshake();
  c.send(Side::a, broken(request_frame({.private_data = pattern(36)})));
  c.close(Side::b);
  expect_ids(c, {});
  EXPECT_FALSE(Analysed(c).state().iwarp);
}

TEST(ScenarioA, HttpInTheRequestsPlaceIsNoIwarp) {
  // What 10b's peer sends: sixteen octets of HTTP, then the rest of a Request.
  Conversation c;
  c.handshake();
  c.send(Side::a, cat(text("GET / HTTP/1.1\r\n"), part(request_frame({.private_data = pattern(36)}), 16)));
  c.close(Side::b);
  expect_ids(c, {});
  EXPECT_FALSE(Analysed(c).state().iwarp);
}

TEST(ScenarioA, OtherOctetsBehindAlmostARequestAreNoIwarp) {
  for (const Bytes& behind :
       {text("and then some more text than a header has\r\n"), zeros(60), pattern(500)}) {
    Conversation c;
    c.handshake();
    c.send(Side::a, cat(broken(request_frame()), behind));
    c.send(Side::b, text("I see.\r\n"));
    c.send(Side::a, pattern(5000), Cuts::every(1448));
    c.close();
    expect_ids(c, {});
    EXPECT_FALSE(Analysed(c).state().iwarp);
  }
}

TEST(ScenarioA, A14_OtherProtocolThatLooksLikeAlmostARequestBeforeADelayedStartup) {
  Conversation c;
  c.handshake();
  c.send(Side::a, broken(request_frame({.private_data = pattern(8)})));
  c.send(Side::a, pattern(200));
  c.startup();
  converse(c);
  expect_ids(c, {});
  EXPECT_EQ(Analysed(c).messages().size(), 2U);
}

TEST(ScenarioA, A14_HttpUpgradeBeforeADelayedStartup) {
  Conversation c;
  c.handshake();
  c.send(Side::a, text("GET / HTTP/1.1\r\nUpgrade: iwarp\r\n\r\n"));
  c.send(Side::b, text("HTTP/1.1 101 Switching Protocols\r\n\r\n"));
  c.startup();
  converse(c);
  expect_ids(c, {});
  EXPECT_EQ(Analysed(c).messages().size(), 2U);
}

TEST(ScenarioA, BrokenRequestKeyIsNotToldWhereARequestMayBeMissing) {
  Conversation c;
  c.handshake();
  c.unseen([&] { c.send(Side::b, request_frame()); });
  c.send(Side::a, broken(reply_frame()));
  c.full_operation({}, {}, Side::b);
  c.fpdu(Side::b, send(1, text("hello")));
  c.close();
  EXPECT_FALSE(Analysed(c).has("MPA-KEY"));
}

// --- a Reply's key in the Request's place --------------------------------------------------------------

TEST(ScenarioA, ReplyKeyInTheRequestsPlaceThatIsAnsweredByTheEnd) {
  Conversation c;
  c.handshake();
  c.send(Side::a, reply_frame({.private_data = pattern(36)}));
  c.close(Side::b);
  expect_key(c, Side::a, 4);
  EXPECT_EQ(Analysed(c).state().initiator, Side::a);
  EXPECT_NE(Analysed(c).side(Side::a).qp.value, QpValue::rts);
}

TEST(ScenarioA, ReplyKeyInTheRequestsPlaceThatIsAnsweredByAReply) {
  Conversation c;
  c.handshake();
  c.send(Side::a, reply_frame());
  c.send(Side::b, reply_frame());
  c.full_operation();
  converse(c);
  expect_key(c, Side::a, 4);
  EXPECT_EQ(Analysed(c).messages().size(), 2U);
}

TEST(ScenarioA, ReplyKeyInTheRequestsPlaceThatIsAnsweredByTextIsNoIwarp) {
  Conversation c;
  c.handshake();
  c.send(Side::a, reply_frame());
  c.send(Side::b, text("What do you mean?\r\n"));
  c.close();
  expect_ids(c, {});
  EXPECT_FALSE(Analysed(c).state().iwarp);
}

TEST(ScenarioA, ReplyWhoseRequestWasNotCapturedIsNoWrongKey) {
  Conversation c;
  c.handshake();
  c.unseen([&] { c.send(Side::a, request_frame()); });
  c.send(Side::b, reply_frame());
  c.full_operation();
  converse(c);
  EXPECT_FALSE(Analysed(c).has("MPA-KEY")) << Analysed(c).told();
}

// --- the Reply's key -----------------------------------------------------------------------------------

TEST(ScenarioA, FpdusBehindABrokenReplyKeyAreDecoded) {
  for (const bool markers_of_b : {false, true}) {
    for (const bool markers_of_a : {false, true}) {
      SCOPED_TRACE(markers_of_a);
      const Startup request{.markers = markers_of_b};
      const Startup reply{.markers = markers_of_a};
      Conversation c;
      c.handshake({.mss_a = 65495, .mss_b = 65495});
      c.send(Side::a, request_frame(request));
      c.send(Side::b, broken(reply_frame(reply)));  // frame 5
      c.full_operation(request, reply);
      for (std::uint32_t msn = 1; msn < 6; ++msn) {
        c.fpdu(Side::a, send(msn, pattern(700)));
        c.fpdu(Side::b, send(msn, pattern(700)));
      }
      c.wait(10'000'000'000);
      c.close();
      expect_key(c, Side::b, 5);
      EXPECT_EQ(Analysed(c).messages().size(), 10U);
    }
  }
}

TEST(ScenarioA, FpduInTheSegmentOfABrokenReplyKeyIsDecoded) {
  Conversation c;
  c.handshake();
  c.send(Side::a, request_frame());
  c.full_operation();
  c.send(Side::b, cat(broken(reply_frame(), 0), c.frame(Side::b, send(1, text("early")))));
  c.close();
  expect_key(c, Side::b, 5);
  EXPECT_EQ(Analysed(c).messages().size(), 1U);
}

// --- A15: what is sent behind crossed Requests ---------------------------------------------------------

TEST(ScenarioA, A15_TerminatesBehindCrossedRequests) {
  for (const Crc crc : {Crc::right, Crc::unused}) {
    Conversation c;
    c.handshake();
    c.send(Side::a, request_frame());
    c.send(Side::b, request_frame());
    c.full_operation();
    c.fpdu(Side::a, terminate(0x2004), {.crc = crc});
    c.fpdu(Side::b, terminate(0x2004), {.crc = crc});
    c.close();
    const Analysed result(c);
    ASSERT_EQ(result.fpdus().size(), 2U);
    for (const Event& event : result.fpdus()) {
      EXPECT_EQ(event.fpdu.stream_offset, 0U);
      // One Request alone puts CRC in use, but Full Operation never came.
      EXPECT_EQ(event.fpdu.crc, crc == Crc::right ? CrcStatus::good : CrcStatus::undecidable);
    }
    for (const Side side : {Side::a, Side::b}) {
      EXPECT_EQ(result.side(side).crc, Mode::on);
      EXPECT_FALSE(result.side(side).inferred);
      EXPECT_EQ(result.side(side).terminates.size(), 1U);
    }
    EXPECT_EQ(result.undecidable("DDP-MSN1"), 0U);
    expect_explained(result);
  }
}

// What answers the Request is no Reply, and stands before it in the file.
TEST(ScenarioA, A13_BrokenReplyKeyIsShownByItsOwnFrame) {
  Conversation c;
  c.handshake();
  const Packets request = c.send(Side::a, request_frame());
  const Packets answer = c.send(Side::b, broken(reply_frame(), 0));
  c.close();
  c.move_before(answer, request);

  const std::vector<Event> found = Analysed(c).findings("MPA-KEY");
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].side, Side::b);
  EXPECT_EQ(found[0].finding.evidence[0], 4U);
  EXPECT_EQ(found[0].finding.evidence[1], 5U);
}

}  // namespace
}  // namespace iwarp::test
