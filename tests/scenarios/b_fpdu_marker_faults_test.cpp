// Scenarios B8, B9, B15: markers that are wrong, and markers that nobody asked for or that do not come.
// SPDX-License-Identifier: GPL-2.0-or-later
#include "framing_log.hpp"

namespace iwarp::test {
namespace {

Conversation marked() {
  return operating({}, {.markers = true});
}

// --- B8: FPDUPTR ---------------------------------------------------------------------------------------

// A Send with a wrong marker inside, one before and two behind it.
Conversation with_marker(const MarkerError& error, unsigned answer = 0) {
  Conversation c = marked();
  c.fpdu(Side::a, send(1, pattern(300)));
  c.stream(Side::a).break_marker(error);
  c.fpdu(Side::a, send(2, pattern(700)));
  c.fpdu(Side::a, send(3, pattern(700)));
  c.fpdu(Side::a, send(4, text("end")));
  if (answer != 0) c.fpdu(Side::b, terminate(answer));
  c.close(Side::b);
  return c;
}

TEST(ScenarioB, B8_PointerTooLargeByFour) {
  const Conversation c = with_marker({.pointer_delta = 4});
  expect_ids(c, {"MPA-MKPTR"});
  const Analysed result(c);
  const Event finding = result.findings("MPA-MKPTR").at(0);
  EXPECT_EQ(finding.finding.severity, Severity::error);
  EXPECT_EQ(finding.side, Side::a);
  EXPECT_EQ(finding.finding.arguments[0], 512U - 328U + 4U);  // the FPDU starts at 4 + 324
  EXPECT_EQ(finding.finding.arguments[1], 512U);
  EXPECT_EQ(finding.finding.arguments[2], 512U - 328U);
  ASSERT_EQ(fpdu_events(result, Side::a).size(), 4U);
  for (const Event& event : result.fpdus()) EXPECT_EQ(event.fpdu.crc, CrcStatus::good);
  EXPECT_TRUE(result.of(EventKind::sync_lost).empty());
  EXPECT_EQ(result.messages().size(), 4U);
}

TEST(ScenarioB, B8_PointerTooSmallByFour) {
  expect_ids(with_marker({.pointer_delta = -4}), {"MPA-MKPTR"});
}

TEST(ScenarioB, B8_EveryWrongMarkerOfAnFpduIsOneFinding) {
  Conversation c = marked();
  c.stream(Side::a).break_marker({.pointer_delta = 8, .skip = 2});
  c.fpdu(Side::a, send(1, pattern(2300)));
  c.close();
  expect_ids(c, {"MPA-MKPTR"});
  EXPECT_EQ(Analysed(c).findings("MPA-MKPTR").at(0).finding.arguments[1], 1024U);
}

TEST(ScenarioB, B8_B9_EachFaultOfAnFpduIsToldWithItsOwnValue) {
  Conversation c = marked();
  c.stream(Side::a).break_marker({.pointer_delta = 8, .reserved = 0xbeef, .skip = 2});
  c.fpdu(Side::a, send(1, pattern(2300)));
  c.close();
  expect_ids(c, {"MPA-MKPTR", "MPA-MKRSV"});
  const Analysed result(c);
  const Finding pointer = result.findings("MPA-MKPTR").at(0).finding;
  EXPECT_EQ(pointer.arguments[0], 1020U + 8U);
  EXPECT_EQ(pointer.arguments[1], 1024U);
  EXPECT_EQ(pointer.arguments[2], 1020U);
  const Finding reserved = result.findings("MPA-MKRSV").at(0).finding;
  EXPECT_EQ(reserved.arguments[0], 1024U);
  EXPECT_EQ(reserved.arguments[1], 0xbeefU);
}

TEST(ScenarioB, B8_LeadingMarkerThatIsNotZero) {
  Conversation c = marked();
  c.fpdu(Side::a, send(1, pattern(484)));  // ends at 512
  c.stream(Side::a).break_marker({.pointer_delta = 0x1fc});
  c.fpdu(Side::a, send(2, text("hello")));
  c.fpdu(Side::a, send(3, text("again")));
  c.close();
  expect_ids(c, {"MPA-MKPTR"});
  const Analysed result(c);
  EXPECT_EQ(result.findings("MPA-MKPTR").at(0).finding.arguments[2], 0U);
  EXPECT_EQ(result.messages().size(), 3U);
}

TEST(ScenarioB, B8_FirstMarkerOfTheDirectionIsNotZero) {
  Conversation c = marked();
  c.stream(Side::a).break_marker({.pointer_delta = 4});
  c.fpdu(Side::a, send(1, pattern(700)));
  c.fpdu(Side::a, send(2, text("again")));
  c.close();
  expect_ids(c, {"MPA-MKPTR"});
  EXPECT_EQ(Analysed(c).messages().size(), 2U);
}

TEST(ScenarioB, B8_PointerWithoutCrc) {
  Conversation c = operating({.crc = false}, {.markers = true, .crc = false});
  c.fpdu(Side::a, send(1, pattern(300)));
  c.stream(Side::a).break_marker({.pointer_delta = 4});
  c.fpdu(Side::a, send(2, pattern(700)));
  c.fpdu(Side::a, send(3, text("end")));
  c.close();
  expect_ids(c, {"MPA-MKPTR"});
  EXPECT_EQ(Analysed(c).messages().size(), 3U);
}

TEST(ScenarioB, B8_Terminate2003IsExplained) {
  const Conversation c = with_marker({.pointer_delta = 4}, 0x2003);
  expect_ids(c, {"MPA-MKPTR"});
  expect_explained(Analysed(c));
}

TEST(ScenarioB, B8_Terminate2303IsTheVendorsWord) {
  const Conversation c = with_marker({.pointer_delta = 4}, 0x2303);
  expect_ids(c, {"MPA-MKPTR", "RDMAP-TERMCODE"});
  expect_severity(Analysed(c), "RDMAP-TERMCODE", Severity::note);
  expect_explained(Analysed(c));
}

TEST(ScenarioB, B8_Terminate0203IsVerbsWord) {
  const Conversation c = with_marker({.pointer_delta = 4}, 0x0203);
  expect_ids(c, {"MPA-MKPTR", "RDMAP-TERMCODE"});
  expect_severity(Analysed(c), "RDMAP-TERMCODE", Severity::note);
  expect_explained(Analysed(c));
}

TEST(ScenarioB, B8_Terminate2003WithoutAWrongMarkerIsNot) {
  Conversation c = marked();
  c.fpdu(Side::a, send(1, pattern(700)));
  c.fpdu(Side::b, terminate(0x2003));
  c.close(Side::b);
  expect_ids(c, {});
  const Analysed result(c);
  ASSERT_EQ(result.findings("RDMAP-TERMWHY").size(), 1U) << result.told();
  EXPECT_EQ(result.findings("RDMAP-TERMWHY")[0].finding.arguments[1],
            static_cast<std::uint64_t>(Phrase::unexplained));
}

TEST(ScenarioB, B8_LowBitsAreMasked) {
  for (const int low_bits : {1, 2, 3}) {
    const Conversation c = with_marker({.pointer_delta = low_bits});
    expect_ids(c, {"MPA-MKPTR"});
    const Analysed result(c);
    expect_severity(result, "MPA-MKPTR", Severity::warning);
    EXPECT_EQ(result.findings("MPA-MKPTR").at(0).finding.arguments[0],
              184U + static_cast<unsigned>(low_bits));
    EXPECT_EQ(result.messages().size(), 4U);
  }
}

// --- B9: the reserved half -----------------------------------------------------------------------------

TEST(ScenarioB, B9_ReservedHalfOfAMarkerInside) {
  const Conversation c = with_marker({.reserved = 0x8001});
  expect_ids(c, {"MPA-MKRSV"});
  const Analysed result(c);
  const Event finding = result.findings("MPA-MKRSV").at(0);
  EXPECT_EQ(finding.finding.severity, Severity::warning);
  EXPECT_EQ(finding.finding.arguments[0], 512U);
  EXPECT_EQ(finding.finding.arguments[1], 0x8001U);
  for (const Event& event : result.fpdus())
    EXPECT_EQ(event.fpdu.crc, CrcStatus::good) << "the CRC covers it as sent";
  EXPECT_EQ(result.messages().size(), 4U);
}

TEST(ScenarioB, B9_ReservedHalfOfALeadingMarker) {
  Conversation c = marked();
  c.fpdu(Side::a, send(1, pattern(484)));
  c.stream(Side::a).break_marker({.reserved = 0x0100});
  c.fpdu(Side::a, send(2, text("hello")));
  c.close();
  expect_ids(c, {"MPA-MKRSV"});
  EXPECT_EQ(Analysed(c).messages().size(), 2U);
}

TEST(ScenarioB, B9_ReservedHalfAndPointer) {
  const Conversation c = with_marker({.pointer_delta = 4, .reserved = 1});
  const Analysed result(c);
  EXPECT_EQ(result.findings("MPA-MKPTR").size(), 1U) << result.told();
  EXPECT_EQ(result.findings("MPA-MKRSV").size(), 1U) << result.told();
  EXPECT_EQ(result.ids(Severity::note).size(), 2U);
}

// --- B15: used otherwise than announced ----------------------------------------------------------------

// `asked` by the Reply, `used` by the initiator.
Conversation used_otherwise(bool asked, bool crc, const Cuts& cuts = {}) {
  Conversation c = operating({.crc = crc}, {.markers = asked, .crc = crc});
  c.stream(Side::a).use_markers(asked ? Markers::off : Markers::on);
  c.packed(Side::a, {send(1, text("hello")), send(2, pattern(700)), write(0x1234ab01, 0x1000, pattern(2000))},
           cuts);
  c.fpdu(Side::b, send(1, pattern(700)));
  c.fpdu(Side::a, send(3, text("end")));
  c.close();
  return c;
}

void expect_switched(const Conversation& c, bool asked) {
  expect_ids(c, {"MPA-MKUSE"});
  const Analysed result(c);
  const Event finding = result.findings("MPA-MKUSE").at(0);
  EXPECT_EQ(finding.side, Side::a);
  EXPECT_EQ(finding.finding.severity, Severity::error);
  const std::uint64_t present = static_cast<std::uint64_t>(Phrase::present);
  const std::uint64_t absent = static_cast<std::uint64_t>(Phrase::absent);
  EXPECT_EQ(finding.finding.arguments[0], asked ? absent : present);
  EXPECT_EQ(finding.finding.arguments[1], asked ? present : absent);
  EXPECT_EQ(result.side(Side::a).markers, asked ? Mode::off : Mode::on);
  EXPECT_FALSE(result.side(Side::a).inferred) << "the start-up frames told the modes";
  EXPECT_EQ(result.messages().size(), 5U);
  EXPECT_EQ(fpdu_events(result, Side::a).at(0).fpdu.stream_offset, 0U);
}

TEST(ScenarioB, B15_AnnouncedMarkersDoNotCome) {
  expect_switched(used_otherwise(true, true), true);
}
TEST(ScenarioB, B15_MarkersComeUnannounced) {
  expect_switched(used_otherwise(false, true), false);
}
TEST(ScenarioB, B15_AnnouncedMarkersDoNotComeWithoutCrc) {
  expect_switched(used_otherwise(true, false), true);
}
TEST(ScenarioB, B15_MarkersComeUnannouncedWithoutCrc) {
  expect_switched(used_otherwise(false, false), false);
}

TEST(ScenarioB, B15_SegmentBordersDoNotMatter) {
  for (const bool asked : {false, true}) {
    const std::vector<std::string> expected = log_of(Analysed(used_otherwise(asked, true)));
    for (std::size_t border = 1; border < 40; ++border) {
      EXPECT_EQ(log_of(Analysed(used_otherwise(asked, true, {border}))), expected) << border;
    }
    EXPECT_EQ(log_of(Analysed(used_otherwise(asked, true, Cuts::every(1)))), expected);
  }
}

TEST(ScenarioB, B15_TheResponderToo) {
  for (const bool asked : {false, true}) {
    Conversation c = operating({.markers = asked}, {});
    c.stream(Side::b).use_markers(asked ? Markers::off : Markers::on);
    c.fpdu(Side::a, send(1, text("hello")));
    c.fpdu(Side::b, send(1, pattern(700)));
    c.fpdu(Side::b, send(2, pattern(700)));
    c.close();
    expect_ids(c, {"MPA-MKUSE"});
    EXPECT_EQ(Analysed(c).findings("MPA-MKUSE").at(0).side, Side::b);
    EXPECT_EQ(Analysed(c).messages().size(), 3U);
  }
}

TEST(ScenarioB, B15_ShortestFirstFpdu) {
  Conversation c = operating({}, {.markers = true});
  c.stream(Side::a).use_markers(Markers::off);
  c.fpdu(Side::a, write(1, 0x1000));
  c.fpdu(Side::a, send(1));
  c.close();
  expect_ids(c, {"MPA-MKUSE", "MPA-RTRUNNEG"});
  EXPECT_EQ(Analysed(c).messages().size(), 2U);
}

}  // namespace
}  // namespace iwarp::test
