// Associations: from frames to packets, which packets are one association's, what is kept of them, and what
// is done with hostile ones.
// SPDX-License-Identifier: GPL-2.0-or-later
#include <gtest/gtest.h>

#include <iwarp/capture/packet_decoder.hpp>
#include <iwarp/export/names.hpp>

#include "support/analysed.hpp"
#include "support/random_traffic.hpp"
#include "support/sctp_conversation.hpp"

namespace iwarp::test {
namespace {

constexpr Side a = Side::a;
constexpr Side b = Side::b;

SctpConversation short_session(const SctpConversation::Options& options = {}) {
  SctpConversation c(options);
  c.associate();
  c.open(2);
  c.packet(a, {c.segment(a, 2, send(1, text("hello")))});
  c.packet(b, {c.sack(b)});
  c.close(2);
  return c;
}

// --- frames ----------------------------------------------------------------------------------------------

using Decoded = capture::PacketDecoder::Decoded;

capture::Record record(const Bytes& frame) {
  capture::Record record;
  record.number = 7;
  record.time_ns = 1000;
  record.has_time = true;
  record.octets = frame;
  record.wire_length = static_cast<std::uint32_t>(frame.size());
  record.link_type = 1;  // Ethernet
  return record;
}

TEST(Frames, SctpOverIpv4AndIpv6) {
  for (const auto& options :
       {SctpConversation::Options{},
        SctpConversation::Options{.a = endpoint("2001:db8::1", 1), .b = endpoint("2001:db8::2", 2)}}) {
    const std::vector<OwnedPacket> packets = short_session(options).packets();
    capture::PacketDecoder decoder;
    TcpSegment segment;
    SctpPacket packet;
    const Bytes frame = sctp_frame(packets[0]);
    ASSERT_EQ(decoder.decode(record(frame), segment, packet), Decoded::sctp);
    EXPECT_EQ(packet.frame, 7U);
    EXPECT_EQ(packet.time_ns, 1000);
    EXPECT_EQ(packet.source, options.a);
    EXPECT_EQ(packet.destination, options.b);
    EXPECT_EQ(Bytes(packet.octets.begin(), packet.octets.end()), packets[0].octets);
    EXPECT_EQ(packet.wire_length, packets[0].octets.size());
    EXPECT_TRUE(decoder.skipped().empty());
  }
}

TEST(Frames, WhoDoesNotAskForSctpDoesNotGetIt) {
  capture::PacketDecoder decoder;
  TcpSegment segment;
  const Bytes frame = sctp_frame(short_session().packets()[0]);
  EXPECT_FALSE(decoder.decode(record(frame), segment));
  EXPECT_EQ(decoder.skipped().at("not TCP"), 1U);
}

TEST(Frames, IpFragmentsAreJoined) {
  const OwnedPacket whole = short_session().packets()[7];
  const Bytes frame = sctp_frame(whole);
  const std::size_t cut = 16;  // octets of the packet in the first fragment
  Bytes first = part(frame, 0, 34 + cut);
  Bytes second = cat(part(frame, 0, 34), part(frame, 34 + cut));
  for (Bytes* const each : {&first, &second}) {
    store_be16(each->data() + 16, static_cast<std::uint16_t>(each->size() - 14));
    store_be16(each->data() + 18, 99);                                 // identification
    store_be16(each->data() + 20, each == &first ? 0x2000 : cut / 8);  // more fragments, or the offset
  }
  capture::PacketDecoder decoder;
  TcpSegment segment;
  SctpPacket packet;
  EXPECT_EQ(decoder.decode(record(first), segment, packet), Decoded::nothing);
  ASSERT_EQ(decoder.decode(record(second), segment, packet), Decoded::sctp);
  EXPECT_EQ(Bytes(packet.octets.begin(), packet.octets.end()), whole.octets);
}

TEST(Frames, TooShortForTheCommonHeader) {
  OwnedPacket cut = short_session().packets()[0];
  capture::PacketDecoder decoder;
  TcpSegment segment;
  SctpPacket packet;
  const Bytes frame = sctp_frame(cut);
  const Bytes start = part(frame, 0, 34 + 11);
  capture::Record snapped = record(start);
  snapped.wire_length = static_cast<std::uint32_t>(frame.size());
  EXPECT_EQ(decoder.decode(snapped, segment, packet), Decoded::nothing);
  EXPECT_EQ(decoder.skipped().at("SCTP header cut"), 1U);
  cut.octets.resize(11);
  const Bytes malformed = sctp_frame(cut);
  EXPECT_EQ(decoder.decode(record(malformed), segment, packet), Decoded::nothing);
  EXPECT_EQ(decoder.skipped().at("malformed SCTP header"), 1U);
}

// --- which association -------------------------------------------------------------------------------------

std::vector<OwnedPacket> one_behind_another(const std::vector<SctpConversation>& conversations) {
  std::vector<OwnedPacket> all;
  for (const SctpConversation& each : conversations) {
    for (const OwnedPacket& packet : each.packets()) {
      all.push_back(packet);
      all.back().meta.frame = all.size();
      all.back().meta.time_ns = static_cast<TimeNs>(1'700'000'000'000'000'000 + 10'000 * all.size());
    }
  }
  return all;
}

TEST(Associations, AnInitWithAnotherTagBeginsTheNext) {
  const Analysed result(one_behind_another(
      {short_session(), short_session({.tag_a = 5, .tag_b = 6, .tsn_a = 70, .tsn_b = 80})}));
  EXPECT_EQ(result.ids(Severity::information), Ids{}) << result.told();
  ASSERT_EQ(result.analysis().connection_count(), 2U);
  EXPECT_EQ(result.state(1).sctp, (SctpStream{2, 1}));
  EXPECT_EQ(result.messages(wire::Opcode::send).size(), 2U);
}

TEST(Associations, TheSameInitSentAgainDoesNot) {
  SctpConversation c;
  const std::size_t init = c.packet(a, {c.init(a)}, 0);
  c.repeat(init);
  c.packet(b, {c.init(b, 1, true)});
  c.open(0);
  c.close(0);
  const Analysed result(c);
  EXPECT_EQ(result.ids(Severity::information), Ids{}) << result.told();
  EXPECT_EQ(result.analysis().connection_count(), 1U);
}

TEST(Associations, PacketsWithAnotherTagAreDropped) {
  SctpConversation c;
  c.associate();
  c.open(0);
  c.packet(a, {c.segment(a, 0, send(1), {.tsn = 1001, .ssn = 1})}, 0x666);
  c.packet(a, {c.segment(a, 0, send(1))});
  c.packet(b, {c.sack(b)});
  c.close(0);
  const Analysed result(c);
  EXPECT_EQ(result.ids(Severity::information), Ids{}) << result.told();
  EXPECT_EQ(result.messages(wire::Opcode::send).size(), 1U);
}

TEST(Associations, APeerWithSeveralAddresses) {
  SctpConversation c = short_session();
  std::vector<OwnedPacket> packets = c.packets();
  for (std::size_t i = 5; i < packets.size(); i += 2) {
    for (Endpoint* const each : {&packets[i].meta.source, &packets[i].meta.destination})
      each->address = endpoint(each->port == 40000 ? "198.51.100.1" : "198.51.100.2", 0).address;
  }
  const Analysed result(packets);
  EXPECT_EQ(result.ids(Severity::information), Ids{}) << result.told();
  EXPECT_EQ(result.analysis().connection_count(), 1U);
  EXPECT_EQ(result.messages(wire::Opcode::send).size(), 1U);
}

TEST(Associations, JoinedMidstream) {
  SctpConversation c;
  c.associate();
  c.open(0);
  for (std::uint32_t msn = 1; msn <= 5; ++msn) {
    c.packet(a, {c.segment(a, 0, send(msn))});
    c.packet(b, {c.sack(b)});
  }
  c.close(0);
  std::vector<OwnedPacket> packets = c.packets();
  packets.erase(packets.begin(), packets.begin() + 9);
  const Analysed result(packets);
  EXPECT_EQ(result.ids(), Ids{}) << result.told();
  EXPECT_EQ(result.state().opened_by, OpenedBy::midstream);
  EXPECT_EQ(result.messages(wire::Opcode::send).size(), 4U);
  EXPECT_GT(result.undecidable("SCTP-ADAPT", Reason::midstream), 0U);
}

TEST(Associations, AnAbortMayReflectTheTag) {
  SctpConversation c;
  c.associate();
  c.open(0);
  c.packet(b, {c.chunk(6, 1, {})}, 0x0b0b0b0b);  // T: with the tag of packets to b
  const Analysed result(c);
  EXPECT_EQ(result.state().closed, CloseCause::rst) << result.told();
}

TEST(Associations, WhatIsOnItsWayWhenTheyEndBeginsNothing) {
  SctpConversation c;
  c.associate();
  c.open(0);
  c.packet(b, {c.chunk(6, 0, {})});
  c.packet(a, {c.segment(a, 0, send(1))});
  const Analysed result(c);
  EXPECT_EQ(result.analysis().connection_count(), 1U);
  EXPECT_TRUE(result.messages(wire::Opcode::send).empty());
}

TEST(Associations, WithoutDdpNothingIsSaid) {
  SctpConversation c;
  c.associate({}, {});
  c.packet(a, {c.data(a, 0, 46, hex("01000014"))});  // Diameter
  c.packet(b, {c.sack(b), c.data(b, 0, 46, hex("01000014"))});
  c.shut_down();
  const Analysed result(c);
  EXPECT_TRUE(result.events().empty());
  EXPECT_EQ(result.analysis().connection_count(), 0U);
}

TEST(Associations, AZeroChecksumIsLeftToTheNic) {
  SctpConversation c = short_session();
  std::vector<OwnedPacket> packets = c.packets();
  for (OwnedPacket& each : packets) std::fill_n(each.octets.begin() + 8, 4, Byte{0});
  const Analysed result(packets);
  EXPECT_EQ(result.ids(Severity::information), Ids{}) << result.told();
  EXPECT_EQ(result.messages(wire::Opcode::send).size(), 1U);
}

// --- what is missing, and limits ---------------------------------------------------------------------------

TEST(Holes, AMessageThatWasNotCapturedIsAGapOnceItsPeerHadIt) {
  SctpConversation c;
  c.associate();
  c.open(0);
  c.packet(a, {c.segment(a, 0, send(1))});
  const std::size_t lost = c.packet(a, {c.segment(a, 0, send(2))});
  c.drop(lost);
  c.packet(a, {c.segment(a, 0, send(3))});
  c.packet(b, {c.sack(b)});
  c.wait(200'000'000);
  c.packet(a, {c.segment(a, 0, send(4))});
  c.packet(b, {c.sack(b)});
  c.close(0);
  const Analysed result(c);
  EXPECT_TRUE(result.has("CAP-GAP")) << result.told();
  EXPECT_EQ(describe(result.findings("CAP-GAP")[0].finding), "1 message never captured, from DDP-SSN 2 on");
  EXPECT_GT(result.undecidable("SCTP-SSN", Reason::gap), 0U);
  EXPECT_EQ(result.side(a).gaps, 1U);
  EXPECT_EQ(result.messages(wire::Opcode::send).size(), 3U);
  EXPECT_EQ(result.ids(), Ids{}) << result.told();
}

TEST(Holes, AMessageThatTheNetworkLostIsWaitedFor) {
  SctpConversation c;
  c.associate();
  c.open(0);
  const std::uint32_t before = c.next_tsn(a) - 1;
  const Bytes late = c.segment(a, 0, send(1));
  c.packet(a, {c.segment(a, 0, send(2))});
  c.packet(b, {c.sack(b, before)});
  c.wait(3'000'000'000);
  for (int i = 0; i < 20; ++i) c.packet(b, {c.sack(b, before)});
  c.packet(a, {late});
  c.packet(b, {c.sack(b)});
  c.close(0);
  const Analysed result(c);
  EXPECT_EQ(result.ids(Severity::information), Ids{}) << result.told();
  EXPECT_EQ(result.messages(wire::Opcode::send).size(), 2U);
}

// A response is no answer to nothing while a message of its peer may be missing: a SACK shows it a little
// later.
TEST(Holes, ARequestThatWasNotCaptured) {
  for (const bool lost : {true, false}) {
    SctpConversation c;
    c.associate();
    c.open(0);
    if (lost) c.drop(c.packet(a, {c.segment(a, 0, read_request(1, {.sink_stag = 1, .size = 8}))}));
    c.packet(b, {c.segment(b, 0, read_response(1, 0, pattern(8)))});
    c.packet(b, {c.sack(b)});
    for (int i = 0; i < 20; ++i) c.packet(a, {c.sack(a)});
    const Analysed result(c);
    EXPECT_EQ(result.ids(), lost ? Ids{} : (Ids{"RDMAP-RRNONE"})) << result.told();
    EXPECT_EQ(result.undecidable("RDMAP-RRNONE", Reason::gap), lost ? 1U : 0U);
  }
}

TEST(Holes, AFragmentThatWasCut) {
  SctpConversation c;
  c.associate();
  c.open(0);
  const std::vector<Bytes> pieces = c.fragments(a, 0, send(1, pattern(300)), 100);
  const std::size_t first = c.packet(a, {pieces[0]});
  c.at(first).captured = 12 + 16 + 60;
  for (std::size_t i = 1; i < pieces.size(); ++i) c.packet(a, {pieces[i]});
  c.packet(b, {c.sack(b)});
  c.close(0);
  const Analysed result(c);
  EXPECT_EQ(result.ids(), Ids{}) << result.told();
  const std::vector<Event> fpdus = result.fpdus();
  ASSERT_EQ(fpdus.size(), 1U);
  const FpduFact& fpdu = fpdus[0].fpdu;
  EXPECT_TRUE(fpdu.cut);
  EXPECT_EQ(fpdu.payload_length, 300U);
  EXPECT_EQ(fpdu.ddp.msn, 1U);
  std::size_t octets = 0;
  for (const Slice& slice : result.analysis().slices(fpdus[0])) octets += slice.length;
  EXPECT_EQ(octets, 60U);
}

TEST(Limits, BufferedOctetsOfADirection) {
  SctpConversation c;
  c.associate();
  c.open(0);
  const std::uint32_t before = c.next_tsn(a) - 1;
  c.drop(c.packet(a, {c.segment(a, 0, send(1))}));
  for (std::uint32_t msn = 2; msn < 40; ++msn) c.packet(a, {c.segment(a, 0, send(msn, pattern(1000)))});
  c.packet(b, {c.sack(b, before)});
  AnalyzerOptions options;
  options.max_buffered_octets = 8000;
  const Analysed result(c.packets(), options);
  EXPECT_TRUE(result.has("CAP-LIMIT")) << result.told();
  EXPECT_EQ(result.messages(wire::Opcode::send).size(), 38U);
}

TEST(Limits, ConnectionsFollowedAtOnce) {
  SctpConversation c;
  c.associate();
  for (unsigned stream = 0; stream < 10; ++stream) c.open(stream);
  AnalyzerOptions options;
  options.max_connections = 4;
  const Analysed result(c.packets(), options);
  EXPECT_EQ(result.analysis().connection_count(), 10U);
  EXPECT_EQ(result.findings("CAP-LIMIT").size(), 6U) << result.told();
}

TEST(Limits, LetGoForTheirMemory) {
  Analyzer analyzer;
  SctpConversation c;
  c.associate();
  for (unsigned stream = 0; stream < 5; ++stream) c.open(stream);
  for (const OwnedPacket& each : c.packets()) analyzer.add(each.packet());
  EXPECT_EQ(analyzer.analysis().followed(), 5U);
  EXPECT_FALSE(analyzer.let_go(1).empty());
  EXPECT_EQ(analyzer.analysis().followed(), 0U);  // with its association
  EXPECT_TRUE(analyzer.finish().empty());
}

// Whatever the octets are, events fold to the state, streaming says what the log says, and nothing grows
// beyond its bounds.
TEST(Hostile, AnyOctets) {
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    SCOPED_TRACE(seed);
    Numbers chance(seed);
    SctpConversation c;
    c.associate();
    for (int i = 0; i < 60; ++i) {
      const Side side = chance.one_in(2) ? a : b;
      std::vector<Bytes> chunks;
      for (std::uint32_t left = 1 + chance.below(3); left > 0; --left) {
        const unsigned stream = chance.below(3);
        const DataField field{
            .flags = chance.one_in(3) ? chance.below(8) : 7,
            .tsn = chance.one_in(8) ? std::optional(static_cast<std::uint32_t>(chance.next())) : std::nullopt,
            .ssn = chance.one_in(8) ? std::optional(chance.below(0x10000)) : std::nullopt};
        switch (chance.below(7)) {
          case 0:
            chunks.push_back(c.control(side, stream, chance.below(9), pattern(chance.below(20)), field));
            break;
          case 1: chunks.push_back(c.control(side, stream, 1 + chance.below(2), {}, {.ssn = 0})); break;
          case 2:
            chunks.push_back(c.sack(side, chance.one_in(4)
                                              ? std::optional(static_cast<std::uint32_t>(chance.next()))
                                              : std::nullopt));
            break;
          case 3:
            chunks.push_back(
                c.chunk(chance.below(16), chance.below(8), pattern(chance.below(40), chance.below(1000))));
            break;
          default:
            chunks.push_back(
                c.segment(side, stream, send(1 + chance.below(4), pattern(chance.below(60))), field));
            break;
        }
      }
      const std::size_t place = c.packet(side, chunks);
      Bytes& octets = c.at(place).octets;
      for (std::uint32_t left = chance.below(3); left > 0; --left)
        octets[12 + chance.below(static_cast<std::uint32_t>(octets.size() - 12))] =
            static_cast<Byte>(chance.next());
      set_checksum(octets);
      if (chance.one_in(5)) c.at(place).captured = 12 + chance.below(60);
    }
    AnalyzerOptions options;
    options.max_connections = 3;
    options.max_buffered_octets = 2000;
    options.max_total_buffered = 3000;
    const Analysed kept(c.packets(), options);
    std::size_t of_log = 0;
    for (const Event& event : kept.events()) of_log += event.kind == EventKind::undecidable ? 0 : 1;
    Analyzer streaming(options);
    std::size_t events = 0;
    for (const OwnedPacket& each : c.packets()) {
      events += streaming.add(each.packet()).size();
      EXPECT_LE(streaming.analysis().followed(), 3U);
    }
    for (Events some = streaming.finish_some(); !some.empty(); some = streaming.finish_some())
      events += some.size();
    EXPECT_EQ(events, of_log);
    std::size_t closed = kept.of(EventKind::closed).size();
    EXPECT_EQ(closed, kept.analysis().connection_count());
  }
}

}  // namespace
}  // namespace iwarp::test
