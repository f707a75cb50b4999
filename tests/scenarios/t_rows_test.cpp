// What tshark 4.0.17 gets wrong, a capture in captures/generated each, on which the analyzer is right. And
// that these files are what support/generated_captures makes: IWARP_UPDATE_GOLDEN=1 writes them.
// SPDX-License-Identifier: GPL-2.0-or-later
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "established.hpp"
#include "framing_log.hpp"
#include "support/capture_read.hpp"
#include "support/generated_captures.hpp"
#include "support/pcap_file.hpp"

namespace iwarp::test {
namespace {

constexpr Side a = Side::a;
constexpr Side b = Side::b;

struct Row {
  std::vector<OwnedSegment> segments;
  Analysed result;

  explicit Row(const char* name) : segments(read_capture(generated_path(name)).segments), result(segments) {}
  [[nodiscard]] const Analysed* operator->() const { return &result; }

  // The payload of an FPDU, put together from its slices without its markers.
  [[nodiscard]] Bytes payload(const Event& event) const {
    const FpduFact& fpdu = event.fpdu;
    Bytes octets = octets_of(result, segments, event);
    if (result.side(event.side).markers == Mode::on) octets = without_markers(octets, fpdu.stream_offset);
    return part(octets, 2U + fpdu.ulpdu_length - fpdu.payload_length, fpdu.payload_length);
  }
};

TEST(TRow, FilesAreWhatTheGeneratorMakes) {
  const bool update = std::getenv("IWARP_UPDATE_GOLDEN") != nullptr;
  if (update) std::filesystem::create_directories(generated_path(""));
  for (const GeneratedCapture& each : generated_captures()) {
    SCOPED_TRACE(each.name);
    const Bytes made = each.make();
    if (update) {
      EXPECT_TRUE(write_file(generated_path(each.name), made));
    }
    std::ifstream file(generated_path(each.name), std::ios::binary);
    const std::string octets{std::istreambuf_iterator<char>(file), {}};
    EXPECT_EQ(octets, std::string(made.begin(), made.end()));
  }
  EXPECT_EQ(captures_in("generated").size(), generated_captures().size()) << "a file that nothing makes";
}

TEST(TRow, T1_SeveralMarkersInOneFpdu) {
  const Row row("t01-several-markers.pcap");
  EXPECT_EQ(row->ids(Severity::note), Ids{}) << row->told();
  const std::vector<Event> fpdus = row->fpdus();
  ASSERT_EQ(fpdus.size(), 3U);
  EXPECT_GE(fpdus[0].fpdu.markers, 3U);
  EXPECT_EQ(row.payload(fpdus[0]), pattern(1400, 1));
  EXPECT_EQ(row.payload(fpdus[1]), pattern(1300, 2));
  EXPECT_EQ(row.payload(fpdus[2]), pattern(1410, 3));
  for (const Event& event : fpdus) EXPECT_EQ(event.fpdu.crc, CrcStatus::good);
}

TEST(TRow, T2_PackedFpdusInAMarkedStream) {
  const Row row("t02-packed-marked.pcap");
  EXPECT_EQ(row->ids(Severity::note), Ids{}) << row->told();
  const std::vector<Event> fpdus = row->fpdus();
  ASSERT_EQ(fpdus.size(), 7U);
  const std::size_t sizes[] = {100, 200, 300, 400, 30, 700, 5};
  for (std::uint32_t i = 0; i < 7; ++i) EXPECT_EQ(row.payload(fpdus[i]), pattern(sizes[i], i + 1)) << i;
}

TEST(TRow, T3_MarkersInOneDirectionOnly) {
  const Row row("t03-one-direction-marked.pcap");
  EXPECT_EQ(row->ids(Severity::note), Ids{}) << row->told();
  EXPECT_EQ(row->side(a).markers, Mode::off);
  EXPECT_EQ(row->side(b).markers, Mode::on);
  ASSERT_EQ(row->messages().size(), 8U);
  for (const Event& event : row->fpdus()) {
    const std::uint32_t msn = event.fpdu.ddp.msn;
    EXPECT_EQ(row.payload(event), event.side == a ? pattern(600, msn) : pattern(700, 10 + msn));
  }
}

TEST(TRow, T4_MarkerBetweenPadAndCrc) {
  const Row row("t04-marker-behind-pad.pcap");
  EXPECT_EQ(row->ids(Severity::note), Ids{}) << row->told();
  const std::vector<Event> fpdus = row->fpdus();
  ASSERT_EQ(fpdus.size(), 3U);
  // Behind ULPDU_Length, ULPDU and PAD comes the marker, and the CRC behind it.
  EXPECT_EQ(fpdus[1].fpdu.stream_offset + 2 + fpdus[1].fpdu.ulpdu_length + 2, 512U);
  EXPECT_EQ(fpdus[1].fpdu.markers, 1U);
  EXPECT_EQ(fpdus[1].fpdu.pad, 0U);
  EXPECT_EQ(fpdus[1].fpdu.crc, CrcStatus::good);
  EXPECT_EQ(fpdus[2].fpdu.stream_offset, 512U + 4U + 4U);
}

TEST(TRow, T5_MarkersBehindTheWrapOfSequenceNumbers) {
  const Row row("t05-sequence-wrap-marked.pcap");
  EXPECT_EQ(row->ids(Severity::note), Ids{}) << row->told();
  ASSERT_EQ(row->messages().size(), 8U);
  EXPECT_EQ(row->side(a).crc_counts.good, 4U);
  EXPECT_EQ(row->side(b).crc_counts.good, 4U);
  for (const Event& event : row->fpdus()) {
    const std::uint32_t msn = event.fpdu.ddp.msn;
    EXPECT_EQ(row.payload(event), event.side == a ? pattern(900, msn) : pattern(800, 10 + msn));
  }
}

TEST(TRow, T6_EachWrongFieldIsToldOnce) {
  const Row row("t06-wrong-fields.pcap");
  EXPECT_EQ(row->ids(), (Ids{"MPA-MKPTR", "MPA-MKRSV", "MPA-PAD", "DDP-DV", "RDMAP-RV", "DDP-MSNGAP",
                             "DDP-MO0", "DDP-TOP"}))
      << row->told();
  EXPECT_EQ(row->fpdus().size(), 9U);
}

TEST(TRow, T7_Revision2) {
  const Row row("t07-revision-2.pcap");
  EXPECT_EQ(row->ids(Severity::note), Ids{}) << row->told();
  const std::vector<Event> frames = row->of(EventKind::startup);
  ASSERT_EQ(frames.size(), 2U);
  EXPECT_EQ(frames[0].startup.word.ird, 16U);
  EXPECT_EQ(frames[0].startup.word.ord, 8U);
  EXPECT_EQ(frames[1].startup.word.ird, 8U);
  EXPECT_EQ(frames[1].startup.word.ord, 16U);
  EXPECT_TRUE(row->messages(wire::Opcode::read_request).at(0).message.rtr);
}

TEST(TRow, T8_Immediates) {
  const Row row("t08-immediates.pcap");
  EXPECT_EQ(row->ids(Severity::note), Ids{}) << row->told();
  EXPECT_EQ(row->messages(wire::Opcode::immediate).size(), 2U);
  EXPECT_EQ(row->messages(wire::Opcode::immediate_se).size(), 1U);
}

TEST(TRow, T9_TerminatedHeaderByItsOwnTBit) {
  const Row row("t09-terminated-headers.pcap");
  const std::vector<Event> terminates = row->messages(wire::Opcode::terminate);
  ASSERT_EQ(terminates.size(), 3U);
  for (const Event& event : terminates) {
    const auto seen = wire::parse_terminate(ByteView(event.message.rdmap.data(), event.message.rdmap_octets),
                                            event.message.bit_order);
    ASSERT_TRUE(seen);
    ASSERT_TRUE(seen->ddp_header);
    switch (seen->meant.value()) {
      case 0x0100:
        EXPECT_FALSE(seen->ddp_header->tagged());
        EXPECT_EQ(seen->ddp_header->opcode(), wire::Opcode::read_request);
        ASSERT_TRUE(seen->read_request);
        EXPECT_EQ(seen->read_request->source_stag, 0xdeadbe00U);
        EXPECT_EQ(seen->read_request->size, 64U);
        break;
      case 0x0207:
        EXPECT_TRUE(seen->ddp_header->tagged());
        EXPECT_EQ(seen->ddp_header->opcode(), wire::Opcode::read_response);
        EXPECT_EQ(seen->ddp_header->stag, 9U);
        break;
      case 0x1201:
        EXPECT_FALSE(seen->ddp_header->tagged());
        EXPECT_EQ(seen->ddp_header->queue, 5U);
        break;
      default: ADD_FAILURE() << std::hex << seen->meant.value();
    }
  }
  EXPECT_EQ(row->ids(), (Ids{"DDP-QN", "RDMAP-RRLONG"})) << row->told();
  EXPECT_FALSE(row->has("RDMAP-TERM1"));
  EXPECT_FALSE(row->has("RDMAP-TERMREF"));
}

TEST(TRow, T10_BareTerminates) {
  const Row row("t10-bare-terminates.pcap");
  EXPECT_EQ(row->ids(Severity::note), (Ids{"RDMAP-TERMCODE", "RDMAP-TERMCODE"})) << row->told();
  EXPECT_EQ(row->messages(wire::Opcode::terminate).size(), 3U);
}

TEST(TRow, T11_Atomics) {
  const Row row("t11-atomics.pcap");
  EXPECT_EQ(row->ids(), Ids{"RDMAP-ATRSV"}) << row->told();
  const std::vector<OperationConclusion> atomics = row->operations(OperationKind::atomic);
  ASSERT_EQ(atomics.size(), 2U);
  for (const OperationConclusion& each : atomics) EXPECT_EQ(each.status, OperationStatus::complete);
}

TEST(TRow, T12_FpduBehindTheReply) {
  const Row row("t12-fpdu-behind-reply.pcap");
  EXPECT_EQ(row->ids(Severity::note), (Ids{"MPA-RESPFIRST"})) << row->told();
  ASSERT_EQ(row->messages().size(), 3U);
  EXPECT_EQ(row->side(b).queues[0].next_msn, 3U);
}

TEST(TRow, T12_Midstream) {
  const Row row("t12-midstream.pcap");
  EXPECT_EQ(row->ids(Severity::note), Ids{}) << row->told();
  EXPECT_EQ(row->messages().size(), 8U);
  EXPECT_EQ(row->side(a).queues[0].next_msn, 7U);
  EXPECT_EQ(row->side(b).queues[0].next_msn, 6U);
  EXPECT_GT(row->undecidable("DDP-MSN1", Reason::midstream), 0U);
}

TEST(TRow, T13_EqualPortsAndAnEmptyUlpdu) {
  const Row row("t13-equal-ports.pcap");
  EXPECT_EQ(row->ids(), Ids{"MPA-LEN"}) << row->told();
  EXPECT_EQ(row->fpdus().size(), 4U);
  EXPECT_EQ(row->messages().size(), 3U);
}

TEST(TRow, T14_MessagesThatInterleave) {
  const Row row("t14-mixed-messages.pcap");
  EXPECT_EQ(row->ids(Severity::note), Ids{}) << row->told();
  EXPECT_EQ(established::messages(row.result),
            (established::Told{"send of 0, msn 1", "read_request of 28, msn 1",
                               "read_response of 3000, stag 0x7 to 0x100", "send of 3000, msn 2",
                               "rdma_write of 2500, stag 0x9 to 0x0"}));
}

TEST(TRow, T15_ShortSends) {
  const Row row("t15-short-sends.pcap");
  EXPECT_EQ(row->ids(Severity::note), Ids{}) << row->told();
  EXPECT_EQ(row->messages().size(), 17U);
}

TEST(TRow, T17_PortsOfOthers) {
  const Row row("t17-ports-of-others.pcap");
  EXPECT_EQ(row->ids(Severity::note), Ids{}) << row->told();
  EXPECT_EQ(row->messages().size(), 12U);
}

TEST(TRow, T18_LateSegments) {
  const Row row("t18-late-segments.pcap");
  EXPECT_EQ(row->ids(Severity::note), Ids{}) << row->told();
  ASSERT_EQ(row->messages().size(), 7U);
  for (std::uint32_t i = 0; i < 7; ++i) {
    EXPECT_EQ(row->messages()[i].message.msn, i + 1);
    EXPECT_EQ(row.payload(row->fpdus()[i]), pattern(i < 3 ? 300 : 600, i + 1));
  }
  EXPECT_EQ(row->side(a).crc_counts.good, 7U);
}

TEST(TRow, T19_UncapturedSegment) {
  const Row row("t19-uncaptured-segment.pcap");
  EXPECT_EQ(row->ids(Severity::note), (Ids{"CAP-GAP", "DDP-MSNGAP"})) << row->told();
  EXPECT_EQ(row->findings("DDP-MSNGAP")[0].finding.arguments[1], 8U);
  EXPECT_EQ(row->messages().size(), 6U);
}

TEST(TRow, T20_Snaplen96) {
  const Row row("t20-snaplen96.pcap");
  EXPECT_EQ(row->ids(), Ids{}) << row->told();
  EXPECT_TRUE(row->has("CAP-SNAP"));
  ASSERT_EQ(row->fpdus().size(), 4U);
  EXPECT_EQ(row->messages().size(), 4U);
  EXPECT_EQ(row->fpdus()[1].fpdu.ddp.stag, 0xa1b2c3U);
  EXPECT_EQ(row->fpdus()[1].fpdu.payload_length, 1200U);
}

TEST(TRow, T20_IPv6PayloadLengthZero) {
  const Row row("t20-ipv6-length-zero.pcap");
  EXPECT_EQ(row->ids(), Ids{}) << row->told();
  EXPECT_EQ(row->messages().size(), 4U);
  EXPECT_EQ(row->side(a).crc_counts.good, 3U);
}

}  // namespace
}  // namespace iwarp::test
