// Captures of healthy iWARP connections say what the connections said, and nothing about themselves.
// SPDX-License-Identifier: GPL-2.0-or-later
#include <gtest/gtest.h>

#include <algorithm>

#include "replay/transport/reenactment.hpp"
#include "replay/transport/wire_capture.hpp"
#include "support/analysed.hpp"
#include "support/normalised.hpp"
#include "transport/simulated_network.hpp"
#include "transport/socket_network.hpp"

namespace iwarp::test {
namespace {

using replay::Fault;

const IpAddress here = address("192.0.2.1"), there = address("192.0.2.2");
const IpAddress here6 = address("2001:db8::1"), there6 = address("2001:db8::2");

// All but the MSS, which is the network's.
std::vector<std::string> told_by(const Analysed& result) {
  std::vector<std::string> lines = normalised(result.events());
  std::erase_if(lines, [](const std::string& line) { return line.find(" syn mss=") != std::string::npos; });
  return lines;
}

// "line 7: … instead of …", or nothing.
std::string difference(const std::vector<std::string>& lines, const std::vector<std::string>& expected) {
  for (std::size_t i = 0; i < std::max(lines.size(), expected.size()); ++i) {
    const std::string one = i < lines.size() ? lines[i] : "nothing";
    const std::string other = i < expected.size() ? expected[i] : "nothing";
    if (one != other) return "line " + std::to_string(i) + ": " + one + "\ninstead of " + other;
  }
  return {};
}

void expect_healthy(const CaptureRead& read, const Conversation& original, bool faults = false) {
  EXPECT_FALSE(read.damage);
  EXPECT_TRUE(read.skipped.empty());
  const Analysed result(read.segments);
  const Analysed before(original);
  EXPECT_EQ(difference(told_by(result), told_by(before)), "") << result.told();
  EXPECT_EQ(result.ids(), Ids{}) << result.told();
  if (faults) return;
  EXPECT_EQ(result.ids(Severity::note), before.ids(Severity::note)) << result.told();
  for (const OwnedSegment& each : read.segments) ASSERT_EQ(each.meta.checksum, ChecksumStatus::good);
  for (const std::string& id : result.ids(Severity::information))
    EXPECT_NE(id.substr(0, 4), "CAP-") << result.told();
  const TimeNs none = -1;
  TimeNs last = none;
  for (const OwnedSegment& each : read.segments) {
    EXPECT_GE(each.meta.time_ns, last);
    last = each.meta.time_ns;
  }
}

struct Captures {
  WireCapture at_a{};
  WireCapture at_b{replay::CaptureFormat::pcap};
  WireCapture between{};
};

void simulate(const Conversation& conversation, const replay::SimulatedOptions& options, bool ipv6,
              Captures& captures) {
  replay::SimulatedNetwork network(options);
  const IpAddress& one = ipv6 ? here6 : here;
  const IpAddress& two = ipv6 ? there6 : there;
  network.capture_at(one, captures.at_a);
  network.capture_at(two, captures.at_b);
  network.capture_in_the_middle(captures.between);
  Station a, b;
  ASSERT_TRUE(connect(network.host(one), a, network.host(two), b, {two, 4420}));
  ASSERT_TRUE(reenact(conversation, network.host(one), a, b));
  while (network.connections() > 0 && network.host(one).wait(replay::never)) {
  }
}

TEST(Capture, OfAHealthyConnectionHasNoFindings) {
  for (std::uint64_t seed = 1; seed <= 150; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const Conversation conversation = random_traffic(seed, traffic_of(seed));
    Captures captures;
    simulate(conversation, {.seed = seed}, seed % 2 == 0, captures);
    if (HasFatalFailure()) return;
    expect_healthy(captures.at_a.read(), conversation);
    expect_healthy(captures.at_b.read(), conversation);
    expect_healthy(captures.between.read(), conversation);
    if (HasFailure()) return;
  }
}

// Scenarios C1, C2 and C24, once most checksums were right: what TCP repaired leaves no trace in what the
// octets say. At the sender, as at the receiver, a capture has every octet; half-way lost packets are
// missing, but come again.
TEST(Capture, OfARepairedConnectionSaysTheSame) {
  for (std::uint64_t seed = 1; seed <= 150; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const Conversation conversation = random_traffic(seed, traffic_of(seed));
    replay::SimulatedOptions options{.seed = seed};
    options.faults.rules = {{.fault = Fault::loss, .probability = 0.05},
                            {.fault = Fault::duplication, .probability = 0.05},
                            {.fault = Fault::reordering, .probability = 0.1},
                            {.fault = Fault::corruption, .nth = {60}, .which = replay::Which::payload},
                            {.fault = Fault::splitting, .probability = 0.2},
                            {.fault = Fault::coalescing, .probability = 0.2}};
    Captures captures;
    simulate(conversation, options, seed % 2 == 0, captures);
    if (HasFatalFailure()) return;
    expect_healthy(captures.at_a.read(), conversation, true);
    expect_healthy(captures.at_b.read(), conversation, true);
    if (HasFailure()) return;
  }
}

// The damage that TCP does not see reaches the analysis, which blames the one FPDU.
TEST(Capture, HiddenCorruptionIsForTheCrcToSee) {
  Conversation conversation;
  conversation.handshake();
  conversation.startup({.crc = true}, {.crc = true});
  for (std::uint32_t msn = 1; msn <= 5; ++msn) conversation.fpdu(Side::a, send(msn, pattern(500, msn)));
  conversation.close();
  Captures captures;
  simulate(conversation,
           {.faults = {.rules = {{.fault = Fault::hidden_corruption,
                                  .nth = {4},
                                  .which = replay::Which::payload,
                                  .from = here}}}},
           false, captures);
  ASSERT_FALSE(HasFatalFailure());
  expect_healthy(captures.at_a.read(), conversation);
  const CaptureRead read = captures.at_b.read();
  for (const OwnedSegment& each : read.segments) EXPECT_EQ(each.meta.checksum, ChecksumStatus::good);
  const Analysed result(read.segments);
  EXPECT_TRUE(result.has("MPA-CRC")) << result.told();
  EXPECT_EQ(result.fpdus().size(), 5U);
}

// What a socket sent and received, written down by either end.
TEST(Capture, RecordedFromSocketsHasNoFindings) {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const Conversation conversation = random_traffic(seed, traffic_of(seed));
    WireCapture opened, accepted(replay::CaptureFormat::pcap);
    {
      replay::SocketNetwork network(
          {.max_segment = 1460, .record_opened = &opened, .record_accepted = &accepted});
      Station a, b;
      const IpAddress loopback = address("127.0.0.1");
      ASSERT_TRUE(connect(network, a, network, b, {loopback, 0}, 120 * second));
      ASSERT_TRUE(reenact(conversation, network, a, b, 120 * second));
    }
    expect_healthy(opened.read(), conversation);
    expect_healthy(accepted.read(), conversation);
    if (HasFailure()) return;
  }
}

}  // namespace
}  // namespace iwarp::test
