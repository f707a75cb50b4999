// Verdicts that a review found missing, wrong, or shown by another frame than the one with the wrong octets.
// SPDX-License-Identifier: GPL-2.0-or-later
#include <gtest/gtest.h>

#include "scenarios/session.hpp"

namespace iwarp::test {
namespace {

using session::a;
using session::b;
using session::Session;

std::vector<FrameNumber> evidence(const Analysed& result, const std::string& id) {
  const std::vector<Event> found = result.findings(id);
  EXPECT_EQ(found.size(), 1U) << result.told();
  if (found.empty()) return {};
  const Finding& finding = found[0].finding;
  return {finding.evidence.begin(), finding.evidence.begin() + finding.evidence_count};
}
using Frames = std::vector<FrameNumber>;

// --- MO out of sequence: the segment with the wrong MO shows it
// ---------------------------------------------

TEST(ScenarioD, D6_WrongMoIsShownByItsOwnFrame) {
  Session c;
  const std::vector<Bytes> segments = send_segments(1, pattern(30), 10);
  c.fpdu(a, segments[0]);
  const Packets wrong = c.fpdu(a, segments[2]);
  const Packets proof = c.fpdu(a, send(2));
  c.close();
  EXPECT_EQ(evidence(Analysed(c), "DDP-MOSEQ"), (Frames{c.at(wrong), c.at(proof)}));
}

// --- an Atomic Response has neither STag nor TO
// -------------------------------------------------------------

TEST(ScenarioE, E13_AtomicResponseWithoutARequestIsToldByItsMsn) {
  Session c;
  c.fpdu(a, send(1));
  c.fpdu(b, atomic_response(1, 7, 0));
  c.close();
  const std::vector<Event> found = Analysed(c).findings("RDMAP-RRNONE");
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(describe(found[0].finding), "Atomic Response with MSN 1 without an outstanding request");
}

}  // namespace
}  // namespace iwarp::test
