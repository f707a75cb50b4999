// A few FPDUs of a connection that the capture joined, without a CRC: too few to show their framing before
// the connection ends, which then must tell (C10, C11; state.md A5: the end counts, whenever framing was
// found).
// SPDX-License-Identifier: GPL-2.0-or-later
#include <gtest/gtest.h>

#include "scenarios/established.hpp"

namespace iwarp::test {
namespace {

using established::a;
using established::b;

const Startup no_crc{.crc = false};

class ShortMidstream : public testing::Test {
 protected:
  ShortMidstream() {
    c.unseen([&] {
      c.handshake();
      c.startup(no_crc, no_crc);
    });
  }

  // `count` Sends each way, from this MSN on.
  void sends(std::uint32_t msn, std::uint32_t count) {
    for (std::uint32_t i = 0; i < count; ++i) {
      for (const Side side : {a, b}) c.fpdu(side, send(msn + i, pattern(20)));
    }
  }

  static std::vector<std::uint32_t> msns(const Analysed& result) {
    std::vector<std::uint32_t> all;
    for (const Event& event : result.messages()) {
      if (event.side == a) all.push_back(event.message.msn);
    }
    return all;
  }

  static std::vector<std::uint32_t> from_to(std::uint32_t first, std::uint32_t last) {
    std::vector<std::uint32_t> all;
    for (; first <= last; ++first) all.push_back(first);
    return all;
  }

  Conversation c;
};

TEST_F(ShortMidstream, C11_IsFramedWhenItIsClosed) {
  sends(20, 5);
  c.close();
  const Analysed result(c);
  EXPECT_EQ(result.ids(Severity::note), Ids{}) << result.told();
  EXPECT_EQ(msns(result), from_to(20, 24));
  for (const Side side : {a, b}) {
    EXPECT_EQ(result.side(side).qp.value, QpValue::idle);
    EXPECT_EQ(result.side(side).qp.confidence, Confidence::low);
  }
  // With the FIN it is told, not by the end of the capture.
  for (const Event& event : result.fpdus()) EXPECT_LE(event.frame, *result.side(event.side).fin_frame);
}

TEST_F(ShortMidstream, C11_FewOneWayAndManyTheOther) {
  for (std::uint32_t msn = 20; msn < 50; ++msn) c.fpdu(a, send(msn, pattern(40)));
  for (std::uint32_t msn = 1; msn < 5; ++msn) c.fpdu(b, send(msn));
  c.close();
  const Analysed result(c);
  EXPECT_EQ(result.messages().size(), 34U) << result.told();
  for (const Side side : {a, b}) EXPECT_EQ(result.side(side).qp.value, QpValue::idle);
}

TEST_F(ShortMidstream, F13_IsInErrorWhenItWasReset) {
  sends(20, 5);
  c.rst(b);
  const Analysed result(c);
  EXPECT_EQ(result.messages().size(), 10U) << result.told();
  for (const Side side : {a, b}) EXPECT_EQ(result.side(side).qp.value, QpValue::error);
  EXPECT_EQ(result.undecidable("VERBS-RST", Reason::midstream), 1U) << result.told();
}

// What the peer of a side that resets had sent may still be captured: it is framed at the end of the capture.
TEST_F(ShortMidstream, F13_IsInErrorWhenItsPeerResets) {
  for (std::uint32_t msn = 20; msn < 25; ++msn) {
    c.fpdu(b, send(msn, pattern(20)));
    c.ack(a);
  }
  c.rst(a);
  const Analysed result(c);
  EXPECT_EQ(result.messages().size(), 5U) << result.told();
  for (const Side side : {a, b}) EXPECT_EQ(result.side(side).qp.value, QpValue::error);
}

// MSN 12 stands twelve octets behind its FPDU's beginning: it could be a marker, but the next header shows
// that it is not (RFC 5044 §4.3).
TEST_F(ShortMidstream, C13_AnMsnThatIsItsOwnDistanceIsRead) {
  sends(9, 8);
  c.close();
  const Analysed result(c);
  EXPECT_EQ(msns(result), from_to(9, 16)) << result.told();
  EXPECT_EQ(result.undecidable("DDP-MSNGAP"), 0U);
}

TEST_F(ShortMidstream, C13_InTheFirstFpduAsWell) {
  sends(12, 8);
  c.close();
  EXPECT_EQ(msns(Analysed(c)), from_to(12, 19));
}

TEST_F(ShortMidstream, C13_WherePayloadIsCut) {
  for (std::uint32_t msn = 9; msn <= 16; ++msn) c.fpdu(a, send(msn, pattern(220)));
  c.close();
  c.snaplen(96);
  const Analysed result(c);
  std::vector<std::uint32_t> all;
  for (const Event& event : result.fpdus()) {
    if (event.fpdu.header_octets >= wire::untagged_header_size) all.push_back(event.fpdu.ddp.msn);
  }
  EXPECT_EQ(all, from_to(9, 16)) << result.told();
}

TEST_F(ShortMidstream, C13_ATaggedOffsetThatIsItsOwnDistanceIsRead) {
  for (const std::uint64_t to : {0x100U, 0x200U, 0xcU, 0x300U, 0x400U, 0x500U, 0x600U, 0x700U})
    c.fpdu(a, write(7, to, pattern(60)));
  c.close();
  std::vector<std::uint64_t> all;
  for (const Event& event : Analysed(c).fpdus()) {
    if (event.fpdu.header_octets >= wire::tagged_header_size) all.push_back(event.fpdu.ddp.to);
  }
  EXPECT_EQ(all, (std::vector<std::uint64_t>{0x100, 0x200, 0xc, 0x300, 0x400, 0x500, 0x600, 0x700}));
}

}  // namespace
}  // namespace iwarp::test
