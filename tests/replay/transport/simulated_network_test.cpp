// What TCP and the network do, packet by packet, as captures at both ends show it.
// SPDX-License-Identifier: GPL-2.0-or-later
#include "transport/simulated_network.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <system_error>

#include "replay/transport/station.hpp"
#include "replay/transport/wire_capture.hpp"

namespace iwarp::test {
namespace {

using replay::Arrival;
using replay::Close;
using replay::Fault;
using replay::FaultRule;
using replay::Packet;
using replay::Which;

const IpAddress one = address("192.0.2.1"), two = address("192.0.2.2");
const Endpoint service{two, 4420};

// Two hosts, each with a capture; `a` has connected to `b`, if the faults let it.
struct Stage {
  explicit Stage(std::vector<FaultRule> rules, const replay::TcpOptions& tcp = {})
      : Stage(replay::SimulatedOptions{.tcp = tcp, .faults = {.rules = std::move(rules)}}) {}
  explicit Stage(const replay::SimulatedOptions& options) : network(options) {
    network.capture_at(one, at_a);
    network.capture_at(two, at_b);
    connected = connect(clock(), a, network.host(two), b, service);
    b.receive();
  }
  [[nodiscard]] replay::Network& clock() { return network.host(one); }
  // Lets time pass, and both sides read.
  void pass(TimeNs duration) {
    const TimeNs end = clock().now() + duration;
    do {
      a.receive();
      b.receive();
    } while (clock().wait(end));
    a.receive();
    b.receive();
  }
  void finish() {
    Station* const both[] = {&a, &b};
    EXPECT_TRUE(play(clock(), both, 10'000 * second));
    EXPECT_TRUE(b.incoming == a.outgoing);
    EXPECT_TRUE(a.incoming == b.outgoing);
  }
  void send(const Bytes& octets) {
    a.outgoing.insert(a.outgoing.end(), octets.begin(), octets.end());
    a.calls.push_back(octets.size());
  }

  WireCapture at_a = WireCapture();
  WireCapture at_b = WireCapture();
  replay::SimulatedNetwork network;
  Station a = {};
  Station b = {};
  bool connected = false;
};

std::vector<Packet> sent_by(const WireCapture& capture, const IpAddress& host, std::size_t at_least = 0) {
  std::vector<Packet> result;
  for (const Packet& each : capture.packets) {
    if (each.source.address == host && each.payload.size() >= at_least) result.push_back(each);
  }
  return result;
}

std::vector<std::size_t> sizes(const std::vector<Packet>& packets) {
  std::vector<std::size_t> result;
  for (const Packet& each : packets) result.push_back(each.payload.size());
  return result;
}

using Sizes = std::vector<std::size_t>;

TEST(SimulatedNetwork, HandshakeAndClose) {
  Stage stage(std::vector<FaultRule>{});
  ASSERT_TRUE(stage.connected);
  EXPECT_EQ(stage.a.max_segment, 1460U);
  EXPECT_EQ(stage.b.max_segment, 1460U);
  EXPECT_EQ(stage.a.transport->peer(), service);
  EXPECT_EQ(stage.b.transport->peer(), stage.a.transport->local());
  stage.a.closes = true;
  stage.b.waits_for_peer = true;
  stage.finish();
  stage.pass(second);
  std::vector<std::uint8_t> flags;
  for (const Packet& each : stage.at_a.packets) flags.push_back(each.flags);
  EXPECT_EQ(flags, (std::vector<std::uint8_t>{tcp::syn, tcp::syn | tcp::ack, tcp::ack, tcp::fin | tcp::ack,
                                              tcp::ack, tcp::fin | tcp::ack, tcp::ack}));
  EXPECT_EQ(stage.at_a.packets[0].max_segment, 1460);
  EXPECT_EQ(stage.at_a.packets.size(), stage.at_b.packets.size());
  EXPECT_EQ(stage.network.connections(), 2U);  // both still answer a repeated FIN …
  stage.pass(1000 * second);
  EXPECT_EQ(stage.network.connections(), 0U);  // … for a while
}

// RFC 5044 §5: an FPDU a call is an aligned FPDU.
TEST(SimulatedNetwork, SegmentsBeginWhereCallsOfSendDo) {
  Stage stage(std::vector<FaultRule>{}, {.max_segment = 1000});
  for (const std::size_t size : {10U, 999U, 1000U, 1001U, 2500U, 1U, 1U}) stage.send(pattern(size));
  stage.finish();
  const std::vector<Packet> packets = sent_by(stage.at_a, one, 1);
  EXPECT_EQ(sizes(packets), (Sizes{10, 999, 1000, 1000, 1, 1000, 1000, 500, 1, 1}));
  std::vector<bool> pushed;
  for (const Packet& each : packets) pushed.push_back(each.has(tcp::psh));
  EXPECT_EQ(pushed, (std::vector<bool>{true, true, true, false, true, false, false, true, true, true}));
}

TEST(SimulatedNetwork, SmallerSegmentSizeOfBothCounts) {
  replay::SimulatedNetwork network;
  Station a, b;
  ASSERT_TRUE(connect(network.host(one, {.max_segment = 700}), a, network.host(two, {.max_segment = 9000}), b,
                      service));
  b.receive();
  EXPECT_EQ(a.max_segment, 700U);
  EXPECT_EQ(b.max_segment, 700U);
}

// RFC 6298 §2: nothing behind the lost segment tells of it, so the timer does.
TEST(SimulatedNetwork, LostSegmentComesAgainByTimer) {
  Stage stage({{.fault = Fault::loss, .nth = {1}, .which = Which::payload}});
  stage.send(pattern(500));
  stage.finish();
  const std::vector<Packet> packets = sent_by(stage.at_a, one, 1);
  ASSERT_EQ(sizes(packets), (Sizes{500, 500}));
  EXPECT_EQ(packets[0].sequence, packets[1].sequence);
  EXPECT_NE(packets[0].identification, packets[1].identification);
  EXPECT_EQ(sizes(sent_by(stage.at_b, one, 1)), (Sizes{500}));
  EXPECT_EQ(stage.network.faults().count(Fault::loss), 1U);
  std::vector<TimeNs> times;
  for (std::size_t i = 0; i < stage.at_a.packets.size(); ++i) {
    if (!stage.at_a.packets[i].payload.empty()) times.push_back(stage.at_a.times[i]);
  }
  EXPECT_EQ(times[1] - times[0], 200 * millisecond);
}

// RFC 5681 §3.2: after three duplicate acknowledgements, long before the timer.
TEST(SimulatedNetwork, LostSegmentComesAgainAfterDuplicateAcknowledgements) {
  Stage stage({{.fault = Fault::loss, .nth = {2}, .which = Which::payload}});
  for (int i = 0; i < 6; ++i) stage.send(pattern(100 + static_cast<std::size_t>(i)));
  const TimeNs start = stage.clock().now();
  stage.a.act();
  while (stage.b.incoming.size() < stage.a.outgoing.size()) {
    ASSERT_TRUE(stage.clock().wait(start + 100 * second));
    stage.b.receive();
  }
  EXPECT_LT(stage.clock().now() - start, 10 * millisecond);
  EXPECT_EQ(sizes(sent_by(stage.at_a, one, 1)), (Sizes{100, 101, 102, 103, 104, 105, 101}));
  EXPECT_EQ(sizes(sent_by(stage.at_b, one, 1)), (Sizes{100, 102, 103, 104, 105, 101}));
  EXPECT_EQ(stage.b.incoming, stage.a.outgoing);
}

TEST(SimulatedNetwork, LostSynAndItsAnswerComeAgain) {
  Stage stage({{.fault = Fault::loss, .nth = {1, 3}, .which = Which::syn}});  // SYN, its second answer
  ASSERT_TRUE(stage.connected);
  EXPECT_EQ(sent_by(stage.at_b, two)[0].flags, tcp::syn | tcp::ack);
  stage.send(pattern(10));
  stage.finish();
}

TEST(SimulatedNetwork, LostLastPartOfTheHandshakeIsNoLoss) {
  Stage stage({{.fault = Fault::loss, .nth = {1}, .which = Which::bare_ack, .from = one}});
  ASSERT_TRUE(stage.connected);
  stage.send(pattern(10));
  stage.finish();
}

TEST(SimulatedNetwork, LostFinAndItsAcknowledgementComeAgain) {
  Stage stage({{.fault = Fault::loss, .nth = {1, 2}, .which = Which::fin, .from = one},
               {.fault = Fault::loss, .nth = {2, 3}, .which = Which::bare_ack, .from = one}});
  stage.send(pattern(10));
  stage.finish();
  stage.pass(1000 * second);
  EXPECT_EQ(stage.a.events, (Arrivals{Arrival::established, Arrival::closed}));
  EXPECT_EQ(stage.b.events, (Arrivals{Arrival::established, Arrival::closed}));
  for (const Packet& each : stage.at_a.packets) EXPECT_FALSE(each.has(tcp::rst));
}

TEST(SimulatedNetwork, DuplicatesAreSeenTwiceAndCountOnce) {
  Stage stage({{.fault = Fault::duplication, .nth = {1}, .which = Which::payload}});
  stage.send(pattern(100));
  stage.finish();
  const std::vector<Packet> packets = sent_by(stage.at_b, one, 1);
  ASSERT_EQ(sizes(packets), (Sizes{100, 100}));
  EXPECT_EQ(packets[0].identification, packets[1].identification);
  EXPECT_EQ(stage.network.faults().count(Fault::duplication), 1U);
}

TEST(SimulatedNetwork, CorruptedSegmentIsDroppedByItsReceiver) {
  Stage stage({{.fault = Fault::corruption, .nth = {1}, .which = Which::payload}});
  stage.send(pattern(100));
  stage.finish();
  const CaptureRead read = stage.at_b.read();
  std::vector<ChecksumStatus> checksums;
  std::vector<Bytes> octets;
  for (const OwnedSegment& each : read.segments) {
    if (each.octets.empty()) continue;
    checksums.push_back(each.meta.checksum);
    octets.push_back(each.octets);
  }
  EXPECT_EQ(checksums, (std::vector<ChecksumStatus>{ChecksumStatus::bad, ChecksumStatus::good}));
  EXPECT_NE(octets[0], octets[1]);
  EXPECT_EQ(octets[1], pattern(100));
}

TEST(SimulatedNetwork, HiddenCorruptionReachesTheUser) {
  Stage stage({{.fault = Fault::hidden_corruption, .nth = {1}, .which = Which::payload}});
  stage.send(pattern(100));
  stage.a.act();
  stage.pass(second);
  ASSERT_EQ(stage.b.incoming.size(), 100U);
  const Bytes sent = pattern(100);
  std::size_t different = 0;
  for (std::size_t i = 0; i < 100; ++i) different += sent[i] != stage.b.incoming[i] ? 1U : 0U;
  EXPECT_EQ(different, 1U);
  for (const OwnedSegment& each : stage.at_b.read().segments)
    EXPECT_EQ(each.meta.checksum, ChecksumStatus::good);
}

TEST(SimulatedNetwork, ReorderedSegmentsArriveLater) {
  Stage stage({{.fault = Fault::reordering, .nth = {2}, .which = Which::payload}});
  for (int i = 1; i <= 4; ++i) stage.send(pattern(static_cast<std::size_t>(i)));
  stage.finish();
  EXPECT_EQ(sizes(sent_by(stage.at_a, one, 1)), (Sizes{1, 2, 3, 4}));
  EXPECT_EQ(sizes(sent_by(stage.at_b, one, 1)), (Sizes{1, 3, 4, 2}));
}

TEST(SimulatedNetwork, SegmentsAreSplitAndCoalesced) {
  Stage stage({{.fault = Fault::splitting, .nth = {1}, .which = Which::payload},
               {.fault = Fault::coalescing, .nth = {2, 3}, .which = Which::payload}});
  for (int i = 0; i < 5; ++i) stage.send(pattern(100));
  stage.finish();
  const std::vector<Packet> packets = sent_by(stage.at_b, one, 1);
  ASSERT_EQ(packets.size(), 4U);
  EXPECT_EQ(packets[0].payload.size() + packets[1].payload.size(), 100U);
  EXPECT_EQ(packets[0].sequence + packets[0].payload.size(), packets[1].sequence);
  EXPECT_FALSE(packets[0].has(tcp::psh));
  EXPECT_TRUE(packets[1].has(tcp::psh));
  EXPECT_EQ(packets[2].payload.size(), 300U);
  EXPECT_EQ(packets[3].payload.size(), 100U);
  EXPECT_EQ(stage.network.faults().count(Fault::splitting), 1U);
  EXPECT_EQ(stage.network.faults().count(Fault::coalescing), 2U);
}

// Nothing follows it: it goes on alone.
TEST(SimulatedNetwork, SegmentThatWaitsInVainToBeCoalescedGoesOn) {
  Stage stage({{.fault = Fault::coalescing, .probability = 1}});
  stage.send(pattern(100));
  stage.finish();
  EXPECT_EQ(sizes(sent_by(stage.at_b, one, 1)), (Sizes{100}));
}

TEST(SimulatedNetwork, MiddleShowsWhatTheFaultsLeft) {
  replay::SimulatedNetwork network(
      {.faults = {.rules = {{.fault = Fault::loss, .nth = {1}, .which = Which::payload}}}});
  WireCapture middle;
  network.capture_in_the_middle(middle);
  Station a, b;
  ASSERT_TRUE(connect(network.host(one), a, network.host(two), b, service));
  a.outgoing = pattern(10);
  Station* const both[] = {&a, &b};
  ASSERT_TRUE(play(network.host(one), both, 1000 * second));
  EXPECT_EQ(sizes(sent_by(middle, one, 1)), (Sizes{10}));
  EXPECT_TRUE(std::is_sorted(middle.times.begin(), middle.times.end()));
}

TEST(SimulatedNetwork, SequenceNumbersWrap) {
  Stage stage(std::vector<FaultRule>{}, {.initial_sequence = 0xffffff00});
  for (int i = 0; i < 10; ++i) stage.send(pattern(1000));
  stage.b.outgoing = pattern(10'000, 7);
  stage.finish();
  const std::vector<Packet> packets = sent_by(stage.at_a, one, 1);
  EXPECT_EQ(packets.front().sequence, 0xffffff01);
  EXPECT_EQ(packets.back().sequence, 9000U - 255U);
}

TEST(SimulatedNetwork, SecondSegmentIsAcknowledgedAtOnceASingleOneLater) {
  Stage stage(std::vector<FaultRule>{});
  stage.send(pattern(10));
  stage.a.closes = false;
  stage.a.act();
  stage.pass(30 * millisecond);
  const auto acks = [&] { return sent_by(stage.at_b, two).size() - 1; };  // without SYN and ACK
  EXPECT_EQ(acks(), 0U);
  stage.pass(20 * millisecond);
  EXPECT_EQ(acks(), 1U);
  stage.send(pattern(10));
  stage.send(pattern(10));
  stage.a.act();
  stage.pass(millisecond);
  EXPECT_EQ(acks(), 2U);
}

// RFC 9293 §3.8.6: who does not read stops the sender; probes go on; the window's opening is told.
TEST(SimulatedNetwork, ReceiverThatDoesNotReadStopsTheSender) {
  constexpr std::size_t room = 10'000;
  Stage stage(std::vector<FaultRule>{}, {.max_segment = 1000, .send_buffer = 20'000, .receive_buffer = room});
  for (int i = 0; i < 25; ++i) stage.send(pattern(1000, static_cast<std::uint32_t>(i)));
  stage.a.closes = false;
  do {
    stage.a.act();
  } while (stage.clock().wait(stage.clock().now() + 600 * second));
  std::size_t arrived = 0;
  for (const Packet& each : sent_by(stage.at_b, one, 1)) arrived += each.payload.size();
  EXPECT_EQ(arrived, room);
  EXPECT_EQ(stage.a.sent, 25'000U);  // the rest waits in the sender's buffer
  const std::vector<Packet> from_a = sent_by(stage.at_a, one);
  const auto probes = std::count_if(from_a.begin(), from_a.end(), [](const Packet& each) {
    return each.payload.empty() && !each.has(tcp::syn);
  });
  EXPECT_GT(probes, 8);
  EXPECT_LT(probes, 30);
  EXPECT_EQ(sent_by(stage.at_b, two).back().window, 0);
  EXPECT_TRUE(stage.a.events == Arrivals{Arrival::established});
  stage.a.closes = true;
  stage.finish();
}

// The same although the window update is lost.
TEST(SimulatedNetwork, LostWindowUpdateIsAskedFor) {
  Stage stage({{.fault = Fault::loss, .probability = 0.5, .which = Which::bare_ack}},
              {.max_segment = 1000, .receive_buffer = 3000, .patience = 10'000 * second});
  for (int i = 0; i < 50; ++i) stage.send(pattern(900, static_cast<std::uint32_t>(i)));
  stage.finish();
}

TEST(SimulatedNetwork, SendTakesNothingWhenFullAndTellsWhenItTakesAgain) {
  Stage stage(std::vector<FaultRule>{}, {.send_buffer = 5000, .receive_buffer = 4000});
  EXPECT_EQ(stage.a.transport->send(pattern(3000)), 3000U);
  EXPECT_EQ(stage.a.transport->send(pattern(3000)), 0U);
  EXPECT_EQ(stage.a.transport->send(pattern(2000)), 2000U);
  EXPECT_EQ(stage.a.transport->send(pattern(1)), 0U);
  EXPECT_EQ(stage.a.transport->send({}), 0U);
  replay::Network& clock = stage.clock();
  while (clock.ready() != nullptr) {
  }
  bool told = false;
  while (!told && clock.wait(clock.now() + 100 * second)) {
    stage.b.receive();
    told = clock.ready() == stage.a.transport.get();
  }
  EXPECT_TRUE(told);
  stage.pass(second);
  EXPECT_EQ(stage.a.transport->send(pattern(9000)), 5000U);  // longer than the buffer: a part of it
}

// Any of the hosts names those with something to read, and none that has nothing.
TEST(SimulatedNetwork, HostsWithSomethingToReadAreNamed) {
  Stage stage(std::vector<FaultRule>{});
  const auto named = [&] {
    std::vector<replay::Network*> networks;
    stage.clock().ready_networks(networks);
    return networks;
  };
  for (replay::Network* const each : {&stage.network.host(one), &stage.network.host(two)}) {
    while (each->ready() != nullptr) {
    }
  }
  EXPECT_TRUE(named().empty());
  EXPECT_EQ(stage.a.transport->send(pattern(100)), 100U);
  while (named().empty() && stage.clock().wait(stage.clock().now() + second)) {
  }
  EXPECT_EQ(named(), std::vector<replay::Network*>{&stage.network.host(two)});
  EXPECT_EQ(stage.network.host(two).ready(), stage.b.transport.get());
  EXPECT_TRUE(named().empty());
}

TEST(SimulatedNetwork, RefusedConnectionIsReset) {
  replay::SimulatedNetwork network;
  static_cast<void>(network.host(two));
  Station station;
  station.transport = network.host(one).connect(service);
  EXPECT_TRUE(network.host(one).wait(replay::never));
  EXPECT_EQ(network.host(one).ready(), station.transport.get());
  station.receive();
  EXPECT_EQ(station.events, (Arrivals{Arrival::reset}));
  EXPECT_EQ(network.connections(), 0U);
}

TEST(SimulatedNetwork, ConnectionToNobodyIsLostAfterAWhile) {
  replay::SimulatedNetwork network({.tcp = {.patience = 30 * second}});
  Station station;
  station.transport = network.host(one).connect(service);
  EXPECT_TRUE(network.host(one).wait(replay::never));
  EXPECT_EQ(network.host(one).now(), 30 * second);
  station.receive();
  EXPECT_EQ(station.events, (Arrivals{Arrival::lost}));
  EXPECT_EQ(network.packets_dropped(), 5U);  // SYNs after 0, 1, 3, 7 and 15 s
}

TEST(SimulatedNetwork, ConnectionIsLostWhenNothingArrivesAnyMore) {
  std::vector<std::uint64_t> all(1000);
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = i + 1;
  Stage stage({{.fault = Fault::loss, .nth = all, .which = Which::payload}}, {.patience = 60 * second});
  stage.send(pattern(100));
  stage.a.act();
  const TimeNs start = stage.clock().now();
  stage.pass(200 * second);
  EXPECT_EQ(stage.a.events, (Arrivals{Arrival::established, Arrival::lost}));
  EXPECT_EQ(stage.b.events, (Arrivals{Arrival::established}));
  EXPECT_EQ(stage.a.transport->send(pattern(1)), 0U);
  EXPECT_GE(stage.clock().now(), start + 60 * second);
  // The other end learns it as soon as it says something (RFC 9293 §3.5.1).
  EXPECT_EQ(stage.b.transport->send(pattern(0 + 1)), 1U);
}

TEST(SimulatedNetwork, ResetReachesThePeer) {
  Stage stage(std::vector<FaultRule>{});
  EXPECT_EQ(stage.a.transport->send(text("last words")), 10U);
  stage.a.transport->close(Close::reset);
  stage.pass(second);
  EXPECT_EQ(stage.b.incoming, text("last words"));
  EXPECT_EQ(stage.a.events, (Arrivals{Arrival::established}));
  EXPECT_EQ(stage.b.events, (Arrivals{Arrival::established, Arrival::reset}));
  EXPECT_EQ(stage.network.connections(), 0U);
}

// RFC 5961 §3.2: a RST that overtook octets is asked about, and comes again with the right number.
TEST(SimulatedNetwork, ResetBeforeEarlierOctetsIsAskedAbout) {
  Stage stage({{.fault = Fault::loss, .nth = {1}, .which = Which::payload}});
  EXPECT_EQ(stage.a.transport->send(text("lost for ever")), 13U);
  stage.a.transport->close(Close::reset);
  stage.pass(second);
  EXPECT_TRUE(stage.b.incoming.empty());
  EXPECT_EQ(stage.b.events, (Arrivals{Arrival::established, Arrival::reset}));
  const std::vector<Packet> from_a = sent_by(stage.at_a, one);
  EXPECT_EQ(
      std::count_if(from_a.begin(), from_a.end(), [](const Packet& each) { return each.has(tcp::rst); }), 2);
}

TEST(SimulatedNetwork, LostResetIsFoundOutWithTheNextOctets) {
  Stage stage({{.fault = Fault::loss, .nth = {1}, .which = Which::rst}});
  stage.a.transport = nullptr;  // not closed: reset
  EXPECT_FALSE(stage.clock().wait(stage.clock().now() + second));
  stage.b.receive();
  EXPECT_EQ(stage.b.events, (Arrivals{Arrival::established}));
  EXPECT_EQ(stage.b.transport->send(text("anybody?")), 8U);
  EXPECT_TRUE(stage.clock().wait(stage.clock().now() + second));
  stage.b.receive();
  EXPECT_EQ(stage.b.events, (Arrivals{Arrival::established, Arrival::reset}));
}

TEST(SimulatedNetwork, HalfClosedConnectionGoesOn) {
  Stage stage(std::vector<FaultRule>{});
  stage.a.transport->close(Close::graceful);
  stage.a.closed = true;
  stage.pass(second);
  EXPECT_TRUE(stage.b.saw(Arrival::closed));
  EXPECT_EQ(stage.a.transport->send(text("too late")), 0U);
  stage.b.outgoing = pattern(100'000);
  stage.finish();
}

TEST(SimulatedNetwork, OctetsOutliveATransportThatWasClosed) {
  Stage stage({{.fault = Fault::loss, .nth = {2, 5}, .which = Which::payload}});
  const Bytes octets = pattern(50'000);
  EXPECT_EQ(stage.a.transport->send(octets), octets.size());
  stage.a.transport->close(Close::graceful);
  stage.a.transport = nullptr;
  while (!stage.b.saw(Arrival::closed)) {
    ASSERT_TRUE(stage.clock().wait(1000 * second));
    stage.b.receive();
  }
  EXPECT_TRUE(stage.b.incoming == octets);
  // Who goes on sending to it is told (RFC 9293 §3.6.1).
  EXPECT_EQ(stage.b.transport->send(text("x")), 1U);
  EXPECT_TRUE(stage.clock().wait(1000 * second));
  stage.b.receive();
  EXPECT_TRUE(stage.b.saw(Arrival::reset));
}

// A peer that never closes does not keep a connection without user for ever.
TEST(SimulatedNetwork, HalfClosedConnectionWithoutUserEnds) {
  Stage stage(std::vector<FaultRule>{});
  stage.a.transport->close(Close::graceful);
  stage.a.transport = nullptr;
  stage.b.receive();
  while (stage.clock().wait(replay::never)) stage.b.receive();
  EXPECT_EQ(stage.b.events, (Arrivals{Arrival::established, Arrival::closed, Arrival::reset}));
  EXPECT_EQ(stage.network.connections(), 0U);
}

TEST(SimulatedNetwork, ListenerThatGoesResetsWhatNobodyAccepted) {
  replay::SimulatedNetwork network;
  auto listener = network.host(two).listen(service);
  Station a;
  a.transport = network.host(one).connect(service);
  while (network.host(one).wait(second)) a.receive();
  listener = nullptr;
  EXPECT_TRUE(network.host(one).wait(2 * second));
  a.receive();
  EXPECT_EQ(a.events, (Arrivals{Arrival::established, Arrival::reset}));
  EXPECT_EQ(network.connections(), 0U);
}

TEST(SimulatedNetwork, PacketsOnTheirWayAreCapped) {
  Stage stage(replay::SimulatedOptions{.max_packets = 8});
  ASSERT_TRUE(stage.connected);
  stage.send(pattern(60'000));
  stage.finish();
  EXPECT_GT(stage.network.packets_dropped(), 0U);
}

TEST(SimulatedNetwork, ConnectionsAndBacklogAreCapped) {
  replay::SimulatedNetwork network({.tcp = {.patience = 10 * second}, .max_connections = 6, .backlog = 2});
  const auto listener = network.host(two).listen(service);
  std::vector<Station> stations(4);
  for (Station& each : stations) each.transport = network.host(one).connect(service);
  while (network.host(one).wait(5 * second)) {
  }
  for (Station& each : stations) each.receive();
  EXPECT_EQ(std::count_if(stations.begin(), stations.end(),
                          [](const Station& each) { return each.saw(Arrival::established); }),
            2);
  EXPECT_THROW(static_cast<void>(network.host(one).connect(service)), std::system_error);
}

TEST(SimulatedNetwork, WaitMovesTheClockNoFurtherThanItMust) {
  replay::SimulatedNetwork network({.start = 1000});
  replay::Network& host = network.host(one);
  EXPECT_EQ(host.now(), 1000);
  EXPECT_FALSE(host.wait(replay::never));
  EXPECT_EQ(host.now(), 1000);
  EXPECT_FALSE(host.wait(5 * second));
  EXPECT_EQ(host.now(), 5 * second);
  EXPECT_FALSE(host.wait(second));
  EXPECT_EQ(host.now(), 5 * second);
}

TEST(SimulatedNetwork, AddressesAreCheckedAndNamed) {
  replay::SimulatedNetwork network;
  const auto listener = network.host(two).listen({address("0.0.0.0"), 0});
  EXPECT_EQ(listener->local().address, two);
  EXPECT_NE(listener->local().port, 0);
  EXPECT_THROW(static_cast<void>(network.host(two).listen(listener->local())), std::system_error);
  EXPECT_THROW(static_cast<void>(network.host(two).listen({one, 1})), std::system_error);
  EXPECT_THROW(static_cast<void>(network.host(two).connect({address("2001:db8::1"), 1})), std::system_error);
}

// Both ends on one host (scenario C16): its capture shows each packet once.
TEST(SimulatedNetwork, HostSpeaksToItself) {
  replay::SimulatedNetwork network;
  WireCapture capture;
  network.capture_at(one, capture);
  replay::Network& host = network.host(one);
  Station a, b;
  ASSERT_TRUE(connect(host, a, host, b, {one, 4420}));
  a.outgoing = pattern(10);
  Station* const both[] = {&a, &b};
  ASSERT_TRUE(play(host, both, 1000 * second));
  EXPECT_EQ(b.incoming, pattern(10));
  EXPECT_EQ(sizes(sent_by(capture, one, 1)), (Sizes{10}));
}

}  // namespace
}  // namespace iwarp::test
