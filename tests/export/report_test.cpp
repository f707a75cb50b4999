// The text report and its parts.
// SPDX-License-Identifier: GPL-2.0-or-later
#include <iwarp/export/report.hpp>

#include <gtest/gtest.h>

#include <string>

#include "base/quantities.hpp"
#include "export/report/histogram.hpp"
#include "export/report/page.hpp"
#include "export/sample_events.hpp"

namespace iwarp {
namespace {

using namespace test;

TEST(HistogramTest, FewDurationsAreExact) {
  report::Histogram histogram;
  for (TimeNs value = 1000; value > 0; --value) histogram.add(value * 1'000'003);
  EXPECT_TRUE(histogram.exact());
  EXPECT_EQ(histogram.percentile(50), 500U * 1'000'003U);
  EXPECT_EQ(histogram.percentile(99), 990U * 1'000'003U);
  EXPECT_EQ(histogram.percentile(1), 10U * 1'000'003U);
}

TEST(HistogramTest, PercentilesOfManyAreWithinOneSixteenth) {
  report::Histogram histogram;
  for (TimeNs value = 1; value <= 10'000; ++value) histogram.add(value * 1000);
  EXPECT_EQ(histogram.count(), 10'000U);
  EXPECT_FALSE(histogram.exact());
  EXPECT_EQ(histogram.least(), 1'000U);
  EXPECT_EQ(histogram.greatest(), 10'000'000U);
  EXPECT_GE(histogram.percentile(50), 5'000'000U);
  EXPECT_LE(histogram.percentile(50), 5'000'000U + 5'000'000U / 16);
  EXPECT_GE(histogram.percentile(99), 9'900'000U);
  EXPECT_EQ(histogram.percentile(100), 10'000'000U);
}

TEST(HistogramTest, SmallValuesAreExactAndExtremesAreHarmless) {
  report::Histogram histogram;
  histogram.add(-5);
  EXPECT_EQ(histogram.greatest(), 0U);
  histogram.add(7);
  EXPECT_EQ(histogram.percentile(50), 0U);
  EXPECT_EQ(histogram.percentile(51), 7U);
  histogram.add(std::numeric_limits<TimeNs>::max());
  EXPECT_EQ(histogram.percentile(100), static_cast<std::uint64_t>(std::numeric_limits<TimeNs>::max()));
}

TEST(UnitsTest, ThreeDigits) {
  EXPECT_EQ(octets_text(0), "0 B");
  EXPECT_EQ(octets_text(999), "999 B");
  EXPECT_EQ(octets_text(1000), "1.00 kB");
  EXPECT_EQ(octets_text(12'345), "12.3 kB");
  EXPECT_EQ(octets_text(999'999), "1.00 MB");
  EXPECT_EQ(octets_text(1'250'000'000), "1.25 GB");
  EXPECT_EQ(octets_text(~std::uint64_t{0}), "18.4 EB");
  EXPECT_EQ(duration_text(870), "870 ns");
  EXPECT_EQ(duration_text(12'345), "12.3 µs");
  EXPECT_EQ(duration_text(1'500'000'000), "1.50 s");
  EXPECT_EQ(duration_text(312'000'000'000), "312 s");
  EXPECT_EQ(duration_text(1'205'900'000'000), "20 min 5 s");
  EXPECT_EQ(duration_text(12'060'000'000'000), "3 h 21 min");
  EXPECT_EQ(count_text(1, "frame"), "1 frame");
  EXPECT_EQ(count_text(0, "frame"), "0 frames");
  EXPECT_EQ(text_width("a → b"), 5U);
}

TEST(UnitsTest, WhatIsRoughHasTwoDigits) {
  EXPECT_EQ(rough_duration_text(7), "≈ 7 ns");
  EXPECT_EQ(rough_duration_text(876), "≈ 880 ns");
  EXPECT_EQ(rough_duration_text(996), "≈ 1.0 µs");
  EXPECT_EQ(rough_duration_text(12'345), "≈ 12 µs");
  EXPECT_EQ(rough_duration_text(4'380'000), "≈ 4.4 ms");
  EXPECT_EQ(rough_duration_text(123'456'789), "≈ 120 ms");
}

TEST(PageTest, TablesAlignAndLeaveOutEmptyColumns) {
  TextBuffer out;
  report::Page page(out, false);
  page.table({{"n", true}, {"what"}, {"none"}, {"end"}}, {{"1", "→ long", "-", "x"}, {"12", "b", "", "y"}});
  EXPECT_EQ(out.view(),
            "   n  what    end\n"
            "   1  → long  x\n"
            "  12  b       y\n");
}

TEST(PageTest, TablesWiderThanThePageGoOnBelow) {
  TextBuffer out;
  report::Page page(out, false);
  const std::string wide(60, 'w');
  page.table({{"n", true}, {"one"}, {"two"}, {"end"}}, {{"1", wide, wide, "x"}});
  EXPECT_EQ(out.view(),
            "  n  one\n  1  " + wide + "\n\n  n  two" + std::string(59, ' ') + "end\n  1  " + wide + "  x\n");
}

TEST(PageTest, ParagraphsBreakAtSpacesAndKeepTheirIndent) {
  TextBuffer out;
  report::Page page(out, false);
  page.paragraph("  - ", std::string(60, 'a') + " " + std::string(40, 'b') + " c");
  EXPECT_EQ(out.view(), "  - " + std::string(60, 'a') + "\n    " + std::string(40, 'b') + " c\n");
}

class ReportTest : public ::testing::Test {
 protected:
  ReportTest() {
    state_.closed = CloseCause::fin;
    state_.sides[0].fpdus = 10;
    state_.sides[0].payload_octets = 4096;
    state_.sides[0].max_outstanding = 3;
    state_.sides[0].crc_counts.good = 10;
    state_.sides[0].qp = {QpValue::idle, QpEvidence::both_fins_acknowledged, Confidence::high, 90};
    state_.sides[1].qp = {QpValue::rts, QpEvidence::midstream, Confidence::medium, 7};
  }

  void add(const Event& event) {
    summary_.add(event, &state_);
    report_.add(event, &state_);
  }

  std::string printed() {
    add(event(EventKind::closed, 90));
    summary_.add_frame(100, 0, true);
    summary_.add_frame(100, 2'000'000, true);
    TextBuffer out;
    report_.print(out, "a.pcap", summary_);
    return std::string(out.view());
  }

  ConnectionState state_ = connection();
  Summary summary_;
  Report report_;
};

TEST_F(ReportTest, AHealthyStream) {
  state_.sides[0].messages[static_cast<std::size_t>(wire::Opcode::send)] = 1;
  add(read_operation());
  EXPECT_EQ(printed(),
            R"(a.pcap: 2 frames, 200 B captured in 2.00 ms, 1 iWARP stream

Streams
  stream  initiator → responder             start      rev  CRC  markers  IRD/ORD
       3  192.0.2.1:49152 → 192.0.2.2:4420  handshake    2  yes  no       16/4 any/0
  (IRD/ORD of the initiator, then of the responder; any: left open by 0x3FFF)

What they carried
  stream  FPDUs → / ←  payload → / ←  CRCs      most outstanding
       3  10 / 0       4.10 kB / 0 B  all good  3 of 4 →

How they ended
  stream  closed  queue pair of the initiator       of the responder
       3  FIN     Idle (both FINs acked, frame 90)  probably RTS (FPDUs seen, frame 7)

Transferred
  messages  1 Send
  payload   4.10 kB from the initiator, 0 B from the responder
  FPDUs     10; CRC 10 good, 0 bad, 0 unchecked
  reads     1 complete

Latency, at the point of capture
  from request to    count    least      p50      p99  greatest
  Read, first octet      1  1.00 µs  1.00 µs  1.00 µs   1.00 µs
  Read, whole            1  4.00 µs  4.00 µs  4.00 µs   4.00 µs

Nothing is wrong: no rule is broken in 1 stream
)");
}

TEST_F(ReportTest, WhatIsNotKnownIsNoneOfItsValues) {
  state_.mpa.ird = {Depth{16, std::nullopt}, Depth{0x3FFF, std::nullopt}};
  state_.mpa.ord = {Depth{8, 4}, Depth{}};
  state_.sides[0].markers = Mode::unknown;
  const std::string report = printed();
  EXPECT_NE(
      report.find("  ?/no     ?/4 any/?\n  (IRD/ORD of the initiator, then of the responder; any: left open "
                  "by 0x3FFF; ?: not known)\n"),
      std::string::npos)
      << report;
}

TEST_F(ReportTest, AStreamThatCarriedNothingIsSaidInWords) {
  for (SideState& side : state_.sides) side.fpdus = side.payload_octets = side.max_outstanding = 0;
  state_.sides[0].crc_counts = {};
  const std::string report = printed();
  EXPECT_EQ(report.find("What they carried"), std::string::npos) << report;
  EXPECT_NE(report.find("\nTransferred\n  nothing: no FPDU was captured\n"), std::string::npos) << report;
}

TEST_F(ReportTest, StreamsThatCarriedNothingStandBelowTheOthers) {
  ConnectionState idle = connection(4);
  idle.closed = CloseCause::fin;
  Event closed = event(EventKind::closed, 80);
  closed.connection = 4;
  report_.add(closed, &idle);
  const std::string report = printed();
  EXPECT_NE(report.find("  3 of 4 →\n  no FPDUs: stream 4\n"), std::string::npos) << report;
}

TEST_F(ReportTest, OneStreamHasItsOwnMessagesAndFindings) {
  ReportOptions options;
  options.stream = 3;
  report_ = Report(options);
  ConnectionState neighbour = connection(4);
  neighbour.closed = CloseCause::fin;
  neighbour.sides[0].messages[static_cast<std::size_t>(wire::Opcode::rdma_write)] = 7;
  Event closed = event(EventKind::closed, 80);
  closed.connection = 4;
  Event elsewhere = finding(CheckId::ddp_msngap, 40);
  elsewhere.connection = 4;
  for (const Event& event : {elsewhere, closed}) {
    summary_.add(event, &neighbour);
    report_.add(event, &neighbour);
  }
  summary_.undecidable[CheckId::mpa_crc][0] = 1;
  state_.sides[1].messages[static_cast<std::size_t>(wire::Opcode::send)] = 2;
  const std::string report = printed();
  EXPECT_NE(report.find("2 iWARP streams\nThis is about stream 3 of them.\n"), std::string::npos) << report;
  EXPECT_NE(report.find("  messages  2 Send\n"), std::string::npos) << report;
  EXPECT_NE(report.find("\nNo rule is broken in stream 3, as far as this capture tells\n"), std::string::npos)
      << report;
  EXPECT_NE(report.find("\nNot decidable from this capture, all streams together\n"), std::string::npos)
      << report;
}

TEST_F(ReportTest, MessagesWhosePayloadCountsButThatNeverWereWholeAreTold) {
  state_.sides[0].messages[static_cast<std::size_t>(wire::Opcode::send)] = 2;
  Event message = event(EventKind::message, 50);
  message.message.opcode = wire::Opcode::rdma_write;
  message.message.end = MessageEnd::incomplete;
  add(message);
  message.message.opcode = wire::Opcode::send;
  add(message);
  message.message.end = MessageEnd::complete;  // is among the two
  add(message);
  const std::string report = printed();
  EXPECT_NE(report.find("  messages  2 Send; incomplete: 1 RDMA Write, 1 Send\n"), std::string::npos)
      << report;
}

TEST_F(ReportTest, FindingsAreGroupedTheWorstFirst) {
  Event gap = finding(CheckId::ddp_msngap, 40, Side::b);
  gap.finding.arguments = {0, 7, 5, 0};
  add(finding(CheckId::mpa_tmo, 30));
  for (FrameNumber frame = 40; frame < 45; ++frame) {
    gap.frame = frame;
    add(gap);
  }
  const std::string report = printed();
  const std::string wanted =
      "\nWhat is wrong and where\n"
      " stream 3\n"
      "  error    DDP-MSNGAP           frame 40, from responder: MSN 7 on queue 0 where 5 is due [RFC 5041\n"
      "                                §4.3]; and 4 more, the last in frame 44\n"
      "  note     MPA-TMO              frame 30, from initiator: ";
  EXPECT_NE(report.find(wanted), std::string::npos) << report;
}

TEST_F(ReportTest, TerminatesAreDecodedAndKeepTheReportFromSayingThatAllIsWell) {
  state_.sides[1].terminates.push_back({80, 0, true, {0, 1, 0}, wire::BitOrder::siw, 0x10000700});
  state_.sides[1].terminates[0].quoted_frame = 78;
  state_.sides[1].terminates[0].quoted_opcode = wire::Opcode::read_request;
  const std::string report = printed();
  EXPECT_NE(
      report.find(
          "\nTerminates\n  0x0100  remote protection: invalid STag (sent as 0x10000700, siw's bit order)"),
      std::string::npos)
      << report;
  EXPECT_NE(
      report.find(
          " by the responder,\n          stream 3, frame 80, refusing the RDMA Read Request of frame 78\n"),
      std::string::npos)
      << report;
  EXPECT_NE(report.find("\nNo rule is broken in 1 stream\n"), std::string::npos) << report;
}

TEST_F(ReportTest, OfATerminateThatWasCutNoCodeIsTold) {
  TerminateSeen terminate;
  terminate.frame = 80;
  state_.sides[1].terminates.push_back(terminate);
  const std::string report = printed();
  EXPECT_NE(report.find("\nTerminates\n  ?       a Terminate whose code was not captured, by the responder, "
                        "stream 3, frame 80\n"),
            std::string::npos)
      << report;
}

TEST_F(ReportTest, ATerminateNamesTheFrameThatShowsItsError) {
  state_.sides[1].terminates.push_back({80, 0, true, {2, 0, 2}, wire::BitOrder::rfc, 0x20020000});
  state_.sides[1].terminates[0].cause_frame = 77;
  const std::string report = printed();
  EXPECT_NE(report.find("frame 80, because of frame\n          77\n"), std::string::npos) << report;
}

TEST_F(ReportTest, AFindingStandsAtTheFrameThatShowsIt) {
  Event copy = finding(CheckId::cap_dupframe, 7);
  copy.finding.evidence_count = 1;
  copy.finding.evidence[0] = 4;
  add(copy);
  EXPECT_NE(printed().find("CAP-DUPFRAME         frame 4, from initiator: "), std::string::npos) << printed();
}

TEST_F(ReportTest, WhatIsNotDecidedIsNotCalledRight) {
  summary_.undecidable[CheckId::mpa_crc][static_cast<std::size_t>(Reason::mode_unknown)] = 1;
  const std::string report = printed();
  EXPECT_NE(report.find("\nNo rule is broken in 1 stream, as far as this capture tells\n"), std::string::npos)
      << report;
  EXPECT_NE(report.find(": MPA-CRC\n"), std::string::npos) << report;
}

TEST_F(ReportTest, WhatCannotBeDecidedAndWhatWasSkippedIsCounted) {
  summary_.undecidable[CheckId::mpa_crc][static_cast<std::size_t>(Reason::mode_unknown)] = 12;
  summary_.skipped["not IP"] = 2;
  const std::string report = printed();
  EXPECT_NE(report.find("\nNot decidable from this capture\n  CRC or marker use not known: MPA-CRC×12\n"),
            std::string::npos)
      << report;
  EXPECT_NE(report.find("\nNot analysed\n  2 frames (not IP)\n"), std::string::npos) << report;
}

TEST_F(ReportTest, OtherStreamsThatMemoryHadNoRoomForAreCounted) {
  summary_.other_streams = 9;
  summary_.let_go_streams = 4;
  const std::string report = printed();
  EXPECT_NE(report.find("\nNot analysed\n  9 TCP streams without iWARP, 4 of them let go before they ended"),
            std::string::npos)
      << report;
}

TEST_F(ReportTest, FindingsBelowTheSeverityAskedForAreOnlyCounted) {
  ReportOptions options;
  options.min_severity = Severity::warning;
  report_ = Report(options);
  add(finding(CheckId::mpa_tmo, 30));
  EXPECT_NE(printed().find("No finding of the severity asked for; below it: 1 note\n"), std::string::npos);
}

TEST(ManyStreamsTest, StreamsAlikeStandTogetherAndTheWorstApart) {
  Report report;
  Summary summary;
  ConnectionState state = connection();
  state.closed = CloseCause::fin;
  for (ConnectionId id = 0; id < 1000; ++id) {
    state.id = id;
    state.endpoints[0].port = static_cast<std::uint16_t>(2000 + id);
    state.findings[3] = id == 700 ? 2 : 0;
    Event closed = event(EventKind::closed, id + 1);
    closed.connection = id;
    if (id == 700) {
      Event found = finding(CheckId::ddp_msngap, 701);
      found.connection = id;
      summary.add(found, &state);
      report.add(found, &state);
    }
    summary.add(closed, &state);
    report.add(closed, &state);
  }
  summary.add_frame(60, 0, true);
  TextBuffer out;
  report.print(out, "many.pcap", summary);
  const std::string text(out.view());
  EXPECT_NE(text.find("    1000  192.0.2.1 → 192.0.2.2:4420, handshake, rev 2, CRC yes"), std::string::npos)
      << text;
  EXPECT_NE(text.find("     700  192.0.2.1:2700 → 192.0.2.2:4420"), std::string::npos) << text;
  EXPECT_NE(text.find("1 stream with warnings or errors"), std::string::npos) << text;
  EXPECT_LT(text.size(), 4000U) << text;
}

TEST(ManyStreamsTest, AFindingOfEveryStreamCrowdsOutNoOther) {
  constexpr ConnectionId streams = 6000;
  constexpr ConnectionId let_go = 5000;
  Report report;
  Summary summary;
  ConnectionState state = connection();
  const auto add = [&](CheckId check) {
    Event found = finding(check, state.id + 1);
    found.connection = state.id;
    summary.add(found, &state);
    report.add(found, &state);
  };
  for (state.id = 0; state.id < streams; ++state.id) {
    add(CheckId::cap_cksum);
    if (state.id >= let_go) add(CheckId::cap_limit);
    Event closed = event(EventKind::closed, state.id + 1);
    closed.connection = state.id;
    summary.add(closed, &state);
    report.add(closed, &state);
  }
  summary.add_frame(60, 0, true);
  TextBuffer out;
  report.print(out, "many.pcap", summary);
  const std::string text(out.view());
  EXPECT_NE(text.find("CAP-CKSUM            6000 in 1024 streams or more (0 1 2"), std::string::npos) << text;
  EXPECT_NE(text.find("CAP-LIMIT            1000 in 1000 streams (5000 5001"), std::string::npos) << text;
}

// Most first, equal ones ascending, at most six.
TEST(NoIwarpTest, NamesTheBusiestPorts) {
  Summary summary;
  EXPECT_EQ(busiest_other_ports(summary), "");
  summary.other_ports = {{22, 1},   {80, 3},   {111, 1},  {443, 1200},
                         {2049, 3}, {3260, 2}, {4420, 2}, {20049, 1}};
  EXPECT_EQ(busiest_other_ports(summary),
            "443 (1200 streams), 80 (3 streams), 2049 (3 streams), 3260 (2 streams), 4420 (2 streams), "
            "22 (1 stream), 2 other ports");
}

TEST(NoIwarpTest, SaysWhatToCheck) {
  Summary summary;
  TextBuffer out;
  Report().print(out, "a.pcap", summary);
  EXPECT_NE(out.view().find("The capture holds no frames."), std::string_view::npos);
  summary.add_frame(60, 0, true);
  out.clear();
  Report().print(out, "a.pcap", summary);
  EXPECT_NE(out.view().find("holds no TCP segments"), std::string_view::npos);
  summary.skipped["TCP header cut"] = 1;
  out.clear();
  Report().print(out, "a.pcap", summary);
  EXPECT_NE(out.view().find("cut by the snapshot length before"), std::string_view::npos);
  summary.skipped = {{"unknown link type 147", 1}};
  out.clear();
  Report().print(out, "a.pcap", summary);
  EXPECT_NE(out.view().find("No frame could be read"), std::string_view::npos);
  summary.other_streams = 1;
  out.clear();
  Report().print(out, "a.pcap", summary);
  EXPECT_NE(out.view().find("1 TCP stream, which is not MPA. To check:"), std::string_view::npos);
  summary.other_ports = {{20049, 1}};
  out.clear();
  Report().print(out, "a.pcap", summary);
  EXPECT_NE(out.view().find("1 TCP stream, which is not MPA. Ports: 20049 (1 stream). To check:"),
            std::string_view::npos);
  summary.other_streams = 2;
  summary.other_ports.clear();
  out.clear();
  Report().print(out, "a.pcap", summary);
  EXPECT_NE(out.view().find("2 TCP streams, none of them MPA. To check:"), std::string_view::npos);
}

TEST(StateTextTest, BothSidesAndWhatIsOutstanding) {
  ConnectionState state = connection();
  Request read;
  read.placed.frame = 50;
  read.msn = 3;
  read.size = 4096;
  read.source_stag = 0xa;
  read.received = 1448;
  state.sides[0].requests.push_back(read);
  state.sides[1].read_response.edit().active = true;
  state.sides[1].read_response.edit().opcode = wire::Opcode::read_response;
  state.sides[1].read_response.edit().first_frame = 51;
  TextBuffer out;
  print_state(out, state, 60, false);
  const std::string_view text = out.view();
  EXPECT_NE(text.find("Stream 3 after frame 60: 192.0.2.1:49152 → 192.0.2.2:4420"), std::string_view::npos);
  EXPECT_NE(text.find("    Read    frame 50, MSN 3, 4096 octets of STag 0x0000000a"), std::string_view::npos)
      << text;
  EXPECT_NE(text.find("1448 came"), std::string_view::npos);
  EXPECT_NE(text.find("    open    RDMA Read Response since frame 51"), std::string_view::npos);
}

}  // namespace
}  // namespace iwarp
