// Conforming traffic of which frames, or parts of them, were not captured: what then cannot be known of its
// framing is undecidable, and no finding. Each of these once was one.
// SPDX-License-Identifier: GPL-2.0-or-later
#include "framing_log.hpp"

namespace iwarp::test {
namespace {

constexpr Side a = Side::a;
constexpr Side b = Side::b;
const Startup no_crc{.crc = false};
const Startup marked{.markers = true};  // asks the peer for markers
const Startup marked_no_crc{.markers = true, .crc = false};

// In Full Operation, and nothing of it was captured yet.
Conversation joined(const Startup& request = {}, const Startup& reply = {}) {
  Conversation c;
  c.unseen([&] {
    c.handshake();
    c.startup(request, reply);
    c.fpdu(a, send(1));
    c.ack(b);
  });
  return c;
}

// --- the order of a gap among FPDUs ---------------------------------------------------------------------

TEST(FramingRegression, C11_AHoleBeforeFramingIsFoundSuspendsTheMsns) {
  for (const bool lost : {true, false}) {
    SCOPED_TRACE(lost);
    Conversation c = joined(no_crc, no_crc);
    for (std::uint32_t msn = 2; msn <= 8; ++msn) {
      if (msn == 6 && !lost) continue;
      const Packets packets = c.fpdu(a, send(msn, pattern(56, msn)));
      if (msn == 6) c.drop(packets);
      c.ack(b);
    }
    c.close();
    const Analysed result(c);
    EXPECT_EQ(result.ids(Severity::note), lost ? Ids{"CAP-GAP"} : Ids{"DDP-MSNGAP"}) << result.told();
    EXPECT_EQ(fpdu_events(result, a).size(), 6U);
    EXPECT_EQ(result.side(a).gaps, lost ? 1U : 0U);
    EXPECT_EQ(result.side(a).gap_octets, lost ? 80U : 0U);
  }
}

TEST(FramingRegression, C20_AnFpduBehindWhoseEndHeadersWereCutOffLeavesItsMessageOpen) {
  for (const bool hidden : {true, false}) {
    SCOPED_TRACE(hidden);
    Conversation c = operating();
    c.fpdu(a, send(1));
    c.ack(b);
    if (hidden) c.snaplen(96);
    const Bytes first = c.frame(a, send(2, pattern(600), {.last = false}));
    const Bytes second = hidden ? c.frame(a, send(2, pattern(400), {.mo = 600})) : Bytes{};
    c.send(a, cat(first, second), {512});
    c.ack(b);
    c.close();
    const Analysed result(c);
    EXPECT_EQ(result.ids(Severity::warning), hidden ? Ids{} : Ids{"MPA-CUT"}) << result.told();
    EXPECT_EQ(result.undecidable("MPA-CUT", Reason::snaplen), hidden ? 1U : 0U);
  }
}

// --- a header that is not there -------------------------------------------------------------------------

TEST(FramingRegression, C20_ALengthWhoseHeaderWasCutOffIsRightForOneKindOfHeader) {
  // Two octets more show T: a tagged header of 14 octets is right, an untagged one is not.
  for (const std::size_t captured : {2U, 3U, 4U}) {
    for (const bool tagged : {true, false}) {
      SCOPED_TRACE(captured);
      Conversation c = operating();
      const Bytes first = c.frame(a, send(1, pattern(5)));
      Bytes second = write(0x55, 0);
      if (!tagged) second = part(send(2), 0, 14);
      const Packets packets = c.send(a, cat(first, c.frame(a, second)));
      c.ack(b);
      c.cut(packets, first.size() + captured);
      const Analysed result(c);
      const bool known = captured > 2;
      EXPECT_EQ(result.ids(), known && !tagged ? Ids{"MPA-LEN"} : Ids{}) << result.told();
      EXPECT_EQ(result.undecidable("MPA-LEN", Reason::snaplen), known ? 0U : 1U);
    }
  }
}

// --- markers that nobody announced ------------------------------------------------------------------------

TEST(FramingRegression, C12_ZerosInAnUnmarkedStreamAreNoMarkers) {
  for (const bool reply_captured : {true, false}) {
    SCOPED_TRACE(reply_captured);
    Conversation c;
    if (reply_captured) {
      c.handshake();
      const Packets startup = c.startup(no_crc, no_crc);
      c.drop(startup[0]);  // the Request; the Reply's M is 0
    } else {
      c.unseen([&] {
        c.handshake();
        c.startup(no_crc, no_crc);
      });
    }
    const Framing without{.crc = Crc::unused};
    // A zero CRC field before an FPDU, and zeros in the next ones, look like markers that point to nothing.
    std::uint32_t msn = 0;
    for (const std::size_t size : {0U, 12U, 20U}) c.fpdu(a, send(++msn, zeros(size)), without);
    c.fpdu(a, send(++msn, cat(zeros(2500), pattern(1500))), without, Cuts::every(700));
    c.fpdu(a, send(++msn, cat(zeros(2500), pattern(1500))), without, Cuts::every(700));
    c.fpdu(a, send(++msn, zeros(20)), without);
    c.ack(b);
    c.close();
    const Analysed result(c);
    EXPECT_EQ(result.ids(), Ids{}) << result.told();
    EXPECT_EQ(result.side(a).markers, Mode::off);
    EXPECT_EQ(fpdu_events(result, a).size(), 6U);
  }
}

// The first segment captured begins `behind` octets behind the leading marker's first octet.
Analysed late_by(std::size_t behind, bool crc) {
  Conversation c;
  const Startup plain{.crc = crc};
  Bytes octets;
  c.unseen([&] {
    c.handshake();
    c.startup(plain, {.markers = true, .crc = crc});
    // 4 + 508 octets: the next FPDU begins with a marker again.
    c.fpdu(a, send(1, pattern(484)));
    std::vector<Bytes> pieces;
    for (std::uint32_t msn = 2; msn < 14; ++msn)
      pieces.push_back(c.frame(a, send(msn, pattern(100 + 37 * msn, msn))));
    octets = cat(pieces);
    EXPECT_EQ(load_be32(octets.data()), 0U);
    c.send(a, part(octets, 0, behind));
  });
  c.send(a, part(octets, behind), Cuts::every(220));
  c.ack(b);
  c.close();
  return Analysed(c);
}

TEST(FramingRegression, C12_ALeadingMarkerThatWasNotCapturedBelongsToTheCrc) {
  for (const std::size_t behind : {0U, 1U, 2U, 3U, 4U, 5U}) {
    SCOPED_TRACE(behind);
    const Analysed result = late_by(behind, true);
    EXPECT_EQ(result.ids(Severity::note), Ids{}) << result.told();
    EXPECT_EQ(result.side(a).markers, Mode::on);
    EXPECT_GE(fpdu_events(result, a).size(), 10U);
  }
}

TEST(FramingRegression, C12_AMarkedStreamWithoutCrcIsNotReadAsUnmarked) {
  // Short FPDUs follow each other as if there were no markers, until one comes.
  for (std::size_t size = 0; size < 60; size += 4) {
    SCOPED_TRACE(size);
    Conversation c = joined(no_crc, marked_no_crc);
    for (std::uint32_t msn = 2; msn < 40; ++msn) {
      const Packets packets = c.fpdu(a, send(msn, pattern(size + msn % 3, msn)));
      if (msn % 9 == 5) c.drop(packets);
    }
    c.ack(b);
    c.close();
    const Analysed result(c);
    EXPECT_EQ(result.ids(), Ids{}) << result.told();
  }
}

TEST(FramingRegression, C12_AWordThatMayBeAMarkerIsNoHeader) {
  // 38 octets of each frame: a marker stands where the MSN would be.
  Conversation c = joined(no_crc, marked_no_crc);
  c.snaplen(54 + 38);
  for (std::uint32_t msn = 2; msn < 8; ++msn) {
    for (std::uint32_t mo = 0; mo < 6 * 188; mo += 188) {
      c.fpdu(a, send(msn, pattern(188, mo), {.last = mo == 5 * 188, .mo = mo}));
    }
  }
  c.ack(b);
  c.close();
  const Analysed result(c);
  EXPECT_EQ(result.ids(), Ids{}) << result.told();
  EXPECT_GE(fpdu_events(result, a).size(), 20U);
}

TEST(FramingRegression, C6_TheFirstFpduThatWouldTellOfMarkersWasLost) {
  // The Request is missing, so only the responder's first FPDU shows whether it was asked for markers.
  for (const std::size_t captured : {0U, 7U}) {
    SCOPED_TRACE(captured);
    Conversation c;
    c.handshake();
    const Packets startup = c.startup(marked);
    c.drop(startup[0]);
    c.fpdu(a, send(1));
    c.ack(b);
    const Packets first = c.fpdu(b, send(1, pattern(300)), {7});
    if (captured == 0) c.drop(first[0]);
    c.drop(first[1]);
    c.fpdu(b, send(2, pattern(30)));
    c.fpdu(b, send(3, pattern(90)));
    c.fpdu(b, send(4, pattern(1300)));
    c.fpdu(b, send(5, pattern(1300)));
    c.ack(a);
    c.close();
    const Analysed result(c);
    EXPECT_EQ(result.ids(), Ids{}) << result.told();
    EXPECT_EQ(result.side(b).markers, Mode::on);
    EXPECT_EQ(result.side(b).crc_counts.bad, 0U);
  }
}

// --- start-up frames that are missing, or late ----------------------------------------------------------

TEST(FramingRegression, C10_AReplyThatWasNotCapturedHasNoWrongKey) {
  for (const int more : {2, 30}) {
    SCOPED_TRACE(more);
    Conversation c;
    c.handshake();
    const Packets startup = c.startup(marked);
    c.drop(startup[1]);
    c.drop(c.fpdu(a, send(1)));
    c.drop(c.ack(b));
    c.fpdu(b, send(1, text("hello")));
    for (int i = 0; i < more; ++i) {
      c.fpdu(a,
             read_request(1 + static_cast<std::uint32_t>(i), {.sink_stag = 9, .size = 60, .source_stag = 5}));
      c.fpdu(b, read_response(9, 0, pattern(60)));
      c.ack(a);
    }
    c.close();
    const Analysed result(c);
    EXPECT_FALSE(result.has("MPA-KEY")) << result.told();
    EXPECT_EQ(result.ids(), Ids{}) << result.told();
  }
}

TEST(FramingRegression, A9_FpdusThatWaitedBehindAHoleWereNotEarly) {
  Conversation c;
  const Packets syns = c.handshake();
  c.drop(syns[1]);
  c.drop(c.send(a, pattern(500)));
  c.drop(c.send(b, pattern(500)));
  c.startup(no_crc, marked_no_crc);
  const Packets first = c.fpdu(a, send(1, text("hi")), {26});
  c.drop(first[1]);
  c.fpdu(a, send(2, zeros(600)));
  const Analysed result(c);
  EXPECT_FALSE(result.has("MPA-EARLY")) << result.told();
}

// --- MPA-ALIGN ------------------------------------------------------------------------------------------

TEST(Alignment, B15_IsToldOnceOfASide) {
  Conversation c = operating();
  c.fpdu(a, send(1, pattern(100)));
  c.packed(a, {send(2, pattern(100)), send(3, pattern(100)), send(4, pattern(100))});  // whole FPDUs
  c.packed(a, {send(5, pattern(100)), send(6, pattern(100)), send(7, pattern(100))},
           {50, 200});  // frames 8 to 10
  c.fpdu(a, send(8, pattern(100)));
  c.fpdu(b, send(1, pattern(3000)), Cuts::every(1000));
  c.close();
  const Analysed result(c);
  EXPECT_EQ(result.ids(Severity::information), (Ids{"MPA-ALIGN"})) << result.told();
  ASSERT_EQ(result.findings("MPA-ALIGN").size(), 1U);
  const Event event = result.findings("MPA-ALIGN")[0];
  EXPECT_EQ(event.side, a);
  EXPECT_EQ(event.finding.severity, Severity::information);
  EXPECT_EQ(event.finding.arguments[0], 2U);  // MSN 6 and 7
  EXPECT_EQ(event.finding.arguments[1], 8U);
  EXPECT_EQ(event.finding.arguments[2], 9U);
  ASSERT_EQ(event.finding.evidence_count, 2U);
  EXPECT_EQ(event.finding.evidence[1], 9U);
}

TEST(Alignment, B15_OctetsThatAreMissingOrUnknownTellNothing) {
  // The capture begins inside a segment's FPDU; what comes next in that segment may follow a whole one.
  Conversation c;
  c.unseen([&] {
    c.handshake();
    c.startup();
  });
  const Bytes octets = cat(c.frame(a, send(1, pattern(200))), c.frame(a, send(2, pattern(200))));
  c.unseen([&] { c.send(a, part(octets, 0, 50)); });
  c.send(a, part(octets, 50));
  c.fpdu(a, send(3, pattern(200)));
  c.fpdu(a, send(4, pattern(200)));
  c.close();
  const Analysed result(c);
  EXPECT_FALSE(result.has("MPA-ALIGN")) << result.told();
  EXPECT_EQ(fpdu_events(result, a).size(), 3U);
}

// --- markers of FPDUs that were not captured in full ----------------------------------------------------

// A Send with markers 184 and 696 octets behind its beginning. Of it, or of the TCP segments that it takes,
// the octets from 300 to 700 were not captured.
Conversation with_cut_fpdu(Reason reason, const MarkerError& error) {
  Conversation c = operating({}, marked);
  c.fpdu(a, send(1, pattern(300)));
  c.stream(a).break_marker(error);
  const Bytes octets = c.frame(a, send(2, pattern(1000)));
  if (reason == Reason::snaplen) {
    c.cut(c.send(a, octets), 300);
  } else {
    c.send(a, part(octets, 0, 300));
    c.drop(c.send(a, part(octets, 300, 400)));
    c.send(a, part(octets, 700));
  }
  c.fpdu(a, send(3));
  c.ack(b);
  c.close();
  return c;
}

TEST(FramingRegression, C20_MarkersThatWereNotCapturedAreCounted) {
  for (const Reason reason : {Reason::snaplen, Reason::gap}) {
    SCOPED_TRACE(reason == Reason::gap);
    const Analysed result(with_cut_fpdu(reason, {}));
    EXPECT_EQ(result.ids(), Ids{}) << result.told();
    const std::vector<Event> fpdus = fpdu_events(result, a);
    ASSERT_EQ(fpdus.size(), 3U);
    EXPECT_TRUE(fpdus[1].fpdu.cut);
    EXPECT_EQ(fpdus[1].fpdu.markers, 2U);
    for (const char* const id : {"MPA-MKPTR", "MPA-MKRSV", "MPA-CRC"}) {
      EXPECT_EQ(result.undecidable(id), 1U) << id;
      EXPECT_EQ(result.undecidable(id, reason), 1U) << id;
    }
  }
}

TEST(FramingRegression, C20_WrongMarkersThatWereCapturedAreFound) {
  for (const Reason reason : {Reason::snaplen, Reason::gap}) {
    SCOPED_TRACE(reason == Reason::gap);
    const Analysed result(with_cut_fpdu(reason, {.pointer_delta = 4, .reserved = 5}));
    EXPECT_EQ(result.ids(), (Ids{"MPA-MKPTR", "MPA-MKRSV"})) << result.told();
    const Finding pointer = result.findings("MPA-MKPTR").at(0).finding;
    EXPECT_EQ(pointer.arguments[0], 188U);
    EXPECT_EQ(pointer.arguments[1], 512U);
    EXPECT_EQ(pointer.arguments[2], 184U);
    EXPECT_EQ(result.undecidable("MPA-MKPTR"), 0U);
    EXPECT_EQ(result.undecidable("MPA-MKRSV"), 0U);
  }
}

TEST(FramingRegression, C20_WrongMarkersThatWereNotCapturedAreNot) {
  for (const Reason reason : {Reason::snaplen, Reason::gap}) {
    const Analysed result(with_cut_fpdu(reason, {.pointer_delta = 4, .reserved = 5, .skip = 1}));
    EXPECT_EQ(result.ids(), Ids{}) << result.told();
    EXPECT_EQ(result.undecidable("MPA-MKPTR", reason), 1U);
  }
}

// Octets that follow each other in a TCP stream of which nothing came before; a hole of `lost` octets behind.
struct Captured {
  std::string_view digits;
  std::size_t payload = 0;   // of these octets, zeros behind the digits; 0: the digits alone
  std::size_t captured = 0;  // 0: all
  std::size_t lost = 0;
  Side sender = a;
};
Analysed analysed(const std::vector<Captured>& stream) {
  Conversation c;
  c.unseen([&] { c.handshake(); });
  for (const Captured& each : stream) {
    Bytes octets = hex(each.digits);
    octets.resize(std::max(octets.size(), each.payload));
    const Packets packets = c.send(each.sender, octets);
    if (each.captured > 0) c.cut(packets, each.captured);
    if (each.lost > 0) c.drop(c.send(each.sender, Bytes(each.lost)));
  }
  return Analysed(c);
}

// Where nothing of the start-up was captured markers are found by words, and one word proves nothing (RFC
// 5044 §4.3): MSN 12 stands 12 octets behind its FPDU's beginning, as a marker there would say. The marker is
// 00000014 in the same FPDU, and the first one of the direction.
TEST(FramingRegression, C10_AnMsnThatMayBeAMarkerBreaksNoRule) {
  const Analysed result = analysed({
      {"002e414100000000000000010000000800000000d01cb0060000b062e5328ba300002cf5d03b9f5d00001989ea3ff90a"
       "00000000"},
      {"002e414100000000000000010000000900000000d05a8e5800006fc4cc8c01f200000000d0797d580000fb13c8a3d980"
       "00000000"},
      {"010a4146d0986c6a000000000000000500000000f0d2daeb05d867de25fad98a", 268, 0, 4},
      {"002e414100000000000000010000000a00000000d0b75be800005421a703d39f00000039d0d64a4b0000b5929fea65ef"
       "00000000"},
      {"002e414100000000000000010000000b00000000d0f5399b0000361e08fd465c00000004d11428b500003f56b10824ba"
       "00000000"},
      {"002e414100000000000000010000000c0000000000000014d133179e00004056580a71ca000004b2d152068e00004c82"
       "30e66c06"},
      {"00000000"},
      {"002e414100000000000000010000000d00000000d170f55f00004f8524c56bf700000002d18fe4db000090d508917f72", 0,
       0, 4},
  });
  EXPECT_EQ(result.ids(), Ids{}) << result.told();
  EXPECT_EQ(fpdu_events(result, a).size(), 7U);
}

// Nor does a right CRC, where the value of the marker stands at another place of its own: 00000020 is the
// marker of this Atomic Request, and MSN 12 might be. The next one was cut, and its payload fits both.
TEST(FramingRegression, C20_ARightCrcDoesNotTellWhichOfTwoWordsIsTheMarker) {
  Conversation c;
  c.unseen([&] { c.handshake(); });
  c.send(
      a,
      hex("0046414a00000000000000010000000c00000000000000026159ae9c4f1f805d00000020000005182204ed38a3c29193"
          "a5cfad7000000000000000008065d5efe38c6391ffffffffffffffffc374ead4"));
  Bytes response = hex("0cc5c1423a943c9000004962a53c73e4");
  response.resize(3300);
  for (const std::size_t marker : {464U, 976U}) {
    response[marker + 2] = static_cast<Byte>(marker >> 8U);
    response[marker + 3] = static_cast<Byte>(marker);
  }
  c.cut(c.send(a, response), 1134);
  const Analysed result(c);
  EXPECT_EQ(result.ids(), Ids{}) << result.told();
}

// Where markers are found elsewhere than before, FPDUs had been read by a word that was none: what they
// seemed to be (a message 12, here) makes later ones no culprits.
TEST(FramingRegression, C20_WhatWasReadByAWrongMarkerAccusesNobody) {
  const Analysed result = analysed({
      {"00124146e6044ae3000000000000000800000000", 20, 0, 4},
      {"000fc140e623396b0000d427c031440cf000000000000000", 24, 0, 0},
      {"020a01450000000000000000000000090000000000000000000000000000000000000000", 532, 36, 1596},
      {"020a0145000000000000000000000009000007e000000000000000000000000000000000", 528, 36, 0},
      {"00000000", 4, 0, 0},
      {"020a0145000000000000000000000009000009d800000000000000000000000000000000", 532, 36, 4788},
      {"020a014500000000000000000000000900001d8800000000000000000000000000000020", 532, 36, 0},
      {"020a014500000000000000000000000c0000000900001f80000000000000000000000000", 536, 36, 6876},
      {"020a8140e69ef5d500006880386a1399a0cfa2fe761d68f38a04e242a7af72004f0be1f2", 532, 36, 0},
      {"020a8140e69ef5d500006880386a159542448787545ec57039aa765438614379a754d631", 532, 36, 0},
      {"020a8140e69ef5d500006880386a179181b1ba8d58b9ce2ed96b6ca6e470e7ead1175afc", 528, 36, 4},
      {"020a8140e69ef5d500006880386a198dabff9e084eef95a26e6609aa4b2796c4cd8c24dd", 532, 36, 4788},
      {"020a8140e69ef5d500006880386a2d6509427c7d000000144bbb3e273d0111d42877dd17", 532, 36, 0},
      {"00000000020a8140e69ef5d500006880386a2f610ee0710afa8c9e49b63355edfd6d7e52", 536, 36, 0},
      {"020a8140e69ef5d500006880386a315dbee8f27fd1e73dbe202afa7f3ece8865a9b141f5", 532, 36, 7632},
      {"002ac14000000004e6dcd3ed0000a642f37486e7ea8e41bb8ddb5b7413d9882da3594fd2", 52, 36, 4220},
      {"020a014300000000000000000000000c000007e0dc96d1969aa471669eee5c3ae8aac938", 528, 36, 0},
      {"00000000", 4, 0, 0},
  });
  EXPECT_EQ(result.ids(), Ids{}) << result.told();
  EXPECT_EQ(result.side(a).markers, Mode::on);
}

// Where a direction seems to have no markers, and has some, an FPDU seems to end before its CRC: that is no
// ULPDU_Length in whose FPDU a hole could vanish.
TEST(FramingRegression, C6_AHoleBehindAnFpduThatMayBeMarkedIsAHole) {
  const Analysed result = analysed({
      {"4d504120494420526570204672616d65", 16, 0, 0},
      {"c0010000", 4, 0, 236},
      {"0046414a00000000000000010000000500000000000000027104ec3094e1cc1d0000053766c5dd98770ad29cef310410fffff"
       "ffffffffffff1d779b03896",
       76, 62, 0},
      {"0046414a00000000000000010000000600000000000000027104ec319500bbb4000007f8b77ef3d005d3021805d770cb00000"
       "00000000000345c8bebbb0e",
       76, 62, 0},
      {"002e414100000000000000010000000700000000951faa5a000099015921d8e400000016953e99d40000c559ebe616ae", 48,
       0, 4},
      {"002e414100000000000000010000000800000000955d88aa00007ebd2e6d802b00000002957c77aa00007059865958418cf66"
       "ba9",
       52, 0, 0},
      {"0011c14200000004946610730000557c81cb3cae87836900d253b885", 28, 0, 0, b},
      {"0011c14294a3ee320000c1c7d1c0a21f9edafb0012f91874", 24, 0, 0, b},
      {"001e414b000000000000000300000002000000007104ec3084d0aa69601ff14bcefd4f26", 36, 0, 0, b},
      {"001e414b000000000000000300000003000000007104ec3170824aa3465b5c86cd1a5134", 36, 0, 0, b},
      {"0024c142951faa5a000099015921d8e4be6caacb345db0b8cb2667ccafc85fd5b4b7ffcd07280000e419cb5f", 44, 0, 0,
       b},
      {"0010c142955d88aa00007ebd2e6d802b28c70000f0eaa242", 24, 0, 464, b},
      {"0046414a0000000000000001000000090000000000000014000000007104ec32959b66be0000074be8eefd68929fd99777960"
       "95f",
       76, 62, 0},
      {"82339d12", 4, 0, 256},
      {"001e414b000000000000000300000004000000007104ec32793d91ae064bf9863621e022", 36, 0, 0, b},
      {"001e414b000000000000000300000005000000007104ec33f3b243a8a15169a5b91fc73e", 36, 0, 0, b},
  });
  EXPECT_EQ(result.ids(), Ids{}) << result.told();
  EXPECT_GT(result.side(a).gaps, 0U);
}

// What breaks one rule is an FPDU all the same, and one of which little was captured, too.
TEST(FramingRegression, C20_ACutHeaderWithOneWrongFieldIsOne) {
  for (const std::size_t captured : {20U, 24U}) {
    SCOPED_TRACE(captured);
    Conversation c = joined(no_crc, no_crc);
    for (std::uint32_t msn = 2; msn < 8; ++msn) c.cut(c.fpdu(a, send(msn, pattern(400))), 24);
    c.cut(c.fpdu(a, send(8, pattern(400), {.ddp_version = 2})), captured);
    for (std::uint32_t msn = 9; msn < 13; ++msn) c.cut(c.fpdu(a, send(msn, pattern(400))), 24);
    c.ack(b);
    c.close();
    const Analysed result(c);
    EXPECT_EQ(result.ids(), Ids{"DDP-DV"}) << result.told();
    EXPECT_EQ(fpdu_events(result, a).size(), 11U);
  }
}

// Two words that stand where markers of the same place do are no chance: what breaks a rule then is found,
// whatever else was cut off.
TEST(FramingRegression, C20_MarkersThatOthersBearOutAreJudged) {
  for (const Startup& answer : {marked, marked_no_crc}) {
    SCOPED_TRACE(answer.crc);
    Conversation c = joined(answer.crc ? Startup{} : no_crc, answer);
    for (std::uint32_t msn = 2; msn < 12; ++msn) c.fpdu(a, send(msn, pattern(400)));
    c.cut(c.fpdu(a, send(12, pattern(1000))), 600);
    c.stream(a).break_marker({.pointer_delta = 4, .reserved = 5});
    c.cut(c.fpdu(a, send(13, pattern(1000))), 600);
    c.fpdu(a, send(14));
    c.ack(b);
    c.close();
    const Analysed result(c);
    EXPECT_EQ(result.ids(), (Ids{"MPA-MKPTR", "MPA-MKRSV"})) << result.told();
    EXPECT_EQ(fpdu_events(result, a).size(), 13U);
  }
}

// Where the octets with the markers were cut off a direction seems to have none. A CRC of 0, of a stream that
// uses none, and a leading marker look like a ULPDU_Length of 0 then.
TEST(FramingRegression, C20_ZerosBehindCutOctetsAreNoLength) {
  const Analysed result = analysed({
      {"001641430000000000000000000000050000000088084ab9", 0, 0, 4},
      {"001b414300000000000000000000000600000000f7d016a07526d3c5a00000000000", 36, 34},
      {"001641445fa5e4cc0000000000000007000000006e03b35e00000000"},
      {"020a014300000000000000000000000800000000d3e28c2fc78bc3fd987d93d18fb9", 532, 34},
      {"020a0143000000000000000000000008000001f800000014a856903ccce7dc3efe8a", 528, 34},
      {"00000000"},
      {"0000000001164143000000000000000000000008000003f05f9008b6e2d99e0602e1", 288, 34},
  });
  EXPECT_EQ(result.ids(), Ids{}) << result.told();
  EXPECT_GE(fpdu_events(result, a).size(), 5U);
}

// Markers were asked for and none come; but of the first FPDU too little was captured to show it.
TEST(FramingRegression, B15_CutFirstFpduWithoutTheMarkersThatAreDue) {
  for (std::size_t captured = 1; captured < 30; ++captured) {
    Conversation c = operating({}, marked);
    c.stream(a).use_markers(Markers::off);
    c.cut(c.fpdu(a, send(1, pattern(300))), captured);
    c.ack(b);
    c.close();
    const Analysed result(c);
    EXPECT_FALSE(result.has("MPA-MKPTR") || result.has("MPA-MKRSV")) << captured << result.told();
  }
}

}  // namespace
}  // namespace iwarp::test
