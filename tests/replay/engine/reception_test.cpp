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
class FakePeer final : public Transport {
 public:
  FakePeer(std::uint16_t port, Bytes octets) : octets_(std::move(octets)) { peer_.port = port; }

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

class FakeListener final : public Listener {
 public:
  void knock(std::uint16_t port, const Bytes& octets) {
    peers_.push_back(std::make_unique<FakePeer>(port, octets));
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

std::vector<unsigned> ports_of_taken(Reception& reception) {
  std::vector<unsigned> ports;
  while (const auto transport = reception.next(0)) ports.push_back(transport->peer().port);
  return ports;
}

const Bytes nothing_said;
const Bytes mpa_request = test::request_frame();

TEST(ReceptionOf, ThoseThatAskAreServedInTurn) {
  FakeListener listener;
  Reception reception(listener, {});
  listener.knock(1, nothing_said);
  listener.knock(2, mpa_request);
  listener.knock(3, mpa_request);
  EXPECT_EQ(ports_of_taken(reception), (std::vector<unsigned>{2, 3}));
}

// All come at once: who asks was not listened to before the next ones came.
TEST(ReceptionOf, WhoAsksGivesWayToNobody) {
  FakeListener listener;
  Reception reception(listener, {.most = 4});
  listener.knock(1, mpa_request);
  for (std::uint16_t port = 2; port < 20; ++port)
    listener.knock(port, port == 10 ? mpa_request : nothing_said);
  EXPECT_EQ(ports_of_taken(reception), (std::vector<unsigned>{1, 10}));
  const std::vector<std::string> said = reception.turned_away();
  ASSERT_FALSE(said.empty());
  EXPECT_NE(said.back().find("because too many waited"), std::string::npos) << said.back();
}

TEST(ReceptionOf, OfTooManyThatAskTheLastGiveWay) {
  FakeListener listener;
  Reception reception(listener, {.most = 3});
  for (std::uint16_t port = 1; port < 10; ++port) listener.knock(port, mpa_request);
  EXPECT_EQ(ports_of_taken(reception), (std::vector<unsigned>{1, 2, 3}));
}

}  // namespace
}  // namespace iwarp::replay
