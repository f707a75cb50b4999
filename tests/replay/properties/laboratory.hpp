// Two soft-RNICs with several Queue Pairs between them, over TCP in virtual time through a bad network. The
// same seed gives the same octets at the same nanoseconds.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <array>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "replay/properties/program.hpp"
#include "transport/simulated_network.hpp"

namespace iwarp::rnic::test {

inline constexpr TimeNs second = 1'000'000'000;

// One end of a TCP connection: moves octets between it and the RNIC.
struct Link {
  std::unique_ptr<replay::Transport> transport;
  StreamParameters parameters;
  QpChange change;     // to RTS
  bool early = false;  // the QP comes to RTS before the peer's start-up frame
  bool established = false;
  bool over = false;  // nothing more comes or goes
  bool mute = false;  // what the RNIC says waits
  bool due = false;   // the RNIC may have something to say: it was called since it said no more
  Bytes unsent;
};

struct Host {
  Host(const RnicOptions& options, replay::Network& net, Dice& dice);

  SoftRnic rnic;
  replay::Network& network;
  PdId pd;
  ReceivePool pool;
  CqId shared_cq = CqId::none;
  SrqId srq = SrqId::none;
};

struct Pair {
  std::array<std::unique_ptr<Side>, 2> sides;
  std::array<Link, 2> links;
  std::array<bool, 2> reads = {true, true};  // ORD allows them
  bool hurt = false;                         // an error was made on purpose
};

struct LaboratoryOptions {
  std::uint32_t pairs = 1;
  // Changes what the dice gave.
  std::function<void(QpAttributes&)> attributes = [](QpAttributes&) {};
  std::function<void(replay::SimulatedOptions&)> network = [](replay::SimulatedOptions&) {};  // likewise
  bool bad_network = true;
  bool own_queues = false;  // no S-RQ, no hold-off, a CQ for each queue
  bool plain = false;       // rev 1 with CRC on the wire
};

[[nodiscard]] IpAddress address_of_host(unsigned which);

class Laboratory {
 public:
  Laboratory(std::uint64_t seed, const LaboratoryOptions& options);

  // Opens a connection for a pair whose QPs are in Idle.
  void connect(Pair& pair);
  void new_round();
  // Random work for both directions of a pair, closed by a Send each.
  void make_work(Pair& pair);
  // Until `done`. False: nothing happens any more, or it takes too long.
  [[nodiscard]] bool run(const std::function<bool()>& done);
  [[nodiscard]] bool run_to_the_end();  // of all work of pairs that are not hurt
  // A verb was called that may make the QP say something.
  void call(const Side& side);
  Status modify(Side& side, const QpChange& change);
  // Reaps, posts, moves octets once.
  void act(bool eager);

  [[nodiscard]] TimeNs now() const { return hosts[0]->network.now(); }
  [[nodiscard]] std::string state_of_things() const;

  Dice dice;
  LaboratoryOptions options;
  replay::SimulatedNetwork network;
  std::array<std::unique_ptr<Host>, 2> hosts;
  std::vector<std::unique_ptr<Pair>> pairs;
  std::uint64_t octets = 0;
  std::array<std::vector<AsyncEventKind>, 2> host_events;  // of CQs and S-RQs

 private:
  void add_pair();
  void service(Host& host, Side& side, Link& link);
  void receive(Host& host, Side& side, Link& link);
  void send(Host& host, Side& side, Link& link);
  void reap(unsigned which);
  void post(Host& host, Side& side, bool eager);
};

// What a healthy round must have come to.
void check_round(Pair& pair);
// A completion of a message that came as it was sent.
void check_receipt(const Side& side, const WorkCompletion& completion, const Receipt& expected);

}  // namespace iwarp::rnic::test
