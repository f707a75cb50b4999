// FPDUs of which the snapshot length left the first octets of the header: the opcode tells a Terminate, and
// tells what is none (C20, F12).
// SPDX-License-Identifier: GPL-2.0-or-later
#include <gtest/gtest.h>

#include "scenarios/established.hpp"

namespace iwarp::test {
namespace {

using established::a;
using established::b;
using established::Established;
using established::second;

constexpr std::size_t control = 6;  // ULPDU_Length, the control octets of DDP and RDMAP, two octets more

class CutHeader : public testing::TestWithParam<Side> {
 protected:
  void SetUp() override {
    c.fpdu(a, send(1));
    c.fpdu(b, send(1));
    c.ack(a);
  }
  // `closing` sends its last FPDU and a FIN; the peer's Send had been sent before it got them.
  void close_with(const Bytes& last) {
    const Packets crossing = c.lose(peer, c.frame(peer, send(2)));
    c.cut(c.fpdu(closing, last), control);
    c.fin(closing);
    c.ack(peer);
    c.wait(second);
    c.resend(crossing);
    c.ack(closing);
    c.fin(peer);
    c.ack(closing);
  }

  const Side closing = GetParam();
  const Side peer = other(closing);
  Established c;
};

TEST_P(CutHeader, C20_ATerminateBehindAFinIsNoData) {
  c.fin(closing);
  c.ack(peer);
  c.wait(second);
  c.cut(c.fpdu(peer, terminate(0x0207)), control);
  c.ack(closing);
  c.fin(peer);
  c.ack(closing);
  const Analysed result(c);
  EXPECT_EQ(result.ids(Severity::warning), Ids{}) << result.told();
}

TEST_P(CutHeader, C20_DataThatCrossesATerminateIsUndecidable) {
  close_with(terminate(0x0000));
  const Analysed result(c);
  EXPECT_EQ(result.ids(Severity::warning), Ids{}) << result.told();
  EXPECT_GT(result.undecidable("VERBS-CLOSEDATA", Reason::snaplen), 0U) << result.told();
}

TEST_P(CutHeader, C20_DataThatCrossesASendAndAFinIsFound) {
  close_with(send(2));
  const Analysed result(c);
  EXPECT_EQ(result.ids(Severity::warning), Ids{"VERBS-CLOSEDATA"}) << result.told();
}

TEST_P(CutHeader, C20_BothEndsAreInTerminateAsFarAsIsKnown) {
  const Packets packets = c.fpdu(closing, terminate(0x0000));
  c.cut(packets, control);
  c.ack(peer);
  const ConnectionState state = established::state_after(Analysed(c), c.at(packets) + 1);
  for (const Side side : {a, b}) {
    EXPECT_EQ(state.side(side).qp.value, QpValue::terminate);
    EXPECT_EQ(state.side(side).qp.confidence, Confidence::low);
  }
}

INSTANTIATE_TEST_SUITE_P(Sides, CutHeader, testing::Values(a, b));

}  // namespace
}  // namespace iwarp::test
