// Negotiation by itself: which frames count, and with which modes Full Operation begins.
// SPDX-License-Identifier: GPL-2.0-or-later
#include <gtest/gtest.h>

#include "mpa/negotiation.hpp"
#include "support/octets.hpp"

namespace iwarp::mpa {
namespace {

using test::cat;
using test::part;
using test::pattern;
using test::reply_frame;
using test::request_frame;
using test::Startup;
using test::text;
using Kind = Decision::Kind;

constexpr Side a = Side::a;
constexpr Side b = Side::b;

// Both directions from their first octet on, unless a test says otherwise.
class Talk {
 public:
  explicit Talk(bool from_start = true) {
    for (const Side side : {a, b}) {
      negotiation.captured(side, from_start);
      negotiation.open(side, 0, from_start);
    }
  }

  // Octets in a TCP segment of their own; decisions made of them are kept.
  void say(Side side, const Bytes& octets) {
    negotiation.scanner(side).push(octets, true);
    poll();
  }

  void poll() {
    for (;;) {
      Decision decision = negotiation.poll();
      if (decision.kind == Kind::none) return;
      behind.emplace_back(decision.behind.begin(), decision.behind.end());
      decision.behind = {};
      decisions.push_back(decision);
    }
  }

  [[nodiscard]] std::vector<Kind> kinds() const {
    std::vector<Kind> found;
    for (const Decision& decision : decisions) found.push_back(decision.kind);
    return found;
  }
  // How Full Operation of `side` begins.
  [[nodiscard]] Decision operation(Side side) const {
    for (const Decision& decision : decisions) {
      if ((decision.kind == Kind::operate || decision.kind == Kind::seek) && decision.side == side)
        return decision;
    }
    ADD_FAILURE() << "no Full Operation";
    return {};
  }

