// Endpoints as the socket interface knows them.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <sys/socket.h>

#include <iwarp/segment.hpp>

namespace iwarp::replay {

struct SocketAddress {
  sockaddr_storage storage{};
  socklen_t size = sizeof(sockaddr_storage);

  SocketAddress() = default;
  explicit SocketAddress(const Endpoint& endpoint);
  [[nodiscard]] sockaddr* get() noexcept { return reinterpret_cast<sockaddr*>(&storage); }
  [[nodiscard]] Endpoint endpoint() const;
};

// 127.0.0.0/8 (RFC 1122 §3.2.1.3), ::1 (RFC 4291 §2.5.3), or the former as an IPv4-mapped address.
[[nodiscard]] bool is_loopback(const IpAddress& address) noexcept;

}  // namespace iwarp::replay
