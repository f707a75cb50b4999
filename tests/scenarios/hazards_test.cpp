// What a requester does to memory that its own outstanding Reads and Atomics name (E10, E14, G7).
// SPDX-License-Identifier: GPL-2.0-or-later
#include <gtest/gtest.h>

#include "scenarios/established.hpp"
#include "support/octets.hpp"

namespace iwarp::test {
namespace {

using namespace established;

constexpr Read of_2000 = {
    .sink_stag = 0x100, .sink_to = 0, .size = 1000, .source_stag = 0x2000, .source_to = 0x500};

class Hazards : public testing::Test {
 protected:
  Hazards() {
    c.fpdu(a, send(1));
    c.fpdu(b, send(1));
  }
  Packets answer() { return c.fpdu(b, read_response(0x100, 0, pattern(1000))); }

  Established c;
};

TEST_F(Hazards, E10_AWriteIntoTheSourceOfAnOutstandingRead) {
  c.fpdu(a, read_request(1, of_2000));
  const Packets wrong = c.fpdu(a, write(0x2000, 0x500 + 999, pattern(8)));
  answer();
  EXPECT_EQ(told(c), (Told{warning("RDMAP-HAZRW", a, c.at(wrong))}));
}

TEST_F(Hazards, E10_AfterItsResponseNothing) {
  c.fpdu(a, read_request(1, of_2000));
  answer();
  c.fpdu(a, write(0x2000, 0x500, pattern(8)));
  EXPECT_EQ(told(c), Told());
}

TEST_F(Hazards, E10_BesideItNothing) {
  c.fpdu(a, read_request(1, of_2000));
  c.fpdu(a, write(0x2000, 0x500 + 1000, pattern(8)));
  c.fpdu(a, write(0x2000, 0x500 - 8, pattern(8)));
  c.fpdu(a, write(0x2001, 0x500, pattern(8)));
  c.fpdu(a, write(0x2000, 0x500));  // of no octets
  answer();
  EXPECT_EQ(told(c), Told());
}

TEST_F(Hazards, E10_OfAWriteOfManySegmentsOnce) {
  c.fpdu(a, read_request(1, of_2000));
  const auto segments = write_segments(0x2000, 0x400, pattern(900), 300);
  const Packets first = c.fpdu(a, segments[0]);
  for (std::size_t i = 1; i < segments.size(); ++i) c.fpdu(a, segments[i]);
  answer();
  EXPECT_EQ(told(c), (Told{warning("RDMAP-HAZRW", a, c.at(first))}));
}

TEST_F(Hazards, E10_ThePeersWritesAreItsOwn) {
  c.fpdu(a, read_request(1, of_2000));
  c.fpdu(b, write(0x2000, 0x500, pattern(8)));
  answer();
  EXPECT_EQ(told(c), Told());
}

TEST_F(Hazards, E10_WhereTheResponseMayBeMissingNothing) {
  c.fpdu(a, read_request(1, of_2000));
  c.drop(answer());
  c.fpdu(a, write(0x2000, 0x500, pattern(8)));
  c.fpdu(b, send(2));
  c.fpdu(a, send(2));
  for (const auto& finding : told(c)) EXPECT_EQ(finding.find("RDMAP-HAZRW"), std::string::npos) << finding;
}

TEST_F(Hazards, G7_ASendThatInvalidatesWhatIsRead) {
  c.fpdu(a, read_request(1, of_2000));
  const Packets wrong = c.fpdu(a, send_inv(2, 0x2000));
  answer();
  EXPECT_EQ(told(c), (Told{warning("RDMAP-INVBUSY", a, c.at(wrong))}));
}

TEST_F(Hazards, G7_OrAnother) {
  c.fpdu(a, read_request(1, of_2000));
  c.fpdu(a, send_inv(2, 0x2100));
  answer();
  c.fpdu(a, send_inv(3, 0x2000));
  EXPECT_EQ(told(c), Told());
}

TEST_F(Hazards, E14_AnAtomicOnNoWord) {
  const Packets wrong = c.fpdu(a, fetch_add(1, {.id = 7, .stag = 0x2000, .to = 0x7fff00000004, .data = 1}));
  c.fpdu(b, atomic_response(1, 7, 0));
  EXPECT_EQ(told(c), (Told{warning("RDMAP-ATALIGN", a, c.at(wrong))}));
}

TEST_F(Hazards, E14_OfABaseThatIsNotKnownNothing) {
  c.fpdu(a, fetch_add(1, {.id = 7, .stag = 0x2000, .to = 4, .data = 1}));
  c.fpdu(b, atomic_response(1, 7, 0));
  EXPECT_EQ(told(c), Told());
}

}  // namespace
}  // namespace iwarp::test
