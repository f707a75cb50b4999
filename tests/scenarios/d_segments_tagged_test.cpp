// Tagged segments: TO, messages told apart by order alone, very long ones (RFC 5041 §5.2, §5.3, §7.1).
// SPDX-License-Identifier: GPL-2.0-or-later
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "established.hpp"
#include "support/all_events.hpp"

namespace iwarp::test::established {
namespace {

using wire::Opcode;

// --- D7: TO near 2^64 -----------------------------------------------------------------------------------

TEST(ScenarioD, D7_WriteEndsExactlyAtTheLargestOffset) {
  Established c;
  c.fpdu(a, write(0x7, 0xFFFFFFFFFFFFFFF0, pattern(16)));
  c.close();

  EXPECT_EQ(told(c), Told{});
  EXPECT_EQ(messages(Analysed(c)), (Told{"rdma_write of 16, stag 0x7 to 0xfffffffffffffff0"}));
}

TEST(ScenarioD, D7_OneOctetMoreWraps) {
  Established c;
  const Packets wraps = c.fpdu(a, write(0x7, 0xFFFFFFFFFFFFFFF0, pattern(17)));
  c.close();

  EXPECT_EQ(told(c), (Told{error("DDP-TOWRAP", a, c.at(wraps))}));
  EXPECT_EQ(describe(Analysed(c).findings("DDP-TOWRAP")[0].finding),
            "17 octets from TO 0xfffffffffffffff0 on go beyond 2^64");
}

TEST(ScenarioD, D7_MessageThatGoesOnBehindTheLargestOffset) {
  Established c;
  c.fpdu(a, write(0x7, 0xFFFFFFFFFFFFFFF0, pattern(16), {.last = false}));
  const Packets wraps = c.fpdu(a, write(0x7, 0, pattern(16)));
  c.close();

  EXPECT_EQ(told(c), (Told{error("DDP-TOWRAP", a, c.at(wraps))}));
}

TEST(ScenarioD, D7_WrapAndItsTerminate) {
  Established c;
  const Bytes bad = write(0x7, 0xFFFFFFFFFFFFFFF0, pattern(17));
  const Packets wraps = c.fpdu(a, bad);
  c.terminated(b, 0x1103, about(bad));

  EXPECT_EQ(told(c), (Told{error("DDP-TOWRAP", a, c.at(wraps))}));
  EXPECT_EQ(why(c), (Told{"1103 explained"}));
}

TEST(ScenarioD, D7_ZeroLengthWriteGoesAnywhere) {
  Established c;
  c.fpdu(a, send(1));
  c.fpdu(a, write(0x7, 0xFFFFFFFFFFFFFFFF));
  c.fpdu(a, write(0, 0));  // STag 0 as well
  c.fpdu(a, write(0xDEADBEEF, 0x1234567890));
  c.close();

  EXPECT_EQ(told(c), Told{});
  EXPECT_EQ(Analysed(c).messages(Opcode::rdma_write).size(), 3U);
}

TEST(ScenarioD, D7_ReadSinkEndsExactlyAtTheLargestOffset) {
  Established c;
  c.fpdu(a, send(1));
  c.fpdu(a, read_request(1, {.sink_stag = 7, .sink_to = 0xFFFFFFFFFFFFFF00, .size = 256, .source_stag = 9}));
  c.fpdu(b, read_response(7, 0xFFFFFFFFFFFFFF00, pattern(128), {.last = false}));
  c.fpdu(b, read_response(7, 0xFFFFFFFFFFFFFF80, pattern(128)));
  c.close();

  EXPECT_EQ(told(c), Told{});
}

// --- D16: a Write of 2^32 - 1 octets --------------------------------------------------------------------

// Writes so long that only their headers are worth capturing: segments of one FPDU each, cut behind the DDP
// header as by a snapshot length. The CRC is not in use, so nothing needs the octets.
class LongWrite {
 public:
  LongWrite() {
    Established c({.crc = false}, {.crc = false});
    c.fpdu(a, send(1));
    c.ack(b);
    for (const OwnedSegment& each : c.segments()) analyzer_.add(each.segment());
    const OwnedSegment last = c.segments()[c.segments().size() - 2];
    segment_ = last.meta;
    frame_ = segment_.frame + 1;
    segment_.time_ns = c.segments().back().meta.time_ns;
    segment_.sequence += static_cast<std::uint32_t>(last.octets.size());
  }

