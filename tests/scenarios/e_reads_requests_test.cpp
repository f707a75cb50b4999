// Read Requests and their Responses: form, size, match and order (RFC 5040 §4.4, §5.2, §5.5).
// SPDX-License-Identifier: GPL-2.0-or-later
#include <gtest/gtest.h>

#include "established.hpp"

namespace iwarp::test::established {
namespace {

using wire::Opcode;

constexpr Read sixteen = {
    .sink_stag = 7, .sink_to = 0x1000, .size = 16, .source_stag = 9, .source_to = 0x2000};

// --- E1: form of a Read Request -------------------------------------------------------------------------

TEST(ScenarioE, E1_ReadRequestOfAnotherLength) {
  for (const std::size_t header : {27U, 29U}) {
    Established c;
    c.fpdu(a, send(1));
    const Packets wrong = c.fpdu(a, untagged_segment(1, 1, 1, pattern(header)));
    c.ack(b);
    EXPECT_EQ(told(c), (Told{error("RDMAP-RREQ", a, c.at(wrong))})) << header;
    const Analysed result(c);
    EXPECT_EQ(result.side(a).max_outstanding, 0U) << "a malformed request is not outstanding";
    EXPECT_EQ(describe(result.findings("RDMAP-RREQ")[0].finding),
              "Read Request with ULPDU_Length " + std::to_string(18 + header) +
                  ", MO 0, L=1, where 46, 0 and 1 are due");
  }
}

TEST(ScenarioE, E1_ReadRequestAtMoFour) {
  Established c;
  c.fpdu(a, send(1));
  const Packets wrong = c.fpdu(a, read_request(1, sixteen, {.mo = 4}));
  c.ack(b);

  EXPECT_EQ(told(c), (Told{error("RDMAP-RREQ", a, c.at(wrong))}));
  EXPECT_EQ(Analysed(c).side(a).max_outstanding, 0U);
}

TEST(ScenarioE, E1_ReadRequestWithoutL) {
  Established c;
  c.fpdu(a, send(1));
  const Packets wrong = c.fpdu(a, read_request(1, sixteen, {.last = false}));
  c.ack(b);

  EXPECT_EQ(told(c), (Told{error("RDMAP-RREQ", a, c.at(wrong))}));
  EXPECT_EQ(Analysed(c).side(a).max_outstanding, 0U);
}

TEST(ScenarioE, E1_ReadRequestWithoutLIsOneFindingAtTheEndToo) {
  Established c;
  c.fpdu(a, send(1));
  const Packets wrong = c.fpdu(a, read_request(1, sixteen, {.last = false}));
  c.fpdu(a, send(2));
  c.close();

  EXPECT_EQ(told(c), (Told{error("RDMAP-RREQ", a, c.at(wrong))}));
}

TEST(ScenarioE, E1_TheNextRequestIsJudgedByItself) {
  Established c;
  c.fpdu(a, send(1));
  const Packets wrong = c.fpdu(a, untagged_segment(1, 1, 1, pattern(27)));
  const Packets request = c.fpdu(a, read_request(2, sixteen));
  const Packets response = c.fpdu(b, read_response(7, 0x1000, pattern(16)));
  c.close();

  EXPECT_EQ(told(c), (Told{error("RDMAP-RREQ", a, c.at(wrong))}));
  EXPECT_EQ(
      operations(Analysed(c), OperationKind::read),
      words({{.length = 16, .request = c.at(request), .first = c.at(response), .last = c.at(response)}}));
}

// --- E2: too many and too few octets --------------------------------------------------------------------

TEST(ScenarioE, E2_ResponseLongerThanAskedFor) {
  Established c;
  c.fpdu(a, send(1));
  c.fpdu(a, read_request(1, sixteen));
  c.fpdu(b, read_response(7, 0x1000, pattern(8, 1), {.last = false}));
  c.fpdu(b, read_response(7, 0x1008, pattern(8, 2), {.last = false}));
  const Packets passes = c.fpdu(b, read_response(7, 0x1010, pattern(8, 3)));
  // L ends it: the next read is whole again.
  const Packets request =
      c.fpdu(a, read_request(2, {.sink_stag = 7, .sink_to = 0x3000, .size = 4, .source_stag = 9}));
  const Packets response = c.fpdu(b, read_response(7, 0x3000, pattern(4)));
  c.close();

  EXPECT_EQ(told(c), (Told{error("RDMAP-RRLONG", b, c.at(passes))}));
  const Analysed result(c);
  EXPECT_EQ(describe(result.findings("RDMAP-RRLONG")[0].finding),
            "Read Response has 24 octets, the request asked for 16");
  const Told reads = operations(result, OperationKind::read);
  ASSERT_EQ(reads.size(), 2U);
  EXPECT_EQ(result.operations(OperationKind::read)[0].length, 24U);
  EXPECT_EQ(result.operations(OperationKind::read)[0].response.frame, c.at(passes));
  EXPECT_EQ(
      reads[1],
      words(Op{.length = 4, .request = c.at(request), .first = c.at(response), .last = c.at(response)}));
}

TEST(ScenarioE, E2_LongResponseIsToldOnceAtTheSegmentThatPassesTheSize) {
  Established c;
  c.fpdu(a, send(1));
  c.fpdu(a, read_request(1, sixteen));
  c.fpdu(b, read_response(7, 0x1000, pattern(8, 1), {.last = false}));
  const Packets passes = c.fpdu(b, read_response(7, 0x1008, pattern(16, 2), {.last = false}));
  c.fpdu(b, read_response(7, 0x1018, pattern(8, 3)));
  c.close();

  EXPECT_EQ(told(c), (Told{error("RDMAP-RRLONG", b, c.at(passes))}));
}

TEST(ScenarioE, E2_ResponseShorterThanAskedFor) {
  Established c;
  c.fpdu(a, send(1));
  const Packets first = c.fpdu(a, read_request(1, sixteen));
  const Packets ends = c.fpdu(b, read_response(7, 0x1000, pattern(8)));
  const Packets request =
      c.fpdu(a, read_request(2, {.sink_stag = 7, .sink_to = 0x3000, .size = 4, .source_stag = 9}));
  const Packets response = c.fpdu(b, read_response(7, 0x3000, pattern(4)));
  c.close();

  EXPECT_EQ(told(c), (Told{error("RDMAP-RRSHORT", b, c.at(ends))}));
  const Analysed result(c);
  EXPECT_EQ(describe(result.findings("RDMAP-RRSHORT")[0].finding),
            "Read Response ends after 8 octets, the request asked for 16");
  const std::vector<OperationConclusion> reads = result.operations(OperationKind::read);
  ASSERT_EQ(reads.size(), 2U);
  EXPECT_EQ(reads[0].request.frame, c.at(first));
  EXPECT_EQ(reads[0].response.frame, c.at(ends));
  EXPECT_EQ(reads[0].length, 8U);
  EXPECT_EQ(reads[0].status, OperationStatus::incomplete);
  EXPECT_EQ(
      operations(result, OperationKind::read)[1],
      words(Op{.length = 4, .request = c.at(request), .first = c.at(response), .last = c.at(response)}));
}

// --- E3: the wrong sink; nothing asked for --------------------------------------------------------------

TEST(ScenarioE, E3_ResponseToAnotherStag) {
  Established c;
  c.fpdu(a, send(1));
  c.fpdu(a, read_request(1, sixteen));
  const Bytes wrong = read_response(8, 0x1000, pattern(16));
  const Packets packets = c.fpdu(b, wrong);
  c.terminated(a, 0x1100, about(wrong));

  EXPECT_EQ(told(c), (Told{error("RDMAP-RRMATCH", b, c.at(packets))}));
  const Analysed result(c);
  EXPECT_EQ(describe(result.findings("RDMAP-RRMATCH")[0].finding),
            "Read Response to STag 0x00000008 TO 0x0000000000001000, the oldest request asked for 0x00000007 "
            "0x0000000000001000");
  EXPECT_EQ(why(result), (Told{"1100 explained"}));
}

TEST(ScenarioE, E3_ResponseToAnotherOffset) {
  Established c;
  c.fpdu(a, send(1));
  c.fpdu(a, read_request(1, sixteen));
  const Bytes wrong = read_response(7, 0x9000, pattern(16));
  const Packets packets = c.fpdu(b, wrong);
  c.terminated(a, 0x1101, about(wrong));

  EXPECT_EQ(told(c), (Told{error("RDMAP-RRMATCH", b, c.at(packets))}));
  EXPECT_EQ(why(c), (Told{"1101 explained"}));
}

TEST(ScenarioE, E3_ResponseToNothing) {
  Established c;
  c.fpdu(a, send(1));
  const Packets stray = c.fpdu(b, read_response(7, 0x1000, pattern(16)));
  c.close();

  EXPECT_EQ(told(c), (Told{error("RDMAP-RRNONE", b, c.at(stray))}));
  EXPECT_EQ(describe(Analysed(c).findings("RDMAP-RRNONE")[0].finding),
            "RDMA Read Response without an outstanding request (STag 0x00000007, TO 0x0000000000001000)");
  EXPECT_TRUE(Analysed(c).operations(OperationKind::read).empty());
}

TEST(ScenarioE, E3_SecondResponseToOneRequest) {
  Established c;
  c.fpdu(a, send(1));
  c.fpdu(a, read_request(1, sixteen));
  c.fpdu(b, read_response(7, 0x1000, pattern(16)));
  const Packets stray = c.fpdu(b, read_response(7, 0x1000, pattern(8), {.last = false}));
  c.fpdu(b, read_response(7, 0x1008, pattern(8)));
  c.close();

  EXPECT_EQ(told(c), (Told{error("RDMAP-RRNONE", b, c.at(stray))}));
}

// --- E4: answers swapped --------------------------------------------------------------------------------

TEST(ScenarioE, E4_TwoReadsAnsweredInTheWrongOrder) {
  Established c;
  c.fpdu(a, send(1));
  const Packets one = c.fpdu(a, read_request(1, sixteen));
  const Packets two =
      c.fpdu(a, read_request(2, {.sink_stag = 7, .sink_to = 0x3000, .size = 4, .source_stag = 9}));
  const Packets of_two = c.fpdu(b, read_response(7, 0x3000, pattern(4)));
  const Packets of_one = c.fpdu(b, read_response(7, 0x1000, pattern(16)));
  c.close();

  EXPECT_EQ(told(c), (Told{error("RDMAP-RRORDER", b, c.at(of_two))}));
  EXPECT_TRUE(has_evidence(Analysed(c).findings("RDMAP-RRORDER")[0], c.at(one)));
  EXPECT_EQ(
      operations(Analysed(c), OperationKind::read),
      words(
          {{.length = 4, .request = c.at(two), .first = c.at(of_two), .last = c.at(of_two), .outstanding = 2},
           {.length = 16, .request = c.at(one), .first = c.at(of_one), .last = c.at(of_one)}}));
}

TEST(ScenarioE, E4_SwappedAnswersOfManySegments) {
  Established c;
  c.fpdu(a, send(1));
  c.fpdu(a, read_request(1, {.sink_stag = 7, .sink_to = 0x1000, .size = 2000, .source_stag = 9}));
  c.fpdu(a, read_request(2, {.sink_stag = 7, .sink_to = 0x3000, .size = 2000, .source_stag = 9}));
  const Packets of_two = c.fpdus(b, read_response_segments(7, 0x3000, pattern(2000, 2), 1000));
  c.fpdus(b, read_response_segments(7, 0x1000, pattern(2000, 1), 1000));
  c.close();

  EXPECT_EQ(told(c), (Told{error("RDMAP-RRORDER", b, c.at(of_two[0]))}));
}

// --- E8: zero octets ------------------------------------------------------------------------------------

TEST(ScenarioE, E8_ReadOfNothingFromNowhere) {
  Established c;
  c.fpdu(a, send(1));
  const Packets request = c.fpdu(a, read_request(1, {}));
  const Packets response = c.fpdu(b, read_response(0, 0));
  c.close();

  EXPECT_EQ(told(c), Told{});
  EXPECT_EQ(
      operations(Analysed(c), OperationKind::read),
      words({{.length = 0, .request = c.at(request), .first = c.at(response), .last = c.at(response)}}));
}

TEST(ScenarioE, E8_TerminateForAReadOfNothing) {
  Established c;
  c.fpdu(a, send(1));
  const Bytes nothing = read_request(1, {.source_stag = 0xDEADBE00});
  const Packets request = c.fpdu(a, nothing);
  const Packets end = c.terminated(b, 0x0100, about(nothing, true));

  EXPECT_EQ(told(c), (Told{error("RDMAP-RRZERO", b, c.at(end))}));
  EXPECT_EQ(describe(Analysed(c).findings("RDMAP-RRZERO")[0].finding),
            "Terminate 0x0100 for a zero-length Read");
  EXPECT_EQ(operations(Analysed(c), OperationKind::read),
            words({{.length = 0, .request = c.at(request), .status = OperationStatus::terminated}}));
}

// --- STag 0 as a source: the read of octets from it is wrong (scenarios D14 and E8 have the other sides) ---

TEST(ScenarioE, E8_ReadOfOctetsFromStagZero) {
  Established c;
  c.fpdu(a, send(1));
  const Packets wrong = c.fpdu(a, read_request(1, {.sink_stag = 7, .size = 4, .source_stag = 0}));
  c.fpdu(b, read_response(7, 0, pattern(4)));
  c.close();

  EXPECT_EQ(told(c), (Told{error("RDMAP-STAG0", a, c.at(wrong))}));
}

}  // namespace
}  // namespace iwarp::test::established
