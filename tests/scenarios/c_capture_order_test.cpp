// Scenarios C1 to C3, C6, C7, C22, C24, C26: retransmissions, order, copies that differ, probes, times,
// checksums.
// SPDX-License-Identifier: GPL-2.0-or-later
#include "established.hpp"
#include "framing_log.hpp"

namespace iwarp::test {
namespace {

constexpr Side a = Side::a;
constexpr Side b = Side::b;

// Findings that a hardship of the capture adds are no part of what the stream says.
std::vector<std::string> stream_log(const Analysed& result) {
  std::vector<std::string> lines = log_of(result);
  std::erase_if(lines,
                [](const std::string& line) { return line.find("finding CAP-") != std::string::npos; });
  return lines;
}

// --- C1: retransmissions that are cut differently ------------------------------------------------------

// Five marked Sends of 600 octets by a. Octets [from, to) of them are lost once and come again behind the
// last.
struct Marked {
  Conversation c = operating({}, {.markers = true});
  StreamOffset begin = c.sent(a);
  std::vector<Bytes> fpdus;

  Marked() {
    for (std::uint32_t msn = 1; msn <= 5; ++msn) fpdus.push_back(c.frame(a, send(msn, pattern(600, msn))));
  }
  [[nodiscard]] std::size_t size() const { return cat(fpdus).size(); }
};

std::vector<std::string> undisturbed_log() {
  Marked twin;
  for (const Bytes& each : twin.fpdus) twin.c.send(a, each);
  twin.c.ack(b);
  twin.c.close();
  return stream_log(Analysed(twin.c));
}

TEST(ScenarioC, C1_RetransmissionOverAMarkerWithOtherCutPoints) {
  const std::vector<std::string> expected = undisturbed_log();
  // Cut before, inside and behind the marker at stream octet 1024, which lies in the second FPDU.
  for (const std::size_t cut : {1020U, 1023U, 1024U, 1025U, 1026U, 1027U, 1028U, 1032U}) {
    SCOPED_TRACE(cut);
    Marked lossy;
    Conversation& c = lossy.c;
    c.send(a, lossy.fpdus[0]);
    c.lose(a, lossy.fpdus[1], {300});
    c.send(a, lossy.fpdus[2]);
    c.send(a, lossy.fpdus[3]);
    c.ack(b);
    // From inside the first FPDU to inside the fourth.
    c.resend(a, lossy.begin + 200, cut - 200);
    c.resend(a, lossy.begin + cut, 2100 - cut, {400, 7});
    c.send(a, lossy.fpdus[4]);
    c.ack(b);
    c.close();
    const Analysed result(c);
    EXPECT_EQ(stream_log(result), expected);
    EXPECT_EQ(result.ids(Severity::note), Ids{});
    EXPECT_GT(result.side(a).retransmitted_octets, 0U);
    EXPECT_EQ(result.side(a).gaps, 0U);
  }
}

TEST(ScenarioC, C1_EveryOctetTwiceWithEveryCut) {
  const std::vector<std::string> expected = undisturbed_log();
  for (const std::size_t size : {1U, 3U, 100U, 511U, 512U, 513U, 1448U}) {
    SCOPED_TRACE(size);
    Marked doubled;
    for (const Bytes& each : doubled.fpdus) doubled.c.send(a, each);
    doubled.c.resend(a, doubled.begin, doubled.size(), Cuts::every(size));
    doubled.c.ack(b);
    doubled.c.close();
    const Analysed result(doubled.c);
    EXPECT_EQ(stream_log(result), expected);
    EXPECT_EQ(result.ids(Severity::note), Ids{});
    // A single octet right behind what was sent last is a keepalive, not a retransmission.
    EXPECT_NEAR(static_cast<double>(result.side(a).retransmitted_octets), static_cast<double>(doubled.size()),
                1.0);
  }
}

// --- C2: order -----------------------------------------------------------------------------------------

TEST(ScenarioC, C2_LateSegmentCompletesWhatWaitedForIt) {
  established::Established c;
  const Packets first = c.fpdu(a, send(1, text("one")));
  const Packets second = c.fpdu(a, send(2, text("two")));
  const Packets third = c.fpdu(a, send(3, text("three")));
  c.move_behind(second, third);
  c.ack(b);
  c.close();
  const Analysed result(c);
  EXPECT_EQ(result.ids(Severity::note), Ids{}) << result.told();
  const std::vector<Event> sends = result.messages();
  ASSERT_EQ(sends.size(), 3U);
  for (std::uint32_t i = 0; i < 3; ++i) EXPECT_EQ(sends[i].message.msn, i + 1);
  EXPECT_EQ(sends[0].frame, c.at(first));
  EXPECT_EQ(sends[1].frame, c.at(second));
  EXPECT_EQ(sends[2].frame, c.at(second));
  EXPECT_EQ(sends[2].message.first_frame, c.at(third));
  EXPECT_EQ(result.fpdus()[2].fpdu.first_frame, c.at(third));
}

TEST(ScenarioC, C2_SameStateInEitherOrder) {
  const auto play = [](bool late) {
    established::Established c;
    c.fpdu(a, read_request(1, {.sink_stag = 7, .size = 3000, .source_stag = 8}));
    Packets last;
    Packets middle;
    for (const Bytes& each : read_response_segments(7, 0, pattern(3000), 1000)) {
      middle = last;
      last = c.fpdu(b, each);
    }
    c.fpdu(a, send(1));
    if (late) c.move_behind(middle, last);
    c.close();
    return log_of(Analysed(c));
  };
  EXPECT_EQ(play(true), play(false));
}

// --- C3: copies that differ ----------------------------------------------------------------------------

void expect_conflict(const Analysed& result, std::uint64_t length, std::uint64_t offset, Phrase used) {
  const std::vector<Event> conflicts = result.findings("CAP-OVERLAP-CONFLICT");
  ASSERT_EQ(conflicts.size(), 1U) << result.told();
  const Finding& finding = conflicts[0].finding;
  EXPECT_EQ(finding.severity, Severity::note);
  EXPECT_EQ(conflicts[0].side, a);
  EXPECT_EQ(finding.arguments[0], length);
  EXPECT_EQ(finding.arguments[1], offset);
  EXPECT_EQ(finding.arguments[2], static_cast<std::uint64_t>(used)) << result.told();
}

const Startup no_crc{.crc = false};

TEST(ScenarioC, C3_FirstCopyWinsWhereNothingDecides) {
  established::Established c(no_crc, no_crc);
  const Packets first = c.fpdu(a, send(1, text("first one")));
  Bytes other_octets = c.packet(first).octets;
  other_octets[20] ^= 0xffU;
  other_octets[22] ^= 0xffU;
  const Packets second = c.inject(a, c.sent(a) - other_octets.size(), other_octets);
  c.fpdu(a, send(2, text("next")));
  c.ack(b);
  c.close();
  const Analysed result(c);
  // The first copy was gone when the second came: sums tell that the segment differs, not where.
  expect_conflict(result, other_octets.size(), 0, Phrase::first_copy_used);
  EXPECT_EQ(result.findings("CAP-OVERLAP-CONFLICT")[0].frame, c.at(second));
  EXPECT_EQ(result.messages().size(), 2U);
  EXPECT_EQ(result.ids(Severity::note), (Ids{"CAP-OVERLAP-CONFLICT"})) << result.told();
}

// Send 1 comes last; both copies of Send 2 wait for it and differ in octets 20 to 22.
struct TwoWait {
  established::Established c;
  Packets late;
  Packets first;
  Packets second;
  std::uint64_t offset = 0;  // of the first octet that differs

