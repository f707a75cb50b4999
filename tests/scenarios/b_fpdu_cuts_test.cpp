// Scenarios B1, B2: FPDUs and TCP segments have nothing to do with each other.
// SPDX-License-Identifier: GPL-2.0-or-later
#include "framing_log.hpp"

namespace iwarp::test {
namespace {

const Read sixteen{
    .sink_stag = 0xa1b2, .sink_to = 0x1000, .size = 16, .source_stag = 0xc3d4, .source_to = 0x2000};

// --- B1: many in one, one in many ----------------------------------------------------------------------

TEST(ScenarioB, B1_ThreeFpdusInOneSegment) {
  Conversation c = operating();
  const Packets packed =
      c.packed(Side::a, {send(1, text("one")), write(0x1234ab01, 0x1000, pattern(100)), send(2)});
  c.close();
  expect_ids(c, {});
  const Analysed result(c);
  const FrameNumber frame = c.segments()[packed.first].meta.frame;
  const std::vector<Event> fpdus = result.fpdus();
  ASSERT_EQ(fpdus.size(), 3U);
  for (const Event& event : fpdus) {
    EXPECT_EQ(event.frame, frame);
    EXPECT_EQ(event.fpdu.first_frame, frame);
    EXPECT_EQ(event.fpdu.crc, CrcStatus::good);
  }
  EXPECT_EQ(fpdus[0].fpdu.stream_offset, 0U);
  EXPECT_EQ(fpdus[1].fpdu.stream_offset, 28U);   // 2 + 18 + 3, PAD 1, CRC 4
  EXPECT_EQ(fpdus[2].fpdu.stream_offset, 148U);  // + 2 + 14 + 100 + 4
  EXPECT_TRUE(fpdus[0].fpdu.aligned);
  EXPECT_FALSE(fpdus[1].fpdu.aligned);
  const std::span<const Slice> slices = result.analysis().slices(fpdus[1]);
  ASSERT_EQ(slices.size(), 1U);
  EXPECT_EQ(slices[0].frame, frame);
  EXPECT_EQ(slices[0].payload_offset, 28U);
  EXPECT_EQ(slices[0].length, 120U);
  EXPECT_EQ(result.messages().size(), 3U);
}

TEST(ScenarioB, B1_OneFpduOver45Segments) {
  Conversation c = operating();
  const Bytes ulpdu = write(0x1234ab01, 0x1000, pattern(64768 - 14));
  const Packets packets = c.fpdu(Side::a, ulpdu, Cuts::every(1448));
  c.fpdu(Side::a, send(1, text("behind")));
  c.close();
  ASSERT_EQ(packets.count, 45U);
  const Analysed result(c);
  EXPECT_EQ(result.ids(Severity::note), (Ids{})) << result.told();
  ASSERT_EQ(result.fpdus().size(), 2U);
  const Event fpdu = result.fpdus()[0];
  EXPECT_EQ(fpdu.fpdu.ulpdu_length, 64768U);
  EXPECT_EQ(fpdu.fpdu.wire_size, 64776U);
  EXPECT_EQ(fpdu.fpdu.crc, CrcStatus::good);
  EXPECT_EQ(fpdu.fpdu.first_frame, 6U);
  EXPECT_EQ(fpdu.frame, 50U);
  const std::span<const Slice> slices = result.analysis().slices(fpdu);
  ASSERT_EQ(slices.size(), 45U);
  for (std::size_t i = 0; i < slices.size(); ++i) {
    EXPECT_EQ(slices[i].frame, 6U + i);
    EXPECT_EQ(slices[i].payload_offset, 0U);
    EXPECT_EQ(slices[i].length, i < 44 ? 1448U : 64776U - 44U * 1448U);
  }
  EXPECT_EQ(result.messages(wire::Opcode::rdma_write).at(0).message.length, 64754U);
}

TEST(ScenarioB, B1_OneOctetMoreThanAnFpduMayHold) {
  Conversation c = operating();
  const Bytes ulpdu = write(0x1234ab01, 0x1000, pattern(64769 - 14));
  c.fpdu(Side::a, ulpdu, Cuts::every(1448));
  c.fpdu(Side::a, send(1, text("behind")));
  c.close();
  const Analysed result(c);
  EXPECT_EQ(result.ids(Severity::note), (Ids{"MPA-LEN"})) << result.told();
  EXPECT_EQ(result.findings("MPA-LEN").at(0).finding.severity, Severity::error);
  EXPECT_EQ(result.findings("MPA-LEN").at(0).finding.arguments[0], 64769U);
  EXPECT_EQ(result.findings("MPA-LEN").at(0).frame, 50U);
  ASSERT_EQ(result.fpdus().size(), 2U);
  EXPECT_EQ(result.fpdus()[0].fpdu.crc, CrcStatus::good);
}

TEST(ScenarioB, B1_SegmentBordersAnywhereInAStreamOfManyFpdus) {
  const auto conversation = [](const Cuts& cuts) {
    Conversation c = operating({.markers = true}, {.markers = true});
    std::vector<Bytes> ulpdus;
    for (std::uint32_t msn = 1; msn <= 40; ++msn) ulpdus.push_back(send(msn, pattern(37 * msn, msn)));
    c.packed(Side::a, ulpdus, cuts);
    c.close();
    return c;
  };
  const std::vector<std::string> whole = log_of(Analysed(conversation({})));
  EXPECT_EQ(whole.size(), 120U);  // FPDU, message and operation of each
  for (const std::size_t size : {std::size_t{1}, std::size_t{3}, std::size_t{7}, std::size_t{512},
                                 std::size_t{536}, std::size_t{1448}, std::size_t{9000}}) {
    EXPECT_EQ(log_of(Analysed(conversation(Cuts::every(size)))), whole) << "segments of " << size;
  }
}

// --- B2: a border behind every octet -------------------------------------------------------------------

struct Shape {
  const char* name;
  Bytes ulpdu;
  Bytes following;
};

std::vector<Shape> shapes() {
  return {
      {"Send", send(1, text("hello")), send(2, text("again"))},
      {"Write", write(0x1234ab01, 0x1000, pattern(33)), send(1, text("done"))},
      {"zero-length Send", send(1), send(2)},
      {"zero-length Write", write(1, 0), send(1)},
      {"Read Request", read_request(1, sixteen), read_request(2, sixteen)},
      {"Atomic Request", fetch_add(1, {.id = 7, .stag = 0xc3d4, .to = 8, .data = 5}), send(1)},
      {"Immediate", immediate(1, 0x1122334455667788), send_inv(2, 0xbeef, text("bye"))},
      {"Terminate", terminate(0x0206, {.m = true, .length = 18}), {}},
  };
}

// The two FPDUs in one segment, cut as `cuts` says.
Conversation cut_conversation(const Shape& shape, bool markers, bool crc, const Cuts& cuts) {
  Conversation c = operating({.crc = crc}, {.markers = markers, .crc = crc});
  std::vector<Bytes> ulpdus = {shape.ulpdu};
  if (!shape.following.empty()) ulpdus.push_back(shape.following);
  c.packed(Side::a, ulpdus, cuts);
  return c;
}

void every_border(bool markers, bool crc) {
  for (const Shape& shape : shapes()) {
    const Conversation unsplit = cut_conversation(shape, markers, crc, {});
    const std::vector<std::string> expected = log_of(Analysed(unsplit));
    const std::size_t size = unsplit.segments().back().octets.size();
    ASSERT_FALSE(expected.empty());
    for (std::size_t border = 1; border < size; ++border) {
      EXPECT_EQ(log_of(Analysed(cut_conversation(shape, markers, crc, {border}))), expected)
          << shape.name << " cut behind octet " << border;
    }
  }
}

TEST(ScenarioB, B2_EveryBorderWithCrc) {
  every_border(false, true);
}
TEST(ScenarioB, B2_EveryBorderWithoutCrc) {
  every_border(false, false);
}
TEST(ScenarioB, B2_EveryBorderOfMarkedFpdus) {
  every_border(true, true);
}
TEST(ScenarioB, B2_EveryBorderOfMarkedFpdusWithoutCrc) {
  every_border(true, false);
}

TEST(ScenarioB, B2_EveryPairOfBorders) {
  const Shape shape = shapes()[0];
  const Conversation unsplit = cut_conversation(shape, true, true, {});
  const std::vector<std::string> expected = log_of(Analysed(unsplit));
  const std::size_t size = unsplit.segments().back().octets.size();
  for (std::size_t first = 1; first < size; ++first) {
    for (std::size_t second = 1; first + second < size; ++second) {
      EXPECT_EQ(log_of(Analysed(cut_conversation(shape, true, true, {first, second}))), expected)
          << first << " and " << second << " octets";
    }
  }
}

TEST(ScenarioB, B2_OctetByOctet) {
  for (const Shape& shape : shapes()) {
    for (const bool markers : {false, true}) {
      const std::vector<std::string> expected = log_of(Analysed(cut_conversation(shape, markers, true, {})));
      EXPECT_EQ(log_of(Analysed(cut_conversation(shape, markers, true, Cuts::every(1)))), expected)
          << shape.name;
    }
  }
}

TEST(ScenarioB, B2_EveryBorderNearAMarkerInsideTheHeader) {
  // The filler ends 16 octets before a marker, which so stands inside the second FPDU's DDP header.
  const auto conversation = [](const Cuts& cuts) {
    Conversation c = operating({}, {.markers = true});
    c.fpdu(Side::a, send(1, pattern(512 - 16 - 4 - 24)));
    c.packed(Side::a, {send(2, text("hello")), send(3, text("again"))}, cuts);
    return c;
  };
  const std::vector<std::string> expected = log_of(Analysed(conversation({})));
  ASSERT_EQ(expected.size(), 9U);
  const std::size_t size = conversation({}).segments().back().octets.size();
  ASSERT_EQ(size, 68U);
  for (std::size_t border = 1; border < size; ++border) {
    EXPECT_EQ(log_of(Analysed(conversation({border}))), expected) << "cut behind octet " << border;
  }
}

TEST(ScenarioB, B2_FrameThatCompletesAnFpduIsItsFrame) {
  Conversation c = operating();
  c.packed(Side::a, {send(1, text("hello")), send(2, text("again"))}, {31, 10});  // 32 octets each
  c.close();
  const Analysed result(c);
  ASSERT_EQ(result.fpdus().size(), 2U);
  EXPECT_EQ(result.fpdus()[0].fpdu.first_frame, 6U);
  EXPECT_EQ(result.fpdus()[0].frame, 7U);
  EXPECT_EQ(result.fpdus()[1].fpdu.first_frame, 7U);
  EXPECT_EQ(result.fpdus()[1].frame, 8U);
  EXPECT_EQ(result.messages().at(0).frame, 7U);
  EXPECT_EQ(result.messages().at(0).message.first_frame, 6U);
  const std::vector<OwnedSegment> segments = c.segments();
  EXPECT_EQ(octets_of(result, segments, result.fpdus()[0]), fpdu(send(1, text("hello"))));
  EXPECT_EQ(octets_of(result, segments, result.fpdus()[1]), fpdu(send(2, text("again"))));
}

}  // namespace
}  // namespace iwarp::test
