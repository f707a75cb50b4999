// Whatever the network does: octets arrive, all of them, once, in order; then one FIN, and nothing behind it.
// SPDX-License-Identifier: GPL-2.0-or-later
#include <gtest/gtest.h>

#include <array>
#include <sstream>

#include "replay/transport/station.hpp"
#include "transport/simulated_network.hpp"

namespace iwarp::test {
namespace {

using replay::Arrival;
using replay::Fault;

const IpAddress here = address("192.0.2.1"), there = address("192.0.2.2");
const IpAddress here6 = address("2001:db8::1"), there6 = address("2001:db8::2");

double probability(Numbers& numbers, double most) {
  return numbers.one_in(3) ? 0 : most * numbers.below(1000) / 1000;
}

replay::TcpOptions random_tcp(Numbers& numbers) {
  replay::TcpOptions tcp;
  tcp.max_segment = static_cast<std::uint16_t>(numbers.one_in(3) ? 0 : 60 + numbers.below(2000));
  tcp.send_buffer = 200 + numbers.below(numbers.one_in(2) ? 3000 : 200000);
  tcp.receive_buffer = 200 + numbers.below(numbers.one_in(2) ? 3000 : 200000);
  tcp.retransmission.max = 2 * second;
  tcp.patience = 10000 * second;
  if (numbers.one_in(2)) tcp.initial_sequence = 0U - numbers.below(5000);
  return tcp;
}

replay::SimulatedOptions random_network(std::uint64_t seed, Numbers& numbers) {
  replay::SimulatedOptions options;
  options.seed = seed;
  options.faults.rules = {{.fault = Fault::loss, .probability = probability(numbers, 0.3)},
                          {.fault = Fault::duplication, .probability = probability(numbers, 0.3)},
                          {.fault = Fault::reordering, .probability = probability(numbers, 0.3)},
                          {.fault = Fault::corruption, .probability = probability(numbers, 0.1)},
                          {.fault = Fault::splitting, .probability = probability(numbers, 0.3)},
                          {.fault = Fault::coalescing, .probability = probability(numbers, 0.5)}};
  options.faults.jitter = numbers.below(100'000);
  options.faults.reordered_by = numbers.below(3'000'000);
  return options;
}

void fill(Station& station, Numbers& numbers) {
  station.outgoing = pattern(numbers.below(numbers.one_in(4) ? 60'000 : 6000), numbers.below(1000));
  const std::uint32_t sizes = numbers.below(40);
  for (std::uint32_t i = 0; i < sizes; ++i) station.calls.push_back(1 + numbers.below(3000));
  station.moods = numbers.one_in(2) ? &numbers : nullptr;
  station.waits_for_peer = false;
}

using Counts = std::array<std::uint64_t, replay::fault_count>;

void one_connection(std::uint64_t seed, Counts& counts) {
  SCOPED_TRACE("seed " + std::to_string(seed));
  Numbers numbers(seed);
  replay::SimulatedNetwork network(random_network(seed, numbers));
  const bool ipv6 = numbers.one_in(3);
  replay::Network& one = network.host(ipv6 ? here6 : here, random_tcp(numbers));
  replay::Network& two = network.host(ipv6 ? there6 : there, random_tcp(numbers));
  Station a, b;
  fill(a, numbers);
  fill(b, numbers);
  b.waits_for_peer = numbers.one_in(3);
  ASSERT_TRUE(connect(one, a, two, b, {ipv6 ? there6 : there, 4420}, 100'000 * second));
  Station* const both[] = {&a, &b};
  ASSERT_TRUE(play(one, both, 1'000'000 * second));
  ASSERT_TRUE(a.incoming == b.outgoing);
  ASSERT_TRUE(b.incoming == a.outgoing);

  while (network.connections() > 0 && one.wait(replay::never)) {
  }
  a.receive();
  b.receive();
  EXPECT_EQ(network.connections(), 0U);
  EXPECT_EQ(a.events, (Arrivals{Arrival::established, Arrival::closed}));
  EXPECT_EQ(b.events, (Arrivals{Arrival::established, Arrival::closed}));
  EXPECT_EQ(a.max_segment, b.max_segment);
  for (std::size_t i = 0; i < counts.size(); ++i) counts[i] += network.faults().count(static_cast<Fault>(i));
}

TEST(TcpProperty, OctetsArriveInOrderUnderHeavyFaults) {
  Counts counts{};
  for (std::uint64_t seed = 0; seed < 3000; ++seed) {
    one_connection(seed, counts);
    if (HasFailure()) return;
  }
  for (std::size_t i = 0; i < counts.size(); ++i) {
    const bool hidden = static_cast<Fault>(i) == Fault::hidden_corruption;
    EXPECT_TRUE(hidden ? counts[i] == 0 : counts[i] > 1000) << "fault " << i << ": " << counts[i];
  }
}

// Many at once between several hosts: none gets another one's octets.
TEST(TcpProperty, ManyConnectionsAtOnce) {
  Numbers numbers(99);
  replay::SimulatedOptions options = random_network(99, numbers);
  options.tcp.retransmission.max = 2 * second;
  options.tcp.patience = 10000 * second;
  replay::SimulatedNetwork network(options);
  std::vector<IpAddress> hosts;
  for (int i = 1; i <= 5; ++i) hosts.push_back(address("192.0.2." + std::to_string(i)));
  std::vector<std::unique_ptr<replay::Listener>> listeners;
  for (const IpAddress& host : hosts) listeners.push_back(network.host(host).listen({host, 4420}));

  constexpr std::size_t count = 200;
  std::vector<Station> opened(count), accepted;
  for (std::size_t i = 0; i < count; ++i) {
    opened[i].outgoing = pattern(1 + numbers.below(3000), static_cast<std::uint32_t>(i));
    opened[i].transport = network.host(hosts[i % 5]).connect({hosts[numbers.below(5)], 4420});
  }
  replay::Network& clock = network.host(hosts[0]);
  const TimeNs end = 100'000 * second;
  const auto done = [](const Station& each) { return each.done(); };
  while (clock.now() < end) {
    static_cast<void>(clock.wait(clock.now() + 20 * millisecond));
    for (const auto& listener : listeners) {
      while (auto transport = listener->accept()) {
        accepted.emplace_back().transport = std::move(transport);
        accepted.back().outgoing = text("hello " + to_string(accepted.back().transport->peer()));
      }
    }
    for (Station& each : opened) each.act();
    for (Station& each : accepted) each.act();
    if (accepted.size() == count && std::all_of(opened.begin(), opened.end(), done) &&
        std::all_of(accepted.begin(), accepted.end(), done)) {
      break;
    }
  }
  ASSERT_EQ(accepted.size(), count);
  for (const Station& each : opened) {
    EXPECT_EQ(each.incoming, text("hello " + to_string(each.transport->local())));
    const auto twin = std::find_if(accepted.begin(), accepted.end(), [&](const Station& other) {
      return other.transport->peer() == each.transport->local() &&
             other.transport->local() == each.transport->peer();
    });
    ASSERT_NE(twin, accepted.end());
    EXPECT_EQ(twin->incoming, each.outgoing);
  }
}

std::string capture_of(std::uint64_t seed) {
  Numbers numbers(seed);
  replay::SimulatedNetwork network(random_network(seed, numbers));
  std::ostringstream file;
  replay::CaptureWriter writer(file);
  replay::PcapSink sink(writer);
  network.capture_at(here, sink);
  replay::Network& one = network.host(here, random_tcp(numbers));
  replay::Network& two = network.host(there, random_tcp(numbers));
  Station a, b;
  fill(a, numbers);
  fill(b, numbers);
  EXPECT_TRUE(connect(one, a, two, b, {there, 4420}, 100'000 * second));
  Station* const both[] = {&a, &b};
  EXPECT_TRUE(play(one, both, 1'000'000 * second));
  return file.str();
}

TEST(TcpProperty, TheSameSeedGivesTheSameCapture) {
  for (std::uint64_t seed = 5000; seed < 5050; ++seed) {
    const std::string first = capture_of(seed);
    EXPECT_GT(first.size(), 500U);
    EXPECT_TRUE(first == capture_of(seed)) << "seed " << seed;
  }
  EXPECT_FALSE(capture_of(5000) == capture_of(5001));
}

}  // namespace
}  // namespace iwarp::test
