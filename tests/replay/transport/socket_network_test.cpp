// TCP sockets on the loopback interface.
// SPDX-License-Identifier: GPL-2.0-or-later
#include "transport/socket_network.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cerrno>
#include <map>
#include <set>
#include <system_error>

#include "replay/transport/station.hpp"

namespace iwarp::test {
namespace {

using replay::Arrival;
using replay::Close;
using replay::SocketNetwork;
using replay::SocketOptions;

const IpAddress loopback4 = address("127.0.0.1"), loopback6 = address("::1");
constexpr TimeNs patience = 120 * second;  // far more than any machine needs

// A listener, and a connection to it.
struct Pair {
  explicit Pair(SocketNetwork& network, const IpAddress& at = loopback4) {
    connected = connect(network, a, network, b, {at, 0}, patience);
  }
  Station a = {};
  Station b = {};
  bool connected = false;
};

// Until the station saw `arrival`.
bool wait_for(SocketNetwork& network, Station& station, Arrival arrival) {
  const TimeNs end = network.now() + patience;
  while (!station.saw(arrival)) {
    if (network.now() > end) return false;
    station.receive();
    if (!station.saw(arrival)) static_cast<void>(network.wait(end));
  }
  return true;
}

void exchange(SocketNetwork& network, const IpAddress& at) {
  Pair pair(network, at);
  ASSERT_TRUE(pair.connected);
  EXPECT_EQ(pair.a.transport->peer(), pair.b.transport->local());
  EXPECT_EQ(pair.b.transport->peer(), pair.a.transport->local());
  pair.a.outgoing = pattern(3'000'000, 1);
  pair.a.calls = {1, 100, 5000, 65536};
  pair.b.outgoing = pattern(1'000'000, 2);
  pair.b.waits_for_peer = true;
  Station* const both[] = {&pair.a, &pair.b};
  ASSERT_TRUE(play(network, both, patience));
  EXPECT_TRUE(pair.a.incoming == pair.b.outgoing);
  EXPECT_TRUE(pair.b.incoming == pair.a.outgoing);
  EXPECT_EQ(pair.a.events, (Arrivals{Arrival::established, Arrival::closed}));
  EXPECT_EQ(pair.b.events, (Arrivals{Arrival::established, Arrival::closed}));
  EXPECT_GE(pair.a.max_segment, 500U);
}

TEST(SocketNetwork, CarriesOctetsBothWays) {
  SocketNetwork network;
  exchange(network, loopback4);
  EXPECT_EQ(network.connections(), 0U);
}

TEST(SocketNetwork, CarriesOctetsOverIpv6) {
  SocketNetwork network;
  try {
    static_cast<void>(network.listen({loopback6, 0}));
  } catch (const std::system_error&) {
    GTEST_SKIP() << "this machine has no IPv6 loopback";
  }
  exchange(network, loopback6);
}

TEST(SocketNetwork, TakesTheSegmentSizeItIsGiven) {
  SocketNetwork network({.max_segment = 1000});
  Pair pair(network);
  ASSERT_TRUE(pair.connected);
  ASSERT_TRUE(wait_for(network, pair.b, Arrival::established));
  EXPECT_LE(pair.a.max_segment, 1000U);
  EXPECT_GE(pair.a.max_segment, 1000U - 40);  // TCP options may take some of it
  EXPECT_EQ(pair.a.max_segment, pair.b.max_segment);
}

TEST(SocketNetwork, RefusedConnectionIsReset) {
  SocketNetwork network;
  Endpoint nobody;
  {
    const auto listener = network.listen({loopback4, 0});
    nobody = listener->local();
  }
  Station station;
  station.transport = network.connect(nobody);
  ASSERT_TRUE(wait_for(network, station, Arrival::reset));
  EXPECT_EQ(station.events, (Arrivals{Arrival::reset}));
  EXPECT_EQ(station.transport->send(text("late")), 0U);
  station.receive();
  EXPECT_EQ(station.events.size(), 1U);
}

TEST(SocketNetwork, ResetReachesThePeerBehindItsOctets) {
  SocketNetwork network;
  Pair pair(network);
  ASSERT_TRUE(pair.connected);
  EXPECT_EQ(pair.a.transport->send(text("last words")), 10U);
  const TimeNs end = network.now() + patience;
  while (pair.b.incoming.empty() && network.now() < end) {
    static_cast<void>(network.wait(end));
    pair.b.receive();
  }
  pair.a.transport->close(Close::reset);
  ASSERT_TRUE(wait_for(network, pair.b, Arrival::reset));
  EXPECT_EQ(pair.b.incoming, text("last words"));
  EXPECT_EQ(pair.b.events, (Arrivals{Arrival::established, Arrival::reset}));
  EXPECT_EQ(pair.a.transport->receive().arrival, Arrival::nothing);
}

// The error that send() met is not lost to receive().
TEST(SocketNetwork, SendingIntoAResetConnectionTellsIt) {
  SocketNetwork network;
  Pair pair(network);
  ASSERT_TRUE(pair.connected);
  ASSERT_TRUE(wait_for(network, pair.b, Arrival::established));
  pair.a.transport = nullptr;  // not closed: reset
  const TimeNs end = network.now() + patience;
  while (pair.b.transport->send(text("x")) != 0 && network.now() < end) {
  }
  ASSERT_TRUE(wait_for(network, pair.b, Arrival::reset));
  EXPECT_EQ(pair.b.events, (Arrivals{Arrival::established, Arrival::reset}));
}

TEST(SocketNetwork, HalfClosedConnectionGoesOn) {
  SocketNetwork network;
  Pair pair(network);
  ASSERT_TRUE(pair.connected);
  pair.a.transport->close(Close::graceful);
  EXPECT_EQ(pair.a.transport->send(text("too late")), 0U);
  ASSERT_TRUE(wait_for(network, pair.b, Arrival::closed));
  pair.b.outgoing = pattern(200'000);
  pair.b.closes = true;
  const TimeNs end = network.now() + patience;
  while (!pair.a.saw(Arrival::closed) && network.now() < end) {
    pair.b.act();
    static_cast<void>(network.wait(network.now() + 20 * millisecond));
    pair.a.receive();
  }
  EXPECT_TRUE(pair.a.incoming == pair.b.outgoing);
}

// A full socket takes nothing, what is in front of it is bounded, and ready() tells when it takes again.
TEST(SocketNetwork, FullSocketsAreBoundedAndTellWhenTheyAreNot) {
  constexpr std::size_t cap = 50'000;
  SocketNetwork network({.max_unsent = cap});
  Pair pair(network);
  ASSERT_TRUE(pair.connected);
  const Bytes call = pattern(200'000);
  std::size_t sent = 0;
  for (std::size_t taken = 1; taken != 0 && sent < 1'000'000'000; sent += taken) {
    taken = pair.a.transport->send(call);
    ASSERT_LE(taken, cap);
  }
  ASSERT_LT(sent, 1'000'000'000U);
  while (network.ready() != nullptr) {
  }
  bool told = false;
  const TimeNs end = network.now() + patience;
  while (!told && network.now() < end) {
    pair.b.receive();
    static_cast<void>(network.wait(network.now() + 20 * millisecond));
    while (replay::Transport* const each = network.ready()) told = told || each == pair.a.transport.get();
  }
  EXPECT_TRUE(told);
  EXPECT_GT(pair.a.transport->send(call), 0U);
}

// What was handed over goes although its transport is no more.
TEST(SocketNetwork, OctetsOutliveATransportThatWasClosed) {
  SocketNetwork network;
  Pair pair(network);
  ASSERT_TRUE(pair.connected);
  const Bytes call = pattern(100'000);
  Bytes all;
  for (std::size_t taken = 1; taken != 0;) {
    taken = pair.a.transport->send(call);
    all.insert(all.end(), call.begin(), call.begin() + static_cast<std::ptrdiff_t>(taken));
  }
  pair.a.transport->close(Close::graceful);
  pair.a.transport = nullptr;
  ASSERT_TRUE(wait_for(network, pair.b, Arrival::closed));
  EXPECT_TRUE(pair.b.incoming == all);
}

TEST(SocketNetwork, OtherThanLoopbackAddressesAreRefused) {
  SocketNetwork network;
  for (const char* const each :
       {"192.0.2.1", "0.0.0.0", "128.0.0.1", "2001:db8::1", "::", "::ffff:10.0.0.1"}) {
    SCOPED_TRACE(each);
    for (const bool listening : {false, true}) {
      try {
        if (listening) {
          static_cast<void>(network.listen({address(each), 4420}));
        } else {
          static_cast<void>(network.connect({address(each), 4420}));
        }
        ADD_FAILURE() << "not refused";
      } catch (const std::system_error& error) {
        EXPECT_EQ(error.code().value(), EACCES);
        EXPECT_NE(std::string(error.what()).find(to_string(Endpoint{address(each), 4420})),
                  std::string::npos);
      }
    }
  }
  SocketNetwork open({.any_address = true});
  EXPECT_NE(open.listen({address("0.0.0.0"), 0})->local().port, 0);
}

TEST(SocketNetwork, PortInUseIsNamed) {
  SocketNetwork network;
  const auto listener = network.listen({loopback4, 0});
  try {
    static_cast<void>(network.listen(listener->local()));
    ADD_FAILURE();
  } catch (const std::system_error& error) {
    EXPECT_EQ(error.code().value(), EADDRINUSE);
    EXPECT_NE(std::string(error.what()).find(to_string(listener->local())), std::string::npos);
  }
}

TEST(SocketNetwork, ConnectionsWaitWhereAListenerIsKept) {
  SocketNetwork network({.keep_listening = true});
  SocketNetwork peers;
  const Endpoint anywhere{loopback4, 0};
  const Endpoint at = network.listen(anywhere)->local();
  const auto connected = [&] {
    Station station;
    station.transport = peers.connect(at);
    EXPECT_TRUE(wait_for(peers, station, Arrival::established));
    return station;
  };
  Station left = connected();
  left.transport->close(Close::graceful);
  Station reset = connected();
  reset.transport->close(Close::reset);
  const Station waits = connected();
  const auto listener = network.listen(anywhere);
  EXPECT_EQ(listener->local(), at);
  const auto accepted = listener->accept();
  ASSERT_NE(accepted, nullptr);
  EXPECT_EQ(accepted->peer(), waits.transport->local());
  EXPECT_EQ(listener->accept(), nullptr);
}

TEST(SocketNetwork, WaitsUntilTheDeadline) {
  SocketNetwork network;
  const TimeNs start = network.now();
  EXPECT_FALSE(network.wait(start + 3 * millisecond));
  EXPECT_GE(network.now(), start + 3 * millisecond);
  EXPECT_FALSE(network.wait(start));
  EXPECT_FALSE(network.wait(network.now() + millisecond));
}

TEST(SocketNetwork, ConnectionsAreCapped) {
  SocketNetwork network({.max_connections = 3});
  const auto listener = network.listen({loopback4, 0});
  std::vector<std::unique_ptr<replay::Transport>> opened;
  for (int i = 0; i < 3; ++i) opened.push_back(network.connect(listener->local()));
  EXPECT_THROW(static_cast<void>(network.connect(listener->local())), std::system_error);
  static_cast<void>(network.wait(network.now() + millisecond));
  EXPECT_EQ(listener->accept(), nullptr);  // waits in the backlog
  opened.pop_back();
  EXPECT_NE(listener->accept(), nullptr);
}

// Found through ready() alone, as an engine does.
TEST(SocketNetwork, ThousandConnectionsAtOnce) {
  constexpr std::size_t count = 1000;
  SocketNetwork network({.max_connections = 2 * count + 10});
  const auto listener = network.listen({loopback4, 0});
  std::vector<Station> stations;
  stations.reserve(2 * count);
  std::map<const replay::Transport*, Station*> by_transport;
  const auto add = [&](std::unique_ptr<replay::Transport> transport, std::size_t size) -> Station& {
    Station& station = stations.emplace_back();
    station.transport = std::move(transport);
    station.outgoing = pattern(size, static_cast<std::uint32_t>(size));
    by_transport[station.transport.get()] = &station;
    return station;
  };
  const TimeNs end = network.now() + patience;
  std::size_t opened = 0, done = 0;
  while (done < 2 * count && network.now() < end) {
    // Not all SYNs at once: the backlog of a listener is what the system allows.
    for (; opened < count && opened < stations.size() - opened + 100; ++opened) {
      add(network.connect(listener->local()), 20'000 + opened);
    }
    static_cast<void>(network.wait(end));
    std::vector<Station*> active;
    while (auto transport = listener->accept()) active.push_back(&add(std::move(transport), 100));
    while (replay::Transport* const each = network.ready()) active.push_back(by_transport.at(each));
    for (Station* const each : active) {
      const bool before = each->done();
      each->act();
      if (!before && each->done()) ++done;
    }
  }
  ASSERT_EQ(done, 2 * count);
  // Sizes tell them apart: a port may be used again by the time that a slow machine gets to the last ones.
  std::set<std::size_t> sizes;
  for (const Station& each : stations) {
    const std::size_t size = each.incoming.size();
    EXPECT_TRUE(each.incoming == pattern(size, static_cast<std::uint32_t>(size)));
    if (each.transport->peer() == listener->local()) {
      EXPECT_EQ(size, 100U);
    } else {
      sizes.insert(size);
    }
  }
  ASSERT_EQ(sizes.size(), count);
  EXPECT_EQ(*sizes.begin(), 20'000U);
  EXPECT_EQ(*sizes.rbegin(), 20'000U + count - 1);
}

}  // namespace
}  // namespace iwarp::test
