// How many requests are outstanding: IRD and ORD (RFC 5040 §6.1, RFC 6581 §9.1), latencies.
// SPDX-License-Identifier: GPL-2.0-or-later
#include <gtest/gtest.h>

#include "established.hpp"

namespace iwarp::test::established {
namespace {

Bytes request(std::uint32_t msn) {
  return read_request(msn, {.sink_stag = 7, .sink_to = 0x1000 * msn, .size = 4, .source_stag = 9});
}
Bytes response(std::uint32_t msn) {
  return read_response(7, 0x1000 * msn, pattern(4, msn));
}

// --- E6: ORD --------------------------------------------------------------------------------------------

constexpr Offer ord_four = {.ird = 16, .ord = 4};
constexpr Offer ird_sixteen = {.ird = 16, .ord = 16};

TEST(ScenarioE, E6_FiveOutstandingOfFour) {
  Established c = negotiated(ord_four, ird_sixteen);
  c.fpdu(a, send(1));
  for (std::uint32_t msn = 1; msn <= 4; ++msn) c.fpdu(a, request(msn));
  const Packets fifth = c.fpdu(a, request(5));
  for (std::uint32_t msn = 1; msn <= 5; ++msn) c.fpdu(b, response(msn));
  c.close();

  EXPECT_EQ(told(c), (Told{error("RDMAP-ORD", a, c.at(fifth))}));
  const Analysed result(c);
  EXPECT_EQ(describe(result.findings("RDMAP-ORD")[0].finding), "5 requests outstanding, ORD is 4");
  EXPECT_EQ(result.side(a).max_outstanding, 5U);
  EXPECT_EQ(result.side(a).outstanding(), 0U);
}

TEST(ScenarioE, E6_AtomicsCountToo) {
  Established c = negotiated({.ird = 16, .ord = 2}, ird_sixteen);
  c.fpdu(a, send(1));
  c.fpdu(a, request(1));
  c.fpdu(a, fetch_add(2, {.id = 1, .stag = 9, .to = 8, .data = 1}));
  const Packets third = c.fpdu(a, fetch_add(3, {.id = 2, .stag = 9, .to = 8, .data = 1}));
  c.fpdu(b, response(1));
  c.fpdu(b, atomic_response(1, 1, 0));
  c.fpdu(b, atomic_response(2, 2, 1));
  c.close();

  EXPECT_EQ(told(c), (Told{error("RDMAP-ORD", a, c.at(third))}));
}

TEST(ScenarioE, E6_FourOutstandingAndTheFifthBehindAResponse) {
  Established c = negotiated(ord_four, ird_sixteen);
  c.fpdu(a, send(1));
  for (std::uint32_t msn = 1; msn <= 4; ++msn) c.fpdu(a, request(msn));
  c.fpdu(b, response(1));
  c.fpdu(a, request(5));
  for (std::uint32_t msn = 2; msn <= 5; ++msn) c.fpdu(b, response(msn));
  c.close();

  EXPECT_EQ(told(c), Told{});
  EXPECT_EQ(Analysed(c).side(a).max_outstanding, 4U);
}

// Near the responder its response is seen before the requester has it. What the capture shows then is the
// least that was outstanding, and five of four would be a guess.
TEST(ScenarioE, E6_ResponseInFlightNearTheResponder) {
  Established c = negotiated(ord_four, ird_sixteen);
  c.fpdu(a, send(1));
  for (std::uint32_t msn = 1; msn <= 4; ++msn) c.fpdu(a, request(msn));
  const StreamOffset before = c.sent(b);
  c.fpdu(b, response(1));
  const Packets fifth = c.fpdu(a, request(5));
  c.received_only(fifth, before);
  for (std::uint32_t msn = 2; msn <= 5; ++msn) c.fpdu(b, response(msn));
  c.close();

  EXPECT_EQ(told(c), Told{});
}

// A mirror delivered the fifth request first; that it was sent behind the response its ACK tells.
TEST(ScenarioE, E6_FifthRequestCapturedBeforeTheResponseItWaitedFor) {
  Established c = negotiated(ord_four, ird_sixteen);
  c.fpdu(a, send(1));
  for (std::uint32_t msn = 1; msn <= 4; ++msn) c.fpdu(a, request(msn));
  const Packets answer = c.fpdu(b, response(1));
  const Packets fifth = c.fpdu(a, request(5));
  for (std::uint32_t msn = 2; msn <= 5; ++msn) c.fpdu(b, response(msn));
  c.close();
  c.move_before(fifth, answer);

  EXPECT_EQ(told(c), Told{});
  EXPECT_EQ(Analysed(c).side(a).max_outstanding, 4U);
}

TEST(ScenarioE, E6_WithoutALimitNothingIsSaidOfIt) {
  Established c;  // revision 1: nobody told a depth
  c.fpdu(a, send(1));
  for (std::uint32_t msn = 1; msn <= 9; ++msn) c.fpdu(a, request(msn));
  for (std::uint32_t msn = 1; msn <= 9; ++msn) c.fpdu(b, response(msn));
  c.close();

  EXPECT_EQ(told(c), Told{});
  EXPECT_GT(Analysed(c).undecidable("RDMAP-ORD", Reason::not_negotiated), 0U);
  EXPECT_EQ(Analysed(c).side(a).max_outstanding, 9U);
}

// --- E7: IRD --------------------------------------------------------------------------------------------

// The Reply's IRD bounds what the initiator may have outstanding, too.
class ScenarioEDepth : public testing::TestWithParam<std::uint16_t> {};

TEST_P(ScenarioEDepth, E7_ThreeQueuedOfTwo) {
  Established c = negotiated({.ird = 16, .ord = 8}, {.ird = 2, .ord = 16});
  c.fpdu(a, send(1));
  c.fpdu(a, request(1));
  c.fpdu(a, request(2));
  const Packets third = c.fpdu(a, request(3));
  c.terminated(b, GetParam(), about(request(3), true));

  const Analysed result(c);
  EXPECT_EQ(told(c), (Told{error("RDMAP-ORD", a, c.at(third)), warning("RDMAP-IRD", a, c.at(third))}));
  EXPECT_EQ(describe(result.findings("RDMAP-IRD")[0].finding), "3 requests outstanding, the peer's IRD is 2");
  EXPECT_EQ(describe(result.findings("RDMAP-ORD")[0].finding), "3 requests outstanding, ORD is 2");
  EXPECT_EQ(why(result), (Told{GetParam() == 0x1203 ? "1203 explained" : "0207 explained"}));
  for (const OperationConclusion& each : result.operations(OperationKind::read)) {
    EXPECT_EQ(each.status, OperationStatus::terminated);
  }
  EXPECT_EQ(result.operations(OperationKind::read).size(), 3U);
}

INSTANTIATE_TEST_SUITE_P(Codes, ScenarioEDepth, testing::Values(0x1203, 0x0207));

// A responder's ORD above the initiator's IRD is wrong by itself, and no leave to use it.
TEST(ScenarioE, E7_ThreeQueuedByTheResponder) {
  Established c = negotiated({.ird = 2, .ord = 8}, {.ird = 16, .ord = 4});
  c.fpdu(a, send(1));
  c.fpdu(b, request(1));
  c.fpdu(b, request(2));
  const Packets third = c.fpdu(b, request(3));
  for (std::uint32_t msn = 1; msn <= 3; ++msn) c.fpdu(a, response(msn));
  c.close();

  const Analysed result(c);
  const std::vector<Event> found = result.findings("RDMAP-IRD");
  ASSERT_EQ(found.size(), 1U) << result.told();
  EXPECT_EQ(found[0].side, b);
  EXPECT_EQ(found[0].frame, c.at(third));
  EXPECT_EQ(found[0].finding.severity, Severity::warning);
  EXPECT_TRUE(result.has("MPA-IRDORD"));
}

// Revision 1 on the port of SMB Direct: the words in the Private Data tell the depths.
TEST(ScenarioE, E7_DepthsOfSmbDirect) {
  Conversation::Options options;
  options.b = endpoint("192.0.2.2", 5445);
  Established c({.private_data = hex("00000010 00000010")}, {.private_data = hex("00000002 00000010")},
                options);
  c.fpdu(a, send(1));
  c.fpdu(a, request(1));
  c.fpdu(a, request(2));
  const Packets third = c.fpdu(a, request(3));
  for (std::uint32_t msn = 1; msn <= 3; ++msn) c.fpdu(b, response(msn));
  c.close();

  const Analysed result(c);
  ASSERT_EQ(result.findings("RDMAP-IRD").size(), 1U) << result.told();
  EXPECT_EQ(result.findings("RDMAP-IRD")[0].frame, c.at(third));
  EXPECT_EQ(result.state().mpa.limits_source, LimitsSource::smbd);
}

TEST(ScenarioE, E7_TwoOfTwo) {
  Established c = negotiated({.ird = 16, .ord = 8}, {.ird = 2, .ord = 16});
  c.fpdu(a, send(1));
  c.fpdu(a, request(1));
  c.fpdu(a, request(2));
  c.fpdu(b, response(1));
  c.fpdu(a, request(3));
  c.fpdu(b, response(2));
  c.fpdu(b, response(3));
  c.close();

  EXPECT_EQ(told(c), Told{});
  EXPECT_EQ(Analysed(c).side(a).max_outstanding, 2U);
}

// --- E9: many reads -------------------------------------------------------------------------------------

TEST(ScenarioE, E9_SixtyFourReadsOverOrdEight) {
  constexpr unsigned reads = 64;
  constexpr unsigned ord = 8;
  // 1 octet to 1 MiB, each about a fourth longer than the one before.
  std::vector<std::uint32_t> sizes;
  for (unsigned i = 0; i < reads; ++i) {
    const std::uint32_t power = i * 20 / (reads - 1);
    const std::uint32_t rest = i * 20 % (reads - 1);
    sizes.push_back((1U << power) +
                    static_cast<std::uint32_t>((std::uint64_t{1} << power) * rest / (reads - 1)));
  }
  ASSERT_EQ(sizes.front(), 1U);
  ASSERT_EQ(sizes.back(), 1U << 20);

  Established c({.crc = false, .word = Depths{.ird = 16, .ord = ord}},
                {.crc = false, .word = Depths{.ird = ord, .ord = 16}});
  c.fpdu(a, send(1));
  std::vector<Op> expected;
  std::vector<Packets> first;
  std::vector<Packets> last;
  std::vector<Packets> asked;
  const auto sink = [&](unsigned i) {  // the longest one ends exactly at 2^64
    return i == reads - 1 ? 0 - std::uint64_t{sizes[i]} : 0x1000'0000ULL * (i + 1);
  };
  const auto ask = [&](unsigned i) {
    asked.push_back(c.fpdu(a, read_request(i + 1, {.sink_stag = 0x100 + i,
                                                   .sink_to = sink(i),
                                                   .size = sizes[i],
                                                   .source_stag = 9,
                                                   .source_to = 0x1000})));
  };
  for (unsigned i = 0; i < ord; ++i) ask(i);
  for (unsigned i = 0; i < reads; ++i) {
    c.wait(1000 * i);  // the responder takes its time
    const Packets answer = c.fpdus(b, read_response_segments(0x100 + i, sink(i), pattern(sizes[i], i), 1424));
    first.push_back(answer[0]);
    last.push_back(answer[answer.count - 1]);
    if (i + ord < reads) ask(i + ord);
  }
  c.close();

  const Analysed result(c);
  EXPECT_EQ(result.ids(Severity::note), Ids{}) << result.told();
  EXPECT_EQ(result.side(a).max_outstanding, ord);

  const std::vector<OwnedSegment> segments = c.segments();  // nothing was moved: packet i is frame i + 1
  const std::vector<OperationConclusion> found = result.operations(OperationKind::read);
  ASSERT_EQ(found.size(), reads);
  for (unsigned i = 0; i < reads; ++i) {
    const auto time = [&](Packets packets) { return segments[packets.first].meta.time_ns; };
    EXPECT_EQ(found[i].length, sizes[i]);
    EXPECT_EQ(found[i].status, OperationStatus::complete);
    EXPECT_EQ(found[i].request.frame, asked[i].first + 1);
    EXPECT_EQ(found[i].first_response.frame, first[i].first + 1);
    EXPECT_EQ(found[i].response.frame, last[i].first + 1);
    EXPECT_EQ(found[i].response.time_ns - found[i].request.time_ns, time(last[i]) - time(asked[i]));
    EXPECT_EQ(found[i].first_response.time_ns - found[i].request.time_ns, time(first[i]) - time(asked[i]));
    EXPECT_EQ(found[i].outstanding, i < ord ? i + 1 : ord);
  }
}

// Two repeated segments wait for each other's octets: which response the requester had is not known.
TEST(ScenarioE, E18_DepthOfARepeatedRequest) {
  Established c = established::negotiated({.ird = 1, .ord = 1}, {.ird = 1, .ord = 1});
  c.fpdu(a, send(1));
  c.fpdu(b, send(1));
  c.fpdu(a, read_request(1, {.sink_stag = 5, .size = 50, .source_stag = 1}));
  const Packets response = c.fpdu(b, read_response(5, 0, pattern(50)));
  const Packets request = c.fpdu(a, read_request(2, {.sink_stag = 6, .size = 50, .source_stag = 1}));
  c.drop(response);
  c.drop(request);
  c.resend(response);
  c.resend(request);
  c.fpdu(b, read_response(6, 0, pattern(50)));
  c.close();
  const Analysed result(c);
  EXPECT_EQ(result.ids(), Ids{}) << result.told();
  EXPECT_EQ(result.undecidable("RDMAP-ORD", Reason::skew), 1U);
}

}  // namespace
}  // namespace iwarp::test::established
