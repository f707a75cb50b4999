// Scenarios B4 to B7: markers wherever they can fall.
// SPDX-License-Identifier: GPL-2.0-or-later
#include "framing_log.hpp"

namespace iwarp::test {
namespace {

constexpr std::size_t data_between = 508;  // octets between two markers

// Octets of an FPDU without markers.
std::size_t bare_size(std::size_t ulpdu) {
  return (2 + ulpdu + 3) / 4 * 4 + 4;
}

// A direction whose every FPDU can be made to begin anywhere between two markers: counts data octets, as they
// would stand without markers.
class MarkedScript {
 public:
  explicit MarkedScript(Conversation& conversation) : c_(conversation) {}

  // Fills up so that the next FPDU begins `phase` data octets behind a marker, 0 standing for the marker
  // itself. ULPDUs sent so far are in ulpdus().
  void go_to(std::size_t phase) {
    std::size_t size = (phase + data_between - data_ % data_between) % data_between;
    if (size == 0) return;
    if (size < bare_size(14)) size += data_between;
    add(write(0xf111, 0, zeros(size - 4 - 2 - 14)));
    EXPECT_EQ(data_ % data_between, phase);
  }

  Packets add(const Bytes& ulpdu) {
    data_ += bare_size(ulpdu.size());
    ulpdus_.push_back(ulpdu);
    return c_.fpdu(Side::a, ulpdu);
  }

  [[nodiscard]] const std::vector<Bytes>& ulpdus() const { return ulpdus_; }

