// Analysis::payload: the octets behind the DDP header of an FPDU.
// SPDX-License-Identifier: GPL-2.0-or-later
#include <gtest/gtest.h>

#include "support/analysed.hpp"

namespace iwarp::test {
namespace {

constexpr Side a = Side::a;

AnalyzerOptions keeping(bool payload = true) {
  AnalyzerOptions options;
  options.keep_log = true;
  options.keep_payload = payload ? KeepPayload::all : KeepPayload::none;
  return options;
}

std::vector<Bytes> payloads_of(const Analysed& result) {
  std::vector<Bytes> payloads;
  for (const Event& fpdu : result.fpdus()) {
    const ByteView octets = result.analysis().payload(fpdu);
    payloads.emplace_back(octets.begin(), octets.end());
  }
  return payloads;
}

TEST(PayloadTest, IsWhatTheSenderPutBehindTheHeader) {
  const std::vector<Bytes> sent = {text("hello"), pattern(4000), {}, pattern(1200, 7)};
  for (const bool markers : {false, true}) {
    Conversation c;
    c.handshake();
    c.startup({.markers = markers}, {.markers = markers});
    c.fpdu(a, send(1, sent[0]));
    c.fpdu(a, write(7, 0x1000, sent[1]), Cuts::every(700));
    c.packed(a, {send(2, sent[2]), write(7, 0x1000, sent[3])}, Cuts::every(100));
    EXPECT_EQ(payloads_of(Analysed(c, keeping())), sent) << markers;
    EXPECT_EQ(payloads_of(Analysed(c, keeping(false))), std::vector<Bytes>(4)) << markers;
  }
}

TEST(PayloadTest, OfACutFpduThereIsNone) {
  Conversation c;
  c.handshake();
  c.startup();
  c.cut(c.fpdu(a, send(1, pattern(500))), 100);
  c.fpdu(a, send(2, text("hello")));
  EXPECT_EQ(payloads_of(Analysed(c, keeping())), (std::vector<Bytes>{{}, text("hello")}));
}

TEST(PayloadTest, InStreamingModeItLivesWithItsEvents) {
  Conversation c;
  c.handshake();
  c.startup();
  for (std::uint32_t msn = 1; msn < 50; ++msn) c.fpdu(a, send(msn, pattern(msn, msn)));
  AnalyzerOptions options;
  options.keep_payload = KeepPayload::all;
  Analyzer analyzer(options);
  std::uint32_t seen = 0;
  for (const OwnedSegment& each : c.segments()) {
    for (const Event& event : analyzer.add(each.segment())) {
      if (event.kind != EventKind::fpdu) continue;
      ++seen;
      const ByteView octets = analyzer.analysis().payload(event);
      EXPECT_EQ(Bytes(octets.begin(), octets.end()), pattern(seen, seen));
    }
  }
  EXPECT_EQ(seen, 49U);
}

TEST(PayloadTest, ABetterCopyReplacesADamagedOne) {
  Conversation c;
  c.handshake();
  c.startup();
  const Packets damaged = c.fpdu(a, send(1, text("hello")));
  const Packets again = c.resend(damaged);
  c.packet(damaged).octets[21] = 'E';
  c.ack(Side::b);
  (void)again;
  const Analysed result(c, keeping());
  const std::vector<Bytes> payloads = payloads_of(result);
  ASSERT_FALSE(payloads.empty());
  EXPECT_EQ(payloads.back(), text("hello"));
}

}  // namespace
}  // namespace iwarp::test