  Negotiation negotiation;
  std::vector<Decision> decisions = {};
  std::vector<Bytes> behind = {};  // of each decision
};

TEST(Negotiation, RequestAndReplyAgree) {
  Talk talk;
  talk.say(a, request_frame({.private_data = text("data")}));
  EXPECT_EQ(talk.kinds(), (std::vector{Kind::startup}));
  talk.say(b, reply_frame());
  EXPECT_EQ(talk.kinds(), (std::vector{Kind::startup, Kind::startup, Kind::operate, Kind::operate}));
  EXPECT_EQ(talk.operation(a).at, 24U);
  EXPECT_EQ(talk.operation(a).parameters.origin, 24U);
  EXPECT_EQ(talk.operation(b).at, 20U);
  EXPECT_FALSE(talk.negotiation.crossed());
}

TEST(Negotiation, ModesOfEveryCombination) {
  for (unsigned bits = 0; bits < 16; ++bits) {
    const bool request_m = (bits & 1) != 0;
    const bool request_c = (bits & 2) != 0;
    const bool reply_m = (bits & 4) != 0;
    const bool reply_c = (bits & 8) != 0;
    Talk talk;
    talk.say(b, request_frame({.markers = request_m, .crc = request_c}));
    talk.say(a, reply_frame({.markers = reply_m, .crc = reply_c}));
    const FramerParameters initiator = talk.operation(b).parameters;
    const FramerParameters responder = talk.operation(a).parameters;
    EXPECT_EQ(initiator.markers, reply_m ? Mode::on : Mode::off) << bits;
    EXPECT_EQ(responder.markers, request_m ? Mode::on : Mode::off) << bits;
    EXPECT_EQ(initiator.crc, request_c || reply_c ? Mode::on : Mode::off) << bits;
    EXPECT_EQ(responder.crc, initiator.crc) << bits;
    EXPECT_FALSE(initiator.revision_zero);
  }
}

TEST(Negotiation, RevisionZeroNeedsBoth) {
  for (const auto& [request, reply] : {std::pair{0U, 0U}, {1U, 0U}, {0U, 1U}, {2U, 1U}}) {
    Talk talk;
    talk.say(a, request_frame({.revision = request}));
    talk.say(b, reply_frame({.revision = reply}));
    EXPECT_EQ(talk.operation(a).parameters.revision_zero, request == 0 && reply == 0);
    EXPECT_EQ(talk.operation(b).parameters.revision_zero, request == 0 && reply == 0);
  }
}

TEST(Negotiation, RejectedIsOverForBoth) {
  Talk talk;
  talk.say(a, request_frame());
  talk.say(b, reply_frame({.rejected = true}));
  EXPECT_EQ(talk.kinds(), (std::vector{Kind::startup, Kind::startup, Kind::rejected}));
  talk.negotiation.reopen(a, 20);
  talk.negotiation.reopen(b, 20);
  talk.say(a, request_frame());
  talk.say(b, reply_frame());
  EXPECT_EQ(talk.decisions.size(), 7U);
  EXPECT_EQ(talk.operation(a).at, 40U);
}

TEST(Negotiation, CrossedRequestsComeToNothing) {
  Talk talk;
  talk.say(a, request_frame());
  talk.say(b, request_frame());
  EXPECT_EQ(talk.kinds(), (std::vector{Kind::startup, Kind::startup}));
  EXPECT_TRUE(talk.negotiation.crossed());
}

TEST(Negotiation, AnswerThatIsNoReply) {
  Talk talk;
  talk.say(a, request_frame());
  talk.say(b, text("HTTP/1.1 400 Bad Request\r\n"));
  EXPECT_EQ(talk.kinds(), (std::vector{Kind::startup, Kind::nonsense_answer}));
  EXPECT_EQ(talk.decisions[1].side, b);
}

TEST(Negotiation, OctetsBehindFramesAreHandedOn) {
  Talk talk;
  const Bytes early = test::fpdu(test::send(1, text("early")));
  const Bytes first = test::fpdu(test::send(1, text("first")));
  talk.say(a, cat({request_frame(), early}));
  talk.say(b, cat({reply_frame(), first}));
  ASSERT_EQ(talk.kinds(), (std::vector{Kind::startup, Kind::startup, Kind::operate, Kind::operate}));
  EXPECT_EQ(talk.decisions[1].early_octets, early.size());
  for (std::size_t i = 2; i < 4; ++i) {
    const bool of_a = talk.decisions[i].side == a;
    EXPECT_EQ(talk.behind[i], of_a ? early : first);
    EXPECT_EQ(talk.decisions[i].early_fpdus, of_a ? early.size() : 0U);
    EXPECT_EQ(talk.decisions[i].excess_octets, 0U);
  }
}

TEST(Negotiation, OctetsBehindFramesThatAreNoFpdusArePrivateData) {
  Talk talk;
  talk.say(a, cat({request_frame(), text("more")}));
  talk.say(b, cat({reply_frame(), text("as much")}));
  EXPECT_EQ(talk.kinds(), (std::vector{Kind::startup, Kind::startup}));
  talk.say(a, test::fpdu(test::send(1)));
  EXPECT_EQ(talk.operation(a).at, 24U);
  EXPECT_EQ(talk.operation(a).excess_octets, 4U);
  EXPECT_EQ(talk.operation(a).early_fpdus, 0U);
  talk.say(b, test::fpdu(test::send(1)));
  EXPECT_EQ(talk.operation(b).at, 27U);
  EXPECT_EQ(talk.operation(b).excess_octets, 7U);
}

// --- delayed start-ups and quotes ----------------------------------------------------------------------

TEST(Negotiation, DelayedRequestCountsAtOnceWhenItStandsAlone) {
  Talk talk;
  talk.say(a, text("starting\r\n"));
  talk.say(b, text("go on\r\n"));
  talk.say(a, request_frame());
  EXPECT_EQ(talk.kinds(), (std::vector{Kind::startup}));
  talk.say(b, reply_frame());
  EXPECT_EQ(talk.operation(a).at, 30U);
  EXPECT_EQ(talk.operation(b).at, 27U);
}

TEST(Negotiation, RequestGluedToTextCountsByItsReply) {
  Talk talk;
  talk.say(a, cat({text("starting\r\n"), request_frame()}));
  EXPECT_TRUE(talk.decisions.empty());
  talk.say(b, reply_frame());
  EXPECT_EQ(talk.kinds(), (std::vector{Kind::startup, Kind::startup, Kind::operate, Kind::operate}));
  EXPECT_EQ(talk.operation(a).at, 30U);
}

TEST(Negotiation, QuotedKeysCountForNothing) {
  Talk talk;
  talk.say(a, text("is it MPA ID Req Frame?\r\n"));
  talk.say(b, text("MPA ID Rep Frame is the answer to it\r\n"));
  talk.say(a, cat({text("so "), request_frame(), text("?\r\n")}));
  talk.negotiation.finish();
  talk.poll();
  EXPECT_TRUE(talk.decisions.empty());
}

TEST(Negotiation, ReplyWithoutARequestIsNone) {
  Talk talk;
  talk.say(b, reply_frame());
  EXPECT_TRUE(talk.decisions.empty());
}

// --- Private Data cut short by the Reply ---------------------------------------------------------------

TEST(Negotiation, RestOfPrivateDataBehindTheReply) {
  const Bytes request = request_frame({.private_data = pattern(100)});
  Talk talk;
  talk.say(a, part(request, 0, 80));
  EXPECT_TRUE(talk.decisions.empty());
  talk.say(b, reply_frame());
  ASSERT_EQ(talk.kinds(), (std::vector{Kind::startup, Kind::startup, Kind::operate}));
  EXPECT_EQ(talk.decisions[2].side, b);
  talk.say(a, part(request, 80, 30));
  EXPECT_EQ(talk.decisions.size(), 3U);
  const Bytes first = test::fpdu(test::send(1, text("hello")));
  talk.say(a, cat({part(request, 110), first}));
  ASSERT_EQ(talk.decisions.size(), 4U);
  EXPECT_EQ(talk.operation(a).at, 120U);
  EXPECT_EQ(talk.behind[3], first);
}

TEST(Negotiation, FpdusInsteadOfTheRestOfPrivateData) {
  for (const bool markers : {false, true}) {
    test::FpduStream stream(markers ? test::Markers::on : test::Markers::off);
    const Bytes first = stream.add(test::send(1, pattern(200)));
    Talk talk;
    talk.say(a, part(request_frame({.private_data = pattern(100)}), 0, 80));
    talk.say(b, reply_frame({.markers = markers}));
    talk.say(a, part(first, 0, 10));
    EXPECT_EQ(talk.decisions.size(), 3U);
    talk.say(a, part(first, 10));
    ASSERT_EQ(talk.decisions.size(), 4U);
    EXPECT_EQ(talk.operation(a).at, 80U);
    EXPECT_EQ(talk.operation(a).parameters.origin, 80U);
    EXPECT_EQ(talk.behind[3], first);
  }
}

// --- starts that were not captured ---------------------------------------------------------------------

TEST(Negotiation, ReplyAloneOfAConversationJoinedLate) {
  Talk talk(false);
  talk.say(b, reply_frame({.markers = true}));
  ASSERT_EQ(talk.kinds(), (std::vector{Kind::startup, Kind::seek, Kind::operate}));
  EXPECT_EQ(talk.operation(b).parameters.markers, Mode::unknown) << "the Request would tell";
  EXPECT_EQ(talk.operation(b).parameters.crc, Mode::on);
}

TEST(Negotiation, RequestAloneIsFollowedByItsFpdus) {
  Negotiation negotiation;
  negotiation.captured(a, true);  // of b nothing was captured
  negotiation.open(a, 0, true);
  negotiation.scanner(a).push(request_frame(), true);
  EXPECT_EQ(negotiation.poll().kind, Kind::startup);
  EXPECT_EQ(negotiation.poll().kind, Kind::none);
  negotiation.scanner(a).push(test::fpdu(test::send(1, text("hello"))), true);
  const Decision decision = negotiation.poll();
  EXPECT_EQ(decision.kind, Kind::operate);
  EXPECT_EQ(decision.at, 20U);
  EXPECT_EQ(decision.parameters.markers, Mode::unknown) << "the Reply would tell";
}

}  // namespace
}  // namespace iwarp::mpa
