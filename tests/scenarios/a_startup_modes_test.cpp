// Scenarios A1 to A3: the start-up frames decide whether CRC and markers are used, each direction by itself.
// SPDX-License-Identifier: GPL-2.0-or-later
#include "framing_log.hpp"

namespace iwarp::test {
namespace {

// --- A1: CRC refused by both ---------------------------------------------------------------------------

TEST(ScenarioA, A1_CrcRefusedByBothIsNeverChecked) {
  Conversation c = operating({.crc = false}, {.crc = false});
  c.fpdu(Side::a, send(1, text("hello")), {.crc = Crc::unused, .unused_crc = 0xdeadbeef});
  c.fpdu(Side::b, send(1, pattern(1000)), {.crc = Crc::unused, .unused_crc = 0x00000001});
  c.fpdu(Side::a, write(0x1234ab01, 0x1000, pattern(300)), {.crc = Crc::unused, .unused_crc = 0xffffffff});
  c.fpdu(Side::b, send(2), {.crc = Crc::unused});
  c.close();
  expect_ids(c, {});
  const Analysed result(c);
  ASSERT_EQ(result.fpdus().size(), 4U);
  for (const Event& event : result.fpdus()) EXPECT_EQ(event.fpdu.crc, CrcStatus::unused);
  EXPECT_EQ(result.fpdus()[0].fpdu.crc_field, 0xdeadbeefU);
  EXPECT_EQ(result.messages().size(), 4U);
  for (const Side side : {Side::a, Side::b}) {
    EXPECT_EQ(result.side(side).crc, Mode::off);
    EXPECT_FALSE(result.side(side).inferred);
    EXPECT_EQ(result.side(side).crc_counts.unchecked, 2U);
    EXPECT_EQ(result.side(side).crc_counts.good + result.side(side).crc_counts.bad, 0U);
  }
}

TEST(ScenarioA, A1_CrcFieldThatHappensToBeRightIsStillUnused) {
  Conversation c = operating({.crc = false}, {.crc = false});
  c.fpdu(Side::a, send(1, text("right")), {.crc = Crc::right});
  c.fpdu(Side::a, send(2, text("wrong")), {.crc = Crc::wrong});
  c.fpdu(Side::a, send(3, text("turned")), {.crc = Crc::big_endian});
  c.close();
  expect_ids(c, {});
  const Analysed result(c);
  ASSERT_EQ(result.fpdus().size(), 3U);
  for (const Event& event : result.fpdus()) EXPECT_EQ(event.fpdu.crc, CrcStatus::unused);
}

TEST(ScenarioA, A1_MarkedDirectionsWithoutCrc) {
  Conversation c = operating({.markers = true, .crc = false}, {.markers = true, .crc = false});
  c.fpdu(Side::a, send(1, pattern(3000)), {.crc = Crc::unused, .unused_crc = 0x01020304});
  c.fpdu(Side::b, send(1, pattern(3000)), {.crc = Crc::unused, .unused_crc = 0x05060708});
  c.close();
  expect_ids(c, {});
  const Analysed result(c);
  EXPECT_EQ(result.messages().size(), 2U);
  EXPECT_EQ(result.side(Side::a).markers, Mode::on);
  EXPECT_EQ(result.side(Side::b).markers, Mode::on);
}

// --- A2: CRC wanted by one -----------------------------------------------------------------------------

// C in one frame alone; a wrong CRC of `sender` must be found.
void one_wants_crc(bool request_crc, bool reply_crc, Side sender) {
  Conversation c = operating({.crc = request_crc}, {.crc = reply_crc});
  c.fpdu(Side::a, send(1, text("first")));
  c.fpdu(Side::b, send(1, text("first")));
  const Packets wrong = c.fpdu(sender, send(2, text("second")), {.crc = Crc::wrong});
  const Analysed result(c);
  EXPECT_EQ(result.ids(Severity::note), (Ids{"MPA-CRC"})) << result.told();
  ASSERT_TRUE(result.has("MPA-CRC"));
  const Event finding = result.findings("MPA-CRC")[0];
  EXPECT_EQ(finding.side, sender);
  EXPECT_EQ(finding.frame, c.segments()[wrong.first].meta.frame);
  EXPECT_EQ(finding.finding.severity, Severity::error);
  EXPECT_EQ(finding.finding.arguments[0] ^ finding.finding.arguments[1], 0xA5A5A5A5U);
  for (const Side side : {Side::a, Side::b}) {
    EXPECT_EQ(result.side(side).crc, Mode::on);
    EXPECT_EQ(result.side(side).crc_counts.good, 1U);
    EXPECT_EQ(result.side(side).crc_counts.bad, side == sender ? 1U : 0U);
  }
}

TEST(ScenarioA, A2_CrcOnlyInTheRequestIsCheckedFromTheInitiator) {
  one_wants_crc(true, false, Side::a);
}
TEST(ScenarioA, A2_CrcOnlyInTheRequestIsCheckedFromTheResponder) {
  one_wants_crc(true, false, Side::b);
}
TEST(ScenarioA, A2_CrcOnlyInTheReplyIsCheckedFromTheInitiator) {
  one_wants_crc(false, true, Side::a);
}
TEST(ScenarioA, A2_CrcOnlyInTheReplyIsCheckedFromTheResponder) {
  one_wants_crc(false, true, Side::b);
}

TEST(ScenarioA, A2_RightCrcsOfBothSidesAreGood) {
  Conversation c = operating({.crc = true}, {.crc = false});
  c.fpdu(Side::a, send(1, text("first")));
  c.fpdu(Side::b, send(1, text("first")));
  c.close();
  expect_ids(c, {});
  for (const Event& event : Analysed(c).fpdus()) EXPECT_EQ(event.fpdu.crc, CrcStatus::good);
}

// --- A3: M is a demand on the peer ---------------------------------------------------------------------

TEST(ScenarioA, A3_MarkersDemandedByTheRequestOnly) {
  Conversation c = operating({.markers = true}, {.markers = false});
  c.fpdu(Side::a, send(1, pattern(2000)));
  c.fpdu(Side::b, send(1, pattern(2000)));
  c.fpdu(Side::a, send(2, pattern(100)));
  c.fpdu(Side::b, send(2, pattern(100)));
  c.close();
  expect_ids(c, {});
  const Analysed result(c);
  EXPECT_EQ(result.side(Side::a).markers, Mode::off);
  EXPECT_EQ(result.side(Side::b).markers, Mode::on);
  const std::vector<Event> unmarked = fpdu_events(result, Side::a);
  const std::vector<Event> marked = fpdu_events(result, Side::b);
  ASSERT_EQ(unmarked.size(), 2U);
  ASSERT_EQ(marked.size(), 2U);
  EXPECT_EQ(unmarked[0].fpdu.markers, 0U);
  EXPECT_EQ(unmarked[0].fpdu.wire_size, 2024U);
  EXPECT_EQ(marked[0].fpdu.markers, 4U);  // at 0, 512, 1024, 1536
  EXPECT_EQ(marked[0].fpdu.wire_size, 2040U);
  EXPECT_EQ(marked[1].fpdu.stream_offset, 2040U);
  EXPECT_EQ(marked[1].fpdu.markers, 1U);  // at 2048
}

TEST(ScenarioA, A3_MarkersDemandedByTheReplyOnly) {
  Conversation c = operating({.markers = false}, {.markers = true});
  c.fpdu(Side::a, send(1, pattern(2000)));
  c.fpdu(Side::b, send(1, pattern(2000)));
  c.close();
  expect_ids(c, {});
  const Analysed result(c);
  EXPECT_EQ(result.side(Side::a).markers, Mode::on);
  EXPECT_EQ(result.side(Side::b).markers, Mode::off);
  EXPECT_EQ(fpdu_events(result, Side::a)[0].fpdu.markers, 4U);
  EXPECT_EQ(fpdu_events(result, Side::b)[0].fpdu.markers, 0U);
}

TEST(ScenarioA, A3_MarkersInTheOtherDirectionAreReported) {
  Conversation c = operating({.markers = true}, {.markers = false});
  c.stream(Side::a).use_markers(Markers::on);  // nobody asked the initiator for them
  c.fpdu(Side::a, send(1, pattern(2000)));
  c.fpdu(Side::b, send(1, pattern(2000)));
  c.fpdu(Side::a, send(2, pattern(700)));
  c.close();
  expect_ids(c, {"MPA-MKUSE"});
  const Analysed result(c);
  const Event finding = result.findings("MPA-MKUSE").at(0);
  EXPECT_EQ(finding.side, Side::a);
  EXPECT_EQ(finding.finding.arguments[0], static_cast<std::uint64_t>(Phrase::present));
  EXPECT_EQ(finding.finding.arguments[1], static_cast<std::uint64_t>(Phrase::absent));
  EXPECT_EQ(result.messages().size(), 3U);
}

TEST(ScenarioA, A3_InitiatorSwapsTheDirections) {
  Conversation c;
  c.handshake();
  c.startup({.markers = true}, {.markers = false}, Side::b);
  c.fpdu(Side::b, send(1, pattern(1200)));
  c.fpdu(Side::a, send(1, pattern(1200)));
  c.close();
  expect_ids(c, {});
  const Analysed result(c);
  EXPECT_EQ(result.side(Side::b).markers, Mode::off);
  EXPECT_EQ(result.side(Side::a).markers, Mode::on);
}

}  // namespace
}  // namespace iwarp::test
