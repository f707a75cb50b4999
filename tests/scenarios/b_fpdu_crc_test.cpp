// Scenarios B12 to B14: wrong CRCs, what they cost, and octets that the CRC covers but nobody needs.
// SPDX-License-Identifier: GPL-2.0-or-later
#include "framing_log.hpp"

namespace iwarp::test {
namespace {

const Read sixteen{
    .sink_stag = 0xa1b2, .sink_to = 0x1000, .size = 16, .source_stag = 0xc3d4, .source_to = 0x2000};

// --- B12: a wrong CRC ----------------------------------------------------------------------------------

Conversation refused(unsigned code) {
  Conversation c = operating();
  c.fpdu(Side::a, send(1, text("good")));
  c.fpdu(Side::a, send(2, text("bad")), {.crc = Crc::wrong});
  c.fpdu(Side::b, terminate(code));
  c.close(Side::b);
  return c;
}

TEST(ScenarioB, B12_WrongCrcThenTerminate2002) {
  const Conversation c = refused(0x2002);
  expect_ids(c, {"MPA-CRC"});
  const Analysed result(c);
  EXPECT_EQ(result.findings("MPA-CRC").at(0).finding.severity, Severity::error);
  expect_explained(result);
  EXPECT_EQ(result.messages(wire::Opcode::terminate).size(), 1U);
  EXPECT_FALSE(result.has("CAP-CRCACKED"));
}

TEST(ScenarioB, B12_TheMessageIsShownButNotApplied) {
  const Analysed result(refused(0x2002));
  const std::vector<Event> fpdus = fpdu_events(result, Side::a);
  ASSERT_EQ(fpdus.size(), 2U);
  EXPECT_EQ(fpdus[1].fpdu.crc, CrcStatus::bad);
  EXPECT_EQ(fpdus[1].fpdu.ddp.msn, 2U);
  EXPECT_EQ(result.messages(wire::Opcode::send).size(), 1U);
  EXPECT_EQ(result.operations(OperationKind::send).size(), 1U);
  EXPECT_EQ(result.side(Side::a).messages[static_cast<unsigned>(wire::Opcode::send)], 1U);
  EXPECT_EQ(result.side(Side::a).rq_consumed, 1U);
  EXPECT_EQ(result.side(Side::a).payload_octets, 4U);
  EXPECT_EQ(result.side(Side::a).crc_counts.bad, 1U);
}

TEST(ScenarioB, B12_VendorsAndVerbsTerminateCodesForTheCrc) {
  for (const unsigned code : {0x2302U, 0x0202U}) {
    const Conversation c = refused(code);
    const Analysed result(c);
    EXPECT_EQ(result.ids(), (Ids{"MPA-CRC"})) << result.told();
    expect_severity(result, "RDMAP-TERMCODE", Severity::note);
    expect_explained(result);
  }
}

TEST(ScenarioB, B12_RequestWithAWrongCrcIsNotOutstanding) {
  Conversation c = operating();
  c.fpdu(Side::a, read_request(1, sixteen), {.crc = Crc::wrong});
  const Analysed result(c);
  EXPECT_EQ(result.ids(Severity::note), (Ids{"MPA-CRC"})) << result.told();
  EXPECT_EQ(state_so_far(c).side(Side::a).outstanding(), 0U);
  EXPECT_EQ(result.side(Side::a).max_outstanding, 0U);
}

TEST(ScenarioB, B12_AcknowledgedAndLivedWith) {
  Conversation c = operating();
  c.fpdu(Side::a, send(1, text("good")));
  c.fpdu(Side::a, send(2, text("bad")), {.crc = Crc::wrong});
  c.fpdu(Side::b, send(1, text("got it")));
  for (std::uint32_t i = 2; i < 30; ++i) {
    c.fpdu(Side::a, send(i + 1, text("more")));
    c.fpdu(Side::b, send(i, text("got it")));
  }
  c.wait(2'000'000'000);
  c.close();
  expect_ids(c, {"MPA-CRC", "CAP-CRCACKED"});
  const Analysed result(c);
  expect_severity(result, "CAP-CRCACKED", Severity::note);
  EXPECT_EQ(result.findings("CAP-CRCACKED").at(0).finding.arguments[0], 7U) << "the frame of the bad FPDU";
  EXPECT_EQ(fpdu_events(result, Side::a).size(), 30U);
}

TEST(ScenarioB, B12_NextMessageNumberBehindABadFpduIsABaseline) {
  Conversation c = operating();
  c.fpdu(Side::a, send(1, text("good")));
  c.fpdu(Side::a, send(2, text("bad")), {.crc = Crc::wrong});
  c.fpdu(Side::a, send(3, text("good")));
  const Analysed result(c);
  EXPECT_FALSE(result.has("DDP-MSNGAP")) << result.told();
  EXPECT_EQ(result.side(Side::a).queues[0].next_msn, 4U);
  EXPECT_EQ(result.messages().size(), 2U);
}

TEST(ScenarioB, B12_WrongCrcInAMarkedFpdu) {
  Conversation c = operating({}, {.markers = true});
  c.fpdu(Side::a, send(1, pattern(700)));
  c.fpdu(Side::a, send(2, pattern(700)), {.crc = Crc::wrong});
  c.fpdu(Side::a, send(3, pattern(700)));
  const Analysed result(c);
  EXPECT_EQ(result.ids(), (Ids{"MPA-CRC"})) << result.told();
  EXPECT_EQ(result.fpdus().size(), 3U);
  EXPECT_TRUE(result.of(EventKind::sync_lost).empty()) << "framing goes by ULPDU_Length";
}

TEST(ScenarioB, B12_AnyOctetOfTheFpduMayBeTheWrongOne) {
  const Bytes good = fpdu(send(2, text("hello")));
  for (std::size_t at = 2; at < good.size(); ++at) {  // a wrong ULPDU_Length loses framing: B3
    Conversation c = operating();
    c.fpdu(Side::a, send(1, text("before")));
    Bytes bad = good;
    bad[at] ^= 0x04;
    c.send(Side::a, bad);
    for (std::uint32_t msn = 3; msn < 7; ++msn) c.fpdu(Side::a, send(msn, text("behind")));
    const Analysed result(c);
    SCOPED_TRACE(at);
    EXPECT_EQ(result.ids(Severity::error), (Ids{"MPA-CRC"})) << result.told();
    EXPECT_EQ(result.messages().size(), 5U);
    EXPECT_EQ(result.side(Side::a).crc_counts.bad, 1U);
  }
}

// Two copies of the same octets, one of them damaged.
struct Copies {
  Bytes good;
  Bytes bad;
};

Copies copies_of_next(Conversation& c, const Bytes& ulpdu) {
  Copies copies{c.frame(Side::a, ulpdu), {}};
  copies.bad = copies.good;
  copies.bad[24] ^= 0xff;
  return copies;
}

TEST(ScenarioB, B12_WrongCopyThenTheRetransmittedGoodOne) {
  Conversation c = operating();
  c.fpdu(Side::a, send(1, text("before")));
  const Copies copies = copies_of_next(c, send(2, text("twice")));
  c.inject(Side::a, c.sent(Side::a), copies.bad);
  c.ack(Side::b);  // it never reached the receiver's MPA
  c.send(Side::a, copies.good);
  for (std::uint32_t msn = 3; msn < 6; ++msn) c.fpdu(Side::a, send(msn, text("behind")));
  c.ack(Side::b);
  c.close();
  const Analysed result(c);
  EXPECT_TRUE(result.has("CAP-OVERLAP-CONFLICT")) << result.told();
  EXPECT_FALSE(result.has("CAP-CRCACKED")) << result.told();
  for (const std::string& id : result.ids(Severity::note)) {
    EXPECT_TRUE(id == "CAP-OVERLAP-CONFLICT" || id == "MPA-CRC") << id;
  }
  const std::vector<Event> sends = result.messages(wire::Opcode::send);
  ASSERT_EQ(sends.size(), 5U);
  EXPECT_EQ(result.side(Side::a).queues[0].next_msn, 6U);
  EXPECT_EQ(result.side(Side::a).payload_octets, 6U + 5U + 18U);
  EXPECT_EQ(result.side(Side::a).fpdus, 5U);
  EXPECT_EQ(result.side(Side::a).crc_counts.good, 5U);
  EXPECT_EQ(result.side(Side::a).crc_counts.bad, 1U) << "the copy that MPA-CRC names";
  EXPECT_EQ(result.findings("MPA-CRC").size(), 1U);
}

TEST(ScenarioB, B12_GoodCopyThenAWrongOne) {
  Conversation c = operating();
  c.fpdu(Side::a, send(1, text("before")));
  const Copies copies = copies_of_next(c, send(2, text("twice")));
  const StreamOffset at = c.sent(Side::a);
  c.send(Side::a, copies.good);
  c.inject(Side::a, at, copies.bad);
  c.fpdu(Side::a, send(3, text("behind")));
  c.close();
  expect_ids(c, {"CAP-OVERLAP-CONFLICT"});
  EXPECT_EQ(Analysed(c).messages().size(), 3U);
}

TEST(ScenarioB, B12_BothCopiesWaitBehindAHole) {
  Conversation c = operating();
  const Packets first = c.fpdu(Side::a, send(1, text("before")));
  const Copies copies = copies_of_next(c, send(2, text("twice")));
  c.inject(Side::a, c.sent(Side::a), copies.bad);
  const Packets good = c.send(Side::a, copies.good);
  c.move_behind(first, good);
  c.fpdu(Side::a, send(3, text("behind")));
  c.close();
  expect_ids(c, {"CAP-OVERLAP-CONFLICT"});
  const Analysed result(c);
  EXPECT_EQ(result.messages().size(), 3U);
  EXPECT_EQ(result.side(Side::a).crc_counts.bad, 0U);
}

// --- B13: octets the wrong way round -------------------------------------------------------------------

TEST(ScenarioB, B13_AllCrcsInBigEndianOrder) {
  Conversation c = operating();
  for (std::uint32_t msn = 1; msn <= 20; ++msn) {
    c.fpdu(Side::a, send(msn, pattern(50, msn)), {.crc = Crc::big_endian});
    c.fpdu(Side::b, send(msn, pattern(50, msn)));
  }
  c.close();
  expect_ids(c, {"MPA-CRCORDER"});
  const Analysed result(c);
  EXPECT_EQ(result.findings("MPA-CRCORDER").at(0).side, Side::a);
  EXPECT_EQ(result.findings("MPA-CRCORDER").at(0).finding.severity, Severity::error);
  EXPECT_EQ(result.fpdus().size(), 40U);
  EXPECT_EQ(result.messages().size(), 40U) << "the octets are right, only their check is written wrongly";
  EXPECT_EQ(result.side(Side::a).queues[0].next_msn, 21U);
  EXPECT_TRUE(result.of(EventKind::sync_lost).empty());
}

TEST(ScenarioB, B13_BothDirectionsGetTheirOwn) {
  Conversation c = operating();
  for (std::uint32_t msn = 1; msn <= 5; ++msn) {
    c.fpdu(Side::a, send(msn, pattern(50, msn)), {.crc = Crc::big_endian});
    c.fpdu(Side::b, send(msn, pattern(50, msn)), {.crc = Crc::big_endian});
  }
  c.close();
  expect_ids(c, {"MPA-CRCORDER", "MPA-CRCORDER"});
  const std::vector<Event> findings = Analysed(c).findings("MPA-CRCORDER");
  EXPECT_NE(findings.at(0).side, findings.at(1).side);
}

TEST(ScenarioB, B13_MarkedDirection) {
  Conversation c = operating({}, {.markers = true});
  for (std::uint32_t msn = 1; msn <= 5; ++msn) {
    c.fpdu(Side::a, send(msn, pattern(500, msn)), {.crc = Crc::big_endian});
  }
  c.close();
  expect_ids(c, {"MPA-CRCORDER"});
  EXPECT_EQ(Analysed(c).messages().size(), 5U);
}

TEST(ScenarioB, B13_OneTurnedCrcAmongRightOnesIsWrong) {
  Conversation c = operating();
  c.fpdu(Side::a, send(1, text("right")));
  c.fpdu(Side::a, send(2, text("turned")), {.crc = Crc::big_endian});
  const Analysed result(c);
  EXPECT_EQ(result.ids(Severity::note), (Ids{"MPA-CRC"})) << result.told();
}

// --- B14: PAD ------------------------------------------------------------------------------------------

TEST(ScenarioB, B14_PadThatIsNotZero) {
  constexpr std::uint32_t expected[] = {0, 0xee, 0xeeee, 0xeeeeee};
  for (std::uint32_t pad = 1; pad <= 3; ++pad) {
    for (const bool markers : {false, true}) {
      SCOPED_TRACE(pad);
      Conversation c = operating({}, {.markers = markers});
      c.fpdu(Side::a, send(1, pattern(100 - pad)), {.pad = 0xee});
      c.fpdu(Side::a, send(2, text("behind")));
      c.close();
      expect_ids(c, {"MPA-PAD"});
      const Analysed result(c);
      EXPECT_EQ(result.findings("MPA-PAD").at(0).finding.severity, Severity::warning);
      EXPECT_EQ(result.findings("MPA-PAD").at(0).finding.arguments[0], expected[pad]);
      EXPECT_EQ(result.fpdus().at(0).fpdu.pad, expected[pad]);
      EXPECT_EQ(result.fpdus().at(0).fpdu.crc, CrcStatus::good);
      EXPECT_EQ(result.messages().size(), 2U);
      EXPECT_EQ(result.messages().at(0).message.length, 100U - pad);
    }
  }
}

TEST(ScenarioB, B14_FpduWithoutPadHasNone) {
  Conversation c = operating();
  c.fpdu(Side::a, send(1, pattern(100)), {.pad = 0xee});
  c.close();
  expect_ids(c, {});
}

TEST(ScenarioB, B14_PadThatIsNotZeroWithoutCrc) {
  Conversation c = operating({.crc = false}, {.crc = false});
  c.fpdu(Side::a, send(1, pattern(99)), {.crc = Crc::unused, .pad = 0x01});
  c.close();
  expect_ids(c, {"MPA-PAD"});
}

// --- a later connection that began in a hole -----------------------------------------------------------

// FPDUs behind a hole, of which the snapshot cut the first ones: framing is found by their headers.
void fpdus_behind_a_hole(Conversation& c, std::uint32_t msn, Crc crc) {
  const std::uint32_t cut = msn + 4;
  for (; msn < cut; ++msn) c.cut(c.fpdu(Side::a, send(msn, pattern(100, msn)), {.crc = crc}), 60);
  for (const std::uint32_t end = msn + 4; msn < end; ++msn)
    c.fpdu(Side::a, send(msn, pattern(100, msn)), {.crc = crc});
}

// Same addresses and ports, numbers that lie near, its start-up not captured; it uses no CRC, so its field is
// 0.
TEST(ScenarioB, B12_AFieldOfZerosBehindAHoleMayBeAnotherConnections) {
  Conversation c = operating();
  c.fpdu(Side::a, send(1, text("good")));
  c.drop(c.send(Side::a, pattern(60'000), Cuts::every(1460)));
  fpdus_behind_a_hole(c, 1, Crc::unused);
  c.ack(Side::b);
  c.close();
  const Analysed result(c);
  EXPECT_FALSE(result.has("MPA-CRC")) << result.told();
  EXPECT_GT(result.undecidable("MPA-CRC", Reason::mode_unknown), 0U);
}

// … but not behind an FPDU that shows the CRC in use again, nor where a wrong field is another number.
TEST(ScenarioB, B12_AFieldOfZerosBehindAHoleAndARightCrcIsWrong) {
  for (const Crc crc : {Crc::unused, Crc::wrong}) {
    Conversation c = operating();
    c.fpdu(Side::a, send(1, text("good")));
    c.drop(c.fpdu(Side::a, send(2, text("lost"))));
    if (crc == Crc::unused) fpdus_behind_a_hole(c, 3, Crc::right);
    fpdus_behind_a_hole(c, crc == Crc::unused ? 11 : 3, crc);
    c.ack(Side::b);
    c.close();
    EXPECT_TRUE(Analysed(c).has("MPA-CRC")) << (crc == Crc::unused ? "zero" : "wrong");
  }
}

}  // namespace
}  // namespace iwarp::test
