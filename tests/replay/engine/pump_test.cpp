// What the pump does with a transport that takes nothing.
// SPDX-License-Identifier: GPL-2.0-or-later
#include "engine/pump.hpp"

#include <gtest/gtest.h>

#include <optional>

namespace iwarp::replay {
namespace {

// A connection that is there, to a peer whose window is closed.
class Blocked final : public Transport {
 public:
  explicit Blocked(std::optional<Close>& closed) : closed_(closed) {}
  std::size_t send(ByteView /*octets*/) override { return 0; }
  Received receive() override {
    if (std::exchange(established_, true)) return {};
    return {Arrival::established, {}, 1460};
  }
  void close(Close how) override { closed_ = how; }

 private:
  std::optional<Close>& closed_;
  bool established_ = false;
};

class Initiator final : public LinkUser {
 public:
  void on_established(Link& link, std::size_t max_segment) override {
    rnic::StreamParameters parameters;
    parameters.role = Role::initiator;
    parameters.emss = static_cast<std::uint32_t>(max_segment);
    stream = rnic.open_stream(parameters, 0);
    link.start(rnic, stream);
  }
  void on_activity(Link& /*link*/) override {}
  void on_peer_closed(Link& /*link*/) override {}
  void on_over(Link& /*link*/) override { over = true; }

  rnic::SoftRnic rnic{{.seed = 1}};
  rnic::StreamId stream = rnic::StreamId::none;
  bool over = false;
};

TEST(PumpTest, AResetDoesNotWaitBehindOctetsThatThePeerDoesNotTake) {
  for (const bool gracefully : {true, false}) {
    std::optional<Close> closed;
    Initiator user;
    Pump pump;
    Link& link = pump.add(std::make_unique<Blocked>(closed), user);
    pump.run(0);
    ASSERT_NE(user.stream, rnic::StreamId::none);
    pump.touch(link);
    pump.run(0);
    ASSERT_FALSE(link.flushed()) << "the Request waits";
    user.rnic.stream(user.stream)->close(gracefully, 1);
    pump.touch(link);
    pump.run(1);
    EXPECT_EQ(link.reset_sent(), !gracefully);
    EXPECT_EQ(user.over, !gracefully);
    EXPECT_EQ(closed, gracefully ? std::nullopt : std::optional(Close::reset)) << "a FIN waits";
  }
}

}  // namespace
}  // namespace iwarp::replay
