// Scenario B10: TCP sequence numbers wrap, stream offsets do not.
// SPDX-License-Identifier: GPL-2.0-or-later
#include "framing_log.hpp"

namespace iwarp::test {
namespace {

Conversation marked_from(std::uint32_t isn, const Cuts& cuts = Cuts::every(200)) {
  Conversation c = operating({.markers = true}, {.markers = true}, {.isn_a = isn, .isn_b = isn + 7});
  for (std::uint32_t msn = 1; msn <= 6; ++msn) {
    c.fpdu(Side::a, send(msn, pattern(300, msn)), cuts);
    c.fpdu(Side::b, send(msn, pattern(300, msn)), cuts);
  }
  c.close();
  return c;
}

TEST(ScenarioB, B10_SequenceWrapInsideAMarkedFpdu) {
  const Conversation c = marked_from(0xFFFFFE00);
  expect_ids(c, {});
  const Analysed result(c);
  EXPECT_EQ(log_of(result), log_of(Analysed(marked_from(1000))));
  EXPECT_EQ(result.messages().size(), 12U);
}

TEST(ScenarioB, B10_SequenceWrapAtEveryPlace) {
  const std::vector<std::string> expected = log_of(Analysed(marked_from(1000)));
  for (std::uint32_t before = 0; before < 1500; before += 3) {
    ASSERT_EQ(log_of(Analysed(marked_from(0U - before))), expected) << before << " octets before the wrap";
  }
}

TEST(ScenarioB, B10_SequenceWrapWithLateSegments) {
  const auto conversation = [](std::uint32_t isn) {
    Conversation c = operating({}, {.markers = true}, {.isn_a = isn});
    std::vector<Bytes> ulpdus;
    for (std::uint32_t msn = 1; msn <= 6; ++msn) ulpdus.push_back(send(msn, pattern(300, msn)));
    const Packets packets = c.packed(Side::a, ulpdus, Cuts::every(200));
    for (std::size_t i = 0; i + 1 < packets.count; i += 2) c.move_behind(packets[i], packets[i + 1]);
    c.close();
    return c;
  };
  const std::vector<std::string> expected = log_of(Analysed(conversation(1000)));
  EXPECT_EQ(expected.size(), 18U);
  for (std::uint32_t before = 0; before < 2000; before += 37) {
    ASSERT_EQ(log_of(Analysed(conversation(0U - before))), expected) << before;
  }
}

// --- more than 4 GiB -----------------------------------------------------------------------------------

// The initiator's direction of a marked stream, segment by segment: each long FPDU fills a segment, of which
// the capture kept the first octets only.
class LongStream {
 public:
  static constexpr std::size_t kept = 96;
  static constexpr std::uint64_t long_size = 127 * 512;  // 2 + 64510 + 4 octets and their markers

  explicit LongStream(std::uint32_t isn) : isn_(isn) {
    for (const OwnedSegment& each : operating({}, {.markers = true}, {.isn_a = isn}).segments()) {
      last_ = each.meta;
      if (each.meta.frame == 4) from_a_ = each.meta;
      keep(analyzer_.add(each.segment()));
    }
  }

  // The next octets of the direction; only `captured` of them are in the capture.
  void add(const Bytes& octets, std::uint64_t wire_length) {
    TcpSegment segment = from_a_;
    segment.frame = ++last_.frame;
    segment.time_ns = last_.time_ns += 10'000;
    segment.sequence = static_cast<std::uint32_t>(isn_ + 1 + 20 + position_);
    segment.acknowledgement = last_.acknowledgement;
    segment.payload = octets;
    segment.wire_length = static_cast<std::uint32_t>(wire_length);
    segment.packet_identity = 0;
    segment.payload_sum = 0;
    position_ += wire_length;
    keep(analyzer_.add(segment));
  }

