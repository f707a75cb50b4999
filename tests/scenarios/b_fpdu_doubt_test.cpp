// ULPDU_Lengths that are wrong behind a right header, and FPDUs that are open when their direction or the
// capture ends.
// SPDX-License-Identifier: GPL-2.0-or-later
#include "framing_log.hpp"

namespace iwarp::test {
namespace {

// A Send of 200 octets whose ULPDU_Length tells otherwise, `behind` Sends of their own segments behind it.
Conversation lying(unsigned length, std::uint32_t behind, const Startup& reply = {}) {
  Conversation c = operating({.crc = reply.crc}, reply);
  c.fpdu(Side::a, send(1, text("before")));
  c.fpdu(Side::a, send(2, pattern(200)), {.crc = reply.crc ? Crc::wrong : Crc::unused, .length = length});
  for (std::uint32_t msn = 3; msn < 3 + behind; ++msn) c.fpdu(Side::a, send(msn, pattern(100, msn)));
  return c;
}

// --- a length beyond the data --------------------------------------------------------------------------

TEST(ScenarioB, B3_LengthBeyondTheDataIsFoundOutAtTheEnd) {
  for (const unsigned length : {2000U, 30000U, 64768U, 65535U}) {
    for (const bool closed : {false, true}) {
      for (const bool markers : {false, true}) {
        SCOPED_TRACE(length);
        Conversation c = lying(length, 8, {.markers = markers});
        if (closed) c.close();
        const Analysed result(c);
        Ids expected = {"MPA-SYNC"};
        if (length > 64768) expected.insert(expected.begin(), "MPA-LEN");
        EXPECT_EQ(result.ids(), expected) << result.told();
        EXPECT_EQ(result.messages().size(), 9U);
        const std::vector<Event> fpdus = result.fpdus();
        ASSERT_EQ(fpdus.size(), 10U);
        EXPECT_TRUE(fpdus[1].fpdu.unfinished);
        EXPECT_EQ(fpdus[1].fpdu.ulpdu_length, length);
        EXPECT_EQ(fpdus[1].fpdu.ddp.msn, 2U);
        EXPECT_EQ(result.side(Side::a).queues[0].next_msn, 11U);
      }
    }
  }
}

TEST(ScenarioB, B3_LengthBeyondTheDataWithoutCrc) {
  for (const bool closed : {false, true}) {
    Conversation c = lying(30000, 8, {.crc = false});
    if (closed) c.close();
    const Analysed result(c);
    EXPECT_EQ(result.ids(), (Ids{"MPA-SYNC"})) << result.told();
    EXPECT_EQ(result.messages().size(), 9U);
  }
}

TEST(ScenarioB, B3_LengthBeyondEveryUlpduIsNotWaitedFor) {
  Conversation c = lying(65535, 4);
  EXPECT_EQ(state_so_far(c).side(Side::a).queues[0].next_msn, 7U);
}

TEST(ScenarioB, B3_FpdusInsideALyingLengthAreNotLost) {
  Conversation c = lying(30000, 400);
  c.close();
  const Analysed result(c);
  EXPECT_EQ(result.ids(), (Ids{"MPA-SYNC"})) << result.told();
  EXPECT_EQ(result.messages().size(), 401U);
}

// Found out by the FPDUs behind it, which are not to blame.
TEST(ScenarioB, B3_GarbageIsBlamedOnTheFrameThatHasIt) {
  Conversation c;
  c.handshake();
  c.startup({.crc = true}, {.crc = true});
  c.fpdu(Side::a, send(1, pattern(200)));
  const Packets wrong = c.send(Side::a, c.stream(Side::a).garbage(Bytes(80, Byte{0xa5})));
  for (std::uint32_t msn = 2; msn < 6; ++msn) c.fpdu(Side::a, send(msn, pattern(200)));
  c.close();
  const Analysed result(c);
  EXPECT_EQ(result.messages().size(), 5U);
  const std::vector<Event> found = result.findings("MPA-SYNC");
  ASSERT_EQ(found.size(), 1U) << result.told();
  const FrameNumber culprit = c.segments()[wrong.first].meta.frame;
  EXPECT_EQ(found[0].finding.evidence[0], culprit);
  EXPECT_EQ(found[0].finding.time_ns, c.segments()[wrong.first].meta.time_ns);
  EXPECT_GT(found[0].frame, culprit);
  ASSERT_EQ(found[0].finding.evidence_count, 2U);
  EXPECT_EQ(found[0].finding.evidence[1], found[0].frame) << "what proves it";
}

TEST(ScenarioB, B3_OneFpduInsideTheLastMayBeStored) {
  const Analysed result(lying(30000, 1));
  EXPECT_TRUE(result.ids().empty()) << result.told();
  EXPECT_EQ(result.undecidable("MPA-SYNC", Reason::capture_end), 1U);
}

TEST(ScenarioB, B3_ADirectionStuckInALyingLengthIsLost) {
  Conversation c = lying(65000, 0);
  EXPECT_EQ(state_so_far(c).side(Side::a).phase, Phase::fpdu) << "nothing speaks against it yet";
  c.fpdu(Side::a, send(3, pattern(100)));
  EXPECT_EQ(state_so_far(c).side(Side::a).phase, Phase::lost);
  EXPECT_EQ(state_so_far(c).side(Side::b).phase, Phase::startup);
}

// --- lengths that are right all the same ---------------------------------------------------------------

TEST(ScenarioB, B1_StoredFpdusAtSegmentStartsAreStillPayload) {
  // Segments inside this Send begin with FPDUs, and its ULPDU_Length is right.
  for (const bool crc : {false, true}) {
    FpduStream stored(Markers::off, 0, {.crc = crc ? Crc::right : Crc::unused});
    Bytes payload = pattern(1000 - 20);
    for (std::uint32_t msn = 1; msn <= 12; ++msn)
      payload = cat(payload, stored.add(send(msn, pattern(1000 - 24))));
    Conversation c = operating({.crc = crc}, {.crc = crc});
    c.fpdu(Side::a, send(1, text("before")));
    c.fpdu(Side::a, send(2, cat(payload, pattern(500))), Cuts::every(1000));
    EXPECT_EQ(state_so_far(c).side(Side::a).phase, Phase::fpdu);
    c.fpdu(Side::a, send(4, text("behind")));
    c.close();
    expect_ids(c, {"DDP-MSNGAP"});
    EXPECT_EQ(Analysed(c).messages().size(), 3U);
  }
}

TEST(ScenarioB, B3_LengthBeyondEveryUlpduThatIsRight) {
  Conversation c = operating();
  c.fpdu(Side::a, send(1, text("before")));
  c.fpdu(Side::a, send(2, pattern(65000)), Cuts::every(1448));
  c.fpdu(Side::a, send(3, text("behind")));
  c.close();
  expect_ids(c, {"MPA-LEN"});
  EXPECT_EQ(Analysed(c).messages().size(), 3U);
}

// --- the last FPDU -------------------------------------------------------------------------------------

TEST(ScenarioB, FpduThatTheCaptureEndsInIsShownButNoMessage) {
  Conversation c = operating();
  c.fpdu(Side::a, send(1, text("before")));
  const Bytes octets = c.frame(Side::a, send(2, pattern(1000)));
  c.send(Side::a, part(octets, 0, 500));
  const Analysed result(c);
  EXPECT_TRUE(result.ids(Severity::note).empty()) << result.told();
  ASSERT_EQ(result.fpdus().size(), 2U);
  EXPECT_TRUE(result.fpdus()[1].fpdu.unfinished);
  EXPECT_EQ(result.fpdus()[1].fpdu.crc, CrcStatus::undecidable);
  EXPECT_EQ(result.fpdus()[1].fpdu.ddp.msn, 2U);
  EXPECT_EQ(result.messages(false).size(), 1U);
  EXPECT_EQ(result.undecidable("MPA-CRC", Reason::capture_end), 1U);
  EXPECT_EQ(result.undecidable("MPA-SYNC"), 0U);
}

TEST(ScenarioB, FpduThatAFinEndsIsCut) {
  Conversation c = operating();
  c.fpdu(Side::a, send(1, text("before")));
  const Bytes octets = c.frame(Side::a, send(2, pattern(1000)));
  c.send(Side::a, part(octets, 0, 500));
  c.close();
  expect_ids(c, {"MPA-CUT"});
  EXPECT_EQ(Analysed(c).undecidable("MPA-CRC"), 0U);
}

TEST(ScenarioB, B3_ShortFpduAsTheOnlyOne) {
  for (const Bytes& ulpdu :
       {Bytes(), hex("c1"), part(write(0x1234ab01, 0x1000), 0, 13), part(send(1), 0, 17)}) {
    for (const bool markers : {false, true}) {
      Conversation c = operating({}, {.markers = markers});
      const Packets bad = c.fpdu(Side::a, ulpdu);
      c.close();
      expect_ids(c, {"MPA-LEN"});
      EXPECT_EQ(Analysed(c).findings("MPA-LEN").at(0).frame, c.segments()[bad.first].meta.frame);
    }
  }
}

TEST(ScenarioB, HeaderThatIsNoneInAnFpduThatTheCaptureEndsInIsUndecidable) {
  Conversation c = operating();
  c.fpdu(Side::a, send(1, text("before")));
  c.send(Side::a, part(c.frame(Side::a, send(2, pattern(1000), {.queue = 9, .ddp_reserved = 5})), 0, 500));
  const Analysed result(c);
  EXPECT_TRUE(result.ids().empty()) << result.told();
  EXPECT_EQ(result.undecidable("MPA-SYNC", Reason::capture_end), 1U);
}

TEST(ScenarioB, C20_HeaderThatIsNoneInTheLastFpduCutBySnaplenIsUndecidable) {
  for (const bool crc : {false, true}) {
    Conversation c = operating({.crc = crc}, {.crc = crc});
    c.snaplen(96);
    c.fpdu(Side::a, send(1, pattern(200)));
    c.fpdu(Side::a, send(2, pattern(200), {.queue = 9, .ddp_reserved = 5}));
    c.close();
    const Analysed result(c);
    EXPECT_FALSE(result.has("MPA-SYNC")) << result.told();
    EXPECT_EQ(result.undecidable("MPA-SYNC", Reason::snaplen), 1U);
    EXPECT_EQ(result.fpdus().size(), 2U);
  }
}

// One wrong field is the sender's fault, wherever TCP or the capture cuts the FPDU: framing goes by
// ULPDU_Length.
TEST(ScenarioB, HeaderWithOneWrongFieldIsToldHoweverItIsCut) {
  struct Wrong {
    const char* id;
    Ddp fields;
  };
  const Wrong rows[] = {{"DDP-QN", {.queue = 9}},
                        {"DDP-RSVD", {.ddp_reserved = 5}},
                        {"DDP-DV", {.ddp_version = 0}},
                        {"RDMAP-RV", {.rdmap_version = 0}},
                        {"RDMAP-RSV", {.rdmap_reserved = 3}},
                        {"RDMAP-OP", {.opcode = 12}}};
  for (const Wrong& row : rows) {
    for (const bool crc : {false, true}) {
      for (const bool markers : {false, true}) {
        for (const std::size_t cut : {0U, 1U, 5U, 20U, 500U, 1400U}) {
          Conversation c = operating({.markers = markers, .crc = crc}, {.markers = markers, .crc = crc});
          c.fpdu(Side::a, send(1, text("before")));
          Packets last;
          for (std::uint32_t msn = 2; msn <= 12; ++msn) {
            const Bytes octets = c.frame(Side::a, send(msn, pattern(1300), row.fields));
            const std::size_t first = std::min(cut, octets.size() - 1);
            if (first != 0) c.send(Side::a, part(octets, 0, first));
            last = c.send(Side::a, part(octets, first, octets.size()));
          }
          const Analysed result(c);
          EXPECT_EQ(result.findings(row.id).size(), 11U) << row.id << cut << result.told();
          EXPECT_EQ(result.findings(row.id).back().frame, last.first + 1);
          EXPECT_FALSE(result.has("MPA-SYNC")) << row.id << cut;
          EXPECT_EQ(result.fpdus().size(), 12U);
        }
      }
    }
  }
}

TEST(ScenarioB, C20_OctetsBehindTheLastFpduCutBySnaplenAreUndecidable) {
  Conversation c = operating();
  c.snaplen(96);
  c.fpdu(Side::a, send(1, pattern(200)));
  c.send(Side::a, pattern(300, 42));
  c.close();
  const Analysed result(c);
  EXPECT_FALSE(result.has("MPA-SYNC")) << result.told();
  EXPECT_GE(result.undecidable("MPA-SYNC", Reason::snaplen), 1U);
}

}  // namespace
}  // namespace iwarp::test
