// Who waits at a port, and who gives way.
// SPDX-License-Identifier: GPL-2.0-or-later
#include <gtest/gtest.h>

#include <deque>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "engine/reception.hpp"
#include "support/octets.hpp"

namespace iwarp::replay {
namespace {

// Of a peer at that port, which says these octets at once and nothing more.
class Peer final : public Transport {
 public:
  Peer(std::uint16_t port, Bytes octets) : octets_(std::move(octets)) { peer_.port = port; }

  std::size_t send(ByteView octets) override { return octets.size(); }
  Received receive() override {
    switch (calls_++) {
      case 0: return {.arrival = Arrival::established, .max_segment = 1448};
      case 1:
        if (!octets_.empty()) return {.arrival = Arrival::octets, .octets = octets_};
        [[fallthrough]];
      default: return {};
    }
  }
  void close(Close) override {}

 private:
  Bytes octets_;
  int calls_ = 0;
};

class Door final : public Listener {
 public:
  void knock(std::uint16_t port, const Bytes& octets) {
    peers_.push_back(std::make_unique<Peer>(port, octets));
  }

  std::unique_ptr<Transport> accept() override {
    if (peers_.empty()) return nullptr;
    auto peer = std::move(peers_.front());
    peers_.pop_front();
    return peer;
  }
  Endpoint local() const override { return {}; }

 private:
  std::deque<std::unique_ptr<Transport>> peers_;
};

std::vector<unsigned> ports_taken(Reception& reception) {
  std::vector<unsigned> ports;
  while (const auto transport = reception.next(0)) ports.push_back(transport->peer().port);
  return ports;
}

const Bytes silence;
const Bytes request = test::request_frame();

TEST(ReceptionOf, ThoseThatAskAreServedInTurn) {
  Door door;
  Reception reception(door, {});
  door.knock(1, silence);
  door.knock(2, request);
  door.knock(3, request);
  EXPECT_EQ(ports_taken(reception), (std::vector<unsigned>{2, 3}));
}

// All come at once: who asks was not listened to before the next ones came.
TEST(ReceptionOf, WhoAsksGivesWayToNobody) {
  Door door;
  Reception reception(door, {.most = 4});
  door.knock(1, request);
  for (std::uint16_t port = 2; port < 20; ++port) door.knock(port, port == 10 ? request : silence);
  EXPECT_EQ(ports_taken(reception), (std::vector<unsigned>{1, 10}));
  const std::vector<std::string> said = reception.turned_away();
  ASSERT_FALSE(said.empty());
  EXPECT_NE(said.back().find("because too many waited"), std::string::npos) << said.back();
}

TEST(ReceptionOf, OfTooManyThatAskTheLastGiveWay) {
  Door door;
  Reception reception(door, {.most = 3});
  for (std::uint16_t port = 1; port < 10; ++port) door.knock(port, request);
  EXPECT_EQ(ports_taken(reception), (std::vector<unsigned>{1, 2, 3}));
}

}  // namespace
}  // namespace iwarp::replay