  // One Write of `length` octets from TO 0 on.
  void write(std::uint64_t length) {
    for (std::uint64_t done = 0; done < length;) {
      const std::uint64_t size = std::min<std::uint64_t>(length - done, 64768 - 14);
      Bytes header = test::write(0x77, done, {}, {.last = done + size == length});
      const auto ulpdu_length = static_cast<std::uint32_t>(size + 14);
      header.insert(header.begin(), {static_cast<Byte>(ulpdu_length >> 8), static_cast<Byte>(ulpdu_length)});
      segment_.frame = ++frame_;
      segment_.time_ns += 1000;
      segment_.packet_identity = 0;
      segment_.payload = header;
      segment_.wire_length = 2 + ulpdu_length + (0U - (2 + ulpdu_length)) % 4 + 4;
      analyzer_.add(segment_);
      segment_.sequence += segment_.wire_length;
      done += size;
    }
  }

  // Findings but CAP-SNAP, of all events so far; the one Write concluded.
  Ids finish() {
    analyzer_.finish();
    Ids ids;
    for (const Event& event : all_events(analyzer_.analysis())) {
      if (event.kind == EventKind::message && event.message.opcode == Opcode::rdma_write)
        writes.push_back(event.message);
      if (event.kind != EventKind::finding || event.finding.severity < Severity::note) continue;
      const std::string id = check_info(event.finding.check).id;
      if (id != "CAP-SNAP") ids.push_back(id);
    }
    return ids;
  }

  std::vector<MessageConclusion> writes;
  [[nodiscard]] std::uint64_t payload_octets() const {
    return analyzer_.analysis().connection(0)->side(a).payload_octets;
  }