  // A Write of 64496 octets, its header alone captured. The FPDU begins `100` data octets behind a marker, so
  // that no marker stands among the octets that are there.
  void add_long() {
    Bytes head = hex("fbfe c140 1234ab01 00000000 00001000");
    head.resize(kept);
    add(head, long_size);
  }

  // A whole FPDU.
  void add_whole(const Bytes& ulpdu) {
    FpduStream framing(Markers::on, position_);
    const Bytes octets = framing.add(ulpdu);
    add(octets, octets.size());
  }

  [[nodiscard]] std::uint64_t position() const { return position_; }
  [[nodiscard]] const std::vector<Event>& fpdus() const { return fpdus_; }
  [[nodiscard]] std::uint64_t fpdu_count() const { return fpdu_count_; }
  [[nodiscard]] const Ids& findings() const { return findings_; }
  [[nodiscard]] const ConnectionState& state() const { return *analyzer_.analysis().connection(0); }

 private:
  void keep(Events events) {
    for (const Event& event : events) {
      if (event.kind == EventKind::fpdu) {
        ++fpdu_count_;
        if (fpdus_.size() == 8) fpdus_.erase(fpdus_.begin());
        fpdus_.push_back(event);
      }
      if (event.kind == EventKind::finding && event.finding.severity >= Severity::note) {
        findings_.emplace_back(check_info(event.finding.check).id);
      }
    }
  }

  std::uint32_t isn_;
  Analyzer analyzer_;
  TcpSegment from_a_;
  TcpSegment last_;
  std::uint64_t position_ = 0;     // since S
  std::vector<Event> fpdus_ = {};  // the last few
  std::uint64_t fpdu_count_ = 0;
  Ids findings_ = {};
};

TEST(ScenarioB, B10_MoreThan4GiBInOneDirection) {
  constexpr std::uint64_t past = (std::uint64_t{1} << 32) + 3 * LongStream::long_size;
  LongStream stream(0xFFFFFE00);
  stream.add_whole(write(0xf111, 0, zeros(80)));  // 100 data octets: the next begins there
  ASSERT_EQ(stream.position(), 104U);
  std::uint64_t count = 1;
  for (; stream.position() < past; ++count) stream.add_long();
  const std::uint64_t begin = stream.position();
  stream.add_whole(send(1, pattern(1200)));
  stream.add_whole(send(2, text("hello")));
  stream.add_whole(write(0x1234ab01, 0x1000, pattern(3000)));

  EXPECT_EQ(stream.findings(), (Ids{"CAP-SNAP"}));
  EXPECT_EQ(stream.fpdu_count(), count + 3);
  const std::vector<Event>& last = stream.fpdus();
  ASSERT_EQ(last.size(), 8U);
  const Event& cut = last[4];
  EXPECT_EQ(cut.fpdu.stream_offset, begin - LongStream::long_size);
  EXPECT_EQ(cut.fpdu.wire_size, LongStream::long_size);
  EXPECT_EQ(cut.fpdu.crc, CrcStatus::undecidable);
  EXPECT_TRUE(cut.fpdu.cut);
  std::uint64_t expected = begin;
  for (std::size_t i = 5; i < 8; ++i) {
    EXPECT_EQ(last[i].fpdu.stream_offset, expected);
    EXPECT_EQ(last[i].offset, expected + 20);
    EXPECT_GT(last[i].offset, std::uint64_t{1} << 32);
    EXPECT_EQ(last[i].fpdu.crc, CrcStatus::good) << i;
    EXPECT_EQ(last[i].fpdu.marker_faults, 0U);
    expected += last[i].fpdu.wire_size;
  }
  EXPECT_EQ(last[5].fpdu.markers, 2U);
  EXPECT_EQ(stream.position(), expected);
  const SideState& side = stream.state().side(Side::a);
  EXPECT_EQ(side.fpdus, count + 3);
  EXPECT_EQ(side.payload_octets, 80 + (count - 1) * 64496 + 1200 + 5 + 3000);
}

}  // namespace
}  // namespace iwarp::test
