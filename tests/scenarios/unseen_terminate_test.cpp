// A Terminate that the capture does not show, in a hole or an FPDU with a bad CRC, and what the other side
// does because of it: that is no fault of the other side for certain (F15; Verbs 1.0 §6.2.3, §6.2.5, §6.4).
// SPDX-License-Identifier: GPL-2.0-or-later
#include <gtest/gtest.h>

#include "scenarios/established.hpp"

namespace iwarp::test {
namespace {

using established::a;
using established::b;
using established::Established;
using established::second;

enum class Unseen : std::uint8_t {
  lost,
  damaged
};

// `sender` sends a Terminate that nobody can read.
class UnseenTerminate : public testing::TestWithParam<std::tuple<Unseen, Side>> {
 protected:
  void SetUp() override {
    c.fpdu(a, send(1));
    c.fpdu(b, send(1));
  }
  void terminate_unseen() {
    if (how == Unseen::lost) {
      c.drop(c.fpdu(sender, terminate(0x0000)));
    } else {
      c.fpdu(sender, terminate(0x0000), {.crc = Crc::wrong});
    }
  }
  // Only what the bad CRC itself breaks.
  void expect_undecidable(const std::string& id) {
    const Analysed result(c);
    EXPECT_EQ(result.ids(Severity::warning), how == Unseen::lost ? Ids{} : Ids{"MPA-CRC"}) << result.told();
    EXPECT_GT(result.undecidable(id, how == Unseen::lost ? Reason::gap : Reason::bad_crc), 0U)
        << result.told();
  }