 private:
  Conversation& c_;
  std::size_t data_ = 0;
  std::vector<Bytes> ulpdus_ = {};
};

Conversation marked() {
  return operating({}, {.markers = true});
}

// --- B4: all phases, all lengths -----------------------------------------------------------------------

// Every FPDU's octets, put together from its slices and freed of markers, are those of the bare FPDU but for
// the CRC, which covers the markers as well.
void expect_octets(const Analysed& result, const Conversation& c, const std::vector<Bytes>& ulpdus) {
  const std::vector<OwnedSegment> segments = c.segments();
  const std::size_t first_segment = segments.size() - ulpdus.size();
  const std::vector<Event> fpdus = fpdu_events(result, Side::a);
  ASSERT_EQ(fpdus.size(), ulpdus.size());
  for (std::size_t i = 0; i < fpdus.size(); ++i) {
    const std::vector<OwnedSegment> own = {segments[first_segment + i]};
    const Bytes octets = octets_of(result, own, fpdus[i]);
    ASSERT_EQ(octets.size(), fpdus[i].fpdu.wire_size);
    const Bytes bare = without_markers(octets, fpdus[i].fpdu.stream_offset);
    const std::size_t covered = bare_size(ulpdus[i].size()) - 4;
    Framing any_crc;
    any_crc.crc = Crc::unused;
    ASSERT_EQ(part(bare, 0, covered), part(fpdu(ulpdus[i], any_crc), 0, covered)) << "FPDU " << i;
  }
}

// FPDUs of `lengths` that begin at each of the phases `first`, `first + 4` … below `end`.
void all_lengths_at(std::size_t first, std::size_t end, const std::vector<std::size_t>& lengths) {
  for (std::size_t phase = first; phase < end; phase += 4) {
    Conversation c = marked();
    MarkedScript script(c);
    script.add(write(0xf111, 0, zeros(4)));
    std::uint32_t msn = 1;
    for (const std::size_t length : lengths) {
      script.go_to(phase);
      // In turn tagged and untagged, as far as there is room for the longer header.
      if (length % 2 == 0 || length < 18) {
        script.add(write(0x1234ab01, length, pattern(length - 14, static_cast<std::uint32_t>(length))));
      } else {
        script.add(send(msn++, pattern(length - 18, static_cast<std::uint32_t>(length))));
      }
    }
    const Analysed result(c);
    ASSERT_EQ(result.ids(Severity::note), (Ids{})) << result.told() << "phase " << phase;

    Conversation twin = operating();
    for (const Bytes& ulpdu : script.ulpdus()) twin.fpdu(Side::a, ulpdu);
    ASSERT_EQ(log_of(result, Compare::contents), log_of(Analysed(twin), Compare::contents))
        << "phase " << phase;
    expect_octets(result, c, script.ulpdus());
    std::size_t markers = 0;
    for (const Event& event : result.fpdus()) {
      EXPECT_EQ(event.fpdu.crc, CrcStatus::good);
      EXPECT_EQ(event.fpdu.marker_faults, 0U);
      EXPECT_EQ(event.fpdu.wire_size, bare_size(event.fpdu.ulpdu_length) + 4U * event.fpdu.markers);
      markers += event.fpdu.markers;
    }
    const std::uint64_t end_offset = c.stream(Side::a).position();
    EXPECT_EQ(markers, (end_offset + 511) / 512) << "phase " << phase;
  }
}

// All short lengths, then ones so spaced that every PAD and every count of markers comes up.
std::vector<std::size_t> chosen_lengths() {
  std::vector<std::size_t> lengths;
  for (std::size_t length = 14; length <= 54; ++length) lengths.push_back(length);
  for (std::size_t length = 55; length <= 1600; length += 23) lengths.push_back(length);
  for (std::size_t length = 1597; length <= 1600; ++length) lengths.push_back(length);
  return lengths;
}

TEST(ScenarioB, B4_PhasesOfTheFirstQuarter) {
  all_lengths_at(0, 128, chosen_lengths());
}
TEST(ScenarioB, B4_PhasesOfTheSecondQuarter) {
  all_lengths_at(128, 256, chosen_lengths());
}
TEST(ScenarioB, B4_PhasesOfTheThirdQuarter) {
  all_lengths_at(256, 384, chosen_lengths());
}
TEST(ScenarioB, B4_PhasesOfTheLastQuarter) {
  all_lengths_at(384, data_between, chosen_lengths());
}

TEST(ScenarioB, B4_EveryLengthAtSomePhase) {
  Conversation c = marked();
  MarkedScript script(c);
  script.add(send(1));
  for (std::size_t length = 14; length <= 1600; ++length) {
    script.add(write(0x1234ab01, 0, pattern(length - 14, static_cast<std::uint32_t>(length))));
  }
  const Analysed result(c);
  EXPECT_EQ(result.ids(Severity::note), (Ids{})) << result.told();
  EXPECT_EQ(result.messages(wire::Opcode::rdma_write).size(), 1587U);
  Conversation twin = operating();
  for (const Bytes& ulpdu : script.ulpdus()) twin.fpdu(Side::a, ulpdu);
  EXPECT_EQ(log_of(result, Compare::contents), log_of(Analysed(twin), Compare::contents));
}

TEST(ScenarioB, B4_MarkersAndSegmentBordersTogether) {
  const auto conversation = [](const Cuts& cuts) {
    Conversation c = marked();
    std::vector<Bytes> ulpdus;
    for (std::uint32_t msn = 1; msn <= 127; ++msn) ulpdus.push_back(send(msn, pattern(msn * 3, msn)));
    c.packed(Side::a, ulpdus, cuts);
    return c;
  };
  const std::vector<std::string> expected = log_of(Analysed(conversation({})));
  for (const std::size_t size : {std::size_t{1}, std::size_t{2}, std::size_t{5}, std::size_t{127},
                                 std::size_t{510}, std::size_t{512}, std::size_t{514}}) {
    EXPECT_EQ(log_of(Analysed(conversation(Cuts::every(size)))), expected) << size;
  }
}

// --- B5: between PAD and CRC ---------------------------------------------------------------------------

TEST(ScenarioB, B5_MarkerBetweenPadAndCrc) {
  for (std::size_t pad = 0; pad < 4; ++pad) {
    SCOPED_TRACE(pad);
    const Bytes ulpdu = write(0x1234ab01, 0x1000, pattern(104 - pad));  // 2 + 14 + 104
    const std::size_t before_crc = 120;
    Conversation c = marked();
    MarkedScript script(c);
    script.go_to(data_between - before_crc);
    script.add(ulpdu);
    script.add(send(1, text("behind")));
    c.close();
    expect_ids(c, {});
    const Analysed result(c);
    ASSERT_EQ(result.fpdus().size(), 3U);
    const Event event = result.fpdus()[1];
    EXPECT_EQ(event.fpdu.ulpdu_length, 118U - pad);
    EXPECT_EQ(event.fpdu.pad, 0U);
    EXPECT_EQ(event.fpdu.crc, CrcStatus::good);
    EXPECT_EQ(event.fpdu.markers, 1U);
    EXPECT_EQ(event.fpdu.payload_length, 104U - pad);
    const Bytes octets = octets_of(result, c.segments(), event);
    ASSERT_EQ(octets.size(), 128U);
    EXPECT_EQ(to_hex(part(octets, 120, 4)), "00000078");  // FPDUPTR 120: all of the FPDU before it
    EXPECT_EQ((event.fpdu.stream_offset + 120) % 512, 0U);
  }
}

TEST(ScenarioB, B5_PadIsToldThoughAMarkerFollowsIt) {
  Conversation c = marked();
  MarkedScript script(c);
  script.go_to(data_between - 120);
  c.fpdu(Side::a, write(0x1234ab01, 0x1000, pattern(102)), {.pad = 0xee});
  c.close();
  expect_ids(c, {"MPA-PAD"});
  EXPECT_EQ(Analysed(c).fpdus().at(1).fpdu.pad, 0xeeeeU);
}

TEST(ScenarioB, B5_WrongPointerBetweenPadAndCrc) {
  Conversation c = marked();
  MarkedScript script(c);
  script.go_to(data_between - 120);
  c.stream(Side::a).break_marker({.pointer_delta = 4});
  script.add(write(0x1234ab01, 0x1000, pattern(104)));
  c.close();
  expect_ids(c, {"MPA-MKPTR"});
  EXPECT_EQ(Analysed(c).findings("MPA-MKPTR").at(0).finding.arguments[0], 124U);
  EXPECT_EQ(Analysed(c).findings("MPA-MKPTR").at(0).finding.arguments[2], 120U);
}

// --- B6: between FPDUs ---------------------------------------------------------------------------------

TEST(ScenarioB, B6_FpduThatEndsOnTheMarkersPlace) {
  Conversation c = marked();
  MarkedScript script(c);
  script.add(send(1, pattern(data_between - 24)));  // ends at 512
  const Packets second = script.add(send(2, text("hello")));
  c.close();
  expect_ids(c, {});
  const Analysed result(c);
  ASSERT_EQ(result.fpdus().size(), 2U);
  EXPECT_EQ(result.fpdus()[0].fpdu.wire_size, 512U);
  EXPECT_EQ(result.fpdus()[0].fpdu.markers, 1U);
  const Event event = result.fpdus()[1];
  EXPECT_EQ(event.fpdu.stream_offset, 512U);  // its own marker's
  EXPECT_EQ(event.fpdu.markers, 1U);
  EXPECT_EQ(event.fpdu.wire_size, 36U);
  EXPECT_EQ(event.fpdu.crc, CrcStatus::good);
  const Bytes octets = c.segments()[second.first].octets;
  EXPECT_EQ(to_hex(part(octets, 0, 8)), "00000000 00174143");
  EXPECT_EQ(event.fpdu.crc_computed, bitwise_crc32c(part(octets, 0, octets.size() - 4)));
}

TEST(ScenarioB, B6_TheMarkerAloneAtTheEndOfTheEarlierSegment) {
  const auto conversation = [](std::size_t marker_octets_before) {
    Conversation c = marked();
    c.packed(Side::a, {send(1, pattern(data_between - 24)), send(2, text("hello")), send(3, text("again"))},
             {512 + marker_octets_before});
    c.close();
    return c;
  };
  const std::vector<std::string> expected = log_of(Analysed(conversation(0)));
  for (std::size_t octets = 1; octets <= 4; ++octets) {
    const Analysed result(conversation(octets));
    EXPECT_EQ(log_of(result), expected);
    EXPECT_EQ(result.ids(Severity::note), (Ids{}));
    ASSERT_EQ(result.fpdus().size(), 3U);
    EXPECT_EQ(result.fpdus()[0].frame, 6U);
    EXPECT_EQ(result.fpdus()[1].fpdu.first_frame, 6U);
    EXPECT_EQ(result.fpdus()[1].frame, 7U);
  }
}

TEST(ScenarioB, B6_TheMarkerAloneInASegment) {
  Conversation c = marked();
  c.packed(Side::a, {send(1, pattern(data_between - 24)), send(2, text("hello"))}, {512, 4});
  c.close();
  expect_ids(c, {});
  EXPECT_EQ(Analysed(c).messages().size(), 2U);
}

TEST(ScenarioB, B6_TheMarkerAloneAndNothingBehindIt) {
  Conversation c = marked();
  c.fpdu(Side::a, send(1, pattern(data_between - 24)));
  c.send(Side::a, zeros(4));
  const Analysed result(c);
  EXPECT_EQ(result.ids(), (Ids{})) << result.told();
  EXPECT_EQ(result.messages().size(), 1U);
}

// --- B7: many markers, many FPDUs ----------------------------------------------------------------------

TEST(ScenarioB, B7_FiveMarkersAndThreeSmallFpdusPacked) {
  Conversation c = marked();
  const std::vector<Bytes> ulpdus = {send(1, pattern(2300)), send(2, text("two")),
                                     write(0x1234ab01, 0x1000, pattern(9)), send(3)};
  const Packets packed = c.packed(Side::a, ulpdus);
  c.close();
  expect_ids(c, {});
  const Analysed result(c);
  ASSERT_EQ(packed.count, 1U);
  const std::vector<Event> fpdus = result.fpdus();
  ASSERT_EQ(fpdus.size(), 4U);
  EXPECT_EQ(fpdus[0].fpdu.markers, 5U);  // 0, 512 … 2048
  EXPECT_EQ(fpdus[0].fpdu.wire_size, 2324U + 20U);
  EXPECT_EQ(result.messages().size(), 4U);
  const std::vector<OwnedSegment> segments = c.segments();
  for (std::size_t i = 0; i < 4; ++i) {
    const Event& event = fpdus[i];
    EXPECT_EQ(event.frame, segments[packed.first].meta.frame);
    EXPECT_EQ(event.fpdu.crc, CrcStatus::good);
    const Bytes bare = without_markers(octets_of(result, segments, event), event.fpdu.stream_offset);
    EXPECT_EQ(part(bare, 2, ulpdus[i].size()), ulpdus[i]) << i;
  }
}

TEST(ScenarioB, B7_SmallOnesFirst) {
  Conversation c = marked();
  c.packed(Side::a, {send(1), write(1, 0), send(2, text("three")), send(3, pattern(2300)), send(4)},
           Cuts::every(1448));
  c.close();
  expect_ids(c, {});
  EXPECT_EQ(Analysed(c).messages().size(), 5U);
}

TEST(ScenarioB, B7_LongestMarkedFpdu) {
  Conversation c = marked();
  c.fpdu(Side::a, write(0x1234ab01, 0x1000, pattern(64768 - 14)), Cuts::every(1448));
  c.fpdu(Side::a, send(1, text("behind")));
  c.close();
  const Analysed result(c);
  EXPECT_EQ(result.ids(Severity::note), (Ids{})) << result.told();
  EXPECT_EQ(result.fpdus().at(0).fpdu.markers, 128U);  // 64776 octets, 508 between two markers
  EXPECT_EQ(result.messages().size(), 2U);
}

// Marked FPDUs worked out by hand (RFC 5044 figures 5 and 6).
TEST(ScenarioB, B7_FiguresOfTheRfc) {
  Conversation c = marked();
  c.send(Side::a, hex("00000000 002a4143 00000000 00000000 00000001 00000000 24*00 52239983"));
  const Packets filler = c.send(Side::a, hex("01b2c140 00000001 00000000 00000000 420*00"));
  const Bytes covered = c.segments()[filler.first].octets;
  const std::uint32_t crc = bitwise_crc32c(covered);
  Bytes crc_octets;
  for (unsigned i = 0; i < 4; ++i) crc_octets.push_back(static_cast<Byte>(crc >> (8 * i)));
  c.send(Side::a, crc_octets);
  const Bytes second = hex("002a4143 00000000 00000000 00000002 00000000 00000014 24*00 84925898");
  ASSERT_EQ(c.sent(Side::a), 20U + 0x1ecU);
  c.send(Side::a, second);
  c.close();
  expect_ids(c, {});
  const Analysed result(c);
  ASSERT_EQ(result.fpdus().size(), 3U);
  for (const Event& event : result.fpdus()) EXPECT_EQ(event.fpdu.crc, CrcStatus::good);
  EXPECT_EQ(result.fpdus()[2].fpdu.stream_offset, 0x1ecU);
  EXPECT_EQ(result.fpdus()[2].fpdu.markers, 1U);
  EXPECT_EQ(result.fpdus()[2].fpdu.payload_length, 24U);
}

}  // namespace
}  // namespace iwarp::test
