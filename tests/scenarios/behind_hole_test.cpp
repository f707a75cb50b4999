// What is certain right behind a hole is found, and what lay in it may excuse the rest (C4, C12, E7, E12,
// F12).
// SPDX-License-Identifier: GPL-2.0-or-later
#include <gtest/gtest.h>

#include "scenarios/established.hpp"

namespace iwarp::test {
namespace {

using established::a;
using established::b;
using established::Established;
using established::second;

class BehindAHole : public testing::TestWithParam<std::tuple<Side, int>> {
 protected:
  void SetUp() override {
    c.fpdu(a, send(1));
    c.fpdu(b, send(1));
    c.drop(c.fpdu(sender, send(2)));
    c.ack(receiver);
    for (int i = 0; i < std::get<1>(GetParam()); ++i) {
      c.fpdu(sender, send(msn++));
      c.ack(receiver);
    }
  }

  const Side sender = std::get<0>(GetParam());
  const Side receiver = other(sender);
  std::uint32_t msn = 3;
  Established c;
};

TEST_P(BehindAHole, F12_DataTowardsAClosedSideIsFound) {
  const StreamOffset before = c.sent(receiver);
  const Packets fin = c.fin(receiver);
  c.received_only(c.fpdu(sender, send(msn)), before);
  c.ack(receiver);
  c.ack(sender);
  c.fin(sender);
  c.ack(receiver);
  const Analysed result(c);
  EXPECT_EQ(result.ids(Severity::warning), Ids{"VERBS-CLOSEDATA"}) << result.told();
  EXPECT_EQ(result.findings("VERBS-CLOSEDATA").at(0).side, sender);
  EXPECT_EQ(result.findings("VERBS-CLOSEDATA").at(0).finding.arguments[1], c.at(fin));
}

TEST_P(BehindAHole, F12_DataThatTheFinAcknowledgesIsNotFound) {
  const Packets data = c.fpdu(sender, send(msn));
  const Packets fin = c.fin(receiver);
  c.close(sender);
  c.move_before(fin, data);
  const Analysed result(c);
  EXPECT_EQ(result.ids(Severity::warning), Ids{}) << result.told();
}

TEST_P(BehindAHole, F5_DataLongAfterATerminateIsFound) {
  c.fpdu(receiver, terminate(0x0000));
  c.ack(sender);
  c.wait(4 * second);
  c.fpdu(sender, send(msn));
  c.ack(receiver);
  c.close();
  const Analysed result(c);
  EXPECT_EQ(result.ids(Severity::warning), Ids{"RDMAP-AFTERTERM"}) << result.told();
}

TEST_P(BehindAHole, F5_DataRightAfterATerminateIsNotFound) {
  c.fpdu(receiver, terminate(0x0000));
  c.ack(sender);
  c.fpdu(sender, send(msn));
  c.wait(4 * second);
  c.ack(receiver);
  c.close();
  const Analysed result(c);
  EXPECT_EQ(result.ids(Severity::warning), Ids{}) << result.told();
}

// A wrong header is found right behind a hole where the CRC shows that an FPDU stands there.
TEST_P(BehindAHole, D1_AWrongHeaderWithARightCrcIsFound) {
  c.fpdu(sender, send(msn++, text("x"), {.ddp_version = 2}));
  c.fpdu(sender, send(msn++));
  c.ack(receiver);
  c.close();
  const Analysed result(c);
  EXPECT_EQ(result.ids(Severity::warning), Ids{"DDP-DV"}) << result.told();
}

TEST_P(BehindAHole, E4_AnswersOutOfTurnAreNoAnswersWithoutARequest) {
  for (const std::uint32_t at : {1U, 2U})
    c.fpdu(receiver, read_request(at, {.sink_stag = at, .size = 8, .source_stag = 0x77}));
  for (const std::uint32_t at : {2U, 1U}) c.fpdu(sender, read_response(at, 0, pattern(8)));
  c.ack(receiver);
  c.close();
  const Analysed result(c);
  for (const std::string& id : result.ids(Severity::warning)) EXPECT_EQ(id, "RDMAP-RRORDER") << result.told();
  EXPECT_TRUE(result.has("RDMAP-RRORDER") || result.undecidable("RDMAP-RRORDER") > 0U);
}

INSTANTIATE_TEST_SUITE_P(Sides, BehindAHole,
                         testing::Combine(testing::Values(a, b), testing::Values(0, 1, 5)));

TEST(ScenarioE, E7_ARequestInAHoleMayBeTheOneTooMany) {
  Established c = established::negotiated({.ird = 2, .ord = 2}, {.ird = 2, .ord = 2});
  c.fpdu(a, send(1));
  c.fpdu(b, send(1));
  for (const std::uint32_t msn : {1U, 2U, 3U}) {
    const Packets request = c.fpdu(a, read_request(msn, {.sink_stag = msn, .size = 8, .source_stag = 0x77}));
    if (msn == 2) c.drop(request);
  }
  for (const std::uint32_t stag : {1U, 2U, 3U}) c.fpdu(b, read_response(stag, 0, pattern(8)));
  c.close();
  const Analysed result(c);
  EXPECT_EQ(result.ids(Severity::warning), Ids{}) << result.told();
  EXPECT_GT(result.undecidable("RDMAP-ORD", Reason::gap), 0U);
}

TEST(ScenarioE, E12_AnAtomicResponseOutOfTurnMayAnswerARequestInAHole) {
  Established c;
  c.fpdu(a, send(1));
  c.fpdu(b, send(1));
  c.fpdu(a, read_request(1, {.sink_stag = 1, .size = 8, .source_stag = 0x77}));
  c.drop(c.fpdu(a, atomic_request(2, 0, {.id = 7, .stag = 0x10})));
  c.fpdu(a, read_request(3, {.sink_stag = 3, .size = 8, .source_stag = 0x77}));
  c.fpdu(b, atomic_response(1, 7, 0));
  for (const std::uint32_t stag : {1U, 3U}) c.fpdu(b, read_response(stag, 0, pattern(8)));
  c.close();
  const Analysed result(c);
  EXPECT_EQ(result.ids(Severity::warning), Ids{}) << result.told();
  EXPECT_EQ(result.undecidable("RDMAP-RRORDER", Reason::gap), 1U);
}

// Each answer comes behind the hole that has its request, however many holes are settled only at the end.
TEST(ScenarioC, C4_AnswersToRequestsInManyHoles) {
  Established c;
  c.fpdu(a, send(1));
  c.fpdu(b, send(1));
  for (std::uint32_t msn = 1; msn <= 7; ++msn) {
    c.drop(c.fpdu(a, atomic_request(msn, 0, {.id = msn, .stag = 0x10})));
    c.drop(c.fpdu(b, send(msn + 1)));
    c.fpdu(a, send(msn + 1));
    c.fpdu(b, atomic_response(msn, msn, 0));
  }
  const Analysed result(c);
  EXPECT_EQ(result.ids(Severity::warning), Ids{}) << result.told();
  EXPECT_GT(result.undecidable("RDMAP-RRNONE", Reason::gap), 0U);
}

// Requests and responses were not captured, and the hole with the responses is reported before the one with
// the requests.
TEST(ScenarioE, E17_ResponsesBehindHolesOfBothDirections) {
  Conversation c;
  const Conversation::Options numbers;
  c.startup();
  const auto at = [&](Side side, StreamOffset offset, StreamOffset acknowledged, const Bytes& octets) {
    const Packets sent = octets.empty() ? c.ack(side) : c.inject(side, offset, octets);
    const std::uint32_t isn = side == a ? numbers.isn_b : numbers.isn_a;
    if (octets.empty()) c.packet(sent).meta.sequence = numbers.isn_a + 1 + static_cast<std::uint32_t>(offset);
    c.packet(sent).meta.acknowledgement = isn + 1 + static_cast<std::uint32_t>(acknowledged);
  };
  at(a, 8268, 4863, fpdu(fetch_add(2, {.id = 2, .stag = 1})));
  at(b, 5911, 8344, fpdu(atomic_response(2, 2, 0)));
  at(a, 8548, 5947, fpdu(fetch_add(3, {.id = 3, .stag = 1})));
  at(b, 15963, 8624, fpdu(atomic_response(3, 3, 0)));
  at(a, 19032, 26247, {});
  at(b, 26247, 18928, fpdu(read_response(5, 900, pattern(89))));
  at(a, 19032, 26359,
     fpdu(read_request(6, {.sink_stag = 5, .sink_to = 2000, .size = 1043, .source_stag = 1})));
  at(b, 26359, 19032, fpdu(write(5, 5000, pattern(1028), {.last = false})));
  at(b, 27407, 19032, fpdu(write(5, 6028, pattern(828))));
  at(b, 28255, 19032, fpdu(fetch_add(4, {.id = 4, .stag = 1})));
  at(b, 28331, 19084, fpdu(read_response(5, 2000, pattern(1028), {.last = false})));
  at(b, 29379, 19084, fpdu(read_response(5, 3028, pattern(15))));
  at(a, 19120, 29415, fpdu(fetch_add(7, {.id = 7, .stag = 1})));
  c.wait(200'000'000);
  at(b, 29415, 19196, fpdu(read_request(5, {.sink_stag = 7, .size = 14, .source_stag = 1})));
  at(b, 29467, 19196, fpdu(atomic_response(4, 7, 0)));
  const Analysed result(c);
  EXPECT_EQ(result.ids(), Ids{}) << result.told();
}

// Three holes with octets behind them are no silence: a request in the next one is waited for, too.
TEST(ScenarioC, C12_HolesWithOctetsBehindThemAreNoSilence) {
  Established c;
  c.fpdu(a, send(1));
  c.fpdu(b, send(1));
  std::vector<StreamOffset> ends;
  for (const std::uint32_t msn : {2U, 4U}) {
    c.drop(c.fpdu(a, send(msn)));
    c.fpdu(a, send(msn + 1));
    ends.push_back(c.sent(a));
  }
  c.drop(c.fpdu(a, send(6)));
  c.fpdu(a, read_request(1, {.sink_stag = 5, .size = 50, .source_stag = 1}));
  for (const StreamOffset end : ends) {
    c.ack(b, end);
    c.wait(200'000'000);
  }
  c.fpdu(b, read_response(5, 0, pattern(50)));
  c.wait(200'000'000);
  c.ack(b);
  c.drop(c.fpdu(a, fetch_add(2, {.id = 7, .stag = 1})));
  c.fpdu(b, atomic_response(1, 7, 0));
  c.fpdu(a, send(7));
  c.close();
  const Analysed result(c);
  EXPECT_EQ(result.ids(), Ids{}) << result.told();
}

// The hole may hold the end of one response, and the beginning of another with the same sink.
TEST(ScenarioC, C4_ReadResponseThatSeemsToGoOnBehindAHole) {
  Established c;
  c.fpdu(a, read_request(1, {.sink_stag = 7, .size = 300, .source_stag = 8}));
  c.fpdu(a, read_request(2, {.sink_stag = 7, .size = 200, .source_stag = 8}));
  c.fpdu(b, read_response(7, 0, pattern(100), {.last = false}));
  c.drop(
      c.fpdus(b, {read_response(7, 100, pattern(200)), read_response(7, 0, pattern(100), {.last = false})}));
  c.fpdu(b, read_response(7, 100, pattern(50), {.last = false}));
  c.fpdu(b, read_response(7, 150, pattern(50)));
  c.ack(a);
  c.close();
  const Analysed result(c);
  EXPECT_EQ(result.ids(Severity::warning), Ids{}) << result.told();
  EXPECT_GT(result.undecidable("RDMAP-RRSHORT"), 0U);
}

// Behind the hole stands a part of an FPDU at most: whether the end cuts one nobody knows.
TEST(ScenarioB, B9_EndBehindAHoleIsCounted) {
  for (const Side closing : {a, b}) {
    SCOPED_TRACE(closing == b);
    Established c;
    c.fpdu(a, send(1));
    c.fpdu(b, send(1));
    c.drop(c.fpdu(a, send(2, pattern(300))));
    c.send(a, part(c.frame(a, send(3, pattern(300))), 100, 150));
    c.rst(closing);
    const Analysed result(c);
    EXPECT_EQ(result.ids(Severity::warning), Ids{}) << result.told();
    EXPECT_EQ(result.undecidable("MPA-CUT", Reason::gap), 1U);
    EXPECT_EQ(result.undecidable("VERBS-RST", Reason::gap), 1U);
  }
}

}  // namespace
}  // namespace iwarp::test
