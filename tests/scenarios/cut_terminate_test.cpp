// FPDUs of which the snapshot length left the first octets of the header: the opcode tells a Terminate, and
// shows what is not (C20, F12).
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

// A Terminate of b as siw sends it, quoting the Read Request with another MSN, of which the snapshot length
// left a part of the Read Request header.
constexpr std::size_t before_header =
    2 + 18 + 4 + 2 + 18;  // ULPDU_Length, its headers, the DDP header quoted
constexpr Read asked = {.sink_stag = 5, .sink_to = 70, .size = 64, .source_stag = 9, .source_to = 1000};

Packets refuse(Established& c, const Read& quoted) {
  Terminate fields = about(read_request(64, quoted), true);
  fields.layout = TerminateLayout::siw;
  return c.fpdu(b, terminate(0x0101, fields));
}

TEST(CutQuote, F6_AReadRequestOfWhichAPartIsQuotedMayBeTheOneThatWasSent) {
  for (std::size_t octets = 0; octets <= wire::read_request_size; ++octets) {
    SCOPED_TRACE(octets);
    Established c;
    c.fpdu(a, send(1));
    c.fpdu(a, read_request(1, asked));
    c.cut(refuse(c, asked), before_header + octets);
    c.close(b);
    const bool whole = octets == wire::read_request_size;
    const Analysed result(c);
    EXPECT_EQ(result.ids(Severity::warning), Ids{}) << result.told();
    EXPECT_EQ(result.findings("RDMAP-TERMREF").size(), whole ? 1U : 0U);
    EXPECT_EQ(result.undecidable("RDMAP-TERMREF", Reason::snaplen), whole ? 0U : 1U);
  }
}

TEST(CutQuote, F6_AReadRequestThatWasCutMayBeTheOneThatIsQuoted) {
  for (std::size_t octets = 0; octets < wire::read_request_size; ++octets) {
    SCOPED_TRACE(octets);
    Established c;
    c.fpdu(a, send(1));
    c.cut(c.fpdu(a, read_request(1, asked)), 2 + 18 + octets);
    refuse(c, asked);
    c.close(b);
    const Analysed result(c);
    EXPECT_EQ(result.ids(Severity::warning), Ids{}) << result.told();
    EXPECT_EQ(result.undecidable("RDMAP-TERMREF", Reason::snaplen), 1U);
  }
}

// Where a field that was captured differs, it is not the peer's.
TEST(CutQuote, F6_AReadRequestOfWhichAPartDiffersIsFound) {
  for (std::size_t octets = 0; octets <= wire::read_request_size; ++octets) {
    SCOPED_TRACE(octets);
    Established c;
    c.fpdu(a, send(1));
    c.fpdu(a, read_request(1, asked));
    Read other_sink = asked;
    other_sink.sink_stag = 6;
    c.cut(refuse(c, other_sink), before_header + octets);
    c.close(b);
    const bool differs = octets >= 4;
    const Analysed result(c);
    EXPECT_EQ(result.ids(Severity::warning), differs ? Ids{"RDMAP-TERMREF"} : Ids{}) << result.told();
    EXPECT_EQ(result.undecidable("RDMAP-TERMREF", Reason::snaplen), differs ? 0U : 1U);
  }
}

// The DDP header quoted is cut itself: which segment it is of nobody knows.
TEST(CutQuote, F6_ACutDdpHeaderIsUndecidable) {
  for (std::size_t octets = 0; octets < 18; ++octets) {
    SCOPED_TRACE(octets);
    Established c;
    c.fpdu(a, send(1));
    c.fpdu(a, read_request(1, asked));
    c.cut(refuse(c, asked), before_header - 18 + octets);
    c.close(b);
    const Analysed result(c);
    EXPECT_EQ(result.ids(Severity::warning), Ids{}) << result.told();
    EXPECT_EQ(result.undecidable("RDMAP-TERMREF", Reason::snaplen), 1U);
  }
}

// A zero-length Read with just this MSN may not be the one that was refused.
TEST(CutQuote, F6_AZeroLengthReadThatACutQuoteMayNotMean) {
  Established c;
  c.fpdu(a, send(1));
  c.fpdu(a, read_request(1, {.sink_stag = 5, .size = 0}));
  c.fpdu(a, read_request(2, {.sink_stag = 5, .size = 1, .source_stag = 9}));
  Terminate fields = about(read_request(1, {.sink_stag = 5, .size = 1, .source_stag = 9}), true);
  c.cut(c.fpdu(b, terminate(0x0101, fields)), before_header + 4);
  c.close(b);
  const Analysed result(c);
  EXPECT_EQ(result.ids(Severity::warning), Ids{}) << result.told();
  EXPECT_EQ(result.undecidable("RDMAP-RRZERO", Reason::snaplen), 1U);
}

INSTANTIATE_TEST_SUITE_P(Sides, CutHeader, testing::Values(a, b));

}  // namespace
}  // namespace iwarp::test
