// An iWARP stream stored in a payload, whose FPDU lost its beginning: the MSNs of the outer stream tell the
// two apart (C4, C12; src/mpa/sequence.hpp).
// SPDX-License-Identifier: GPL-2.0-or-later
#include <gtest/gtest.h>

#include "scenarios/established.hpp"

namespace iwarp::test {
namespace {

using established::a;
using established::Established;

// FPDUs with MSNs from 20 on, `step` apart: one that is sent again and again is stored more often.
Bytes stored_fpdus(std::size_t count, bool crc, std::uint32_t step) {
  FpduStream stream(Markers::off, 0, {.crc = crc ? Crc::right : Crc::unused});
  Bytes octets;
  for (std::uint32_t i = 0; i < count; ++i)
    octets = cat(octets, stream.add(send(20 + step * i, pattern(25))));
  return octets;
}

TEST(ScenarioC, C12_StoredStreamBehindAHoleOfAKnownStream) {
  for (const bool crc : {true, false}) {
    for (const std::uint32_t step : {0U, 1U}) {
      for (const std::size_t cut : {52U, 26U, 30U}) {
        SCOPED_TRACE(testing::Message() << "crc " << crc << ", step " << step << ", cut at " << cut);
        Established c({.crc = crc}, {.crc = crc});
        c.fpdu(a, send(1, pattern(40)));
        const Bytes octets = c.frame(a, send(2, stored_fpdus(6, true, step)));
        // The header is lost; a later segment begins with a stored FPDU.
        c.drop(c.send(a, part(octets, 0, cut)));
        c.send(a, part(octets, cut, 20 + 4 * 52 - cut));
        c.send(a, part(octets, 20 + 4 * 52, octets.size() - 20 - 4 * 52));
        for (std::uint32_t msn = 3; msn < 12; ++msn) c.fpdu(a, send(msn, pattern(200)));
        c.close();
        const Analysed result(c);
        EXPECT_EQ(result.ids(Severity::note), Ids{"CAP-GAP"}) << result.told();
        EXPECT_EQ(result.side(a).queues[0].next_msn, 12U);
        EXPECT_EQ(result.undecidable("MPA-SYNC", Reason::gap), 1U);
      }
    }
  }
}

TEST(ScenarioC, C12_StoredStreamAtTheEndBehindAHole) {
  Established c;
  c.fpdu(a, send(1, pattern(40)));
  const Bytes octets = c.frame(a, send(2, stored_fpdus(6, true, 0)));
  c.drop(c.send(a, part(octets, 0, 30)));
  c.send(a, part(octets, 30, octets.size() - 30));
  c.close();
  const Analysed result(c);
  EXPECT_EQ(result.ids(Severity::note), Ids{"CAP-GAP"}) << result.told();
}

// The stream itself may have wrong MSNs: they are better than none.
TEST(ScenarioC, C4_MsnsThatCannotComeBehindAHoleAreTakenWhereNothingElseDoes) {
  Established c;
  c.fpdu(a, send(1, pattern(40)));
  c.drop(c.fpdu(a, send(2, pattern(40))));
  for (std::uint32_t msn = 1000; msn < 1010; ++msn) c.fpdu(a, send(msn, pattern(200)));
  c.fpdu(a, send(1011, pattern(200)));
  c.close();
  const Analysed result(c);
  EXPECT_EQ(result.ids(Severity::note), (Ids{"CAP-GAP", "DDP-MSNGAP"})) << result.told();
  EXPECT_EQ(result.side(a).queues[0].next_msn, 1012U);
}

// FPDUs that are stored in a payload begin a TCP segment by chance, with an MSN that may be due. Where others
// of them lie over segments' borders, their MSNs begin anew, or they break off, nothing is certain behind the
// hole.
TEST(ScenarioC, C4_StoredFpdusThatBeginASegmentByChance) {
  Bytes stored;
  for (const std::uint32_t first : {4U, 1U}) {
    for (std::uint32_t msn = first; msn < 20; ++msn)
      stored = cat(stored, fpdu(send(msn, pattern(20 + msn * 7 % 60, msn))));
  }
  stored.resize(stored.size() - 50);
  for (const bool crc : {true, false}) {
    for (std::size_t size = 100; size < 500; size += 12) {
      SCOPED_TRACE(testing::Message() << size << (crc ? ", CRC" : ""));
      Established c({.crc = crc}, {.crc = crc});
      c.fpdu(a, send(1));
      c.drop(c.fpdu(a, send(2, pattern(1000))));
      const Bytes outer = c.frame(a, send(3, stored));
      const std::size_t hidden = 20 + size % 400 / 4 * 4;
      c.drop(c.send(a, part(outer, 0, hidden)));
      c.send(a, part(outer, hidden), Cuts::every(size));
      for (std::uint32_t msn = 4; msn < 8; ++msn) c.fpdu(a, send(msn, pattern(30)));
      c.ack(Side::b);
      const Analysed result(c);
      EXPECT_EQ(result.ids(Severity::warning), Ids{}) << result.told();
    }
  }
}

// Behind the hole stands the rest of a payload in which FPDUs are stored, with MSNs that may be due.
TEST(ScenarioC, C4_StoredStreamBehindAHole) {
  Established c;
  c.fpdu(a, send(1));
  for (std::uint32_t msn = 2; msn < 12; ++msn) c.drop(c.fpdu(a, send(msn, pattern(1000))));
  Bytes stored;
  for (const std::uint32_t msn : {22U, 23U, 24U, 25U, 26U, 1U, 2U, 3U})
    stored = cat(stored, fpdu(send(msn, pattern(40, msn))));
  const Bytes outer = c.frame(a, send(12, stored));
  c.drop(c.send(a, part(outer, 0, 30)));
  c.send(a, part(outer, 30, outer.size() - 60));
  const Analysed result(c);
  EXPECT_EQ(result.ids(Severity::warning), Ids{}) << result.told();
  EXPECT_GT(result.undecidable("DDP-MSNDUP", Reason::gap), 0U);
}

// What seems to be open at the end may be stored in a payload, too.
TEST(ScenarioC, C4_EndInsideAStoredFpduBehindAHole) {
  Established c;
  c.fpdu(a, send(1));
  for (std::uint32_t msn = 2; msn < 12; ++msn) c.drop(c.fpdu(a, send(msn, pattern(1000))));
  Bytes stored;
  for (const std::uint32_t msn : {20U, 21U, 22U}) stored = cat(stored, fpdu(send(msn, pattern(40, msn))));
  const Bytes outer = c.frame(a, send(12, part(stored, 0, stored.size() - 20)));
  c.drop(c.send(a, part(outer, 0, 30)));
  c.send(a, part(outer, 30, outer.size() - 30));
  c.close();
  const Analysed result(c);
  EXPECT_EQ(result.ids(Severity::warning), Ids{}) << result.told();
  EXPECT_EQ(result.undecidable("MPA-CUT", Reason::gap), 1U);
}

}  // namespace
}  // namespace iwarp::test
