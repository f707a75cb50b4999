// Scenario B3: ULPDU_Lengths that no FPDU can have. Framing goes on, by the CRC or by a new start.
// SPDX-License-Identifier: GPL-2.0-or-later
#include "framing_log.hpp"

namespace iwarp::test {
namespace {

struct Wrong {
  const char* name;
  Bytes ulpdu;
};

std::vector<Wrong> too_short() {
  return {
      {"no ULPDU", {}},
      {"one octet", hex("c1")},
      {"tagged, 13 octets", part(write(0x1234ab01, 0x1000), 0, 13)},
      {"untagged, 17 octets", part(send(2), 0, 17)},
  };
}

TEST(ScenarioB, B3_ShortFpduWithTheRightCrcIsReportedAndPassedOver) {
  for (const Wrong& wrong : too_short()) {
    SCOPED_TRACE(wrong.name);
    Conversation c = operating();
    c.fpdu(Side::a, send(1, text("before")));
    const Packets bad = c.fpdu(Side::a, wrong.ulpdu);
    c.fpdu(Side::a, send(2, text("behind")));
    c.fpdu(Side::a, send(3, text("behind")));
    c.close();
    expect_ids(c, {"MPA-LEN"});
    const Analysed result(c);
    const Event finding = result.findings("MPA-LEN").at(0);
    EXPECT_EQ(finding.frame, c.segments()[bad.first].meta.frame);
    EXPECT_EQ(finding.finding.severity, Severity::error);
    EXPECT_EQ(finding.finding.arguments[0], wrong.ulpdu.size());
    ASSERT_EQ(result.fpdus().size(), 4U);
    EXPECT_EQ(result.fpdus()[1].fpdu.crc, CrcStatus::good);
    EXPECT_TRUE(result.fpdus()[1].fpdu.malformed);
    EXPECT_EQ(result.fpdus()[1].fpdu.ulpdu_length, wrong.ulpdu.size());
    EXPECT_TRUE(result.of(EventKind::sync_lost).empty());
    EXPECT_TRUE(result.of(EventKind::locked).empty());
    EXPECT_EQ(result.messages().size(), 3U);
    EXPECT_EQ(result.side(Side::a).queues[0].next_msn, 4U);
  }
}

TEST(ScenarioB, B3_ShortFpduBetweenOthersInOneSegment) {
  for (const Wrong& wrong : too_short()) {
    SCOPED_TRACE(wrong.name);
    Conversation c = operating();
    c.packed(Side::a, {send(1, text("before")), wrong.ulpdu, send(2, text("behind"))});
    c.close();
    expect_ids(c, {"MPA-LEN"});
    EXPECT_EQ(Analysed(c).messages().size(), 2U);
  }
}

TEST(ScenarioB, B3_ShortFpduInAMarkedStream) {
  for (const Wrong& wrong : too_short()) {
    SCOPED_TRACE(wrong.name);
    Conversation c = operating({}, {.markers = true});
    c.fpdu(Side::a, send(1, pattern(470)));
    for (unsigned i = 0; i < 8; ++i) c.fpdu(Side::a, wrong.ulpdu);  // over the marker at 512
    c.fpdu(Side::a, send(2, text("behind")));
    c.close();
    const Analysed result(c);
    EXPECT_EQ(result.ids(Severity::note), Ids(8, "MPA-LEN")) << result.told();
    EXPECT_EQ(result.messages().size(), 2U);
  }
}

TEST(ScenarioB, B3_ShortFpduAsTheVeryFirst) {
  for (const Wrong& wrong : too_short()) {
    SCOPED_TRACE(wrong.name);
    Conversation c = operating();
    c.fpdu(Side::a, wrong.ulpdu);
    c.fpdu(Side::a, send(1, text("behind")));
    c.fpdu(Side::a, send(2, text("behind")));
    c.close();
    expect_ids(c, {"MPA-LEN"});
    EXPECT_EQ(Analysed(c).messages().size(), 2U);
  }
}

// It holds no octets of a message: what begins behind it is whole.
TEST(ScenarioB, B3_MessagesBehindAShortFpduWithTheRightCrcAreWhole) {
  for (const Wrong& wrong : too_short()) {
    SCOPED_TRACE(wrong.name);
    Conversation c = operating();
    c.fpdu(Side::a, read_request(1, {.sink_stag = 5, .size = 40, .source_stag = 6}));
    c.fpdu(Side::a, wrong.ulpdu);
    c.fpdu(Side::a, write(7, 0x1000, pattern(100)));
    c.fpdu(Side::a, wrong.ulpdu);
    for (const Bytes& each : write_segments(7, 0x2000, pattern(300), 100)) c.fpdu(Side::a, each);
    c.fpdu(Side::b, wrong.ulpdu);
    for (const Bytes& each : read_response_segments(5, 0, pattern(40), 20)) c.fpdu(Side::b, each);
    c.close();
    const Analysed result(c);
    EXPECT_EQ(result.ids(Severity::note), Ids(3, "MPA-LEN")) << result.told();
    EXPECT_EQ(result.messages(wire::Opcode::rdma_write).size(), 2U) << "complete ones";
    EXPECT_EQ(result.messages(wire::Opcode::read_response).size(), 1U);
  }
}

TEST(ScenarioB, B3_LongestLengthWithTheRightCrc) {
  Conversation c = operating();
  c.fpdu(Side::a, send(1, text("before")));
  c.fpdu(Side::a, write(0x1234ab01, 0x1000, pattern(65535 - 14)), Cuts::every(1448));
  c.fpdu(Side::a, send(2, text("behind")));
  c.close();
  const Analysed result(c);
  EXPECT_EQ(result.ids(Severity::note), (Ids{"MPA-LEN"})) << result.told();
  EXPECT_EQ(result.findings("MPA-LEN").at(0).finding.arguments[0], 65535U);
  ASSERT_EQ(result.fpdus().size(), 3U);
  EXPECT_EQ(result.fpdus()[1].fpdu.ulpdu_length, 65535U);
  EXPECT_EQ(result.fpdus()[1].fpdu.wire_size, 65544U);  // 2 + 65535, PAD 3, CRC 4
  EXPECT_EQ(result.fpdus()[1].fpdu.crc, CrcStatus::good);
  EXPECT_EQ(result.messages(wire::Opcode::send).size(), 2U);
}

// Whatever the octets say (a damaged ULPDU_Length cannot be told from a wrong one), what comes later is
// decoded.
void expect_progress(Conversation& c, std::uint32_t next_msn) {
  for (std::uint32_t i = 0; i < 5; ++i) c.fpdu(Side::a, send(next_msn + i, pattern(100, i)));
  c.close();
  const Analysed result(c);
  EXPECT_FALSE(result.ids(Severity::error).empty()) << result.told();
  const std::vector<Event> sends = result.messages(wire::Opcode::send);
  ASSERT_GE(sends.size(), 4U) << result.told();
  EXPECT_EQ(sends.back().message.msn, next_msn + 4);
  EXPECT_EQ(sends[sends.size() - 4].message.msn, next_msn + 1);
}

TEST(ScenarioB, B3_ShortFpduWithTheWrongCrcStopsNothing) {
  for (const Wrong& wrong : too_short()) {
    SCOPED_TRACE(wrong.name);
    Conversation c = operating();
    c.fpdu(Side::a, send(1, text("before")));
    c.fpdu(Side::a, wrong.ulpdu, {.crc = Crc::wrong});
    expect_progress(c, 2);
  }
}

TEST(ScenarioB, B3_ShortFpduWithoutCrcStopsNothing) {
  for (const Wrong& wrong : too_short()) {
    SCOPED_TRACE(wrong.name);
    Conversation c = operating({.crc = false}, {.crc = false});
    c.fpdu(Side::a, send(1, text("before")));
    c.fpdu(Side::a, wrong.ulpdu, {.crc = Crc::unused, .unused_crc = 0x12345678});
    expect_progress(c, 2);
  }
}

TEST(ScenarioB, B3_LyingLengthStopsNothing) {
  for (const unsigned length : {0U, 1U, 13U, 17U, 40U, 2000U, 64769U, 65535U}) {
    SCOPED_TRACE(length);
    Conversation c = operating();
    c.fpdu(Side::a, send(1, text("before")));
    c.fpdu(Side::a, send(2, pattern(200)), {.crc = Crc::wrong, .length = length});
    const std::uint32_t last = length < 3000 ? 39 : 700;  // an FPDU of that length is waited for
    for (std::uint32_t i = 3; i <= last; ++i) c.fpdu(Side::a, send(i, pattern(100, i)));
    c.close();
    const Analysed result(c);
    EXPECT_FALSE(result.ids(Severity::error).empty());
    const std::vector<Event> sends = result.messages(wire::Opcode::send);
    ASSERT_FALSE(sends.empty());
    EXPECT_EQ(sends.back().message.msn, last);
  }
}

TEST(ScenarioB, B3_EveryLengthOfAnImplausibleFpduMakesProgress) {
  // ULPDUs of zeros: no DDP header at any length. Each is passed over by its CRC.
  Conversation c = operating();
  c.fpdu(Side::a, send(1, text("before")));
  for (std::size_t length = 0; length < 30; ++length) c.fpdu(Side::a, zeros(length));
  c.fpdu(Side::a, send(2, text("behind")));
  c.close();
  const Analysed result(c);
  EXPECT_EQ(result.fpdus().size(), 32U);
  EXPECT_EQ(result.findings("MPA-LEN").size(), 18U) << "zeros are untagged: 0 to 17 are too short";
  EXPECT_TRUE(result.of(EventKind::sync_lost).empty());
  EXPECT_EQ(result.messages(wire::Opcode::send).size(), 2U);
}

// FPDUPTR leads to the FPDU that a marker stands in (RFC 5044 §4.3), wherever segments begin.
TEST(ScenarioB, B3_AMarkerInsideDeniesALengthThatReachesTooFar) {
  constexpr std::uint32_t count = 60;
  for (const std::size_t size : {100U, 300U, 900U, 2000U}) {
    for (const unsigned length : {1200U, 4000U, 60000U}) {
      if (length < size + 600) continue;  // no marker stands behind its end
      for (const Cuts& cuts : {Cuts::every(1448), Cuts::every(8948), Cuts::every(100), Cuts()}) {
        for (const bool crc : {true, false}) {
          SCOPED_TRACE(testing::Message() << size << " octets, ULPDU_Length " << length << ", CRC " << crc);
          Conversation c = operating({.crc = crc}, {.markers = true, .crc = crc});
          Bytes octets;
          StreamOffset culprit = 0;
          for (std::uint32_t msn = 1; msn <= count; ++msn) {
            if (msn == 11) culprit = c.sent(Side::a) + octets.size();
            const Framing wrong{
                .crc = crc ? Crc::wrong : Crc::unused, .unused_crc = 0, .pad = 0, .length = length};
            const Bytes ulpdu = send(msn, pattern(size, msn));
            const Bytes each = msn == 11 ? c.frame(Side::a, ulpdu, wrong) : c.frame(Side::a, ulpdu);
            octets.insert(octets.end(), each.begin(), each.end());
          }
          c.send(Side::a, octets, cuts);
          c.close();
          const Analysed result(c);
          EXPECT_EQ(result.ids(Severity::warning), (Ids{"MPA-SYNC"})) << result.told();
          ASSERT_EQ(result.of(EventKind::sync_lost).size(), 1U);
          EXPECT_EQ(result.of(EventKind::sync_lost)[0].offset, culprit);
          EXPECT_EQ(result.messages(wire::Opcode::send).size(), count - 1);
        }
      }
    }
  }
}

// Nor does an FPDU whose length a marker denies keep those from being looked at that lie inside it, if it
// begins a TCP segment: the next one may be in the same.
TEST(ScenarioB, B3_FpdusInsideADeniedOneAreFoundInItsOwnSegment) {
  constexpr std::uint32_t count = 75;
  Conversation c = operating({}, {.markers = true});
  Bytes octets = c.frame(Side::a, send(1, pattern(490, 1)), {.crc = Crc::wrong, .length = 60'000});
  for (std::uint32_t msn = 2; msn <= count; ++msn) {
    const Bytes each = c.frame(Side::a, send(msn, pattern(480 + msn % 3 * 4, msn)));
    octets.insert(octets.end(), each.begin(), each.end());
  }
  c.send(Side::a, octets, Cuts::every(8948));
  c.close();
  const Analysed result(c);
  EXPECT_EQ(result.ids(Severity::warning), (Ids{"MPA-SYNC"})) << result.told();
  EXPECT_EQ(result.messages(wire::Opcode::send).size(), count - 1);
}

// A length that none has is the fault of the frame that has it, wherever it was found out.
TEST(ScenarioB, B3_AnImpossibleLengthLiesWhereItStands) {
  for (const std::size_t size : {40U, 700U, 4000U}) {
    Conversation c = operating({}, {.markers = true});
    FrameNumber culprit = 0;
    for (std::uint32_t msn = 1; msn <= 60; ++msn) {
      const Bytes ulpdu = send(msn, pattern(size, msn));
      const Framing wrong{.crc = Crc::wrong, .length = 65535};
      c.send(Side::a, msn == 20 ? c.frame(Side::a, ulpdu, wrong) : c.frame(Side::a, ulpdu));
      if (msn == 20) culprit = c.segments().size();
    }
    c.close();
    const Analysed result(c);
    for (const Event& event : result.of(EventKind::finding)) {
      if (event.finding.severity < Severity::warning) continue;
      EXPECT_EQ(event.finding.evidence[0], culprit) << result.told();
    }
    EXPECT_GE(result.ids(Severity::warning).size(), 1U);
    EXPECT_EQ(result.messages(wire::Opcode::send).size(), 59U);
  }
}

// Whatever a marker's pointer leads to: where its FPDU is right otherwise, framing goes on.
TEST(ScenarioB, B3_AWrongPointerWithoutAHeaderThereDeniesNothing) {
  Conversation c = operating({}, {.markers = true});
  c.fpdu(Side::a, send(1, pattern(100)));
  c.stream(Side::a).break_marker({.pointer_delta = -200});
  c.fpdu(Side::a, send(2, pattern(1200)), Cuts::every(500));
  c.fpdu(Side::a, send(3, pattern(100)));
  c.close();
  const Analysed result(c);
  EXPECT_EQ(result.ids(Severity::warning), (Ids{"MPA-MKPTR"})) << result.told();
  EXPECT_EQ(result.messages(wire::Opcode::send).size(), 3U);
}

}  // namespace
}  // namespace iwarp::test
