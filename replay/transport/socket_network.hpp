// SocketNetwork: TCP sockets of the operating system, none of which blocks, and the machine's steady clock.
//
// Loopback addresses only, unless `any_address` is set: a replay must not reach another machine by mistake.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>

#include "transport/network.hpp"
#include "transport/pcap_sink.hpp"

namespace iwarp::replay {

// On Ethernet, without jumbo frames. Into the long segments of 127.0.0.1 everything would fit (MPA-MULPDU).
inline constexpr std::uint16_t ethernet_segment = 1460;

struct SocketOptions {
  bool any_address = false;
  std::optional<IpAddress> source =
      std::nullopt;               // of connections that are opened; nothing: the kernel's choice
  std::uint16_t max_segment = 0;  // TCP_MAXSEG; 0: the kernel's choice
  // Where a call of send() ends, so does the kernel's segment (MSG_EOR), and what follows begins a new one.
  // Costs most of the throughput of calls that are much smaller than the kernel's super-segments.
  bool aligned = true;
  bool no_delay = true;                            // TCP_NODELAY
  TimeNs patience = 0;                             // TCP_USER_TIMEOUT; 0: the kernel's
  std::size_t max_connections = 4096;              // open at once; also raises the limit of open files
  std::size_t max_unsent = std::size_t{1} << 20U;  // octets of one send() that wait in front of a full socket
  // A listener's socket outlives it: connections that come while nobody listens wait for the next listener at
  // the same address. Those that their peers have closed or reset by then are dropped.
  bool keep_listening = false;
  // Record connections opened, or accepted, here. Outlive the network.
  CapturePoint* record_opened = nullptr;
  CapturePoint* record_accepted = nullptr;
};

class SocketNetwork final : public Network {
 public:
  // Throws std::system_error where the system has no epoll or timer to give.
  explicit SocketNetwork(const SocketOptions& options = {});
  ~SocketNetwork() override;

  [[nodiscard]] TimeNs now() const override;
  bool wait(TimeNs deadline) override;
  [[nodiscard]] Transport* ready() override;
  void ready_networks(std::vector<Network*>& out) override;
  [[nodiscard]] std::unique_ptr<Transport> connect(const Endpoint& peer) override;
  [[nodiscard]] std::unique_ptr<Listener> listen(const Endpoint& local) override;

  [[nodiscard]] std::size_t connections() const noexcept;

  // From now() to the time since the epoch, for captures.
  [[nodiscard]] TimeNs epoch() const noexcept;

 private:
  class Core;
  std::unique_ptr<Core> core_;
};

}  // namespace iwarp::replay
