// SPDX-License-Identifier: GPL-2.0-or-later
#include "transport/socket_address.hpp"

#include <netinet/in.h>

#include <algorithm>
#include <cstring>

namespace iwarp::replay {

SocketAddress::SocketAddress(const Endpoint& endpoint) {
  const Byte* const octets = endpoint.address.octets.data();
  if (endpoint.address.version == 4) {
    sockaddr_in in{};
    in.sin_family = AF_INET;
    in.sin_port = htons(endpoint.port);
    std::memcpy(&in.sin_addr, octets, 4);
    std::memcpy(&storage, &in, sizeof in);
    size = sizeof in;
  } else {
    sockaddr_in6 in{};
    in.sin6_family = AF_INET6;
    in.sin6_port = htons(endpoint.port);
    std::memcpy(&in.sin6_addr, octets, 16);
    std::memcpy(&storage, &in, sizeof in);
    size = sizeof in;
  }
}

Endpoint SocketAddress::endpoint() const {
  Endpoint result;
  if (storage.ss_family == AF_INET) {
    sockaddr_in in{};
    std::memcpy(&in, &storage, sizeof in);
    std::memcpy(result.address.octets.data(), &in.sin_addr, 4);
    result.port = ntohs(in.sin_port);
  } else if (storage.ss_family == AF_INET6) {
    sockaddr_in6 in{};
    std::memcpy(&in, &storage, sizeof in);
    result.address.version = 6;
    std::memcpy(result.address.octets.data(), &in.sin6_addr, 16);
    result.port = ntohs(in.sin6_port);
  }
  return result;
}

bool is_loopback(const IpAddress& address) noexcept {
  const auto& octets = address.octets;
  if (address.version == 4) return octets[0] == 127;
  static constexpr Byte one[16] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1};
  static constexpr Byte mapped[13] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 127};
  return std::equal(octets.begin(), octets.end(), one) || std::equal(mapped, mapped + 13, octets.begin());
}

}  // namespace iwarp::replay
