// Scenarios C15, C16, C20: ports used again, endpoints that look alike, frames cut by the snapshot length.
// SPDX-License-Identifier: GPL-2.0-or-later
#include "established.hpp"
#include "framing_log.hpp"

namespace iwarp::test {
namespace {

using established::Established;

constexpr Side a = Side::a;
constexpr Side b = Side::b;
constexpr Handshake again{.isn_a = 77'000'000, .isn_b = 88'000'000};

// --- C15: ports used again -----------------------------------------------------------------------------

void second_connection(Conversation& c) {
  c.wait(2'000'000'000);
  c.handshake(again);
  c.startup();
  c.fpdu(a, send(1, text("again")));
  c.fpdu(b, send(1, text("again")));
  c.close();
}

void expect_two(const Conversation& c, CloseCause first_cause) {
  const Analysed result(c);
  EXPECT_EQ(result.ids(Severity::note), Ids{}) << result.told();
  ASSERT_EQ(result.analysis().connection_count(), 2U);
  EXPECT_EQ(result.state(0).closed, first_cause);
  EXPECT_EQ(result.state(0).mpa.startups, 1U);
  EXPECT_EQ(result.state(1).mpa.startups, 1U);
  EXPECT_EQ(result.side(a, 1).queues[0].next_msn, 2U);
  EXPECT_EQ(result.side(b, 1).queues[0].next_msn, 2U);
  EXPECT_EQ(result.state(1).opened_by, OpenedBy::handshake);
  EXPECT_FALSE(result.has("DDP-MSNDUP"));
}

TEST(ScenarioC, C15_ReuseAfterFin) {
  Established c;
  c.fpdu(a, send(1));
  c.fpdu(a, send(2));
  c.close();
  second_connection(c);
  expect_two(c, CloseCause::reused);
}

TEST(ScenarioC, C15_ReuseOfAConnectionWhoseEndWasNotCaptured) {
  Established c;
  c.fpdu(a, send(1));
  c.unseen([&] { c.close(); });
  second_connection(c);
  expect_two(c, CloseCause::reused);
}

TEST(ScenarioC, C15_ReuseAfterTheFirstWasJoinedMidStream) {
  Conversation c;
  c.unseen([&] {
    c.handshake();
    c.startup();
  });
  for (std::uint32_t msn = 1; msn < 5; ++msn) c.fpdu(a, send(msn, pattern(100)));
  c.fpdu(b, send(1, pattern(100)));
  second_connection(c);
  const Analysed result(c);
  EXPECT_EQ(result.ids(Severity::note), Ids{}) << result.told();
  ASSERT_EQ(result.analysis().connection_count(), 2U);
  EXPECT_EQ(result.side(a, 1).queues[0].next_msn, 2U);
}

TEST(ScenarioC, C15_ReuseOfWhichOnlyTheSynAckWasCaptured) {
  for (const bool midstream : {false, true}) {
    SCOPED_TRACE(midstream);
    Conversation c;
    const auto begin = [&] {
      c.handshake();
      c.startup();
    };
    if (midstream) {
      c.unseen(begin);
    } else {
      begin();
    }
    for (std::uint32_t msn = 1; msn < 5; ++msn) {
      c.fpdu(a, send(msn, pattern(100)));
      c.fpdu(b, send(msn, pattern(100)));
    }
    c.wait(2'000'000'000);
    const Packets handshake = c.handshake(again);
    c.drop(handshake[0]);
    c.startup();
    c.fpdu(a, send(1));
    c.fpdu(b, send(1));
    c.close();
    const Analysed result(c);
    EXPECT_EQ(result.ids(Severity::note), Ids{}) << result.told();
    ASSERT_EQ(result.analysis().connection_count(), 2U);
    EXPECT_EQ(result.side(a, 1).queues[0].next_msn, 2U);
    EXPECT_EQ(result.side(b, 1).queues[0].next_msn, 2U);
  }
}

TEST(ScenarioC, C15_RepeatedSynsAreNoReuse) {
  Conversation c;
  const Packets handshake = c.handshake();
  c.resend(handshake[0]);
  c.resend(handshake[1]);
  c.startup();
  c.fpdu(a, send(1));
  c.resend(handshake[0]);
  c.fpdu(a, send(2));
  c.close();
  const Analysed result(c);
  EXPECT_EQ(result.ids(), Ids{}) << result.told();
  EXPECT_EQ(result.analysis().connection_count(), 1U);
  EXPECT_EQ(result.messages().size(), 2U);
}

TEST(ScenarioC, C15_HandshakeInTheWrongOrder) {
  // A mirror delivers the answer, and the first acknowledgement, before the SYN.
  for (const int order : {0, 1, 2}) {
    SCOPED_TRACE(order);
    Conversation c;
    const Packets handshake = c.handshake();
    if (order == 0) c.move_behind(handshake[0], handshake[1]);
    if (order == 1) c.move_behind(handshake[0], handshake[2]);
    if (order == 2) c.move_behind(handshake[1], handshake[2]);
    c.startup();
    c.fpdu(a, send(1));
    c.close();
    const Analysed result(c);
    EXPECT_EQ(result.ids(), Ids{}) << result.told();
    EXPECT_EQ(result.analysis().connection_count(), 1U);
    EXPECT_EQ(result.messages().size(), 1U);
    EXPECT_EQ(result.state().endpoints[0].port, 40000U);
  }
}

TEST(ScenarioC, C15_StraySegmentsOfTheFirstAreNotOfTheSecond) {
  Established c;
  const Packets old_one = c.fpdu(a, send(1, text("old")));
  c.close();
  second_connection(c);
  const Packets stray = c.resend(old_one);
  c.packet(stray).meta.acknowledgement = c.packet(old_one).meta.acknowledgement;
  const Analysed result(c);
  EXPECT_EQ(result.ids(), Ids{}) << result.told();
  EXPECT_EQ(result.messages().size(), 3U);
}

// --- C16: endpoints that look alike --------------------------------------------------------------------

std::vector<std::string> log_between(const Endpoint& first, const Endpoint& second) {
  Established c({}, {}, {.a = first, .b = second});
  c.fpdu(a, read_request(1, {.sink_stag = 7, .size = 10, .source_stag = 8}));
  c.fpdu(b, read_response(7, 0, pattern(10)));
  c.fpdu(a, send(1, text("from a")));
  c.fpdu(b, send(1, text("from b, longer")));
  c.close();
  const Analysed result(c);
  EXPECT_EQ(result.ids(Severity::note), Ids{}) << result.told();
  EXPECT_EQ(result.analysis().connection_count(), 1U);
  EXPECT_EQ(result.state().endpoints[0], first);
  EXPECT_EQ(result.state().endpoints[1], second);
  return log_of(result);
}

TEST(ScenarioC, C16_EqualPortsOrEqualAddresses) {
  const std::vector<std::string> usual =
      log_between(endpoint("192.0.2.1", 40000), endpoint("192.0.2.2", 18515));
  EXPECT_EQ(log_between(endpoint("192.0.2.1", 5000), endpoint("192.0.2.2", 5000)), usual);
  EXPECT_EQ(log_between(endpoint("192.0.2.2", 5000), endpoint("192.0.2.1", 5000)), usual);
  EXPECT_EQ(log_between(endpoint("127.0.0.1", 5000), endpoint("127.0.0.1", 5001)), usual);
  EXPECT_EQ(log_between(endpoint("127.0.0.1", 5001), endpoint("127.0.0.1", 5000)), usual);
  EXPECT_EQ(log_between(endpoint("::1", 5001), endpoint("::1", 5000)), usual);
}

// --- C20: the snapshot length --------------------------------------------------------------------------

TEST(ScenarioC, C20_HeadersAreReadFrom96Octets) {
  Established c;
  c.snaplen(96);  // 42 octets of TCP payload
  c.fpdu(a, send(1, pattern(1000)));
  c.fpdu(a, write(5, 0x1000, pattern(1200)));
  c.fpdu(a, send(2, pattern(3)));
  c.fpdu(b, send(1, pattern(900)));
  c.ack(a);
  c.close();
  const Analysed result(c);
  EXPECT_EQ(result.ids(Severity::note), (Ids{"CAP-SNAP", "CAP-SNAP"})) << result.told();
  const std::vector<Event> fpdus = result.fpdus();
  ASSERT_EQ(fpdus.size(), 4U);
  EXPECT_TRUE(fpdus[0].fpdu.cut);
  EXPECT_EQ(fpdus[0].fpdu.crc, CrcStatus::undecidable);
  EXPECT_EQ(fpdus[0].fpdu.ulpdu_length, 1018U);
  EXPECT_EQ(fpdus[0].fpdu.payload_length, 1000U);
  EXPECT_EQ(fpdus[1].fpdu.ddp.to, 0x1000U);
  EXPECT_EQ(fpdus[1].fpdu.payload_length, 1200U);
  EXPECT_FALSE(fpdus[2].fpdu.cut);  // 28 octets
  EXPECT_EQ(fpdus[2].fpdu.crc, CrcStatus::good);
  ASSERT_EQ(result.messages().size(), 4U);
  EXPECT_EQ(result.side(a).payload_octets, 1000U + 1200U + 3U);
  EXPECT_EQ(result.undecidable("MPA-CRC", Reason::snaplen), 3U);
  for (const Event& gap : result.of(EventKind::gap)) {
    EXPECT_EQ(gap.gap.cause, GapCause::snaplen);
    EXPECT_TRUE(gap.gap.framing_kept);
  }
  EXPECT_FALSE(result.has("CAP-GAP"));
}

TEST(ScenarioC, C20_HeaderChecksRun) {
  Established c;
  c.snaplen(96);
  c.fpdu(a, send(1, pattern(1000)));
  c.fpdu(a, send(3, pattern(1000)));
  const std::vector<Bytes> writes = write_segments(5, 0, pattern(2000), 1000);
  c.fpdu(a, writes[0]);
  c.fpdu(a, write(5, 1004, pattern(1000)));
  c.fpdu(a, send(4, pattern(1000), {.ddp_version = 2}));
  c.fpdu(a, write(6, 0, pattern(1000)));
  c.close();
  const Analysed result(c);
  EXPECT_EQ(result.ids(), (Ids{"DDP-MSNGAP", "DDP-TOSEQ", "DDP-DV"})) << result.told();
}

TEST(ScenarioC, C20_HeaderInTheCutOctetsIsAHoleOfKnownLength) {
  Established c;
  c.fpdu(a, send(1));
  c.snaplen(96);
  const Bytes first = c.frame(a, send(2, pattern(300)));
  const Bytes second = c.frame(a, send(3, pattern(400)));
  const Packets packed = c.send(a, cat(first, second));
  c.fpdu(a, send(4, pattern(500)));
  c.fpdu(a, send(5, pattern(500)));
  c.fpdu(a, send(6, pattern(500)));
  c.fpdu(a, send(8, pattern(500)));
  c.close();
  const Analysed result(c);
  EXPECT_EQ(result.ids(), (Ids{"DDP-MSNGAP"})) << result.told();
  EXPECT_EQ(result.findings("DDP-MSNGAP")[0].finding.arguments[1], 8U);
  const std::vector<Event> gaps = result.of(EventKind::gap);
  ASSERT_FALSE(gaps.empty());
  EXPECT_EQ(gaps[0].frame, c.at(packed));
  EXPECT_EQ(gaps[0].gap.length, first.size() + second.size() - 42);
  EXPECT_FALSE(gaps[0].gap.framing_kept);
  const std::vector<Event> fpdus = result.fpdus();
  ASSERT_EQ(fpdus.size(), 6U);  // all but the one whose header was cut off
  EXPECT_EQ(fpdus[1].fpdu.ddp.msn, 2U);
  EXPECT_EQ(fpdus[2].fpdu.ddp.msn, 4U);
}

TEST(ScenarioC, C20_NothingIsReadBehindTheCapturedOctets) {
  // Whatever the snapshot length leaves: no error is made of it, and lengths stay right.
  for (std::size_t snaplen = 54; snaplen <= 140; ++snaplen) {
    SCOPED_TRACE(snaplen);
    Established c;
    c.snaplen(snaplen);
    c.fpdu(a, send(1, pattern(600)));
    c.fpdu(a, read_request(1, {.sink_stag = 7, .size = 700, .source_stag = 8}));
    c.fpdu(b, read_response(7, 0, pattern(700)));
    c.fpdu(a, send(2, pattern(600)));
    c.close();
    const Analysed result(c);
    EXPECT_EQ(result.ids(), Ids{}) << result.told();
    if (snaplen >= 54 + 2) {
      EXPECT_EQ(result.fpdus().size(), 4U);
    }
    for (const Event& event : result.fpdus()) {
      const FpduFact& fpdu = event.fpdu;
      EXPECT_LE(fpdu.header_octets, snaplen - 54);
      EXPECT_EQ(fpdu.wire_size % 4, 0U);
      std::size_t sliced = 0;
      for (const Slice& slice : result.analysis().slices(event)) sliced += slice.length;
      EXPECT_EQ(sliced, std::min<std::size_t>(fpdu.wire_size, snaplen - 54));
    }
  }
}

TEST(ScenarioC, C20_SixtyOctets) {
  Established c;
  c.snaplen(60);  // ULPDU_Length, the two control octets and two more
  c.fpdu(a, send(1, pattern(600)));
  c.fpdu(a, write(5, 0, pattern(700)));
  c.close();
  const Analysed result(c);
  EXPECT_EQ(result.ids(), Ids{}) << result.told();
  ASSERT_EQ(result.fpdus().size(), 2U);
  EXPECT_EQ(result.fpdus()[0].fpdu.ulpdu_length, 618U);
  EXPECT_EQ(result.fpdus()[0].fpdu.header_octets, 4U);
  EXPECT_EQ(result.fpdus()[0].fpdu.ddp.opcode(), wire::Opcode::send);
  EXPECT_EQ(result.fpdus()[1].fpdu.ddp.opcode(), wire::Opcode::rdma_write);
}

}  // namespace
}  // namespace iwarp::test
