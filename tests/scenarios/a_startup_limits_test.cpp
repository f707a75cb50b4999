// Scenarios A9 to A11: IRD and ORD, told by RFC 6581 §9.1 or by MS-SMBD's words, or not at all.
// SPDX-License-Identifier: GPL-2.0-or-later
#include "framing_log.hpp"

namespace iwarp::test {
namespace {

constexpr unsigned open_value = 0x3FFF;

Startup depths(unsigned ird, unsigned ord) {
  return {.word = Depths{.ird = ird, .ord = ord}};
}

Read read_of(std::uint32_t number) {
  return {.sink_stag = 0xa1b2,
          .sink_to = 0x1000 * number,
          .size = 16,
          .source_stag = 0xc3d4,
          .source_to = 0x2000};
}

// `count` Reads of `side` at once, then their responses; the Reads of `side` begin at MSN 1.
void reads(Conversation& c, Side side, std::uint32_t count) {
  for (std::uint32_t i = 1; i <= count; ++i) c.fpdu(side, read_request(i, read_of(i)));
  for (std::uint32_t i = 1; i <= count; ++i)
    c.fpdu(other(side), read_response(0xa1b2, 0x1000 * i, pattern(16)));
}

using Value = std::optional<std::uint32_t>;

void expect_limits(const Analysed& result, Value initiator_ird, Value initiator_ord, Value responder_ird,
                   Value responder_ord) {
  const MpaState& mpa = result.state().mpa;
  EXPECT_EQ(mpa.ird[0].effective, initiator_ird);
  EXPECT_EQ(mpa.ord[0].effective, initiator_ord);
  EXPECT_EQ(mpa.ird[1].effective, responder_ird);
  EXPECT_EQ(mpa.ord[1].effective, responder_ord);
}

// --- A9: 0x3FFF, "not negotiated" ----------------------------------------------------------------------

TEST(ScenarioA, A9_OrdLeftOpenIsAnsweredInKind) {
  Conversation c = operating(depths(16, open_value), depths(open_value, 16));
  reads(c, Side::a, 20);
  c.close();
  expect_ids(c, {});
  const Analysed result(c);
  EXPECT_EQ(result.state().mpa.ord[0].offered, open_value);
  EXPECT_EQ(result.state().mpa.ird[1].offered, open_value);
  expect_limits(result, 16U, std::nullopt, std::nullopt, 16U);
  EXPECT_GT(result.undecidable("RDMAP-ORD", Reason::not_negotiated), 0U);
  EXPECT_EQ(result.undecidable("RDMAP-ORD"), result.undecidable("RDMAP-ORD", Reason::not_negotiated));
  EXPECT_EQ(result.side(Side::a).max_outstanding, 20U);
}

TEST(ScenarioA, A9_OtherDirectionIsStillDecided) {
  Conversation c = operating(depths(4, open_value), depths(open_value, 4));
  c.fpdu(Side::a, send(1, text("go")));
  reads(c, Side::b, 5);
  c.close();
  const Analysed result(c);
  EXPECT_EQ(result.ids(Severity::error), (Ids{"RDMAP-ORD"})) << result.told();
  EXPECT_EQ(result.findings("RDMAP-ORD").at(0).side, Side::b);
  EXPECT_EQ(result.findings("RDMAP-ORD").at(0).finding.arguments[0], 5U);
  EXPECT_EQ(result.findings("RDMAP-ORD").at(0).finding.arguments[1], 4U);
}

TEST(ScenarioA, A9_OrdLeftOpenButAnsweredByAValue) {
  Conversation c = operating(depths(16, open_value), depths(8, 16));
  c.close();
  expect_ids(c, {"MPA-IRDORD"});
  const Analysed result(c);
  const Event finding = result.findings("MPA-IRDORD").at(0);
  EXPECT_EQ(finding.side, Side::b);
  EXPECT_EQ(finding.frame, 5U);
  EXPECT_EQ(finding.finding.severity, Severity::error);
  EXPECT_EQ(finding.finding.arguments[0], 16U);
  EXPECT_EQ(finding.finding.arguments[1], open_value);
  EXPECT_EQ(finding.finding.arguments[2], 8U);
  EXPECT_EQ(finding.finding.arguments[3], 16U);
}

TEST(ScenarioA, A9_IrdLeftOpenIsAnsweredInKind) {
  Conversation c = operating(depths(open_value, 8), depths(8, open_value));
  c.fpdu(Side::a, send(1, text("go")));
  reads(c, Side::b, 9);
  c.close();
  expect_ids(c, {});
  const Analysed result(c);
  expect_limits(result, std::nullopt, 8U, 8U, std::nullopt);
  EXPECT_GT(result.undecidable("RDMAP-ORD", Reason::not_negotiated), 0U);
  EXPECT_EQ(result.side(Side::b).max_outstanding, 9U);
}

TEST(ScenarioA, A9_IrdLeftOpenButAnsweredByAValue) {
  Conversation c = operating(depths(open_value, 8), depths(8, 12));
  c.close();
  expect_ids(c, {"MPA-IRDORD"});
}

TEST(ScenarioA, A9_NothingNegotiatedOnRevision1) {
  Conversation c = operating();
  reads(c, Side::a, 3);
  c.close();
  expect_ids(c, {});
  const Analysed result(c);
  EXPECT_EQ(result.state().mpa.limits_source, LimitsSource::none);
  EXPECT_FALSE(result.state().mpa.ord[0].offered.has_value());
  EXPECT_GT(result.undecidable("RDMAP-ORD", Reason::not_negotiated), 0U);
  EXPECT_EQ(result.side(Side::a).max_outstanding, 3U);
}

// --- A10: more than the initiator can take -------------------------------------------------------------

TEST(ScenarioA, A10_ResponderOrdAboveInitiatorIrd) {
  Conversation c = operating(depths(16, 8), depths(8, 32));
  c.close();
  expect_ids(c, {"MPA-IRDORD"});
  EXPECT_EQ(Analysed(c).findings("MPA-IRDORD").at(0).side, Side::b);
}

// The initiator has not the IRD that the Reply wants.
Conversation refused_for_ird(unsigned code) {
  Conversation c = operating(depths(16, 8), depths(8, 32));
  c.fpdu(Side::a, terminate(code));
  c.close(Side::a);
  return c;
}

TEST(ScenarioA, A10_Terminate2006IsExplained) {
  const Conversation c = refused_for_ird(0x2006);
  expect_ids(c, {"MPA-IRDORD"});
  const Analysed result(c);
  expect_explained(result);
  EXPECT_EQ(result.messages(wire::Opcode::terminate).size(), 1U);
}

TEST(ScenarioA, A10_Terminate2306IsTheVendorsWord) {
  const Conversation c = refused_for_ird(0x2306);
  const Analysed result(c);
  EXPECT_EQ(result.ids(), (Ids{"MPA-IRDORD"})) << result.told();
  expect_severity(result, "RDMAP-TERMCODE", Severity::note);
  expect_explained(result);
}

TEST(ScenarioA, A10_EqualDepthsAreFine) {
  Conversation c = operating(depths(16, 8), depths(8, 16));
  reads(c, Side::a, 8);
  c.close();
  expect_ids(c, {});
  const Analysed result(c);
  EXPECT_EQ(result.state().mpa.limits_source, LimitsSource::mpa);
  expect_limits(result, 16U, 8U, 8U, 16U);
  EXPECT_EQ(result.undecidable("RDMAP-ORD"), 0U);
}

TEST(ScenarioA, A10_ResponderIrdBelowInitiatorOrdLowersIt) {
  Conversation c = operating(depths(16, 8), depths(4, 16));
  reads(c, Side::a, 4);
  c.close();
  expect_ids(c, {});
  const Analysed result(c);
  expect_severity(result, "MPA-IRDLOW", Severity::information);
  EXPECT_EQ(result.findings("MPA-IRDLOW").at(0).finding.arguments[0], 4U);
  EXPECT_EQ(result.findings("MPA-IRDLOW").at(0).finding.arguments[1], 8U);
  EXPECT_EQ(result.state().mpa.ord[0].offered, 8U);
  expect_limits(result, 16U, 4U, 4U, 16U);
}

TEST(ScenarioA, A10_ReadsBeyondTheLoweredOrd) {
  Conversation c = operating(depths(16, 8), depths(4, 16));
  reads(c, Side::a, 5);
  c.close();
  const Analysed result(c);
  EXPECT_EQ(result.ids(Severity::error), (Ids{"RDMAP-ORD"})) << result.told();
  EXPECT_EQ(result.findings("RDMAP-ORD").at(0).finding.arguments[1], 4U);
}

// --- A11: MS-SMBD --------------------------------------------------------------------------------------

Conversation smb_direct(const Bytes& request_words, const Bytes& reply_words, std::uint16_t port = 5445) {
  Conversation::Options options;
  options.b = endpoint("192.0.2.2", port);
  Conversation c(options);
  c.handshake();
  c.startup({.private_data = request_words}, {.private_data = reply_words});
  return c;
}

TEST(ScenarioA, A11_WordsOfSmbDirectOnPort5445) {
  Conversation c = smb_direct(hex("00000010 00000010"), hex("00000010 00000010"));
  reads(c, Side::a, 16);
  c.close();
  expect_ids(c, {});
  const Analysed result(c);
  EXPECT_EQ(result.state().mpa.limits_source, LimitsSource::smbd);
  EXPECT_EQ(result.state().mpa.ird[0].offered, 16U);
  EXPECT_EQ(result.state().mpa.ord[0].offered, 16U);
  expect_limits(result, 16U, 16U, 16U, 16U);
  EXPECT_EQ(result.undecidable("RDMAP-ORD"), 0U);
}

TEST(ScenarioA, A11_ReadsBeyondTheOrdOfSmbDirect) {
  Conversation c = smb_direct(hex("00000010 00000010"), hex("00000010 00000010"));
  reads(c, Side::a, 17);
  c.close();
  const Analysed result(c);
  EXPECT_EQ(result.ids(Severity::error), (Ids{"RDMAP-ORD"})) << result.told();
}

TEST(ScenarioA, A11_SmallerWordOfTheTwoCounts) {
  Conversation c = smb_direct(hex("00000010 00000020"), hex("00000004 00000008"));
  c.close();
  const Analysed result(c);
  EXPECT_EQ(result.state().mpa.limits_source, LimitsSource::smbd);
  expect_limits(result, 16U, 4U, 4U, 8U);
}

// Who says zero breaks the rule, in the frame in which it says so; RFC 6581 has no part in it.
TEST(ScenarioA, A11_ZeroWordIsTheFaultOfItsSender) {
  for (const char* words : {"00000000 00000010", "00000010 00000000"}) {
    Conversation asking = smb_direct(hex(words), hex("00000010 00000010"));
    asking.close();
    const Analysed asked(asking);
    ASSERT_EQ(asked.findings("MPA-IRDORD").size(), 1U) << asked.told();
    const Event finding = asked.findings("MPA-IRDORD").at(0);
    EXPECT_EQ(finding.side, Side::a);
    EXPECT_EQ(finding.frame, asked.state().mpa.frame_numbers[0]);
    EXPECT_STREQ(check_info(finding.finding.check).reference, "MS-SMBD");
    EXPECT_TRUE(describe(finding.finding).starts_with("the Request says IRD ")) << describe(finding.finding);
    Conversation answering = smb_direct(hex("00000010 00000010"), hex(words));
    answering.close();
    const Analysed answered(answering);
    ASSERT_EQ(answered.findings("MPA-IRDORD").size(), 1U) << answered.told();
    EXPECT_EQ(answered.findings("MPA-IRDORD").at(0).side, Side::b);
  }
}

TEST(ScenarioA, A11_SameWordsOnAnotherPortArePrivate) {
  Conversation c = smb_direct(hex("00000010 00000010"), hex("00000010 00000010"), 4420);
  c.close();
  expect_ids(c, {});
  const Analysed result(c);
  EXPECT_EQ(result.state().mpa.limits_source, LimitsSource::none);
  EXPECT_FALSE(result.state().mpa.ird[0].offered.has_value());
}

TEST(ScenarioA, A11_WordsAreAboveZero) {
  Conversation c = smb_direct(hex("00000000 00000010"), hex("00000010 00000010"));
  c.close();
  const Analysed result(c);
  EXPECT_TRUE(result.has("MPA-IRDORD")) << result.told();
}

}  // namespace
}  // namespace iwarp::test