  const Unseen how = std::get<0>(GetParam());
  const Side sender = std::get<1>(GetParam());
  const Side peer = other(sender);
  Established c;
};

TEST_P(UnseenTerminate, F15_APeerThatStopsItsMessageIsNotBlamed) {
  c.fpdu(peer, send(2, text("half"), {.last = false}));
  c.ack(sender);
  terminate_unseen();
  c.close(sender);
  expect_undecidable("MPA-CUT");
}

TEST_P(UnseenTerminate, F15_ASendThatCrossedItIsNotBlamed) {
  const StreamOffset before = c.sent(sender);
  terminate_unseen();
  c.fin(sender);
  c.received_only(c.fpdu(peer, send(2)), before);
  c.ack(peer);
  c.ack(sender);
  c.fin(peer);
  c.ack(sender);
  expect_undecidable("VERBS-CLOSEDATA");
}

TEST_P(UnseenTerminate, F15_ASendThatCrossedItAndWasSentAgainIsNotBlamed) {
  const Packets crossing = c.lose(peer, c.frame(peer, send(2)));
  terminate_unseen();
  c.fin(sender);
  c.ack(peer);
  c.wait(second);
  c.resend(crossing);
  c.ack(sender);
  c.fin(peer);
  c.ack(sender);
  expect_undecidable("VERBS-CLOSEDATA");
}

INSTANTIATE_TEST_SUITE_P(Ways, UnseenTerminate,
                         testing::Combine(testing::Values(Unseen::lost, Unseen::damaged),
                                          testing::Values(a, b)));

TEST(ScenarioF, F15_ARstInsideAMessageAfterADamagedTerminate) {
  Established c;
  c.fpdu(a, send(1));
  c.fpdu(b, send(1, text("half"), {.last = false}));
  c.ack(a);
  c.fpdu(a, terminate(0x0000), {.crc = Crc::wrong});
  c.fin(a);
  c.ack(b);
  c.rst(b);
  const Analysed result(c);
  EXPECT_EQ(result.ids(Severity::warning), Ids{"MPA-CRC"}) << result.told();
  EXPECT_EQ(result.undecidable("MPA-CUT", Reason::bad_crc), 1U) << result.told();
}

// A hole that FPDUs were read behind holds no Terminate: that is the last FPDU of its sender.
class HoleWithoutTerminate : public UnseenTerminate {
 protected:
  void SetUp() override {
    UnseenTerminate::SetUp();
    if (how == Unseen::lost) {
      c.drop(c.fpdu(sender, send(2)));
    } else {
      c.fpdu(sender, send(2), {.crc = Crc::wrong});
    }
    c.ack(peer);
    c.fpdu(sender, send(3));
    c.ack(peer);
  }
  void expect_found(const std::string& id) {
    Ids expected = {id};
    if (how == Unseen::damaged) expected.insert(expected.begin(), "MPA-CRC");
    const Analysed result(c);
    EXPECT_EQ(result.ids(Severity::warning), expected) << result.told();
  }
};

TEST_P(HoleWithoutTerminate, F12_DataTowardsAClosedSideIsFound) {
  const Packets crossing = c.lose(peer, c.frame(peer, send(2)));
  c.fin(sender);
  c.ack(peer);
  c.wait(second);
  c.resend(crossing);
  c.ack(sender);
  c.fin(peer);
  c.ack(sender);
  expect_found("VERBS-CLOSEDATA");
}

TEST_P(HoleWithoutTerminate, F12_DataAfterAFinIsFound) {
  c.fin(sender);
  c.ack(peer);
  c.wait(second);
  c.fpdu(peer, send(2));
  c.ack(sender);
  c.fin(peer);
  c.ack(sender);
  expect_found("RDMAP-AFTERFIN");
}

TEST_P(HoleWithoutTerminate, C8_AnEndInsideAMessageIsFound) {
  c.fpdu(peer, send(2, text("half"), {.last = false}));
  c.ack(sender);
  c.close(sender);
  expect_found("MPA-CUT");
}

INSTANTIATE_TEST_SUITE_P(Ways, HoleWithoutTerminate,
                         testing::Combine(testing::Values(Unseen::lost, Unseen::damaged),
                                          testing::Values(a, b)));

// All that a sent is captured behind all that b sent: b's FIN acknowledges what is not there yet.
TEST(ScenarioF, F15_TheTerminateIsCapturedLongBehindTheFinThatAnswersIt) {
  Established c;
  c.fpdu(a, send(1));
  c.fpdu(b, send(1));
  c.ack(a);
  c.fpdu(b, send(2, text("half"), {.last = false}));
  const Packets terminated = c.fpdu(a, terminate(0x0000));
  c.fin(a);
  Packets last = c.fin(b);
  c.wait(60 * second);
  for (int i = 0; i < 100; ++i) last = c.ack(b);
  c.move_behind(terminated, last);
  const Analysed result(c);
  EXPECT_EQ(result.ids(Severity::warning), Ids{}) << result.told();
}

// Nothing is known of what an endpoint sent before its FIN when the capture shows only that.
TEST(ScenarioF, F15_TheTerminateMayStandBeforeTheCapture) {
  Conversation c;
  c.unseen([&] {
    c.handshake();
    c.startup();
    c.fpdu(a, send(1));
    c.fpdu(b, send(1));
    c.fpdu(b, terminate(0x0000));
  });
  c.fpdu(a, send(2));
  const Packets crossing = c.lose(a, c.frame(a, send(3)));
  c.fin(b);
  c.ack(a);
  c.wait(second);
  c.resend(crossing);
  c.ack(b);
  c.fin(a);
  c.ack(b);
  const Analysed result(c);
  EXPECT_EQ(result.ids(Severity::warning), Ids{}) << result.told();
  EXPECT_GT(result.undecidable("VERBS-CLOSEDATA", Reason::midstream), 0U) << result.told();
}

// The Terminate that makes a requester close was not captured; its request is reported behind that hole.
TEST(ScenarioF, F12_FinBehindATerminateThatWasNotCaptured) {
  Established c;
  c.fpdu(a, send(1));
  c.fpdu(b, send(1));
  const StreamOffset received = c.sent(a);
  c.drop(c.fpdu(a, write(9, 0, pattern(100))));
  c.fpdu(a, read_request(1, {.sink_stag = 5, .size = 50, .source_stag = 1}));
  c.drop(c.fpdu(b, terminate(0x0100)));
  c.fin(a);
  c.received_only(c.fin(b), received);
  const Analysed result(c);
  EXPECT_EQ(result.ids(), Ids{}) << result.told();
  EXPECT_GT(result.undecidable("VERBS-BADCLOSE", Reason::gap), 0U);
}

// Of the closing side nothing but its FIN was captured, not even its SYN: it may have sent a Terminate.
TEST(ScenarioF, F12_FinAsTheFirstThatWasCaptured) {
  Established c;
  c.fpdu(a, send(1));
  const StreamOffset received = c.sent(a);
  c.fpdu(b, terminate(0x0000));
  c.fpdu(a, send(2));
  c.received_only(c.fin(b), received);
  c.fin(a);
  std::vector<OwnedSegment> segments = c.segments();
  const Endpoint other_end = Conversation::Options().b;
  std::erase_if(segments, [&](const OwnedSegment& each) {
    return each.meta.source == other_end && (each.meta.flags & tcp::fin) == 0;
  });
  const Analysed result(segments);
  EXPECT_EQ(result.ids(), Ids{}) << result.told();
}

}  // namespace
}  // namespace iwarp::test
