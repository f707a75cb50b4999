// Rules of the FPDU around its ULPDU (RFC 5044 §3, §4).
// SPDX-License-Identifier: GPL-2.0-or-later
#include <gtest/gtest.h>

#include "support/scene.hpp"

namespace iwarp::testing {
namespace {

using wire::Opcode;

FpduFact good(std::uint32_t msn = 2, std::uint32_t payload = 10) {
  return Scene::make(Untagged{Opcode::send, msn, payload});
}

FpduFact bad(std::uint32_t field, std::uint32_t computed, std::uint32_t msn = 2) {
  FpduFact fact = good(msn);
  fact.crc = CrcStatus::bad;
  fact.crc_field = field;
  fact.crc_computed = computed;
  return fact;
}

TEST(MpaLen, TooSmallForItsHeader) {
  Scene scene;
  scene.converse();
  FpduFact fact = Scene::make(Tagged{});
  fact.ulpdu_length = 13;
  fact.malformed = true;
  scene.fpdu(a, fact);
  EXPECT_EQ(scene.only(CheckId::mpa_len).arguments, (std::vector<std::uint64_t>{13, 14}));
  scene.send(a, 7);
  EXPECT_EQ(scene.verdict(), "MPA-LEN") << "behind it the queue is taken as it is";
}

TEST(MpaLen, Bounds) {
  Scene scene;
  scene.converse();
  FpduFact fact = good(2, 64768 - 18);
  scene.fpdu(a, fact);
  EXPECT_EQ(scene.count(CheckId::mpa_len), 0U);
  fact = good(3, 64769 - 18);
  scene.fpdu(a, fact);
  EXPECT_EQ(scene.only(CheckId::mpa_len).arguments[0], 64769U);
}

// siw's private flag in a start-up frame: FPDUs may exceed the MSS, and RFC 5044's longest ULPDU with it.
StartupFact with_flags(std::uint8_t flags) {
  StartupFact fact;
  fact.crc = true;
  fact.reserved_flags = flags;
  return fact;
}

Severity severity_of_long_fpdu(std::uint8_t request_flags, std::uint8_t reply_flags) {
  Scene scene;
  scene.open();
  scene.request(a, with_flags(request_flags));
  scene.reply(b, with_flags(reply_flags));
  scene.fpdu(a, good(1, 65160 - 18));
  for (const Found& found : scene.findings) {
    if (std::string_view(check_info(found.check).id) == "MPA-LEN") return severity_of(found.check, false);
  }
  ADD_FAILURE() << "no MPA-LEN";
  return Severity::information;
}

TEST(HealthySession, LongFpdusOfWhomBothStartupFramesAgreeToAreANote) {
  EXPECT_EQ(severity_of_long_fpdu(0x08, 0x08), Severity::note);
  EXPECT_EQ(severity_of_long_fpdu(0x08, 0x00), Severity::error);
  EXPECT_EQ(severity_of_long_fpdu(0x00, 0x08), Severity::error);
  EXPECT_EQ(severity_of_long_fpdu(0x04, 0x04), Severity::error) << "another reserved bit";
  EXPECT_EQ(severity_of(CheckId::mpa_lengso, true), Severity::error);
}

TEST(HealthySession, ShortFpdusAreAnErrorWhateverTheFlags) {
  Scene scene;
  scene.open();
  scene.request(a, with_flags(0x08));
  scene.reply(b, with_flags(0x08));
  FpduFact fact = Scene::make(Tagged{});
  fact.ulpdu_length = 13;
  fact.malformed = true;
  scene.fpdu(a, fact);
  EXPECT_EQ(scene.count(CheckId::mpa_len), 1U);
}

TEST(HealthySession, LongFpdusAreUndecidableWhereStartupFramesWereNotCaptured) {
  Scene midstream;
  midstream.open(OpenedBy::midstream);
  midstream.fpdu(a, good(1, 65160 - 18));
  EXPECT_EQ(midstream.verdict(), "");
  EXPECT_EQ(midstream.undecided(CheckId::mpa_len, Reason::mode_unknown), 1U);

  Scene one;
  one.open();
  one.request(a, with_flags(0x08));
  one.fpdu(b, good(1, 65160 - 18));
  EXPECT_EQ(one.count(CheckId::mpa_len) + one.count(CheckId::mpa_lengso), 0U);
  EXPECT_EQ(one.undecided(CheckId::mpa_len, Reason::mode_unknown), 1U);

  Scene refused;
  refused.open();
  refused.request(a, with_flags(0x00));
  refused.fpdu(b, good(1, 65160 - 18));
  EXPECT_EQ(refused.count(CheckId::mpa_len), 1U) << "one frame without the flag is enough";
}

Severity severity_of_pad(std::uint8_t request_flags, std::uint8_t reply_flags, Side sender) {
  Scene scene;
  scene.open();
  scene.request(a, with_flags(request_flags));
  scene.reply(b, with_flags(reply_flags));
  scene.send(a, 1);
  FpduFact fact = good(sender == a ? 2 : 1);
  fact.pad = 0x20;
  scene.fpdu(sender, fact);
  for (const Found& found : scene.findings) {
    if (std::string_view(check_info(found.check).id) == "MPA-PAD") return severity_of(found.check, false);
  }
  ADD_FAILURE() << "no MPA-PAD";
  return Severity::information;
}

TEST(HealthySession, PadOctetsOfSiwAreANote) {
  EXPECT_EQ(severity_of_pad(0x08, 0x00, a), Severity::note);
  EXPECT_EQ(severity_of_pad(0x00, 0x08, b), Severity::note);
  EXPECT_EQ(severity_of_pad(0x08, 0x00, b), Severity::warning) << "the flag is the other end's";
  EXPECT_EQ(severity_of_pad(0x00, 0x00, a), Severity::warning);
  EXPECT_EQ(severity_of(CheckId::mpa_padsiw, true), Severity::warning);
}

TEST(MpaMulpdu, AboveTheMss) {
  Scene scene;
  scene.converse();
  scene.fpdu(a, good(2, 1436));
  EXPECT_EQ(scene.count(CheckId::mpa_mulpdu), 0U);
  scene.fpdu(a, good(3, 5000));
  scene.fpdu(a, good(4, 5000));
  EXPECT_EQ(scene.only(CheckId::mpa_mulpdu).arguments[1], 1460U) << "said once";
}

TEST(MpaMulpdu, UndecidableWithoutSyn) {
  Scene scene;
  scene.open(OpenedBy::midstream);
  scene.request();
  scene.reply();
  scene.fpdu(a, good(1, 60000));
  EXPECT_EQ(scene.count(CheckId::mpa_mulpdu), 0U);
  EXPECT_EQ(scene.undecided(CheckId::mpa_mulpdu, Reason::mss_unknown), 1U);
}

TEST(MpaPad, NotZero) {
  Scene scene;
  scene.converse();
  FpduFact fact = good();
  fact.pad = 0x20;
  scene.fpdu(a, fact);
  EXPECT_EQ(scene.verdict(), "MPA-PAD");
}

TEST(MpaPad, UndecidableWhenCut) {
  Scene scene;
  scene.converse();
  FpduFact fact = good(2, 11);
  fact.cut = true;
  fact.crc = CrcStatus::undecidable;
  scene.gap(a, 5, true, GapCause::snaplen);
  scene.fpdu(a, fact);
  EXPECT_EQ(scene.undecided(CheckId::mpa_pad, Reason::snaplen), 1U);
  EXPECT_EQ(scene.undecided(CheckId::mpa_crc, Reason::snaplen), 1U);
}

TEST(MpaCrc, Bad) {
  Scene scene;
  scene.converse();
  scene.fpdu(a, bad(0x11223344, 0x55667788));
  EXPECT_EQ(scene.only(CheckId::mpa_crc).arguments, (std::vector<std::uint64_t>{0x11223344, 0x55667788}));
}

TEST(MpaCrc, UnusedIsNotChecked) {
  Scene scene;
  scene.converse();
  FpduFact fact = good();
  fact.crc = CrcStatus::unused;
  fact.crc_field = 1;
  fact.crc_computed = 2;
  scene.fpdu(a, fact);
  EXPECT_EQ(scene.verdict(), "");
  EXPECT_EQ(scene.undecided(CheckId::mpa_crc), 0U);
}

// Zero is what a stream without CRC may have there: FPDUs stored in one do not show that it has any.
TEST(MpaCrc, ZeroWhereNobodyWasHeardToAskForCrc) {
  Scene agreed;
  agreed.converse();
  agreed.fpdu(a, bad(0, 0x55667788));
  EXPECT_EQ(agreed.verdict(), "MPA-CRC");

  Scene scene;
  scene.open();
  scene.fpdu(a, good(1));
  scene.fpdu(a, bad(0, 0x55667788));
  EXPECT_EQ(scene.verdict(), "");
  EXPECT_EQ(scene.undecided(CheckId::mpa_crc, Reason::mode_unknown), 1U);
}

TEST(MpaCrc, UndecidableWithoutModes) {
  Scene scene;
  scene.converse();
  FpduFact fact = good();
  fact.crc = CrcStatus::undecidable;
  scene.fpdu(a, fact);
  EXPECT_EQ(scene.undecided(CheckId::mpa_crc, Reason::mode_unknown), 1U);
}

TEST(MpaCrcorder, OnceForTheDirectionAndApplied) {
  Scene scene;
  scene.start();
  for (std::uint32_t msn = 1; msn < 5; ++msn) scene.fpdu(a, bad(0x11223344, 0x44332211, msn));
  EXPECT_EQ(scene.verdict(), "MPA-CRCORDER");
  EXPECT_EQ(scene.messages.size(), 4U);
}

TEST(MpaCrcorder, AmongRightOnesItIsJustWrong) {
  Scene scene;
  scene.converse();
  scene.fpdu(a, bad(0x11223344, 0x44332211));
  EXPECT_EQ(scene.verdict(), "MPA-CRC");
  EXPECT_EQ(scene.messages.size(), 2U) << "and is not applied";
}

TEST(MpaMarkers, Faults) {
  Scene scene;
  scene.converse();
  FpduFact fact = good();
  fact.markers = 1;
  fact.marker_faults = marker_pointer;
  fact.stream_offset = 480;
  fact.marker_seen[0] = 0x24;
  fact.marker_at[0] = 0x20;
  scene.fpdu(a, fact);
  EXPECT_EQ(scene.only(CheckId::mpa_mkptr).arguments, (std::vector<std::uint64_t>{0x24, 512, 0x20}));
  fact = good(3);
  fact.marker_faults = marker_low_bits | marker_reserved;
  fact.stream_offset = 1000;
  fact.marker_seen = {0, 25, 0xbeef};
  fact.marker_at = {0, 24, 536};
  scene.fpdu(a, fact);
  EXPECT_EQ(scene.only(CheckId::mpa_mkbits).arguments, (std::vector<std::uint64_t>{25, 1024}));
  EXPECT_EQ(scene.only(CheckId::mpa_mkrsv).arguments, (std::vector<std::uint64_t>{1536, 0xbeef}));
  EXPECT_EQ(scene.messages.size(), 4U) << "framing and messages go on";
}

TEST(MpaMarkers, NotJudgedInDamagedOctets) {
  Scene scene;
  scene.converse();
  FpduFact fact = bad(1, 2);
  fact.marker_faults = marker_pointer;
  fact.pad = 9;
  scene.fpdu(a, fact);
  EXPECT_EQ(scene.verdict(), "MPA-CRC");
}

TEST(MpaMarkers, UndecidableWhereSomeWereNotCaptured) {
  for (const GapCause cause : {GapCause::snaplen, GapCause::uncaptured}) {
    const Reason reason = cause == GapCause::snaplen ? Reason::snaplen : Reason::gap;
    Scene scene;
    scene.converse();
    FpduFact fact = good(2, 1000);
    fact.cut = fact.markers_missing = true;
    fact.crc = CrcStatus::undecidable;
    fact.markers = 2;
    fact.marker_faults = marker_reserved;
    fact.marker_seen[row_of(marker_reserved)] = 5;
    scene.gap(a, 500, true, cause);
    scene.fpdu(a, fact);
    EXPECT_EQ(scene.verdict(), "MPA-MKRSV") << "of one that was";
    EXPECT_EQ(scene.undecided(CheckId::mpa_mkrsv), 0U);
    EXPECT_EQ(scene.undecided(CheckId::mpa_mkptr, reason), 1U);
    EXPECT_EQ(scene.undecided(CheckId::mpa_mkbits), 0U) << "has the same name";
  }
}

// --- CAP-CRCACKED --------------------------------------------------------------------------------------

TEST(CapCrcacked, TakenAndLivedWith) {
  Scene scene;
  scene.converse();
  scene.fpdu(a, bad(1, 2));
  const FrameNumber damaged = scene.frame;
  ASSERT_EQ(scene.side(a).watched.size(), 1U);
  scene.acknowledged(b);
  EXPECT_TRUE(scene.side(a).watched.empty());
  scene.send(b, 2);
  EXPECT_EQ(scene.count(CheckId::cap_crcacked), 0U) << "a Terminate may be on its way";
  scene.wait(10 * milliseconds);
  scene.send(b, 3);
  EXPECT_EQ(scene.only(CheckId::cap_crcacked).arguments[0], damaged);
  EXPECT_EQ(scene.only(CheckId::cap_crcacked).side, a);
  scene.wait(10 * milliseconds);
  scene.send(b, 4);
  EXPECT_EQ(scene.count(CheckId::cap_crcacked), 1U);
}

TEST(CapCrcacked, NotWhenTerminated) {
  Scene scene;
  scene.converse();
  scene.fpdu(a, bad(1, 2));
  scene.acknowledged(b);
  scene.wait(20 * milliseconds);
  scene.terminate(b, {0x20, 0x02, 0, 0});
  scene.part();
  EXPECT_EQ(scene.count(CheckId::cap_crcacked), 0U);
  EXPECT_EQ(scene.count(CheckId::rdmap_termwhy), 0U) << "explained";
}

TEST(CapCrcacked, AtAGracefulEnd) {
  Scene scene;
  scene.converse();
  scene.fpdu(a, bad(1, 2));
  scene.acknowledged(b);
  scene.part();
  EXPECT_EQ(scene.count(CheckId::cap_crcacked), 1U);
}

TEST(CapCrcacked, NotWhenSentAgain) {
  Scene scene;
  scene.converse();
  FpduFact copy = good();
  scene.fpdu(a, bad(1, 2));
  scene.end[0] -= copy.wire_size;
  copy.recovered = true;
  scene.fpdu(a, copy);
  scene.acknowledged(b);
  scene.wait(20 * milliseconds);
  scene.send(b, 2);
  EXPECT_EQ(scene.count(CheckId::cap_crcacked), 0U);
}

}  // namespace
}  // namespace iwarp::testing
