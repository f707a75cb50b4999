// Suspect segments: damaged copies, which their receiver dropped, by a wrong TCP checksum or in a cut capture
// where others are wrong (B12, C20).
// SPDX-License-Identifier: GPL-2.0-or-later
#include <gtest/gtest.h>

#include "scenarios/established.hpp"

namespace iwarp::test {
namespace {

using established::a;
using established::b;
using established::Established;
using established::second;

// A copy of the FPDU that is due from `a`, its MSN damaged, which its receiver dropped.
Packets damaged_copy(Established& c, const Bytes& octets) {
  Bytes damaged = octets;
  damaged[13] ^= 0x08U;
  const Packets bad = c.inject(a, c.sent(a), damaged);
  c.packet(bad).meta.checksum = ChecksumStatus::bad;
  return bad;
}

class SuspectSegment : public testing::TestWithParam<bool> {
 protected:
  Established c{Startup{.crc = GetParam()}, Startup{.crc = GetParam()}};
};

INSTANTIATE_TEST_SUITE_P(WithAndWithoutCrc, SuspectSegment, testing::Bool());

TEST_P(SuspectSegment, B12_IsAHoleWhereTheCaptureEndsBeforeABetterCopy) {
  for (std::uint32_t msn = 1; msn <= 5; ++msn) c.fpdu(a, send(msn));
  damaged_copy(c, c.frame(a, send(6)));
  c.ack(b);
  const Analysed result(c);
  EXPECT_EQ(result.ids(Severity::note), (Ids{"CAP-CKSUM", "CAP-GAP"})) << result.told();
  EXPECT_EQ(result.messages().size(), 5U);
}

TEST_P(SuspectSegment, B12_IsAHoleWhereTheBetterCopyWasNotCaptured) {
  for (std::uint32_t msn = 1; msn <= 5; ++msn) c.fpdu(a, send(msn));
  const Bytes octets = c.frame(a, send(6));
  damaged_copy(c, octets);
  c.ack(b);
  c.wait(second / 5);
  c.drop(c.send(a, octets));
  for (std::uint32_t msn = 7; msn <= 12; ++msn) c.fpdu(a, send(msn));
  c.close();
  const Analysed result(c);
  EXPECT_EQ(result.ids(Severity::note), (Ids{"CAP-CKSUM", "CAP-GAP"})) << result.told();
  EXPECT_EQ(result.messages().size(), 11U);
  EXPECT_EQ(result.undecidable("DDP-MSNGAP", Reason::gap), 1U);
}

// The answer is captured before the good copy.
TEST_P(SuspectSegment, B12_WaitsForABetterCopyAlthoughAcknowledged) {
  for (std::uint32_t msn = 1; msn <= 5; ++msn) c.fpdu(a, send(msn));
  const Bytes octets = c.frame(a, send(6));
  damaged_copy(c, octets);
  const Packets good = c.send(a, octets);
  const Packets answer = c.fpdu(b, send(1));
  c.fpdu(a, send(7));
  c.close();
  c.move_before(answer, good);
  const Analysed result(c);
  EXPECT_EQ(result.ids(Severity::note), (Ids{"CAP-CKSUM", "CAP-OVERLAP-CONFLICT"})) << result.told();
  EXPECT_EQ(result.messages().size(), 8U);
  EXPECT_EQ(result.side(a).crc_counts.bad, 0U);
}

TEST(ScenarioB, B12_ADamagedReplyIsNotJudged) {
  Conversation c;
  c.handshake();
  c.send(a, request_frame());
  Bytes damaged = reply_frame();
  damaged[3] ^= 0x10U;
  const Packets bad = c.inject(b, 0, damaged);
  c.packet(bad).meta.checksum = ChecksumStatus::bad;
  c.drop(c.send(b, reply_frame()));
  c.full_operation();
  for (std::uint32_t msn = 1; msn <= 5; ++msn) {
    c.fpdu(a, send(msn));
    c.fpdu(b, send(msn));
  }
  c.close();
  const Analysed result(c);
  EXPECT_EQ(result.ids(Severity::warning), Ids{}) << result.told();
  EXPECT_EQ(result.findings("CAP-CKSUM").size(), 1U);
  EXPECT_EQ(result.findings("CAP-GAP").size(), 1U);
}

TEST(ScenarioC, C20_CutCopiesWhereSegmentsAreDamagedAreNotBelieved) {
  for (const bool crc : {true, false}) {
    SCOPED_TRACE(crc);
    Established c({.crc = crc}, {.crc = crc});
    for (std::uint32_t msn = 1; msn <= 5; ++msn) c.fpdu(a, send(msn));
    const Bytes first = c.frame(a, send(6));
    damaged_copy(c, first);  // its checksum tells
    c.send(a, first);
    // Of the next one the beginning was captured, which nobody can check.
    const std::vector<Bytes> octets = {c.frame(a, send(7)), c.frame(a, send(8, pattern(400)))};
    const Packets cut = damaged_copy(c, cat(octets));
    c.packet(cut).meta.checksum = ChecksumStatus::unknown;
    c.cut(cut, octets[0].size());
    c.wait(second / 5);
    c.send(a, cat(octets));
    c.fpdu(a, send(9));
    c.close();
    const Analysed result(c);
    EXPECT_EQ(result.ids(Severity::warning), Ids{}) << result.told();
    EXPECT_GT(result.undecidable(crc ? "MPA-CRC" : "DDP-MSNGAP", Reason::snaplen), 0U);
  }
}

TEST(ScenarioC, C20_CutCopiesAreBelievedWhereNoneIsDamaged) {
  Established c;
  c.fpdu(a, send(1));
  const Packets cut = c.fpdu(a, send(3, pattern(400)));
  c.packet(cut).meta.checksum = ChecksumStatus::unknown;
  c.cut(cut, 60);
  c.close();
  EXPECT_EQ(Analysed(c).ids(Severity::warning), Ids{"DDP-MSNGAP"});
}

}  // namespace
}  // namespace iwarp::test
