// Scenarios C9 to C13: the capture begins after the connection did.
// SPDX-License-Identifier: GPL-2.0-or-later
#include <array>

#include "framing_log.hpp"

namespace iwarp::test {
namespace {

constexpr Side a = Side::a;
constexpr Side b = Side::b;
const Startup no_crc{.crc = false};

// A conversation in Full Operation of which nothing was captured yet.
Conversation joined(const Startup& request = {}, const Startup& reply = {}) {
  Conversation c;
  c.unseen([&] {
    c.handshake();
    c.startup(request, reply);
  });
  return c;
}

// The FPDU lines of a capture that began late, and the same number of the last ones of the whole capture.
void expect_same_tail(const Conversation& late, const Conversation& whole, std::size_t missing_at_most) {
  const std::vector<std::string> found = fpdus_of(Analysed(late), Side::a, Compare::contents);
  std::vector<std::string> expected = fpdus_of(Analysed(whole), Side::a, Compare::contents);
  ASSERT_LE(found.size(), expected.size());
  EXPECT_LE(expected.size() - found.size(), missing_at_most);
  expected.erase(expected.begin(), expected.end() - static_cast<std::ptrdiff_t>(found.size()));
  EXPECT_EQ(found, expected);
}

// --- C9: no SYN ----------------------------------------------------------------------------------------

TEST(ScenarioC, C9_StartUpWithoutSyn) {
  Conversation c;
  c.unseen([&] { c.handshake(); });
  c.startup();
  c.fpdu(a, send(1, pattern(1000)));
  c.fpdu(a, write(5, 0, pattern(1000)));
  c.fpdu(b, send(1));
  c.close();
  const Analysed result(c);
  EXPECT_EQ(result.ids(Severity::note), Ids{}) << result.told();
  EXPECT_EQ(result.messages().size(), 3U);
  EXPECT_FALSE(result.has("MPA-MULPDU"));
  EXPECT_GT(result.undecidable("MPA-MULPDU", Reason::mss_unknown), 0U);
  EXPECT_EQ(result.state().opened_by, OpenedBy::midstream);
  EXPECT_EQ(result.state().role_basis, RoleBasis::mpa);
  EXPECT_EQ(result.side(a).crc, Mode::on);
  EXPECT_FALSE(result.side(a).inferred);
  EXPECT_EQ(result.undecidable("DDP-MSN1"), 0U);
  EXPECT_EQ(result.side(a).qp.value, QpValue::idle);  // both FINs acknowledged
}

TEST(ScenarioC, C9_FirstMsnIsJudged) {
  Conversation c;
  c.unseen([&] { c.handshake(); });
  c.startup();
  c.fpdu(a, send(2));
  c.close();
  EXPECT_EQ(Analysed(c).ids(), (Ids{"DDP-MSN1"}));
}

// --- C10: without markers, CRC on ----------------------------------------------------------------------

TEST(ScenarioC, C10_LocksOnTheFirstWholeFpdu) {
  for (const std::size_t skipped : {0U, 1U, 2U, 3U, 100U, 699U}) {
    SCOPED_TRACE(skipped);
    Conversation c = joined();
    c.unseen([&] {
      for (std::uint32_t msn = 1; msn <= 4; ++msn) c.fpdu(a, send(msn, pattern(100, msn)));
    });
    // The first captured segment begins inside an FPDU.
    Packets cut;
    const Bytes octets = c.frame(a, send(5, pattern(680, 5)));
    c.unseen([&] { c.send(a, part(octets, 0, octets.size() - skipped)); });
    if (skipped > 0) cut = c.send(a, part(octets, octets.size() - skipped));
    const Packets first = c.fpdu(a, send(6, pattern(500, 6)));
    c.fpdu(b, send(1));
    c.fpdu(a, send(7, pattern(80)));
    c.fpdu(a, send(9, pattern(80)));
    c.close();
    const Analysed result(c);
    EXPECT_EQ(result.ids(Severity::note), (Ids{"DDP-MSNGAP"})) << result.told();
    const std::vector<Event> fpdus = fpdu_events(result, a);
    ASSERT_EQ(fpdus.size(), 3U);
    EXPECT_EQ(fpdus[0].fpdu.ddp.msn, 6U);
    EXPECT_EQ(fpdus[0].fpdu.crc, CrcStatus::good);
    EXPECT_EQ(fpdus[0].fpdu.stream_offset, skipped);
    EXPECT_EQ(result.undecidable("DDP-MSN1", Reason::midstream), 2U);  // one of each side
    EXPECT_FALSE(result.has("DDP-MSN1"));
    EXPECT_TRUE(result.side(a).inferred);
    EXPECT_EQ(result.side(a).crc, Mode::on);
    EXPECT_EQ(result.side(a).markers, Mode::off);
    EXPECT_EQ(result.state().opened_by, OpenedBy::midstream);
    EXPECT_EQ(result.side(a).queues[0].next_msn, 10U);
    EXPECT_NE(first.first, cut.first);
  }
}

TEST(ScenarioC, C10_UnalignedStream) {
  // FPDUs of 1100 octets in segments of 700: hardly one begins where a segment does.
  const auto build = [](std::size_t unseen_fpdus) {
    Conversation c = joined();
    std::vector<Bytes> octets;
    for (std::uint32_t msn = 1; msn <= 40; ++msn) octets.push_back(c.frame(a, send(msn, pattern(1074, msn))));
    const Packets packets = c.send(a, cat(octets), Cuts::every(700));
    for (std::size_t i = 0; i < unseen_fpdus; ++i) c.drop(packets[i]);
    c.close();
    return c;
  };
  Conversation whole;
  whole.handshake();
  whole.startup();
  for (std::uint32_t msn = 1; msn <= 40; ++msn) whole.fpdu(a, send(msn, pattern(1074, msn)));
  for (const std::size_t unseen : {1U, 2U, 3U, 4U, 5U}) {
    SCOPED_TRACE(unseen);
    const Conversation late = build(unseen);
    expect_same_tail(late, whole, 8);
    EXPECT_EQ(Analysed(late).ids(Severity::note), Ids{});
  }
}

// --- C11: CRC off --------------------------------------------------------------------------------------

TEST(ScenarioC, C11_LocksOnThreeHeadersThatFollowEachOther) {
  Conversation c = joined(no_crc, no_crc);
  c.unseen([&] { c.fpdu(a, send(1)); });
  const Bytes octets = c.frame(a, send(2, pattern(700)));
  c.unseen([&] { c.send(a, part(octets, 0, 300)); });
  c.send(a, part(octets, 300));
  for (std::uint32_t msn = 3; msn <= 8; ++msn) c.fpdu(a, send(msn, pattern(200 + msn, msn)));
  c.close();
  const Analysed result(c);
  EXPECT_EQ(result.ids(Severity::note), Ids{}) << result.told();
  ASSERT_GE(result.of(EventKind::locked).size(), 1U);
  const LockedFact locked = result.of(EventKind::locked)[0].locked;
  EXPECT_TRUE(locked.first);
  EXPECT_TRUE(locked.inferred);
  EXPECT_GE(locked.chained, 3U);
  EXPECT_EQ(result.messages().size(), 6U);
  EXPECT_EQ(result.messages()[0].message.msn, 3U);
  EXPECT_NE(result.side(a).qp.confidence, Confidence::high);
  EXPECT_EQ(result.side(a).crc_counts.bad, 0U);
}

TEST(ScenarioC, C11_OctetsThatAreNoIwarpAreNotTakenForIt) {
  Conversation c;
  c.unseen([&] { c.handshake(); });
  for (std::uint32_t i = 0; i < 200; ++i) {
    c.send(a, pattern(900 + i, i));
    c.send(b, pattern(500 + i, 1000 + i));
  }
  c.close();
  const Analysed result(c);
  EXPECT_FALSE(result.state().iwarp);
  EXPECT_TRUE(result.fpdus().empty());
  EXPECT_TRUE(result.of(EventKind::finding).empty()) << result.told();
}

// --- C12: a stream in the stream -----------------------------------------------------------------------

// FPDUs stored in the payload of Sends: MSNs from 1000, all right, and of another size than the outer ones.
Bytes stored_stream(std::size_t size) {
  FpduStream stream;
  std::vector<Bytes> fpdus;
  std::size_t total = 0;
  for (std::uint32_t msn = 1000; total < size; ++msn) {
    fpdus.push_back(stream.add(send(msn, pattern(300, msn))));
    total += fpdus.back().size();
  }
  return part(cat(fpdus), 0, size);
}

void expect_outer_stream(const Analysed& result, std::uint32_t next_msn) {
  for (const Event& event : fpdu_events(result, a)) EXPECT_LT(event.fpdu.ddp.msn, 1000U);
  EXPECT_EQ(result.ids(Severity::note), Ids{}) << result.told();
  EXPECT_EQ(result.side(a).queues[0].next_msn, next_msn);
}

TEST(ScenarioC, C12_StoredStreamInASend) {
  for (const std::size_t cuts : {1424U, 1000U, 1448U, 600U}) {
    for (std::size_t unseen = 1; unseen <= 8; ++unseen) {
      SCOPED_TRACE(testing::Message() << "segments of " << cuts << ", from the " << unseen + 1 << "th on");
      Conversation c = joined();
      std::vector<Bytes> octets;
      for (const Bytes& each : send_segments(1, stored_stream(20000), 1400))
        octets.push_back(c.frame(a, each));
      for (std::uint32_t msn = 2; msn <= 12; ++msn)
        octets.push_back(c.frame(a, send(msn, pattern(1000, msn))));
      const Packets packets = c.send(a, cat(octets), Cuts::every(cuts));
      for (std::size_t i = 0; i < unseen; ++i) c.drop(packets[i]);
      c.close();
      expect_outer_stream(Analysed(c), 13);
    }
  }
}

TEST(ScenarioC, C12_StoredStreamInALongFpdu) {
  // The whole stored stream lies in one FPDU of 40 kB, whose beginning was not captured.
  Conversation c = joined();
  const Bytes octets = c.frame(a, send(1, stored_stream(40000)));
  const Packets packets = c.send(a, octets, Cuts::every(1448));
  for (std::size_t i = 0; i < 3; ++i) c.drop(packets[i]);
  for (std::uint32_t msn = 2; msn <= 40; ++msn) c.fpdu(a, send(msn, pattern(1000, msn)));
  c.close();
  const Analysed result(c);
  EXPECT_EQ(result.side(a).queues[0].next_msn, 41U) << "not locked to the stored stream for good";
  EXPECT_EQ(result.ids(Severity::note), Ids{}) << result.told();
}

// --- C13: markers --------------------------------------------------------------------------------------

TEST(ScenarioC, C13_PhaseIsFoundWithinTwoKilobytes) {
  const auto build = [](bool late, std::size_t unseen) {
    Conversation c;
    const auto begin = [&] {
      c.handshake();
      c.startup({}, {.markers = true});
    };
    if (late) {
      c.unseen(begin);
    } else {
      begin();
    }
    std::vector<Bytes> octets;
    for (std::uint32_t msn = 1; msn <= 40; ++msn) {
      octets.push_back(c.frame(a, msn % 3 == 0 ? write(msn, 64, pattern(100 + 13 * msn, msn))
                                               : send(msn - msn / 3, pattern(90 + 7 * msn, msn))));
    }
    const Bytes all = cat(octets);
    if (late) {
      c.unseen([&] { c.send(a, part(all, 0, unseen)); });
      c.send(a, part(all, unseen), Cuts::every(1448));
    } else {
      c.send(a, all, Cuts::every(1448));
    }
    c.ack(b);
    c.close();
    return c;
  };
  const Conversation whole = build(false, 0);
  for (std::size_t unseen = 1; unseen < 3000; unseen += 233) {
    SCOPED_TRACE(unseen);
    const Conversation late = build(true, unseen);
    const Analysed result(late);
    ASSERT_FALSE(fpdu_events(result, a).empty());
    EXPECT_LE(fpdu_events(result, a)[0].fpdu.stream_offset, 2048U);
    EXPECT_EQ(result.side(a).markers, Mode::on);
    EXPECT_TRUE(result.side(a).inferred);
    EXPECT_EQ(result.ids(Severity::note), Ids{}) << result.told();
    expect_same_tail(late, whole, 30);
  }
}

TEST(ScenarioC, C13_WithoutCrc) {
  Conversation c = joined(no_crc, {.markers = true, .crc = false});
  c.unseen([&] { c.fpdu(a, send(1, pattern(333))); });
  for (std::uint32_t msn = 2; msn <= 30; ++msn) c.fpdu(a, send(msn, pattern(100 + 11 * msn, msn)));
  c.close();
  const Analysed result(c);
  EXPECT_EQ(result.ids(Severity::note), Ids{}) << result.told();
  EXPECT_EQ(result.side(a).markers, Mode::on);
  EXPECT_EQ(result.side(a).queues[0].next_msn, 31U);
  ASSERT_FALSE(result.fpdus().empty());
  EXPECT_LE(result.fpdus()[0].fpdu.stream_offset, 2048U);
  // Every payload is the one that was sent.
  const std::vector<OwnedSegment> segments = c.segments();
  for (const Event& event : result.fpdus()) {
    const std::uint32_t msn = event.fpdu.ddp.msn;
    EXPECT_EQ(event.fpdu.payload_length, 100U + 11U * msn);
  }
}

// stream_offset counts from the first octet that was captured, where the start is missing: not from one that
// an earlier segment without octets tells of.
TEST(ScenarioC, C10_StreamOffsetsCountFromTheFirstCapturedOctet) {
  Conversation c;
  c.unseen([&] { c.handshake(); });
  c.ack(a);
  c.ack(b);
  c.unseen([&] { c.startup(); });
  for (std::uint32_t msn = 1; msn <= 3; ++msn) {
    c.fpdu(a, send(msn, pattern(20)));
    c.fpdu(b, send(msn, pattern(20)));
  }
  c.close();
  const Analysed result(c);
  std::array<std::vector<StreamOffset>, 2> offsets;
  for (const Event& event : result.fpdus())
    offsets[event.side == a ? 0 : 1].push_back(event.fpdu.stream_offset);
  const StreamOffset size = fpdu(send(1, pattern(20))).size();
  for (const auto& each : offsets) EXPECT_EQ(each, (std::vector<StreamOffset>{0, size, 2 * size}));
}

}  // namespace
}  // namespace iwarp::test