  explicit TwoWait(const Startup& startup) : c(startup, startup) {
    late = c.fpdu(a, send(1, text("late")));
    offset = c.stream(a).position() + 20;
    Bytes octets = c.frame(a, send(2, text("twice sent")));
    const StreamOffset at = c.sent(a);
    first = c.send(a, octets);
    octets[20] ^= 0xffU;
    octets[22] ^= 0xffU;
    second = c.inject(a, at, octets);
    c.move_behind(late, second);
    c.fpdu(a, send(3, text("behind")));
    c.ack(b);
    c.close();
  }
};

TEST(ScenarioC, C3_FirstOfTwoWaitingCopiesWins) {
  TwoWait two(no_crc);
  const Analysed result(two.c);
  expect_conflict(result, 3, two.offset, Phrase::first_copy_used);
  EXPECT_EQ(result.messages().size(), 3U);
  const Event fpdu = result.fpdus()[1];
  ASSERT_EQ(result.analysis().slices(fpdu).size(), 1U);
  EXPECT_EQ(result.analysis().slices(fpdu)[0].frame, two.c.at(two.first));
}

TEST(ScenarioC, C3_CopyWithTheRightChecksumReplacesOneWithout) {
  TwoWait two(no_crc);
  two.c.packet(two.first).meta.checksum = ChecksumStatus::bad;
  const Analysed result(two.c);
  expect_conflict(result, 3, two.offset, Phrase::later_copy_used);
  const Event fpdu = result.fpdus()[1];
  bool from_second = false;
  for (const Slice& slice : result.analysis().slices(fpdu))
    from_second |= slice.frame == two.c.at(two.second);
  EXPECT_TRUE(from_second);
  EXPECT_EQ(result.ids(Severity::note), (Ids{"CAP-CKSUM", "CAP-OVERLAP-CONFLICT"})) << result.told();
}

TEST(ScenarioC, C3_CrcDecides) {
  // The first waiting copy is the right one, then the second.
  {
    TwoWait two({});
    const Analysed result(two.c);
    expect_conflict(result, 3, two.offset, Phrase::first_copy_used);
    EXPECT_EQ(result.side(a).crc_counts.good, 3U);
    EXPECT_EQ(result.side(a).crc_counts.bad, 0U);
  }
  {
    TwoWait two({});
    std::swap(two.c.packet(two.first).octets, two.c.packet(two.second).octets);
    const Analysed result(two.c);
    expect_conflict(result, 3, two.offset, Phrase::good_copy_used);
    EXPECT_EQ(result.side(a).crc_counts.good, 3U);
    EXPECT_EQ(result.side(a).crc_counts.bad, 0U);
    EXPECT_EQ(result.ids(Severity::note), (Ids{"CAP-OVERLAP-CONFLICT"})) << result.told();
  }
}

TEST(ScenarioC, C3_CrcDecidesForTheFirstCopyAlthoughTheSecondHadTheBetterChecksum) {
  TwoWait two({});
  two.c.packet(two.first).meta.checksum = ChecksumStatus::bad;
  const Analysed result(two.c);
  expect_conflict(result, 3, two.offset, Phrase::good_copy_used);
  EXPECT_EQ(result.side(a).crc_counts.good, 3U);
  EXPECT_EQ(result.messages().size(), 3U);
}

// --- C6: probes ----------------------------------------------------------------------------------------

TEST(ScenarioC, C6_KeepaliveWithAGarbageOctetHasNoEffect) {
  const auto play = [](bool keepalives) {
    established::Established c;
    c.fpdu(a, send(1, text("before")));
    c.ack(b);
    for (int i = 0; i < 3 && keepalives; ++i) {
      c.inject(a, c.sent(a) - 1, hex("5a"));
      c.ack(b);
      c.inject(b, c.sent(b) - 1, hex("00"));
      c.ack(a);
    }
    c.fpdu(a, send(2, text("behind")));
    c.fpdu(b, send(1));
    c.close();
    const Analysed result(c);
    EXPECT_EQ(result.ids(Severity::information), Ids{}) << result.told();
    EXPECT_EQ(result.side(a).retransmitted_octets, 0U);
    return log_of(result);
  };
  EXPECT_EQ(play(true), play(false));
}

TEST(ScenarioC, C6_KeepaliveWithoutOctets) {
  established::Established c;
  c.fpdu(a, send(1, text("before")));
  c.ack(b);
  c.inject(a, c.sent(a) - 1, {});
  c.ack(b);
  c.fpdu(a, send(2, text("behind")));
  c.close();
  const Analysed result(c);
  EXPECT_EQ(result.ids(Severity::information), Ids{}) << result.told();
  EXPECT_EQ(result.messages().size(), 2U);
  EXPECT_TRUE(result.of(EventKind::retransmitted).empty());
}

TEST(ScenarioC, C6_ZeroWindowProbeWithARealOctetIsPartOfTheStream) {
  established::Established c;
  c.fpdu(a, send(1, text("before")));
  c.window(b, 0);
  c.ack(b);
  const Bytes octets = c.frame(a, send(2, text("behind")));
  c.send(a, part(octets, 0, 1));
  c.ack(b);  // taken
  c.window(b, 65535);
  c.ack(b);
  c.send(a, part(octets, 1));
  c.close();
  const Analysed result(c);
  ASSERT_EQ(result.messages().size(), 2U);
  EXPECT_EQ(result.messages()[1].message.length, 6U);
  EXPECT_EQ(result.ids(), Ids{}) << result.told();
  EXPECT_EQ(result.side(a).crc_counts.good, 2U);
}

TEST(ScenarioC, C6_RepeatedProbeIsARetransmission) {
  established::Established c;
  c.fpdu(a, send(1, text("before")));
  c.window(b, 0);
  c.ack(b);
  const Bytes octets = c.frame(a, send(2, text("behind")));
  const Packets probe = c.lose(a, part(octets, 0, 1));
  c.resend(probe);
  c.window(b, 65535);
  c.ack(b);
  c.send(a, part(octets, 1));
  c.close();
  const Analysed result(c);
  EXPECT_EQ(result.messages().size(), 2U);
  EXPECT_EQ(result.side(a).crc_counts.good, 2U);
  EXPECT_EQ(result.ids(), Ids{}) << result.told();
}

// --- C7: flow control ----------------------------------------------------------------------------------

TEST(ScenarioC, C7_TenSecondsOfZeroWindow) {
  established::Established c;
  const Packets sent = c.fpdu(a, send(1, pattern(1000)));
  c.window(b, 0);
  const Packets closed = c.ack(b);
  c.wait(10'000'000'000);
  c.window(b, 65535);
  const Packets opened = c.ack(b);
  c.fpdu(a, send(2, pattern(1000)));
  c.ack(b);
  c.close();
  const Analysed result(c);
  EXPECT_EQ(result.ids(Severity::note), Ids{}) << result.told();
  const std::vector<Event> stall = result.findings("VERBS-RQSTALL");
  ASSERT_EQ(stall.size(), 1U) << result.told();
  EXPECT_EQ(stall[0].finding.severity, Severity::information);
  EXPECT_EQ(stall[0].side, b);
  EXPECT_EQ(stall[0].frame, c.at(closed));
  EXPECT_EQ(stall[0].finding.arguments[0], static_cast<std::uint64_t>(Phrase::zero_window));
  const std::vector<Event> windows = result.of(EventKind::window);
  ASSERT_EQ(windows.size(), 2U);
  EXPECT_TRUE(windows[0].window.closed);
  EXPECT_EQ(windows[0].frame, c.at(closed));
  EXPECT_FALSE(windows[1].window.closed);
  EXPECT_EQ(windows[1].frame, c.at(opened));
  EXPECT_EQ(result.messages().size(), 2U);
  EXPECT_LT(c.at(sent), c.at(closed));
}

TEST(ScenarioC, C7_ReadAnsweredBehindAZeroWindow) {
  established::Established c;
  const Packets request = c.fpdu(a, read_request(1, {.sink_stag = 7, .size = 100, .source_stag = 8}));
  c.window(a, 0);
  c.ack(a);
  c.wait(10'000'000'000);
  c.window(a, 65535);
  c.ack(a);
  const Packets response = c.fpdu(b, read_response(7, 0, pattern(100)));
  c.close();
  const Analysed result(c);
  EXPECT_EQ(result.ids(Severity::note), Ids{}) << result.told();
  const std::vector<OperationConclusion> reads = result.operations(OperationKind::read);
  ASSERT_EQ(reads.size(), 1U);
  EXPECT_EQ(reads[0].response.time_ns - reads[0].request.time_ns, c.time(response) - c.time(request));
  EXPECT_GT(reads[0].response.time_ns - reads[0].request.time_ns, 10'000'000'000);
  ASSERT_EQ(result.of(EventKind::window).size(), 2U);  // what the latency is made of
  EXPECT_GE(result.of(EventKind::window)[1].time_ns - result.of(EventKind::window)[0].time_ns,
            10'000'000'000);
}

// --- C22: times ----------------------------------------------------------------------------------------

TEST(ScenarioC, C22_TimesThatRunBackward) {
  established::Established c;
  const Packets request = c.fpdu(a, read_request(1, {.sink_stag = 7, .size = 100, .source_stag = 8}));
  const Packets response = c.fpdu(b, read_response(7, 0, pattern(100)));
  c.set_time(response, c.time(request) - 700);
  c.fpdu(a, send(1));
  c.close();
  const Analysed result(c);
  EXPECT_EQ(result.ids(Severity::note), (Ids{"CAP-TSREV"})) << result.told();
  const Event finding = result.findings("CAP-TSREV")[0];
  EXPECT_EQ(finding.finding.severity, Severity::note);
  EXPECT_EQ(finding.frame, c.at(response));
  EXPECT_EQ(finding.finding.arguments[0], 700U);
  const std::vector<OperationConclusion> reads = result.operations(OperationKind::read);
  ASSERT_EQ(reads.size(), 1U);
  EXPECT_EQ(reads[0].status, OperationStatus::complete);
}

TEST(ScenarioC, C22_StreamOrderRulesNotTheOrderOfTimes) {
  // Every packet gets the time of its mirror image in the conversation: the log stays the same.
  const auto build = [] {
    established::Established c;
    for (std::uint32_t msn = 1; msn <= 6; ++msn) {
      c.fpdu(a, read_request(msn, {.sink_stag = 7, .size = 50, .source_stag = 8}));
      c.fpdu(b, read_response(7, 0, pattern(50)));
      c.fpdu(a, send(msn));
    }
    c.close();
    return c;
  };
  const auto forward = build();
  std::vector<OwnedSegment> segments = forward.segments();
  std::vector<TimeNs> times;
  for (const OwnedSegment& each : segments) times.push_back(each.meta.time_ns);
  for (std::size_t i = 0; i < segments.size(); ++i) segments[i].meta.time_ns = times[segments.size() - 1 - i];
  const Analysed result(segments);
  std::vector<std::string> lines = log_of(result);
  std::erase_if(lines, [](const std::string& line) { return line.find("CAP-TSREV") != std::string::npos; });
  EXPECT_EQ(lines, log_of(Analysed(forward)));
  EXPECT_EQ(result.ids(Severity::note), (Ids{"CAP-TSREV", "CAP-TSREV"})) << result.told();
}

// --- C24: TCP checksums --------------------------------------------------------------------------------

TEST(ScenarioC, C24_OffloadedChecksumsAreNoFault) {
  established::Established c;
  const Packets sent = c.fpdu(a, send(1));
  c.fpdu(b, send(1));
  c.close();
  std::vector<OwnedSegment> segments = c.segments();
  for (OwnedSegment& each : segments) each.meta.checksum = ChecksumStatus::offloaded;
  const Analysed result(segments);
  EXPECT_EQ(result.ids(Severity::information), Ids{}) << result.told();
  EXPECT_EQ(result.messages().size(), 2U);
  EXPECT_NE(c.at(sent), 0U);
}

TEST(ScenarioC, C24_AllChecksumsOfASideBadIsOffloadingToo) {
  established::Established c;
  for (std::uint32_t msn = 1; msn <= 5; ++msn) {
    c.fpdu(a, send(msn));
    c.fpdu(b, send(msn));
  }
  c.close();
  std::vector<OwnedSegment> segments = c.segments();
  for (OwnedSegment& each : segments) {
    if (each.meta.source.port == 40000) each.meta.checksum = ChecksumStatus::bad;
  }
  const Analysed result(segments);
  EXPECT_EQ(result.ids(Severity::note), (Ids{"CAP-CKSUM"})) << result.told();
  EXPECT_EQ(result.findings("CAP-CKSUM")[0].side, a);
  EXPECT_EQ(result.messages().size(), 10U);
}

TEST(ScenarioC, C24_OneBadCopyIsReplacedByTheRetransmission) {
  // The receiver dropped the damaged copy, as its TCP must; the sender repeats it.
  established::Established c;
  for (std::uint32_t msn = 1; msn <= 5; ++msn) c.fpdu(a, send(msn, pattern(100, msn)));
  const Bytes octets = c.frame(a, send(6, text("damaged on the way")));
  Bytes damaged = octets;
  damaged[25] ^= 0x10U;
  const Packets bad = c.inject(a, c.sent(a), damaged);
  c.packet(bad).meta.checksum = ChecksumStatus::bad;
  c.ack(b);
  c.wait(200'000'000);
  const Packets good = c.send(a, octets);
  c.fpdu(a, send(7));
  c.ack(b);
  c.close();
  const Analysed result(c);
  EXPECT_EQ(result.ids(Severity::note), (Ids{"CAP-CKSUM", "CAP-OVERLAP-CONFLICT"})) << result.told();
  EXPECT_EQ(result.findings("CAP-CKSUM")[0].frame, c.at(bad));
  EXPECT_EQ(result.side(a).crc_counts.bad, 0U);
  ASSERT_EQ(result.messages().size(), 7U);
  EXPECT_EQ(result.messages()[5].frame, c.at(good));
}

// --- C26: what TCP also has ----------------------------------------------------------------------------

TEST(ScenarioC, C26_FlagsHaveNoInfluence) {
  const auto play = [](std::uint8_t flags) {
    established::Established c;
    c.fpdu(a, read_request(1, {.sink_stag = 7, .size = 3000, .source_stag = 8}));
    for (const Bytes& each : read_response_segments(7, 0, pattern(3000), 1000)) c.fpdu(b, each);
    c.packed(a, {send(1, pattern(100)), send(2, pattern(200))}, Cuts::every(77));
    c.close();
    std::vector<OwnedSegment> segments = c.segments();
    for (OwnedSegment& each : segments) each.meta.flags = static_cast<std::uint8_t>(each.meta.flags | flags);
    const Analysed result(segments);
    EXPECT_EQ(result.ids(Severity::information), (Ids{"MPA-ALIGN"})) << result.told();  // the cuts
    return log_of(result);
  };
  const std::vector<std::string> plain = play(0);
  EXPECT_EQ(play(tcp::psh), plain);
  EXPECT_EQ(play(tcp::urg), plain);
  EXPECT_EQ(play(0x40), plain);  // ECE
  EXPECT_EQ(play(0x80), plain);  // CWR
  EXPECT_EQ(play(tcp::urg | tcp::psh | 0xc0), plain);
}

}  // namespace
}  // namespace iwarp::test
