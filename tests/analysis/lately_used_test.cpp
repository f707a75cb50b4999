// Where the connections of the latest segments are found again.
// SPDX-License-Identifier: GPL-2.0-or-later
#include "analysis/lately_used.hpp"

#include <gtest/gtest.h>

#include <memory>

#include "support/conversation.hpp"

namespace iwarp::test {
namespace {

const Endpoint client = endpoint("192.0.2.1", 1024);
const Endpoint server = endpoint("192.0.2.2", 4420);
const Endpoint other_client = endpoint("192.0.2.3", 1024);  // the ports are the same, so the slot is

TcpSegment segment(const Endpoint& from, const Endpoint& to, std::uint32_t network = 0) {
  TcpSegment segment;
  segment.source = from;
  segment.destination = to;
  segment.network = network;
  return segment;
}

class LatelyUsed : public testing::Test {
 protected:
  ConnectionPlaces::Place& add(const TcpSegment& first) {
    const ConnectionId id = places_.count();
    ConnectionPlaces::Place& place = places_.add();
    place.connection = std::make_unique<Connection>(id, first, options_, recorder_);
    place.network = first.network;
    return place;
  }

  AnalyzerOptions options_;
  Recorder recorder_{options_};
  ConnectionPlaces places_;
  iwarp::LatelyUsed lately_;
};

TEST_F(LatelyUsed, FoundWhicheverSideSends) {
  EXPECT_EQ(lately_.find(segment(client, server)), nullptr);
  ConnectionPlaces::Place& place = add(segment(client, server));
  lately_.note(place);
  EXPECT_EQ(lately_.find(segment(client, server)), &place);
  EXPECT_EQ(lately_.find(segment(server, client)), &place);
}

TEST_F(LatelyUsed, OfAnotherNetworkOrAddressIsAnotherOne) {
  lately_.note(add(segment(client, server, 5)));
  EXPECT_EQ(lately_.find(segment(client, server)), nullptr);
  EXPECT_EQ(lately_.find(segment(client, server, 6)), nullptr);
  EXPECT_EQ(lately_.find(segment(other_client, server, 5)), nullptr);
  EXPECT_EQ(lately_.find(segment(server, other_client, 5)), nullptr);
  EXPECT_EQ(lately_.find(segment(client, client, 5)), nullptr);
}

TEST_F(LatelyUsed, OfTwoThatShareASlotTheLaterIsFound) {
  ConnectionPlaces::Place& first = add(segment(client, server));
  ConnectionPlaces::Place& second = add(segment(other_client, server));
  lately_.note(first);
  lately_.note(second);
  EXPECT_EQ(lately_.find(segment(client, server)), nullptr);
  EXPECT_EQ(lately_.find(segment(other_client, server)), &second);
  lately_.forget(first);  // its slot is the other's
  EXPECT_EQ(lately_.find(segment(other_client, server)), &second);
  lately_.forget(second);
  EXPECT_EQ(lately_.find(segment(other_client, server)), nullptr);
}

}  // namespace
}  // namespace iwarp::test
