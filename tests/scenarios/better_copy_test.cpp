// A wrong copy of an FPDU was captured before the good one, as with a faulty middlebox: all that the good one
// tells is judged as if it had come alone (B12: the good copy is used).
// SPDX-License-Identifier: GPL-2.0-or-later
#include <gtest/gtest.h>

#include "scenarios/established.hpp"

namespace iwarp::test {
namespace {

using established::a;
using established::b;
using established::Established;

class BetterCopy : public testing::TestWithParam<bool> {
 protected:
  // The FPDU from `side`, behind a copy of it with one wrong octet if the parameter says so.
  Packets twice(Established& c, Side side, const Bytes& fpdu) {
    const Bytes good = c.frame(side, fpdu);
    if (GetParam()) {
      Bytes bad = good;
      bad[bad.size() - 5] ^= 0xff;
      c.inject(side, c.sent(side), bad);
    }
    return c.send(side, good);
  }

  void expect(Established& c, const Ids& ids) const {
    const Analysed result(c);
    Ids all = ids;
    if (GetParam()) all.insert(all.begin(), "MPA-CRC");
    EXPECT_EQ(result.ids(), all) << result.told();
    EXPECT_EQ(result.has("CAP-OVERLAP-CONFLICT"), GetParam());
    for (const char* id : {"DDP-MSN1", "DDP-MSNGAP", "RDMAP-RRLOST", "RDMAP-RRNONE", "VERBS-BADCLOSE",
                           "RDMAP-TERMWHY", "DDP-MOSEQ", "RDMAP-ORD"})
      EXPECT_EQ(result.undecidable(id, Reason::bad_crc), 0U) << id;
  }
};

INSTANTIATE_TEST_SUITE_P(WithAndWithoutTheWrongOne, BetterCopy, testing::Bool());

TEST_P(BetterCopy, B12_NothingIsDoubtfulBehindIt) {
  Established c;
  c.fpdu(a, send(1));
  twice(c, a, send(2));
  c.fpdu(a, send(3));
  c.close();
  expect(c, {});
  EXPECT_EQ(Analysed(c).messages().size(), 3U);
}

TEST_P(BetterCopy, B12_OfTheFirstFpdu) {
  Established c;
  twice(c, a, send(1));
  c.fpdu(a, send(2));
  c.close();
  expect(c, {});
}

TEST_P(BetterCopy, B12_ShowsTheMsnThatWasJumpedOver) {
  Established c;
  c.fpdu(a, send(1));
  const Packets wrong = twice(c, a, send(5));
  c.fpdu(a, send(6));
  c.close();
  expect(c, {"DDP-MSNGAP"});
  EXPECT_EQ(Analysed(c).findings("DDP-MSNGAP").at(0).frame, c.at(wrong));
}

TEST_P(BetterCopy, B12_ShowsTheWrongMsnOfTheNextOne) {
  Established c;
  c.fpdu(a, send(1));
  twice(c, a, send(2));
  c.fpdu(a, send(5));
  c.close();
  expect(c, {"DDP-MSNGAP"});
}

TEST_P(BetterCopy, B12_LeavesARequestUnanswered) {
  Established c;
  c.fpdu(a, send(1));
  twice(c, a, send(2));
  c.fpdu(a, read_request(1, {.sink_stag = 1, .size = 10, .source_stag = 2}));
  c.close();
  expect(c, {"VERBS-BADCLOSE", "VERBS-BADCLOSE", "RDMAP-RRLOST"});
}

TEST_P(BetterCopy, B12_OfTheRequestThatIsNotAnswered) {
  Established c;
  c.fpdu(a, send(1));
  twice(c, a, read_request(1, {.sink_stag = 1, .size = 10, .source_stag = 2}));
  c.close();
  expect(c, {"VERBS-BADCLOSE", "VERBS-BADCLOSE", "RDMAP-RRLOST"});
}

TEST_P(BetterCopy, B12_OfAResponse) {
  Established c;
  c.fpdu(a, read_request(1, {.sink_stag = 1, .size = 10, .source_stag = 2}));
  c.fpdu(a, read_request(2, {.sink_stag = 2, .size = 10, .source_stag = 2}));
  twice(c, b, read_response(1, 0, pattern(10)));
  c.fpdu(b, read_response(2, 0, pattern(10)));
  c.close();
  expect(c, {});
  const Analysed result(c);
  EXPECT_EQ(result.operations(OperationKind::read).size(), 2U);
}

TEST_P(BetterCopy, B12_InTheMiddleOfAMessage) {
  Established c;
  const std::vector<Bytes> segments = send_segments(1, pattern(30), 10);
  c.fpdu(a, segments[0]);
  twice(c, a, segments[1]);
  c.fpdu(a, segments[2]);
  c.fpdu(a, send(2));
  c.close();
  expect(c, {});
  EXPECT_EQ(Analysed(c).messages().size(), 2U);
}

TEST_P(BetterCopy, B12_OfATerminate) {
  Established c;
  c.fpdu(a, send(1));
  twice(c, b, terminate(0x0299));
  c.close(b);
  c.close(a);
  const Analysed result(c);
  EXPECT_TRUE(result.has("RDMAP-TERMCODE")) << result.told();
}

// Only the good copy shows that the initiator's first FPDU is not of the kinds that were agreed on.
TEST_P(BetterCopy, B12_OfTheReadyToReceiveMessage) {
  const Startup word{.word = Depths{.peer_to_peer = true, .rtr_read = true, .ird = 4, .ord = 4}};
  Established c(word, word);
  twice(c, a, send(1, pattern(10)));
  c.fpdu(b, send(1));
  c.close();
  const Analysed result(c);
  EXPECT_EQ(result.ids(Severity::error), GetParam() ? (Ids{"MPA-CRC", "MPA-RTR"}) : Ids{"MPA-RTR"})
      << result.told();
}

// Others came between: what nothing else made doubtful is certain again.
TEST_P(BetterCopy, B12_LaterLeavesARequestUnanswered) {
  Established c;
  c.fpdu(a, send(1));
  const Bytes good = c.frame(a, send(2));
  Bytes bad = good;
  if (GetParam()) bad[bad.size() - 5] ^= 0xff;
  const StreamOffset at = c.sent(a);
  c.send(a, bad);
  c.fpdu(a, send(3));
  c.ack(b);
  if (GetParam()) c.inject(a, at, good);
  c.fpdu(a, read_request(1, {.sink_stag = 1, .size = 10, .source_stag = 2}));
  c.close();
  const Analysed result(c);
  EXPECT_TRUE(result.has("RDMAP-RRLOST")) << result.told();
  EXPECT_TRUE(result.has("VERBS-BADCLOSE")) << result.told();
}

// Where the octets of an FPDU lie that counts: in the frames of the good copies.
using Slices = std::vector<std::vector<std::uint64_t>>;
Slices slices_of(const Analysed& result, const Event& fpdu) {
  Slices slices;
  for (const Slice& slice : result.analysis().slices(fpdu))
    slices.push_back({slice.frame, slice.payload_offset, slice.length});
  return slices;
}

TEST(BetterCopySlices, LieInTheFrameOfTheGoodCopy) {
  Established c;
  c.fpdu(a, send(1));
  const Bytes good = c.frame(a, send(2, pattern(100)));
  Bytes bad = good;
  bad[bad.size() - 5] ^= 0xff;
  const StreamOffset at = c.sent(a);
  c.send(a, bad);
  for (std::uint32_t msn = 3; msn < 6; ++msn) c.fpdu(a, send(msn));
  const Packets again = c.inject(a, at, good);
  c.fpdu(a, send(6));
  c.close();
  const Analysed result(c);
  std::vector<Event> all = result.fpdus();
  std::erase_if(all, [](const Event& event) { return !event.fpdu.recovered; });
  ASSERT_EQ(all.size(), 1U);
  EXPECT_EQ(slices_of(result, all[0]), (Slices{{c.at(again), 0, good.size()}}));
  EXPECT_EQ(result.messages(wire::Opcode::send).size(), 6U);
}

TEST(BetterCopySlices, LieInSeveralFramesWhereTheGoodOneHasSomeOctets) {
  Established c;
  const Packets lost = c.lose(a, c.frame(a, send(1)));
  const Bytes good = c.frame(a, send(2, pattern(100)));
  Bytes bad = good;
  bad[60] ^= 0xff;
  const StreamOffset at = c.sent(a);
  const Packets first = c.send(a, bad);
  const Packets again = c.inject(a, at + 50, {good.begin() + 50, good.begin() + 80});
  c.resend(lost);
  c.fpdu(a, send(3));
  c.close();
  const Analysed result(c);
  EXPECT_EQ(result.ids(), Ids{}) << result.told();
  ASSERT_EQ(result.fpdus().size(), 3U);
  EXPECT_EQ(slices_of(result, result.fpdus()[1]),
            (Slices{{c.at(first), 0, 50}, {c.at(again), 0, 30}, {c.at(first), 80, good.size() - 80}}));
}

}  // namespace
}  // namespace iwarp::test
