// Scenarios A4, A5, A17, A18, A19: what start-up frames hold, and who sends them.
// SPDX-License-Identifier: GPL-2.0-or-later
#include "framing_log.hpp"

namespace iwarp::test {
namespace {

Bytes private_data(const Analysed& result, const Event& startup) {
  const ByteView view = result.analysis().private_data(startup.connection, startup.startup);
  return Bytes(view.begin(), view.end());
}

// --- A4: PD_Length -------------------------------------------------------------------------------------

TEST(ScenarioA, A4_PrivateDataOf512OctetsOverThreeSegments) {
  const Bytes data = pattern(512, 7);
  Conversation c;
  c.handshake();
  const Packets request = c.send(Side::a, request_frame({.private_data = data}), {18, 300});
  c.send(Side::b, reply_frame());
  c.full_operation();
  c.fpdu(Side::a, send(1, text("hello")));
  c.fpdu(Side::b, send(1, text("hello")));
  c.close();
  expect_ids(c, {});
  const Analysed result(c);
  ASSERT_EQ(result.of(EventKind::startup).size(), 2U);
  const Event startup = result.of(EventKind::startup)[0];
  ASSERT_EQ(request.count, 3U);
  EXPECT_EQ(startup.startup.kind, wire::StartupKind::request);
  EXPECT_EQ(startup.startup.private_data_length, 512U);
  EXPECT_EQ(startup.startup.private_data_received, 512U);
  EXPECT_EQ(startup.startup.first_frame, 4U);
  EXPECT_EQ(startup.frame, 6U);  // the third segment completes it
  EXPECT_EQ(private_data(result, startup), data);
  EXPECT_EQ(result.messages().size(), 2U);
}

TEST(ScenarioA, A4_ReplyWithPrivateDataOctetByOctet) {
  const Bytes data = pattern(512, 9);
  Conversation c;
  c.handshake();
  c.send(Side::a, request_frame());
  c.send(Side::b, reply_frame({.private_data = data}), Cuts::every(1));
  c.full_operation();
  c.fpdu(Side::a, send(1));
  c.close();
  expect_ids(c, {});
  const Analysed result(c);
  const std::vector<Event> startups = result.of(EventKind::startup);
  ASSERT_EQ(startups.size(), 2U);
  EXPECT_EQ(private_data(result, startups[1]), data);
  EXPECT_EQ(startups[1].frame, 4U + 532U);
}

TEST(ScenarioA, A4_PrivateDataOf513OctetsInTheRequest) {
  Conversation c;
  c.handshake();
  c.startup({.private_data = pattern(513)});
  c.fpdu(Side::a, send(1, text("hello")));
  c.close();
  expect_ids(c, {"MPA-PDLEN"});
  const Analysed result(c);
  const Event finding = result.findings("MPA-PDLEN").at(0);
  EXPECT_EQ(finding.side, Side::a);
  EXPECT_EQ(finding.frame, 4U);
  EXPECT_EQ(finding.finding.severity, Severity::error);
  EXPECT_EQ(finding.finding.arguments[0], 513U);
  EXPECT_EQ(result.messages().size(), 1U);
}

TEST(ScenarioA, A4_PrivateDataOf513OctetsInTheReply) {
  Conversation c;
  c.handshake();
  c.startup({}, {.private_data = pattern(513)});
  c.fpdu(Side::a, send(1, text("hello")));
  c.close();
  expect_ids(c, {"MPA-PDLEN"});
  EXPECT_EQ(Analysed(c).findings("MPA-PDLEN").at(0).side, Side::b);
}

TEST(ScenarioA, A4_ReplyBeforeTheLastOctetOfPrivateData) {
  const Bytes request = request_frame({.private_data = pattern(100)});
  Conversation c;
  c.handshake();
  c.send(Side::a, part(request, 0, 80));
  c.send(Side::b, reply_frame());
  c.close();
  expect_ids(c, {"MPA-PDLEN"});
  const Analysed result(c);
  const Event finding = result.findings("MPA-PDLEN").at(0);
  EXPECT_EQ(finding.side, Side::a);
  EXPECT_EQ(finding.finding.arguments[0], 100U);
  EXPECT_EQ(finding.finding.arguments[1], 60U);
  EXPECT_EQ(result.of(EventKind::startup).at(0).startup.private_data_received, 60U);
}

TEST(ScenarioA, A4_RestOfPrivateDataBehindTheReplyIsNoFpdu) {
  const Bytes request = request_frame({.private_data = pattern(100)});
  Conversation c;
  c.handshake();
  c.send(Side::a, part(request, 0, 80));
  c.send(Side::b, reply_frame());
  c.send(Side::a, part(request, 80));
  c.full_operation();
  c.fpdu(Side::a, send(1, text("hello")));
  c.fpdu(Side::b, send(1, text("hello")));
  c.close();
  expect_ids(c, {"MPA-PDLEN"});
  const Analysed result(c);
  ASSERT_EQ(result.messages().size(), 2U);
  EXPECT_EQ(fpdu_events(result, Side::a).at(0).offset, 120U);
  EXPECT_EQ(fpdu_events(result, Side::a).at(0).fpdu.stream_offset, 0U);
}

TEST(ScenarioA, A4_PrivateDataThatNeverComesThenFpdus) {
  Conversation c;
  c.handshake();
  c.send(Side::a, request_frame({.private_data = pattern(60), .length = 100}));
  c.send(Side::b, reply_frame());
  c.full_operation();
  c.fpdu(Side::a, send(1, text("hello")));
  c.fpdu(Side::b, send(1, text("hello")));
  c.fpdu(Side::a, send(2, pattern(200)));
  c.close();
  expect_ids(c, {"MPA-PDLEN"});
  const Analysed result(c);
  ASSERT_EQ(result.messages().size(), 3U);
  EXPECT_EQ(fpdu_events(result, Side::a).at(0).offset, 80U);
}

TEST(ScenarioA, A4_EnhancedFrameTooShortForItsWord) {
  Conversation c;
  c.handshake();
  c.startup({.enhanced = true, .revision = 2, .private_data = text("abc")},
            {.enhanced = true, .revision = 2, .word = Depths{.ird = 1, .ord = 1}});
  c.fpdu(Side::a, send(1, text("hello")));
  c.close();
  const Analysed result(c);
  EXPECT_EQ(result.ids(), (Ids{"MPA-PDLEN"})) << result.told();
  EXPECT_EQ(result.findings("MPA-PDLEN").at(0).side, Side::a);
}

// --- A5: revisions that do not fit ---------------------------------------------------------------------

TEST(ScenarioA, A5_EnhancedRequestAnsweredByRevision1) {
  Conversation c;
  c.handshake();
  c.startup({.word = Depths{.ird = 16, .ord = 8}}, {});
  c.close(Side::a);
  expect_ids(c, {"MPA-SREV"});
  const Analysed result(c);
  const Event finding = result.findings("MPA-SREV").at(0);
  EXPECT_EQ(finding.side, Side::b);
  EXPECT_EQ(finding.frame, 5U);
  EXPECT_EQ(finding.finding.severity, Severity::error);
  EXPECT_EQ(result.state().mpa.limits_source, LimitsSource::none);
}

TEST(ScenarioA, A5_FreshConnectionWithRevision1IsClean) {
  Conversation c;
  c.handshake();
  c.startup({.word = Depths{.ird = 16, .ord = 8}}, {});
  c.close(Side::a);
  c.handshake({.isn_a = 77000, .isn_b = 5});
  c.startup();
  c.fpdu(Side::a, send(1, text("hello")));
  c.fpdu(Side::b, send(1, text("hello")));
  c.close();
  expect_ids(c, {"MPA-SREV"});
  const Analysed result(c);
  ASSERT_EQ(result.analysis().connection_count(), 2U);
  EXPECT_EQ(result.findings("MPA-SREV").at(0).connection, 0U);
  EXPECT_EQ(result.state(1).mpa.frames[0]->revision, 1U);
  EXPECT_FALSE(result.state(1).mpa.frames[0]->enhanced);
  for (const Event& event : result.messages()) EXPECT_EQ(event.connection, 1U);
  EXPECT_EQ(result.messages().size(), 2U);
  EXPECT_EQ(result.side(Side::a, 1).queues[0].next_msn, 2U);
}

TEST(ScenarioA, A5_EnhancedBitAtRevision1) {
  Conversation c;
  c.handshake();
  c.startup({.enhanced = true, .revision = 1, .word = Depths{.ird = 4, .ord = 4}}, {});
  c.close();
  const Analysed result(c);
  EXPECT_TRUE(result.has("MPA-SREV")) << result.told();
  EXPECT_EQ(result.findings("MPA-SREV").at(0).side, Side::a);
}

TEST(ScenarioA, A5_PlainRequestAnsweredEnhanced) {
  Conversation c;
  c.handshake();
  c.startup({.revision = 2}, {.word = Depths{.ird = 4, .ord = 4}});
  c.close();
  expect_ids(c, {"MPA-SREV"});
  EXPECT_EQ(Analysed(c).findings("MPA-SREV").at(0).side, Side::b);
}

// --- A17: roles come from the frames -------------------------------------------------------------------

TEST(ScenarioA, A17_TcpListenerIsTheMpaInitiator) {
  Conversation c;
  c.handshake();
  c.startup({.markers = true, .word = Depths{.ird = 3, .ord = 4}}, {.word = Depths{.ird = 4, .ord = 3}},
            Side::b);
  c.fpdu(Side::b, send(1, pattern(700)));
  c.fpdu(Side::a, send(1, pattern(700)));
  c.close();
  expect_ids(c, {});
  const Analysed result(c);
  EXPECT_EQ(result.state().initiator, Side::b);
  EXPECT_EQ(result.state().role_basis, RoleBasis::mpa);
  EXPECT_EQ(result.side(Side::a).markers, Mode::on);
  EXPECT_EQ(result.side(Side::b).markers, Mode::off);
  EXPECT_EQ(result.state().mpa.ird[0].effective, 3U);
  EXPECT_EQ(result.state().mpa.ord[0].effective, 4U);
  EXPECT_EQ(result.state().mpa.ird[1].effective, 4U);
  EXPECT_EQ(result.state().mpa.ord[1].effective, 3U);
  EXPECT_EQ(result.messages().size(), 2U);
}

TEST(ScenarioA, A17_ListenerThatOpenedTheConnectionAsSecondToBeSeen) {
  Conversation c;
  c.handshake({.opener = Side::b});
  c.startup();  // a, which accepted the connection, sends the Request
  c.fpdu(Side::a, send(1));
  c.close();
  expect_ids(c, {});
  const Analysed result(c);
  // The analyzer calls the SYN's sender a: that is our b.
  EXPECT_EQ(result.state().initiator, Side::b);
  EXPECT_EQ(result.messages().at(0).side, Side::b);
}

// --- A18: upgraded RDMAC NICs (RFC 5044 appendix C) ----------------------------------------------------

const Ddp rdmac{.ddp_version = 0, .rdmap_version = 0};

Conversation rdmac_conversation() {
  return operating({.markers = true, .revision = 0}, {.markers = true, .revision = 0});
}

TEST(ScenarioA, A18_RevisionZeroWithVersionZeroThroughout) {
  Conversation c = rdmac_conversation();
  c.fpdu(Side::a, send(1, pattern(900), rdmac));
  c.fpdu(Side::b, write(0x1234ab01, 0x1000, pattern(900), rdmac));
  c.fpdu(Side::b, send(1, text("done"), rdmac));
  c.fpdu(Side::a, send(2, {}, rdmac));
  c.close();
  for (const AnalyzerOptions& options : {AnalyzerOptions(), strict()}) {
    const Analysed result(c, options);
    EXPECT_EQ(result.ids(Severity::error), (Ids{})) << result.told();
    EXPECT_FALSE(result.has("DDP-DV"));
    EXPECT_FALSE(result.has("RDMAP-RV"));
    EXPECT_EQ(result.messages().size(), 4U);
    for (const Event& event : result.fpdus()) EXPECT_EQ(event.fpdu.crc, CrcStatus::good);
  }
  EXPECT_EQ(Analysed(c).ids(), (Ids{})) << "revision 0 is at most a note";
}

TEST(ScenarioA, A18_OneSegmentWithDdpVersionOne) {
  Conversation c = rdmac_conversation();
  c.fpdu(Side::a, send(1, pattern(900), rdmac));
  const Packets odd = c.fpdu(Side::a, send(2, text("odd"), {.ddp_version = 1, .rdmap_version = 0}));
  c.fpdu(Side::b, send(1, text("done"), rdmac));
  c.fpdu(Side::a, send(3, {}, rdmac));
  c.close();
  const Analysed result(c);
  EXPECT_EQ(result.ids(), (Ids{"DDP-DV"})) << result.told();
  EXPECT_EQ(result.findings("DDP-DV").at(0).frame, c.segments()[odd.first].meta.frame);
  EXPECT_EQ(result.findings("DDP-DV").at(0).finding.severity, Severity::error);
}

TEST(ScenarioA, A18_VersionOneOnARevisionZeroStream) {
  Conversation c = rdmac_conversation();
  c.fpdu(Side::a, send(1, text("both ones")));
  c.fpdu(Side::b, send(1, text("done"), rdmac));
  c.close();
  const Analysed result(c);
  EXPECT_TRUE(result.has("DDP-DV")) << result.told();
  EXPECT_TRUE(result.has("RDMAP-RV")) << result.told();
}

TEST(ScenarioA, A18_VersionZeroOnARevisionOneStream) {
  Conversation c = operating();
  c.fpdu(Side::a, send(1, text("one")));
  c.fpdu(Side::a, send(2, text("zero"), rdmac));
  c.fpdu(Side::b, send(1, text("done")));
  c.close();
  const Analysed result(c);
  EXPECT_EQ(result.ids(Severity::error), (Ids{"DDP-DV", "RDMAP-RV"})) << result.told();
}

// --- A19: siw's private flag and its long FPDUs --------------------------------------------------------

TEST(ScenarioA, A19_ReservedFlagOfSiw) {
  Conversation c = operating({.reserved = 8}, {.reserved = 8});
  c.fpdu(Side::a, send(1, text("hello")));
  c.close();
  expect_ids(c, {"MPA-RES", "MPA-RES"});
  expect_severity(Analysed(c), "MPA-RES", Severity::note);
  expect_severity(Analysed(c, strict()), "MPA-RES", Severity::warning);
  EXPECT_EQ(Analysed(c).findings("MPA-RES").at(0).side, Side::a);
  EXPECT_EQ(Analysed(c).findings("MPA-RES").at(1).side, Side::b);
}

TEST(ScenarioA, A19_FpdusOf60KilobytesOnASmallSegmentSize) {
  Conversation c = operating({.reserved = 8}, {.reserved = 8}, {.mss_a = 1448, .mss_b = 1448});
  for (unsigned i = 0; i < 3; ++i) {
    c.fpdu(Side::a, write(0x1234ab01, 0x10000 + 60000ULL * i, pattern(60000), {.last = i == 2}),
           Cuts::every(1448));
  }
  c.close();
  const Analysed result(c);
  EXPECT_EQ(result.ids(Severity::note), (Ids{"MPA-RES", "MPA-RES"})) << result.told();
  expect_severity(result, "MPA-MULPDU", Severity::information);
  const Analysed severe(c, strict());
  expect_severity(severe, "MPA-MULPDU", Severity::note);
  EXPECT_EQ(severe.ids(), (Ids{"MPA-RES", "MPA-RES"})) << severe.told();
  for (const Event& event : severe.findings("MPA-MULPDU")) EXPECT_EQ(event.side, Side::a);
  EXPECT_EQ(severe.findings("MPA-MULPDU").at(0).finding.arguments[0], 60020U);
  EXPECT_EQ(severe.findings("MPA-MULPDU").at(0).finding.arguments[1], 1448U);
  EXPECT_EQ(result.messages(wire::Opcode::rdma_write).size(), 1U);
}

TEST(ScenarioA, A19_FpduThatJustFitsTheSegmentSize) {
  Conversation c = operating({}, {}, {.mss_a = 1460, .mss_b = 1448});
  c.fpdu(Side::a, write(1, 0, pattern(1448 - 20)));  // 2 + 14 + 1428 + 4 = 1448: what b takes
  c.fpdu(Side::b, write(1, 0, pattern(1460 - 20)));
  c.close();
  expect_ids(c, {});
  EXPECT_FALSE(Analysed(c, strict()).has("MPA-MULPDU"));
  Conversation d = operating({}, {}, {.mss_a = 1460, .mss_b = 1448});
  d.fpdu(Side::a, write(1, 0, pattern(1448 - 16)));
  d.close();
  EXPECT_TRUE(Analysed(d).has("MPA-MULPDU"));
}

// MULPDU is 128 at least, however small segments are (RFC 5044 §4.5).
TEST(ScenarioA, A19_FpdusOf128OctetsOnSegmentsThatAreSmaller) {
  for (const std::size_t ulpdu : {128U, 129U}) {
    Conversation c = operating({}, {}, {.mss_a = 100, .mss_b = 100});
    c.fpdu(Side::a, write(1, 0, pattern(ulpdu - 14)), Cuts::every(100));
    c.close();
    EXPECT_EQ(Analysed(c, strict()).has("MPA-MULPDU"), ulpdu > 128) << ulpdu;
  }
}

}  // namespace
}  // namespace iwarp::test