 private:
  Analyzer analyzer_ = Analyzer({.keep_log = true});
  TcpSegment segment_;
  FrameNumber frame_ = 0;
};

TEST(ScenarioD, D16_LongestWriteIsCountedExactly) {
  constexpr std::uint64_t longest = 0xFFFFFFFF;
  LongWrite script;
  script.write(longest);

  EXPECT_EQ(script.finish(), Ids{});
  ASSERT_EQ(script.writes.size(), 1U);
  EXPECT_EQ(script.writes[0].end, MessageEnd::complete);
  EXPECT_EQ(script.writes[0].length, longest);
  EXPECT_EQ(script.writes[0].segments, 66328U);
  EXPECT_EQ(script.payload_octets(), longest);
}

TEST(ScenarioD, D16_OneOctetMoreIsTooLong) {
  LongWrite script;
  script.write(std::uint64_t{1} << 32);

  EXPECT_EQ(script.finish(), (Ids{"DDP-MOWRAP"}));
  ASSERT_EQ(script.writes.size(), 1U);
  EXPECT_EQ(script.writes[0].length, std::uint64_t{1} << 32);
}

// --- D17: messages between segments ---------------------------------------------------------------------

TEST(ScenarioD, D17_SendsBetweenReadResponseSegments) {
  Established c;
  c.fpdu(a, send(1));
  const Packets request =
      c.fpdu(a, read_request(1, {.sink_stag = 7, .sink_to = 0x1000, .size = 300, .source_stag = 9}));
  const Packets first = c.fpdu(b, read_response(7, 0x1000, pattern(100, 1), {.last = false}));
  c.fpdu(b, send(1, text("in between")));
  c.fpdu(b, read_response(7, 0x1064, pattern(100, 2), {.last = false}));
  c.fpdu(b, send(2, text("half of it"), {.last = false}));
  const Packets last = c.fpdu(b, read_response(7, 0x10C8, pattern(100, 3)));
  c.fpdu(b, send(2, text(" and the rest"), {.mo = 10}));
  c.close();

  EXPECT_EQ(told(c), Told{});
  const Analysed result(c);
  EXPECT_EQ(operations(result, OperationKind::read),
            words({{.length = 300, .request = c.at(request), .first = c.at(first), .last = c.at(last)}}));
  EXPECT_EQ(messages(result), (Told{"send of 0, msn 1", "read_request of 28, msn 1", "send of 10, msn 1",
                                    "read_response of 300, stag 0x7 to 0x1000", "send of 23, msn 2"}));
}

TEST(ScenarioD, D17_WritesBetweenReadResponseSegments) {
  Established c;
  c.fpdu(a, send(1));
  c.fpdu(a, read_request(1, {.sink_stag = 7, .sink_to = 0x1000, .size = 200, .source_stag = 9}));
  c.fpdu(b, read_response(7, 0x1000, pattern(100, 1), {.last = false}));
  c.fpdu(b, write(5, 0x9000, pattern(50)));
  c.fpdu(b, read_response(7, 0x1064, pattern(100, 2)));
  c.close();

  EXPECT_EQ(told(c), Told{});
}

TEST(ScenarioD, D17_TwoWritesInterleavedAreAmbiguous) {
  Established c;
  c.fpdu(a, write(5, 0x1000, pattern(100, 1), {.last = false}));
  const Packets other = c.fpdu(a, write(5, 0x8000, pattern(100, 2), {.last = false}));
  c.fpdu(a, write(5, 0x1064, pattern(100, 3)));
  c.fpdu(a, write(5, 0x8064, pattern(100, 4)));
  c.close();

  const Analysed result(c);
  EXPECT_EQ(told(c), (Told{error("DDP-TOSEQ", a, c.at(other))}));
  EXPECT_THAT(describe(result.findings("DDP-TOSEQ")[0].finding), testing::HasSubstr("ambiguous"));
  const auto writes = result.messages(wire::Opcode::rdma_write);
  ASSERT_EQ(writes.size(), 2U) << "both are complete";
  for (const Event& each : writes) EXPECT_EQ(each.message.length, 200U);
}

TEST(ScenarioD, D17_InterleavedWritesToTwoStagsAreNoChangeOfStag) {
  Established c;
  c.fpdu(a, write(5, 0x1000, pattern(100, 1), {.last = false}));
  const Packets other = c.fpdu(a, write(6, 0x8000, pattern(100, 2), {.last = false}));
  c.fpdu(a, write(5, 0x1064, pattern(100, 3)));
  c.fpdu(a, write(6, 0x8064, pattern(100, 4)));
  c.close();

  EXPECT_EQ(told(c), (Told{error("DDP-TOSEQ", a, c.at(other))}));
}

// With a segment that begins an octet early the first one may be all there is of its message, or a message
// that is not ended: DDP-TOSEQ tells of both.
TEST(ScenarioD, D17_AWriteInterruptedBeforeFinIsNotFoundCutToo) {
  Established c;
  c.fpdu(a, write(5, 0x1000, pattern(20, 1), {.last = false}));
  const Packets early = c.fpdu(a, write(5, 0x1013, pattern(20, 2)));
  c.close();

  EXPECT_EQ(told(c), (Told{error("DDP-TOSEQ", a, c.at(early))}));
}

TEST(ScenarioD, D17_AWriteInterruptedForGoodIsIncomplete) {
  Established c;
  c.fpdu(a, write(5, 0x1000, pattern(100, 1), {.last = false}));
  c.fpdu(a, write(5, 0x8000, pattern(100, 2)));
  const Packets next = c.fpdu(a, write(5, 0x9000, pattern(100, 3)));
  c.close();

  const Analysed result(c);
  EXPECT_EQ(result.ids(), (Ids{"DDP-TOSEQ"})) << result.told();
  const auto all = result.messages(wire::Opcode::rdma_write, false);
  ASSERT_EQ(all.size(), 3U);
  EXPECT_EQ(all[1].message.end, MessageEnd::incomplete);
  EXPECT_EQ(all[1].frame, c.at(next));
}

// --- D18: a hole between tagged segments ----------------------------------------------------------------

TEST(ScenarioD, D18_HoleBetweenTwoWrites) {
  Established c;
  c.fpdu(a, send(1));
  c.fpdu(a, write(5, 0x1000, pattern(100, 1), {.last = false}));
  c.drop(c.fpdus(a, {write(5, 0x1064, pattern(100, 2)), write(5, 0x8000, pattern(100, 3), {.last = false})}));
  c.fpdu(a, write(5, 0x8064, pattern(100, 4)));
  c.fpdu(a, write(5, 0xA000, pattern(100, 5)));
  c.close();

  const Analysed result(c);
  EXPECT_EQ(result.ids(Severity::note), (Ids{"CAP-GAP"})) << result.told();
  EXPECT_GT(result.undecidable("DDP-TOSEQ", Reason::gap), 0U);
  const std::vector<Event> writes = result.messages(Opcode::rdma_write, false);
  ASSERT_EQ(writes.size(), 3U);
  EXPECT_EQ(writes[0].message.to, 0x1000U);
  EXPECT_EQ(writes[0].message.length, 100U);
  EXPECT_EQ(writes[0].message.end, MessageEnd::unknown);
  EXPECT_EQ(writes[0].message.reason, Reason::gap);
  EXPECT_EQ(writes[1].message.to, 0x8064U);
  // Behind a known end the checks are in force again.
  EXPECT_EQ(writes[2].message.to, 0xA000U);
  EXPECT_EQ(writes[2].message.end, MessageEnd::complete);
}

TEST(ScenarioD, D18_ChecksAreArmedAgainBehindTheHole) {
  Established c;
  c.fpdu(a, send(1));
  c.fpdu(a, write(5, 0x1000, pattern(100, 1), {.last = false}));
  c.drop(c.fpdu(a, write(5, 0x1064, pattern(100, 2))));
  c.fpdu(a, write(5, 0x8000, pattern(100, 3)));
  c.ack(b);
  c.wait(1'000'000'000);
  c.ack(b);  // nobody waits for the missing octets any more
  c.fpdu(a, write(5, 0xA000, pattern(100, 4), {.last = false}));
  const Packets wrong = c.fpdu(a, write(5, 0xA0C8, pattern(100, 5)));
  c.close();

  const Analysed result(c);
  ASSERT_EQ(result.findings("DDP-TOSEQ").size(), 1U) << result.told();
  EXPECT_EQ(result.findings("DDP-TOSEQ")[0].frame, c.at(wrong));
}

TEST(ScenarioD, D18_HoleInsideOneWriteThatGoesOn) {
  Established c;
  c.fpdu(a, send(1));
  c.fpdu(a, write(5, 0x1000, pattern(100, 1), {.last = false}));
  c.drop(c.fpdu(a, write(5, 0x1064, pattern(100, 2), {.last = false})));
  c.fpdu(a, write(5, 0x10C8, pattern(100, 3)));
  c.close();

  const Analysed result(c);
  EXPECT_EQ(result.ids(Severity::note), (Ids{"CAP-GAP"})) << result.told();
  for (const Event& each : result.messages(Opcode::rdma_write, false)) {
    EXPECT_EQ(each.message.end, MessageEnd::unknown) << each.message.to;
  }
}

}  // namespace
}  // namespace iwarp::test::established
