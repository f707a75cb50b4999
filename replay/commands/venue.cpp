// SPDX-License-Identifier: GPL-2.0-or-later
#include "commands/venue.hpp"

#include <algorithm>
#include <system_error>

#include "engine/in_memory.hpp"
#include "transport/socket_network.hpp"

namespace iwarp::replay {
namespace {

SocketOptions sockets_for(const Options& options, const VenueNeeds& needs, CapturePoint& point) {
  SocketOptions sockets;
  sockets.max_segment = options.max_segment;
  if (needs.short_segments && sockets.max_segment == 0) sockets.max_segment = ethernet_segment;
  // Who gives an address means another machine.
  sockets.any_address = options.as.has_value();
  sockets.source = options.source;
  sockets.record_opened = &point;
  if (options.as == Role::responder) {
    sockets.record_opened = nullptr;
    sockets.record_accepted = &point;
    sockets.keep_listening = true;
  }
  // Beside the streams, what waits at the reception.
  sockets.max_connections = 4 * needs.connections + 512;
  return sockets;
}

class Sockets final : public Venue {
 public:
  Sockets(const Options& options, const std::map<std::uint32_t, Endpoint>& peers,
          const SocketOptions& sockets)
      : options_(options), peers_(peers), network_(sockets) {}

  Network& clock() override { return network_; }
  TimeNs epoch() const override { return network_.epoch(); }
  Placement placement() override {
    Placement placement;
    placement.network = [this](std::uint32_t) -> Network& { return network_; };
    IpAddress loopback;
    loopback.octets = {127, 0, 0, 1};
    const Endpoint at = options_.listen_at.value_or(Endpoint{loopback, 0});
    placement.listen_at = [at](std::uint32_t) { return at; };
    if (options_.as) {
      placement.plays = {options_.as == Role::initiator, options_.as == Role::responder};
      if (!peers_.empty()) placement.peer_of = [this](std::uint32_t stream) { return peers_.at(stream); };
    }
    return placement;
  }
  void pass_time(Replay& replay, TimeNs deadline) override {
    (void)network_.wait(std::min(replay.next_due(), deadline));
  }
  void pass_the_rest(Replay& /*replay*/) override {}

 private:
  const Options& options_;
  const std::map<std::uint32_t, Endpoint>& peers_;
  SocketNetwork network_;
};

class Memory final : public Venue {
 public:
  Memory(const Plan& plan, const SimulatedOptions& simulated, CapturePoint& point)
      : plan_(plan), network_(simulated), clock_(clock_of(network_, plan)) {
    network_.capture_in_the_middle(point);
  }

  Network& clock() override { return clock_; }
  TimeNs epoch() const override { return plan_.start_ns; }
  Placement placement() override { return placed_in(network_, plan_); }
  void pass_time(Replay& replay, TimeNs deadline) override { replay::pass_time(clock(), replay, deadline); }
  void pass_the_rest(Replay& replay) override { replay::pass_the_rest(clock(), replay); }

 private:
  const Plan& plan_;
  SimulatedNetwork network_;
  Network& clock_;
};

}  // namespace

std::unique_ptr<Venue> open_venue(const Options& options, const Plan& plan, const VenueNeeds& needs,
                                  CapturePoint& point, std::string& error) {
  if (options.in_memory) {
    SimulatedOptions simulated;
    simulated.seed = options.replay.seed;
    simulated.tcp.max_segment = options.max_segment;
    simulated.faults.rules = options.faults;
    simulated.max_connections = std::max(simulated.max_connections, 4 * needs.connections + 64);
    return std::make_unique<Memory>(plan, simulated, point);
  }
  try {
    return std::make_unique<Sockets>(options, needs.peers, sockets_for(options, needs, point));
  } catch (const std::system_error& failure) {
    error = failure.what();
    return nullptr;
  }
}

}  // namespace iwarp::replay
