// What was on its way when a Terminate arrived, or was sent again behind it, is no fault of its sender (F5,
// F8, F9, F12; Verbs 1.0 §6.2.2.3).
// SPDX-License-Identifier: GPL-2.0-or-later
#include <gtest/gtest.h>

#include "scenarios/established.hpp"

namespace iwarp::test {
namespace {

using established::a;
using established::b;
using established::Established;
using established::second;

// b sent this FPDU before it had a's Terminate; it was captured only when it was sent again.
Established sent_again_behind_a_terminate(const Bytes& fpdu) {
  Established c;
  c.fpdu(a, send(1));
  c.fpdu(b, send(1));
  const Packets lost = c.lose(b, c.frame(b, fpdu));
  c.fpdu(a, terminate(0x0000));
  c.ack(b);
  c.wait(second);
  c.resend(lost);
  return c;
}

TEST(ScenarioF, F5_DataSentAgainAfterATerminateIsNotNew) {
  Established c = sent_again_behind_a_terminate(send(2));
  c.close();
  EXPECT_EQ(Analysed(c).ids(Severity::warning), Ids{});
}

TEST(ScenarioF, F12_DataSentAgainAfterAFinIsNotNew) {
  Established c;
  c.fpdu(a, send(1));
  c.fpdu(b, send(1));
  const Packets lost = c.lose(b, c.frame(b, send(2)));
  c.fin(a);
  c.ack(b);
  c.wait(second);
  c.resend(lost);
  c.ack(a);
  c.fin(b);
  c.ack(a);
  EXPECT_EQ(Analysed(c).ids(Severity::warning), Ids{"VERBS-CLOSEDATA"});
}

TEST(ScenarioF, F8_TerminateAboutACompletedReadResponse) {
  for (const std::uint32_t reused : {0U, 1U}) {  // one sink for all, or one each
    Established c;
    c.fpdu(a, send(1));
    c.fpdu(b, send(1));
    const auto sink = [&](std::uint32_t msn) { return reused != 0 ? 7U : msn; };
    const auto ask = [&](std::uint32_t msn) {
      return c.fpdu(a, read_request(msn, {.sink_stag = sink(msn), .size = 8, .source_stag = 0x77}));
    };
    ask(1);
    const Bytes refused = read_response(sink(1), 0, pattern(8));
    c.fpdu(b, refused);
    ask(2);
    ask(3);
    const StreamOffset before = c.sent(a);
    c.fpdu(a, terminate(0x1100, about(refused)));
    for (const std::uint32_t msn : {2U, 3U})
      c.received_only(c.fpdu(b, read_response(sink(msn), 0, pattern(8))), before);
    c.close(a);
    const Analysed result(c);
    EXPECT_EQ(result.ids(Severity::warning), Ids{}) << result.told();
    const auto reads = result.operations(OperationKind::read);
    ASSERT_EQ(reads.size(), 3U);
    for (const OperationConclusion& read : reads) {
      EXPECT_EQ(read.status, OperationStatus::complete);
      EXPECT_EQ(read.length, 8U);
    }
  }
}

TEST(ScenarioF, F8_TerminateAboutTheReadResponseInProgressEndsItsRead) {
  Established c;
  c.fpdu(a, send(1));
  c.fpdu(b, send(1));
  c.fpdu(a, read_request(1, {.sink_stag = 7, .size = 16, .source_stag = 0x77}));
  const Bytes refused = read_response(7, 0, pattern(8), {.last = false});
  c.fpdu(b, refused);
  const StreamOffset before = c.sent(a);
  c.fpdu(a, terminate(0x1100, about(refused)));
  c.received_only(c.fpdu(b, read_response(7, 8, pattern(8))), before);
  c.close(a);
  const Analysed result(c);
  EXPECT_EQ(result.ids(Severity::warning), Ids{}) << result.told();
  ASSERT_EQ(result.operations(OperationKind::read).size(), 1U);
  EXPECT_EQ(result.operations(OperationKind::read)[0].status, OperationStatus::terminated);
}

// The crossing Terminate and the FIN behind it were lost before the capture; what acknowledges the peer's
// shows that they had been sent.
TEST(ScenarioF, F9_CrossingTerminateSentAgain) {
  Established c = sent_again_behind_a_terminate(terminate(0x0000));
  c.close(b);
  EXPECT_EQ(Analysed(c).ids(Severity::warning), Ids{});
}

// As before, but what acknowledges the peer's is a repeated segment itself, which lies before the Terminate.
TEST(ScenarioF, F9_CrossingTerminateSentAgainBehindARepeatedSegment) {
  Established c;
  c.fpdu(a, send(1));
  const Packets first = c.fpdu(b, send(1));
  const Packets lost = c.lose(b, c.frame(b, terminate(0x0000)));
  c.ack(b);
  c.fpdu(a, terminate(0x0000));
  c.resend(first);
  c.wait(second);
  c.resend(lost);
  c.close(b);
  EXPECT_EQ(Analysed(c).ids(Severity::warning), Ids{});
}

// TCP sent octets again and again before it came to FPDUs that it had before the Terminate arrived.
TEST(ScenarioF, F8_DataThatWaitedForARetransmissionMayBeOlderThanTheTerminate) {
  Established c;
  c.fpdu(a, send(1));
  c.fpdu(b, send(1));
  const StreamOffset acknowledged = c.sent(b);
  const Packets again = c.fpdu(b, send(2));
  c.received_only(c.fpdu(a, terminate(0x0000)), acknowledged);
  c.ack(b);
  for (int tries = 0; tries < 3; ++tries) {
    c.wait(second * 4 / 5);
    c.resend(again);
  }
  c.wait(second / 10);
  c.fpdu(b, send(3));
  c.close();
  const Analysed result(c);
  EXPECT_EQ(result.ids(Severity::warning), Ids{}) << result.told();
  EXPECT_GT(result.undecidable("RDMAP-AFTERTERM", Reason::skew), 0U);
}

// TCP waited for its window: the FPDUs behind it had been handed to it before the Terminate arrived.
TEST(ScenarioF, F8_DataThatWaitedForTheWindowMayBeOlderThanTheTerminate) {
  constexpr TimeNs round_trip = 40'000'000;
  for (const bool long_after : {false, true}) {
    Established c;
    c.fpdu(a, send(1));
    c.fpdu(b, send(1));
    const StreamOffset before = c.sent(b);
    c.fpdu(b, send(2, pattern(1000)));
    c.received_only(c.fpdu(a, terminate(0x0000)), before);
    c.ack(b);
    c.wait(round_trip);
    c.ack(a);
    if (long_after) c.wait(2 * second);
    c.fpdu(b, send(3, pattern(1000)));
    c.close(a);
    const Analysed result(c);
    EXPECT_EQ(result.ids(Severity::warning), long_after ? Ids{"RDMAP-AFTERTERM"} : Ids{}) << result.told();
    EXPECT_EQ(result.undecidable("RDMAP-AFTERTERM", Reason::skew), long_after ? 0U : 1U);
  }
}

// What a Terminate answers had not been captured when it was reported, but the peer's SYN.
TEST(ScenarioF, F3_TerminateCapturedBeforeWhatItQuotes) {
  Conversation c;
  const Packets handshake = c.handshake();
  const Packets startup = c.startup();
  c.fpdu(a, send(1));
  const Bytes refused = read_request(1, {.sink_stag = 5, .size = 50, .source_stag = 1});
  const Packets request = c.fpdu(b, refused);
  const Packets end = c.fpdu(a, terminate(0x0100, about(refused, true)));
  for (const Packets& each : {handshake[2], startup, request}) c.drop(each);
  c.move_behind(handshake[1], end);
  const Analysed result(c);
  EXPECT_EQ(result.ids(), Ids{}) << result.told();
  EXPECT_EQ(result.undecidable("RDMAP-TERMREF", Reason::skew), 1U);
}

// The capture begins behind octets that are sent again: they were sent before the Terminate arrived.
TEST(ScenarioF, F8_SentBeforeTheCaptureAndAgainBehindATerminate) {
  for (const bool terminate_too : {false, true}) {
    SCOPED_TRACE(terminate_too);
    Conversation c;
    std::size_t length = 0;
    c.unseen([&] {
      c.handshake();
      c.startup();
      c.fpdu(a, send(1));
      c.fpdu(b, send(1));
      const StreamOffset before = c.sent(a);
      c.fpdu(a, terminate_too ? terminate(0x0000) : send(2, pattern(300)));
      length = static_cast<std::size_t>(c.sent(a) - before);
    });
    c.ack(a);
    c.fpdu(b, terminate(0x0000));
    c.ack(a);
    c.wait(2 * second);
    c.resend(a, c.sent(a) - length, length);
    c.ack(b);
    const Analysed result(c);
    EXPECT_EQ(result.ids(Severity::warning), Ids{}) << result.told();
    const char* const check = terminate_too ? "RDMAP-TERMTERM" : "RDMAP-AFTERTERM";
    EXPECT_EQ(result.undecidable(check, Reason::midstream), 1U);
  }
}

// The copy that was sent again comes first in the file; the one sent before the peer's Terminate had arrived
// is reported as a copy of that.
TEST(ScenarioF, F9_CrossingTerminatesInAShuffledCapture) {
  Established c;
  const Packets early = c.fpdu(a, send(1));
  c.set_time(early, c.time(early) - second);
  c.fpdu(b, send(1));
  const StreamOffset seen = c.sent(b);
  const StreamOffset at = c.sent(a);
  const Packets first = c.fpdu(a, terminate(0x0000));
  c.received_only(first, seen);
  const Packets other = c.fpdu(b, terminate(0x0000));
  c.received_only(other, at);
  c.wait(2 * second);
  const Packets again = c.resend(first);
  const TimeNs sent_again = c.time(again);
  const TimeNs sent_first = c.time(first);
  c.packet(again).meta.time_ns = sent_again;
  c.packet(first).meta.time_ns = sent_first;
  c.move_behind(first, again);
  c.ack(b);
  const Analysed result(c);
  EXPECT_EQ(result.ids(Severity::warning), Ids{}) << result.told();
}

}  // namespace
}  // namespace iwarp::test
