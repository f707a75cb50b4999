// Scenarios C4, C5, C8, C14: octets never captured, connections cut off, one direction only.
// SPDX-License-Identifier: GPL-2.0-or-later
#include "established.hpp"
#include "framing_log.hpp"

namespace iwarp::test {
namespace {

using established::Established;

constexpr Side a = Side::a;
constexpr Side b = Side::b;
const Read hundred{.sink_stag = 7, .size = 100, .source_stag = 8};

// --- C4: never captured, but acknowledged --------------------------------------------------------------

TEST(ScenarioC, C4_GapIsOfItsLengthAndChecksReArmBehindIt) {
  for (const bool markers : {false, true}) {
    SCOPED_TRACE(markers);
    Established c({}, {.markers = markers});
    c.fpdu(a, send(1, pattern(300)));
    c.fpdu(a, send(2, pattern(300)));
    const std::uint64_t offset = c.stream(a).position();
    const Packets lost = c.fpdus(a, {send(3, pattern(700)), send(4, pattern(300))});
    const std::uint64_t length = c.stream(a).position() - offset;
    c.drop(lost);
    c.fpdu(a, send(5, pattern(300)));
    c.ack(b);
    c.wait(200'000'000);  // whatever a mirror delivers late has come
    c.fpdu(a, send(6, pattern(300)));
    const Packets wrong = c.fpdu(a, send(8, pattern(300)));
    c.ack(b);
    c.close();
    const Analysed result(c);
    EXPECT_EQ(result.ids(Severity::note), (Ids{"CAP-GAP", "DDP-MSNGAP"})) << result.told();
    EXPECT_EQ(result.findings("CAP-GAP")[0].finding.severity, Severity::note);
    EXPECT_EQ(result.findings("CAP-GAP")[0].finding.arguments[0], length);
    EXPECT_EQ(result.findings("CAP-GAP")[0].finding.arguments[1], offset);
    EXPECT_EQ(result.findings("DDP-MSNGAP")[0].frame, c.at(wrong));
    ASSERT_EQ(result.of(EventKind::gap).size(), 1U);
    EXPECT_EQ(result.of(EventKind::gap)[0].gap.length, length);
    EXPECT_EQ(result.of(EventKind::gap)[0].gap.cause, GapCause::uncaptured);
    EXPECT_EQ(result.undecidable("DDP-MSNGAP", Reason::gap), 1U);
    EXPECT_EQ(result.messages().size(), 5U);
    EXPECT_EQ(result.side(a).gaps, 1U);
    EXPECT_EQ(result.side(a).gap_octets, length);
  }
}

TEST(ScenarioC, C4_MessageThatLostItsMiddle) {
  Established c;
  const std::vector<Bytes> segments = send_segments(1, pattern(5000), 1000);
  c.fpdu(a, segments[0]);
  c.drop(c.fpdu(a, segments[1]));
  c.fpdu(a, segments[2]);
  c.ack(b);
  c.fpdu(a, segments[3]);
  c.fpdu(a, segments[4]);
  const std::vector<Bytes> next = send_segments(2, pattern(2000), 1000);
  c.fpdu(a, next[0]);
  Bytes wrong_mo = send(2, pattern(1000), {.mo = 1004});
  c.fpdu(a, wrong_mo);
  c.close();
  const Analysed result(c);
  // MO of the holed message is not judged, that of the next one is.
  EXPECT_EQ(result.ids(Severity::note), (Ids{"CAP-GAP", "DDP-MOSEQ"})) << result.told();
  const std::vector<Event> all = result.messages(wire::Opcode::send, false);
  ASSERT_GE(all.size(), 1U);
  EXPECT_EQ(all[0].message.msn, 1U);
  EXPECT_EQ(all[0].message.end, MessageEnd::unknown);
  EXPECT_EQ(all[0].message.reason, Reason::gap);
}

TEST(ScenarioC, C4_WriteThatLostItsMiddle) {
  Established c;
  const std::vector<Bytes> segments = write_segments(9, 0x1000, pattern(5000), 1000);
  c.fpdu(a, segments[0]);
  c.drop(c.fpdus(a, {segments[1], segments[2]}));
  c.fpdu(a, segments[3]);
  c.ack(b);
  c.fpdu(a, segments[4]);
  c.fpdus(a, write_segments(9, 0x9000, pattern(2000), 1000));
  c.close();
  const Analysed result(c);
  EXPECT_EQ(result.ids(Severity::note), (Ids{"CAP-GAP"})) << result.told();
  const std::vector<Event> writes = result.messages(wire::Opcode::rdma_write);
  ASSERT_EQ(writes.size(), 1U);  // of the first one it is not known whether it is one
  EXPECT_EQ(writes[0].message.length, 2000U);
  EXPECT_GT(result.undecidable("DDP-TOSEQ", Reason::gap), 0U);
}

TEST(ScenarioC, C4_ReadsAnsweredInTheHoleAreUnknown) {
  Established c;
  c.fpdu(a, read_request(1, hundred));
  c.fpdu(a, read_request(2, hundred));
  c.drop(c.fpdus(b, {read_response(7, 0, pattern(100)), read_response(7, 0, pattern(100))}));
  c.fpdu(b, send(1));
  c.ack(a);
  c.fpdu(a, read_request(3, hundred));
  c.fpdu(b, read_response(7, 0, pattern(100)));
  c.close();
  const Analysed result(c);
  EXPECT_EQ(result.ids(Severity::note), (Ids{"CAP-GAP"})) << result.told();
  EXPECT_FALSE(result.has("RDMAP-RRLOST"));
  const std::vector<OperationConclusion> reads = result.operations(OperationKind::read);
  ASSERT_EQ(reads.size(), 3U);
  // Which one the response seen answers cannot be told by sinks that are all alike.
  for (const OperationConclusion& read : reads) EXPECT_EQ(read.status, OperationStatus::unknown);
}

TEST(ScenarioC, C4_ReadsOfDifferentSinksAreMatchedBehindTheHole) {
  Established c;
  c.fpdu(a, read_request(1, hundred));
  c.drop(c.fpdu(b, read_response(7, 0, pattern(100))));
  c.fpdu(b, send(1));
  c.ack(a);
  c.wait(200'000'000);
  c.ack(a);
  const Packets request = c.fpdu(a, read_request(2, {.sink_stag = 17, .size = 50, .source_stag = 8}));
  const Packets response = c.fpdu(b, read_response(17, 0, pattern(50)));
  c.ack(a);
  c.close();
  const Analysed result(c);
  EXPECT_EQ(result.ids(Severity::note), (Ids{"CAP-GAP"})) << result.told();
  const std::vector<OperationConclusion> reads = result.operations(OperationKind::read);
  ASSERT_EQ(reads.size(), 2U);
  EXPECT_EQ(reads[0].status, OperationStatus::unknown);
  EXPECT_EQ(reads[1].status, OperationStatus::complete);
  EXPECT_EQ(reads[1].request.frame, c.at(request));
  EXPECT_EQ(reads[1].response.frame, c.at(response));
}

TEST(ScenarioC, C4_RequestInTheHole) {
  Established c;
  c.drop(c.fpdu(a, read_request(1, hundred)));
  c.fpdu(a, read_request(2, hundred));
  c.fpdu(b, read_response(7, 0, pattern(100)));
  c.fpdu(b, read_response(7, 0, pattern(100)));
  c.ack(a);
  c.close();
  const Analysed result(c);
  EXPECT_EQ(result.ids(Severity::note), (Ids{"CAP-GAP"})) << result.told();
}

// --- C5: where the next FPDU begins --------------------------------------------------------------------

TEST(ScenarioC, C5_HoleInsideAPayloadIsSteppedOver) {
  Established c;
  c.fpdu(a, send(1));
  const Packets cut = c.fpdu(a, send(2, pattern(4000)), Cuts::every(1448));
  c.drop(cut[1]);
  const Packets next = c.fpdu(a, send(3, text("next")));
  c.ack(b);
  c.fpdu(a, send(5));
  c.ack(b);
  c.close();
  const Analysed result(c);
  // MSN 3 was due behind the holed FPDU: nothing is a baseline, so MSN 5 breaks the rule.
  EXPECT_EQ(result.ids(Severity::note), (Ids{"CAP-GAP", "DDP-MSNGAP"})) << result.told();
  EXPECT_TRUE(result.of(EventKind::locked).empty());
  ASSERT_EQ(result.of(EventKind::gap).size(), 1U);
  EXPECT_TRUE(result.of(EventKind::gap)[0].gap.framing_kept);
  const std::vector<Event> fpdus = result.fpdus();
  ASSERT_EQ(fpdus.size(), 4U);
  EXPECT_TRUE(fpdus[1].fpdu.cut);
  EXPECT_EQ(fpdus[1].fpdu.crc, CrcStatus::undecidable);
  EXPECT_EQ(fpdus[1].fpdu.payload_length, 4000U);
  EXPECT_GE(fpdus[1].fpdu.header_octets, 18U);
  EXPECT_EQ(fpdus[2].fpdu.first_frame, c.at(next));
  EXPECT_EQ(fpdus[2].fpdu.stream_offset, 24U + 4024U);
  EXPECT_GT(result.undecidable("MPA-CRC", Reason::gap), 0U);
}

TEST(ScenarioC, C5_HoleOverALengthFieldNeedsASearch) {
  for (const bool markers : {false, true}) {
    SCOPED_TRACE(markers);
    Established c({}, {.markers = markers});
    c.fpdu(a, send(1));
    // Octets 500 to 1000 of this hold the border between MSN 2 and MSN 3.
    const Packets cut = c.packed(a, {send(2, pattern(700)), send(3, pattern(900))}, {500, 500});
    c.drop(cut[1]);
    const Packets found = c.fpdu(a, send(4, pattern(700)));
    c.fpdu(a, send(5, pattern(700)));
    c.fpdu(a, send(6, pattern(700)));
    c.ack(b);
    c.close();
    const Analysed result(c);
    EXPECT_EQ(result.ids(Severity::note), (Ids{"CAP-GAP"})) << result.told();
    ASSERT_EQ(result.of(EventKind::locked).size(), 1U);
    const LockedFact locked = result.of(EventKind::locked)[0].locked;
    EXPECT_TRUE(locked.after_gap);
    EXPECT_FALSE(locked.inferred);
    EXPECT_EQ(locked.markers, markers ? Mode::on : Mode::off);
    const std::vector<Event> sends = result.messages();
    ASSERT_GE(sends.size(), 4U);
    EXPECT_EQ(sends[sends.size() - 3].message.msn, 4U);
    EXPECT_EQ(sends[sends.size() - 3].message.first_frame, c.at(found));
    EXPECT_EQ(result.side(a).queues[0].next_msn, 7U);
  }
}

TEST(ScenarioC, C5_HoleOfManyWholeFpdus) {
  Established c;
  c.fpdu(a, send(1, pattern(1000)));
  for (std::uint32_t msn = 2; msn < 200; ++msn) c.drop(c.fpdu(a, send(msn, pattern(1000))));
  c.fpdu(a, send(200, pattern(1000)));
  c.ack(b);
  c.fpdu(a, send(201, pattern(1000)));
  c.ack(b);
  c.close();
  const Analysed result(c);
  EXPECT_EQ(result.ids(Severity::note), (Ids{"CAP-GAP"})) << result.told();
  EXPECT_EQ(result.messages().size(), 3U);
  EXPECT_EQ(result.findings("CAP-GAP")[0].finding.arguments[0], 198U * 1024U);
}

// --- C8: cut off ---------------------------------------------------------------------------------------

TEST(ScenarioC, C8_RstInsideAnFpdu) {
  Established c;
  c.fpdu(a, read_request(1, hundred));
  const Bytes octets = c.frame(a, send(1, pattern(1000)));
  c.send(a, part(octets, 0, 400));
  const Packets rst = c.rst(a);
  const Analysed result(c);
  EXPECT_EQ(result.ids(), (Ids{"MPA-CUT", "VERBS-RST", "RDMAP-RRLOST"})) << result.told();
  const Finding cut = result.findings("MPA-CUT")[0].finding;
  EXPECT_EQ(cut.severity, Severity::warning);
  EXPECT_EQ(result.findings("MPA-CUT")[0].frame, c.at(rst));
  EXPECT_EQ(cut.arguments[0], static_cast<std::uint64_t>(Phrase::rst));
  EXPECT_EQ(cut.arguments[1], static_cast<std::uint64_t>(Phrase::in_fpdu));
  const std::vector<OperationConclusion> reads = result.operations(OperationKind::read);
  ASSERT_EQ(reads.size(), 1U);
  EXPECT_EQ(reads[0].status, OperationStatus::unanswered);
  EXPECT_EQ(result.side(a).qp.value, QpValue::error);
  EXPECT_EQ(result.side(b).qp.value, QpValue::error);
}

TEST(ScenarioC, C8_FinInsideAnFpdu) {
  Established c;
  c.fpdu(a, send(1));
  const Bytes octets = c.frame(a, send(2, pattern(1000)));
  c.send(a, part(octets, 0, 400));
  const Packets packets = c.close();
  const Analysed result(c);
  EXPECT_EQ(result.ids(), (Ids{"MPA-CUT"})) << result.told();
  EXPECT_EQ(result.findings("MPA-CUT")[0].frame, c.at(packets[0]));
  EXPECT_EQ(result.findings("MPA-CUT")[0].finding.arguments[0], static_cast<std::uint64_t>(Phrase::fin));
  EXPECT_EQ(result.findings("MPA-CUT")[0].finding.arguments[1], static_cast<std::uint64_t>(Phrase::in_fpdu));
}

TEST(ScenarioC, C8_FinAndRstBetweenSegmentsOfAMessage) {
  for (const bool reset : {false, true}) {
    for (const bool tagged : {false, true}) {
      SCOPED_TRACE(testing::Message() << reset << tagged);
      Established c;
      c.fpdu(a, send(1));
      c.fpdu(a, tagged ? write_segments(5, 0, pattern(2000), 1000)[0]
                       : send_segments(2, pattern(2000), 1000)[0]);
      if (reset) {
        c.rst(a);
      } else {
        c.close();
      }
      const Analysed result(c);
      EXPECT_EQ(result.ids(), (reset ? Ids{"MPA-CUT", "VERBS-RST"} : Ids{"MPA-CUT"})) << result.told();
      EXPECT_EQ(result.findings("MPA-CUT")[0].finding.arguments[1],
                static_cast<std::uint64_t>(Phrase::in_message));
      const std::vector<Event> all = result.messages(false);
      ASSERT_EQ(all.size(), 2U) << "open work is listed";
      EXPECT_EQ(all[1].message.end, MessageEnd::incomplete);
      EXPECT_EQ(all[1].message.length, 1000U);
    }
  }
}

TEST(ScenarioC, C8_OctetsMissingBeforeTheEndLeaveItOpen) {
  Established c;
  c.fpdu(a, send(1));
  const Bytes octets = c.frame(a, send(2, pattern(1000)));
  c.send(a, part(octets, 0, 400));
  c.drop(c.send(a, part(octets, 400)));
  c.close();
  const Analysed result(c);
  EXPECT_EQ(result.ids(), Ids{}) << result.told();
  EXPECT_FALSE(result.has("MPA-CUT"));
}

// --- C14: one direction only ---------------------------------------------------------------------------

TEST(ScenarioC, C14_RequesterOnly) {
  Established c;  // of which the peer's side is dropped below
  c.capture(b, false);
  for (std::uint32_t msn = 1; msn <= 3; ++msn) {
    c.fpdu(a, read_request(msn, hundred));
    c.fpdu(b, read_response(7, 0, pattern(100)));
  }
  c.fpdu(a, send(1));
  c.fpdu(a, send(3));
  c.close();
  std::vector<OwnedSegment> segments = c.segments();
  std::erase_if(segments, [](const OwnedSegment& each) { return each.meta.source.port != 40000; });
  const Analysed result(segments);
  EXPECT_EQ(result.ids(Severity::note), (Ids{"DDP-MSNGAP"})) << result.told();
  EXPECT_GT(result.undecidable("RDMAP-RRLOST"), 0U);
  EXPECT_FALSE(result.has("RDMAP-ORD"));
  EXPECT_EQ(result.side(a).queues[0].next_msn, 4U);
  EXPECT_EQ(result.side(a).queues[1].next_msn, 4U);
  EXPECT_EQ(result.side(a).rq_consumed, 2U);
  EXPECT_FALSE(result.side(b).captured);
  for (const OperationConclusion& read : result.operations(OperationKind::read)) {
    EXPECT_EQ(read.status, OperationStatus::unknown);
  }
}

TEST(ScenarioC, C14_ResponderOnly) {
  Established c;
  for (std::uint32_t msn = 1; msn <= 3; ++msn) {
    c.fpdu(a, read_request(msn, hundred));
    c.fpdu(b, read_response(7, 0, pattern(100)));
  }
  c.fpdu(a, send(1));
  c.fpdu(b, send(1));
  c.close();
  std::vector<OwnedSegment> segments = c.segments();
  std::erase_if(segments, [](const OwnedSegment& each) { return each.meta.source.port == 40000; });
  const Analysed result(segments);
  EXPECT_EQ(result.ids(Severity::note), Ids{}) << result.told();
  EXPECT_GT(result.undecidable("RDMAP-RRNONE", Reason::one_direction), 0U);
  EXPECT_EQ(result.messages(wire::Opcode::read_response).size(), 3U);
  EXPECT_EQ(result.messages(wire::Opcode::send).size(), 1U);
  EXPECT_GT(result.undecidable("MPA-RESPFIRST", Reason::one_direction), 0U);
}

TEST(ScenarioC, C14_GapsOfTheOnlyDirectionAreFoundWithoutAcknowledgements) {
  Established c;
  for (std::uint32_t msn = 1; msn <= 200; ++msn) {
    const Packets packets = c.fpdu(a, send(msn, pattern(1000)));
    if (msn == 50) c.drop(packets);
  }
  c.close();
  std::vector<OwnedSegment> segments = c.segments();
  std::erase_if(segments, [](const OwnedSegment& each) { return each.meta.source.port != 40000; });
  const Analysed result(segments);
  EXPECT_EQ(result.ids(Severity::note), (Ids{"CAP-GAP"})) << result.told();
  EXPECT_EQ(result.messages().size(), 199U);
}

}  // namespace
}  // namespace iwarp::test
