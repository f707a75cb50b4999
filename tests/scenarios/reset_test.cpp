// A RST behind a Terminate, which the capture may show late or not at all (F10; RDMAP-TERMFIN, VERBS-RST).
// SPDX-License-Identifier: GPL-2.0-or-later
#include <gtest/gtest.h>

#include "scenarios/established.hpp"

namespace iwarp::test {
namespace {

using established::a;
using established::b;
using established::Established;

TEST(ScenarioF, F10_ResetBehindATerminateThatWaitsForALostFrame) {
  Established c;
  c.fpdu(a, send(1));
  c.fpdu(b, send(1));
  c.drop(c.fpdu(b, send(2)));
  c.fpdu(b, send(3));
  c.fpdu(a, terminate(0x0000));
  c.rst(b);
  const Analysed result(c);
  EXPECT_EQ(result.ids(Severity::warning), Ids{}) << result.told();
  EXPECT_EQ(result.findings("RDMAP-TERMFIN").size(), 1U);
}

TEST(ScenarioF, F10_ResetThatAcknowledgesWhatWasNotCaptured) {
  Established c;
  c.fpdu(a, send(1));
  c.fpdu(b, send(1));
  c.drop(c.fpdu(a, terminate(0x0000)));
  c.rst(b);
  const Analysed result(c);
  EXPECT_EQ(result.ids(Severity::warning), Ids{}) << result.told();
  EXPECT_EQ(result.undecidable("VERBS-RST", Reason::gap), 1U);
}

// A FIN has one sequence number: the RST's own numbers show it, of either side.
TEST(ScenarioF, F10_ResetBehindAFinThatWasNotCaptured) {
  for (const Side closing : {a, b}) {
    for (const Side resetting : {a, b}) {
      SCOPED_TRACE(static_cast<int>(closing) * 2 + static_cast<int>(resetting));
      Established c;
      c.fpdu(a, send(1));
      c.fpdu(b, send(1));
      OwnedSegment& rst = c.packet(c.rst(resetting));
      (closing == resetting ? rst.meta.sequence : rst.meta.acknowledgement) += 1;
      const Analysed result(c);
      EXPECT_EQ(result.ids(Severity::warning), Ids{}) << result.told();
      EXPECT_EQ(result.undecidable("VERBS-RST", Reason::gap), 1U);
    }
  }
}

TEST(ScenarioF, F10_ResetCapturedBeforeItsTerminate) {
  Established c;
  c.fpdu(a, send(1));
  c.fpdu(b, send(1));
  const Packets end = c.fpdu(a, terminate(0x0000));
  const Packets reset = c.rst(b);
  c.move_before(reset, end);
  const Analysed result(c);
  EXPECT_EQ(result.ids(Severity::warning), Ids{}) << result.told();
  EXPECT_EQ(result.findings("RDMAP-TERMFIN").size(), 1U);
}

// A RST while the Terminate before it waits for octets that are lost.
TEST(ScenarioF, F10_ResetWhileTheTerminateWaits) {
  Conversation c;
  c.unseen([&] {
    c.handshake();
    c.startup();
  });
  c.fpdu(a, send(1));
  c.drop(c.fpdu(a, send(2, pattern(1000))));
  c.fpdu(a, send(3));
  c.fpdu(b, terminate(0x0000));
  c.ack(b);
  c.rst(a);
  const Analysed result(c);
  EXPECT_EQ(result.ids(Severity::warning), Ids{}) << result.told();
}

TEST(ScenarioF, F10_ResetOfASideWhosePeerSaidNothingInTheCapture) {
  Conversation c;
  c.unseen([&] {
    c.handshake();
    c.startup();
    c.fpdu(a, send(1));
    c.fpdu(b, terminate(0x0000));
  });
  c.ack(b);
  c.fpdu(a, send(2));
  c.fpdu(a, send(3));
  c.ack(b);
  c.rst(a);
  const Analysed result(c);
  EXPECT_EQ(result.ids(Severity::warning), Ids{}) << result.told();
  EXPECT_EQ(result.undecidable("VERBS-RST", Reason::midstream), 1U);
}

// TCP's answer to octets for which there is no connection any more: what that had received it does not say.
void bare_rst(Established& c, Side side) {
  OwnedSegment& rst = c.packet(c.rst(side));
  rst.meta.flags = tcp::rst;
  rst.meta.acknowledgement = 0;
}

TEST(ScenarioF, F10_ResetThatAcknowledgesNothing) {
  enum class Capture {
    healthy,
    lossy,
    out_of_step
  };
  for (const Capture capture : {Capture::healthy, Capture::lossy, Capture::out_of_step}) {
    SCOPED_TRACE(static_cast<int>(capture));
    Established c;
    const Packets early = c.fpdu(a, send(1));
    const Packets answer = c.fpdu(b, send(1));
    if (capture == Capture::out_of_step) c.move_behind(early, answer);
    const Packets lost = c.fpdu(a, send(2));
    c.fpdu(a, send(3));
    c.ack(b);
    if (capture == Capture::lossy) c.drop(lost);
    c.drop(c.fpdu(b, terminate(0x0000)));
    bare_rst(c, a);
    const Analysed result(c);
    if (capture == Capture::healthy) {
      EXPECT_EQ(result.ids(Severity::warning), Ids{"VERBS-RST"}) << result.told();
      continue;
    }
    EXPECT_EQ(result.ids(Severity::warning), Ids{}) << result.told();
    EXPECT_EQ(result.undecidable("VERBS-RST", capture == Capture::lossy ? Reason::gap : Reason::skew), 1U);
  }
}

// What its peer sends on acknowledges the lost Terminate, or a further RST lies behind it: only then the
// capture shows that octets are missing.
TEST(ScenarioF, F10_ResetThatLaterSegmentsShowToComeBehindLostOctets) {
  enum class Shown {
    by_acknowledgement,
    by_reset,
    by_nothing
  };
  for (const Shown shown : {Shown::by_acknowledgement, Shown::by_reset, Shown::by_nothing}) {
    SCOPED_TRACE(static_cast<int>(shown));
    Established c;
    c.fpdu(a, send(1));
    c.fpdu(b, send(1));
    const StreamOffset before = c.sent(b);
    c.drop(c.fpdu(b, terminate(0x0000)));
    c.drop(c.fin(b));
    c.received_only(c.fpdu(a, send(2)), before);
    OwnedSegment& rst = c.packet(c.rst(b));
    rst.meta.flags = tcp::rst;
    rst.meta.acknowledgement = 0;
    rst.meta.sequence = static_cast<std::uint32_t>(Handshake{}.isn_b + 1 + before);
    if (shown == Shown::by_acknowledgement) c.fpdu(a, send(3));
    if (shown == Shown::by_reset) {
      OwnedSegment& again = c.packet(c.rst(b));
      again.meta.flags = tcp::rst;
      again.meta.acknowledgement = 0;
    }
    const Analysed result(c);
    if (shown == Shown::by_nothing) {
      EXPECT_EQ(result.ids(Severity::warning), Ids{"VERBS-RST"}) << result.told();
      continue;
    }
    EXPECT_EQ(result.ids(Severity::warning), Ids{}) << result.told();
    EXPECT_EQ(result.undecidable("VERBS-RST", Reason::gap), 1U);
  }
}

// What is open when it comes was perhaps answered by a Terminate that is not captured: MPA-CUT is excused by
// what excuses VERBS-RST, and found where nothing is missing.
TEST(ScenarioF, F10_ResetInsideWhatATerminateMayHaveStopped) {
  for (const bool in_fpdu : {false, true}) {
    for (const bool lost : {false, true}) {
      SCOPED_TRACE(testing::Message() << in_fpdu << lost);
      Established c;
      c.fpdu(a, send(1));
      c.fpdu(b, send(1));
      const Bytes half = in_fpdu ? part(c.frame(a, send(2, pattern(1000))), 0, 400)
                                 : c.frame(a, send(2, pattern(1000), {.last = false}));
      c.send(a, half);
      c.ack(b);
      const StreamOffset before = c.sent(b);
      if (lost) c.drop(c.fpdu(b, terminate(0x0101)));
      OwnedSegment& rst = c.packet(c.rst(b));
      rst.meta.flags = tcp::rst;
      rst.meta.acknowledgement = 0;
      rst.meta.sequence = static_cast<std::uint32_t>(Handshake{}.isn_b + 1 + before);
      c.ack(a);
      const Analysed result(c);
      if (!lost) {
        EXPECT_EQ(result.ids(Severity::warning), (Ids{"MPA-CUT", "VERBS-RST"})) << result.told();
        EXPECT_EQ(result.findings("MPA-CUT")[0].side, a);
        EXPECT_EQ(result.findings("MPA-CUT")[0].finding.arguments[1],
                  static_cast<std::uint64_t>(in_fpdu ? Phrase::in_fpdu : Phrase::in_message));
        continue;
      }
      EXPECT_EQ(result.ids(Severity::warning), Ids{}) << result.told();
      EXPECT_EQ(result.undecidable("MPA-CUT", Reason::gap), 1U);
      EXPECT_EQ(result.undecidable("VERBS-RST", Reason::gap), 1U);
    }
  }
}

// It has the number that the octets which it answers acknowledge: what its sender closed with was lost, with
// them, or it had sent more than that.
TEST(ScenarioF, F10_ResetThatAnswersOctetsThatWereNotCaptured) {
  Established c;
  c.fpdu(b, send(1));
  c.drop(c.fpdu(a, terminate(0x0000)));
  c.drop(c.fpdu(b, send(2)));
  bare_rst(c, a);
  const Analysed result(c);
  EXPECT_EQ(result.ids(Severity::warning), Ids{}) << result.told();
  EXPECT_EQ(result.undecidable("VERBS-RST", Reason::gap), 1U);
}

TEST(ScenarioF, F10_ResetThatAnswersOlderOctetsThanItsSenderSent) {
  Established c;
  c.fpdu(b, send(1));
  const StreamOffset before = c.sent(a);
  c.fpdu(a, send(1));
  c.ack(b);
  c.drop(c.fpdu(a, terminate(0x0000)));
  OwnedSegment& rst = c.packet(c.rst(a));
  rst.meta.flags = tcp::rst;
  rst.meta.acknowledgement = 0;
  rst.meta.sequence = static_cast<std::uint32_t>(Handshake{}.isn_a + 1 + before);
  const Analysed result(c);
  EXPECT_EQ(result.ids(Severity::warning), Ids{}) << result.told();
}

// A segment without octets lies behind some that were never captured: a Terminate, which ends all requests.
TEST(ScenarioF, F10_ResetBehindAnEmptySegmentFurtherOn) {
  Established c;
  c.fpdu(a, send(1));
  c.fpdu(b, read_request(1, {.sink_stag = 5, .size = 50, .source_stag = 1}));
  c.drop(c.fpdu(a, terminate(0x0000)));
  c.ack(a);
  bare_rst(c, b);
  const Analysed result(c);
  EXPECT_EQ(result.ids(Severity::warning), Ids{}) << result.told();
  EXPECT_EQ(result.undecidable("VERBS-RST", Reason::gap), 1U);
  EXPECT_GT(result.undecidable("RDMAP-RRLOST"), 0U);
}

// What leaves VERBS-RST in doubt leaves what was not answered in doubt as well.
TEST(ScenarioF, F10_RequestsOpenAtAResetThatAnswersOlderOctets) {
  Established c;
  c.fpdu(b, send(1));
  const StreamOffset before = c.sent(a);
  c.fpdu(a, read_request(1, {.sink_stag = 5, .size = 50, .source_stag = 1}));
  c.drop(c.fpdu(a, terminate(0x0000)));
  OwnedSegment& rst = c.packet(c.rst(a));
  rst.meta.flags = tcp::rst;
  rst.meta.acknowledgement = 0;
  rst.meta.sequence = static_cast<std::uint32_t>(Handshake{}.isn_a + 1 + before);
  const Analysed result(c);
  EXPECT_EQ(result.ids(Severity::warning), Ids{}) << result.told();
  EXPECT_GT(result.undecidable("RDMAP-RRLOST"), 0U);
}

// RFC 5961 §3.2: it was not the next octet's, so nobody took it; where the start was captured and where it
// was not.
TEST(ScenarioF, F10_ResetWithAnOldSequenceNumberEndsNothing) {
  for (const bool midstream : {false, true}) {
    SCOPED_TRACE(midstream);
    Conversation c;
    const auto start = [&] {
      c.handshake();
      c.startup();
    };
    midstream ? c.unseen(start) : start();
    for (std::uint32_t msn = 1; msn <= 5; ++msn) {
      for (const Side side : {a, b}) c.fpdu(side, send(msn, pattern(100)));
    }
    OwnedSegment& old = c.packet(c.rst(b));
    old.meta.sequence -= 300;
    for (std::uint32_t msn = 6; msn <= 8; ++msn) {
      for (const Side side : {a, b}) c.fpdu(side, send(msn, pattern(100)));
    }
    c.close();
    const Analysed result(c);
    EXPECT_EQ(result.ids(Severity::warning), Ids{}) << result.told();
    EXPECT_EQ(result.messages().size(), 16U);
    for (const Side side : {a, b}) EXPECT_EQ(result.side(side).qp.value, QpValue::idle);
  }
}

}  // namespace
}  // namespace iwarp::test
