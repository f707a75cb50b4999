// Octets behind a FIN of the other side, sent again: when they were sent first the capture need not show
// (Verbs 1.0 §6.2.2.2; RDMAP-AFTERFIN).
// SPDX-License-Identifier: GPL-2.0-or-later
#include <gtest/gtest.h>

#include "scenarios/established.hpp"

namespace iwarp::test {
namespace {

using established::a;
using established::b;
using established::second;

// `a` closes and acknowledges; what `b` had sent before comes once more, and is judged by that.
void expect_undecidable_when_sent_again(Conversation& c, const Packets& crossing, Reason reason) {
  c.fin(a);
  c.drop(c.ack(b));
  c.wait(second);
  c.resend(crossing);
  c.ack(a);
  c.fin(b);
  c.ack(a);
  const Analysed result(c);
  EXPECT_EQ(result.ids(Severity::warning), Ids{}) << result.told();
  EXPECT_EQ(result.undecidable("RDMAP-AFTERFIN", reason), 1U) << result.told();
}

TEST(ScenarioF, F12_FirstSentBeforeTheCapture) {
  Conversation c;
  Packets crossing;
  c.unseen([&] {
    c.handshake();
    c.startup();
    c.fpdu(a, send(1));
    c.fpdu(b, send(1));
    c.ack(a);
    crossing = c.lose(b, c.frame(b, send(2)));
  });
  expect_undecidable_when_sent_again(c, crossing, Reason::midstream);
}

TEST(ScenarioF, F12_FirstSentInACaptureThatLosesFrames) {
  Conversation c;
  c.handshake();
  c.startup();
  c.fpdu(a, send(1));
  c.drop(c.fpdu(b, send(1)));
  c.fpdu(b, send(2));
  c.ack(a);
  const Packets crossing = c.lose(b, c.frame(b, send(3)));
  c.drop(crossing);
  expect_undecidable_when_sent_again(c, crossing, Reason::gap);
}

// An acknowledgement without octets tells how far its sender had come: what follows it is new.
TEST(ScenarioF, F12_NewBehindAnAcknowledgementInAnIncompleteCapture) {
  for (const bool late : {false, true}) {
    SCOPED_TRACE(late);
    Conversation c;
    const auto start = [&] {
      c.handshake();
      c.startup();
      c.fpdu(a, send(1));
      c.fpdu(b, send(1));
    };
    if (late) {
      c.unseen(start);
    } else {
      start();
      c.drop(c.fpdu(b, send(2)));
    }
    std::uint32_t msn = late ? 2 : 3;
    c.fpdu(a, send(2));
    c.fpdu(b, send(msn++));
    c.fpdu(a, send(3));
    c.fpdu(b, send(msn++));
    c.ack(a);
    c.fin(a);
    c.ack(b);
    c.wait(second);
    c.fpdu(b, send(msn++));
    c.ack(a);
    c.fin(b);
    c.ack(a);
    const Analysed result(c);
    EXPECT_EQ(result.ids(Severity::warning), Ids{"RDMAP-AFTERFIN"}) << result.told();
  }
}

// Where all that its sender sent was captured no such acknowledgement is needed.
TEST(ScenarioF, F12_NewInTheSegmentThatAcknowledgesTheFin) {
  Conversation c;
  c.handshake();
  c.startup();
  c.fpdu(a, send(1));
  c.fpdu(b, send(1));
  c.ack(a);
  c.fin(a);
  c.wait(second);
  c.fpdu(b, send(2));
  c.ack(a);
  c.fin(b);
  c.ack(a);
  EXPECT_EQ(Analysed(c).ids(Severity::warning), Ids{"RDMAP-AFTERFIN"});
}

}  // namespace
}  // namespace iwarp::test
