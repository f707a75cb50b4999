// Reads as an imperfect capture shows them: retransmitted, reordered by a mirror.
// SPDX-License-Identifier: GPL-2.0-or-later
#include <gtest/gtest.h>

#include "established.hpp"

namespace iwarp::test::established {
namespace {

const Bytes request = read_request(1, {.sink_stag = 7, .sink_to = 0x1000, .size = 16, .source_stag = 9});
const Bytes response = read_response(7, 0x1000, pattern(16));

// --- E15: a retransmitted request -----------------------------------------------------------------------

TEST(ScenarioE, E15_LatencyCountsFromTheFirstCopy) {
  Established c;
  c.fpdu(a, send(1));
  const Packets asked = c.fpdu(a, request);
  c.wait(200'000'000);
  c.resend(asked);
  const Packets answer = c.fpdu(b, response);
  c.close();

  EXPECT_EQ(told(c), Told{});
  const Analysed result(c);
  const std::vector<OperationConclusion> reads = result.operations(OperationKind::read);
  ASSERT_EQ(reads.size(), 1U);
  EXPECT_TRUE(reads[0].request_retransmitted);
  EXPECT_EQ(reads[0].request.frame, c.at(asked));
  EXPECT_EQ(reads[0].request.time_ns, c.time(asked));
  EXPECT_EQ(reads[0].response.time_ns, c.time(answer));
  EXPECT_GT(reads[0].response.time_ns - reads[0].request.time_ns, 200'000'000);
  EXPECT_EQ(result.side(a).max_outstanding, 1U);
}

TEST(ScenarioE, E15_OnlyTheRetransmittedRequestIsFlagged) {
  Established c;
  c.fpdu(a, send(1));
  c.fpdu(a, request);
  const Packets second =
      c.fpdu(a, read_request(2, {.sink_stag = 7, .sink_to = 0x2000, .size = 16, .source_stag = 9}));
  c.resend(second);
  c.fpdu(b, response);
  c.fpdu(b, read_response(7, 0x2000, pattern(16)));
  c.close();

  const std::vector<OperationConclusion> reads = Analysed(c).operations(OperationKind::read);
  ASSERT_EQ(reads.size(), 2U);
  EXPECT_FALSE(reads[0].request_retransmitted);
  EXPECT_TRUE(reads[1].request_retransmitted);
}

TEST(ScenarioE, E15_MirrorCopyIsNoRetransmission) {
  Established c;
  c.fpdu(a, send(1));
  c.duplicate(c.fpdu(a, request));
  c.fpdu(b, response);
  c.close();

  EXPECT_EQ(told(c).size(), 1U);  // CAP-DUPFRAME
  const Analysed result(c);
  EXPECT_TRUE(result.has("CAP-DUPFRAME"));
  ASSERT_EQ(result.operations(OperationKind::read).size(), 1U);
  EXPECT_FALSE(result.operations(OperationKind::read)[0].request_retransmitted);
}

// --- E16: the response first in the file ----------------------------------------------------------------

TEST(ScenarioE, E16_ResponseCapturedBeforeItsRequest) {
  Established c;
  c.fpdu(a, send(1));
  const Packets asked = c.fpdu(a, request);
  const Packets answer = c.fpdu(b, response);
  c.ack(a);
  c.close();
  c.move_before(answer, asked);

  EXPECT_EQ(told(c), Told{});  // times run forward: no CAP-TSREV either
  const std::vector<OperationConclusion> reads = Analysed(c).operations(OperationKind::read);
  ASSERT_EQ(reads.size(), 1U);
  EXPECT_EQ(reads[0].status, OperationStatus::complete);
  EXPECT_EQ(reads[0].length, 16U);
}

TEST(ScenarioE, E16_TimesThatRunBackwardAreNoted) {
  Established c;
  c.fpdu(a, send(1));
  const Packets asked = c.fpdu(a, request);
  const Packets answer = c.fpdu(b, response);
  c.ack(a);
  c.close();
  const TimeNs asked_at = c.time(asked);
  const TimeNs answered_at = c.time(answer);
  c.move_before(answer, asked);
  c.set_time(asked, asked_at);
  c.set_time(answer, answered_at);

  EXPECT_EQ(told(c), (Told{note("CAP-TSREV", a, c.at(asked))}));
  const std::vector<OperationConclusion> reads = Analysed(c).operations(OperationKind::read);
  ASSERT_EQ(reads.size(), 1U);
  EXPECT_EQ(reads[0].status, OperationStatus::complete);
  EXPECT_EQ(reads[0].request.frame, c.at(asked));
  EXPECT_EQ(reads[0].request.time_ns, asked_at);
  // The response waited for its request, but lies in its own frame.
  EXPECT_EQ(reads[0].response.frame, c.at(answer));
  EXPECT_GE(reads[0].response.time_ns, reads[0].request.time_ns);
}

TEST(ScenarioE, E16_SegmentsOfAResponseBeforeTheRequest) {
  Established c;
  c.fpdu(a, send(1));
  const Packets asked =
      c.fpdu(a, read_request(1, {.sink_stag = 7, .sink_to = 0x1000, .size = 3000, .source_stag = 9}));
  const Packets answer = c.fpdus(b, read_response_segments(7, 0x1000, pattern(3000), 1000));
  c.ack(a);
  c.close();
  c.move_before(answer, asked);

  EXPECT_EQ(told(c), Told{});
  EXPECT_EQ(Analysed(c).operations(OperationKind::read).size(), 1U);
}

// Of the first Atomic the identifier was captured, the rest of its header was not. What answers another one's
// identifier is not its response.
TEST(ScenarioE, E12_ACutAtomicRequestIsAnsweredByItsIdentifier) {
  Established c;
  c.snaplen(96);  // 22 octets of the RDMAP header
  c.fpdu(a, send(1));
  const Packets first = c.fpdu(a, fetch_add(1, {.id = 0xa1, .stag = 9, .to = 8, .data = 1}));
  c.unseen([&] {
    c.fpdu(b, atomic_response(1, 0xa1, 5));
    c.fpdu(a, fetch_add(2, {.id = 0xa2, .stag = 9, .to = 8, .data = 1}));
  });
  c.fpdu(b, atomic_response(2, 0xa2, 6));
  c.fpdu(a, send(2));
  c.close();

  for (const OperationConclusion& each : Analysed(c).operations(OperationKind::atomic)) {
    if (each.request.frame == c.at(first)) {
      EXPECT_NE(each.status, OperationStatus::complete);
    }
  }
}

// Cut so short that nothing tells Atomics apart: behind a response that was not captured each would take the
// one that comes a turn later.
TEST(ScenarioE, E12_AtomicsWithoutIdentifiersAreNotPairedBehindAHole) {
  Established c;
  c.snaplen(76);  // two octets of the RDMAP header
  c.fpdu(a, send(1));
  c.fpdu(a, read_request(1, {.sink_stag = 7, .sink_to = 0x1000, .size = 16, .source_stag = 9}));
  c.unseen([&] { c.fpdu(b, read_response(7, 0x1000, pattern(16))); });
  std::uint32_t msn = 2;
  for (std::uint32_t round = 1; round <= 3; ++round) {
    c.fpdu(a, read_request(msn++, {.sink_stag = 7, .sink_to = 0x1000, .size = 16, .source_stag = 9}));
    c.fpdu(b, read_response(7, 0x1000, pattern(16)));
    c.fpdu(a, fetch_add(msn++, {.id = 0xa0 + round, .stag = 9, .to = 8, .data = 1}));
    c.fpdu(b, atomic_response(round, 0xa0 + round, 5 + round));
  }
  c.close();

  const auto atomics = Analysed(c).operations(OperationKind::atomic);
  ASSERT_EQ(atomics.size(), 3U);
  for (const OperationConclusion& each : atomics) EXPECT_EQ(each.latency(), std::nullopt);
}

}  // namespace
}  // namespace iwarp::test::established
