// SimulatedNetwork: any number of hosts in memory, in virtual time, with TCP between them and a fault
// injector in their midst. The same seed and the same calls give the same packets at the same nanoseconds.
//
//   SimulatedNetwork network({.seed = 7, .faults = {.rules = {{.fault = Fault::loss, .probability = 0.1}}}});
//   Network& one = network.host(address_of_one);
//   Network& two = network.host(address_of_two);
//   const auto listener = two.listen({address_of_two, 4420});
//   const auto transport = one.connect(listener->local());
//   while (one.wait(deadline)) …                     // moves the clock of all hosts
//
// A link into the network per host, a delay through it. No routers, no ICMP: what is sent to nobody is lost.
// Outlives all that was made with it. Where a peer never reads, TCP probes its window for ever: wait() with a
// deadline.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "transport/fault_injector.hpp"
#include "transport/network.hpp"
#include "transport/pcap_sink.hpp"
#include "transport/tcp_connection.hpp"

namespace iwarp::replay {

struct SimulatedOptions {
  std::uint64_t seed = 1;
  TcpOptions tcp = {};  // of all hosts; max_segment and the like of one: host()
  FaultOptions faults = {};
  TimeNs start = 0;                                 // now() at the beginning
  std::uint64_t bits_per_second = 10'000'000'000;   // of each host's link; 0: endless
  std::size_t max_packets = std::size_t{1} << 18U;  // on their way at once; others are lost
  std::size_t max_connections = 65536;              // ends of connections
  std::size_t backlog = 4096;                       // of a listener; further SYNs are lost
};

class SimulatedNetwork {
 public:
  explicit SimulatedNetwork(const SimulatedOptions& options = {});
  ~SimulatedNetwork();
  SimulatedNetwork(const SimulatedNetwork&) = delete;
  SimulatedNetwork& operator=(const SimulatedNetwork&) = delete;

  // The host that has this address; made by the first call. now() and wait() are the same for all of them,
  // ready() tells of this one's transports.
  [[nodiscard]] Network& host(const IpAddress& address);
  // The same, and its connections from now on have these options.
  Network& host(const IpAddress& address, const TcpOptions& options);

  // Sees what this host sends, before any fault, and what reaches it.
  void capture_at(const IpAddress& host, CapturePoint& point);
  // Sees packets half-way, behind all faults.
  void capture_in_the_middle(CapturePoint& point);

  [[nodiscard]] const FaultInjector& faults() const noexcept;
  [[nodiscard]] std::uint64_t packets_dropped()
      const noexcept;                                      // for max_packets, backlog, or an unknown host
  [[nodiscard]] std::size_t connections() const noexcept;  // ends that are not over

 private:
  class Core;
  std::unique_ptr<Core> core_;
};

}  // namespace iwarp::replay
