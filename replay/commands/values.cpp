// Durations and addresses.
// SPDX-License-Identifier: GPL-2.0-or-later
#include <netdb.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>
#include <memory>

#include "commands/options.hpp"
#include "transport/socket_address.hpp"

namespace iwarp::replay {

std::optional<TimeNs> parse_duration(const std::string& text) {
  static const std::map<std::string, double> units = {{"", 1e9},   {"s", 1e9},  {"ms", 1e6},  {"us", 1e3},
                                                      {"ns", 1e0}, {"m", 60e9}, {"h", 3600e9}};
  if (text.empty() || text[0] < '0' || text[0] > '9') return std::nullopt;
  char* end = nullptr;
  const double number = std::strtod(text.c_str(), &end);
  const auto unit = units.find(end);
  if (unit == units.end() || !std::isfinite(number)) return std::nullopt;
  const double nanoseconds = number * unit->second;
  if (nanoseconds < 0 || nanoseconds > 9e18) return std::nullopt;
  return static_cast<TimeNs>(nanoseconds);
}

std::optional<Endpoint> parse_endpoint(const std::string& text, std::string& error, EndpointUse use) {
  const std::size_t colon = text.rfind(':');
  std::string host = text.substr(0, colon == std::string::npos ? 0 : colon);
  if (host.size() > 2 && host.front() == '[' && host.back() == ']') host = host.substr(1, host.size() - 2);
  if (host.empty() || colon + 1 == text.size()) {
    error = "'" + text + "' is no HOST:PORT, such as 192.0.2.7:4420 or [2001:db8::7]:4420";
    return std::nullopt;
  }
  // getaddrinfo() takes the low 16 bits of any number.
  const std::string port = text.substr(colon + 1);
  const std::uint16_t least = use == EndpointUse::listen ? 0 : 1;
  std::uint16_t number = 0;
  const auto parsed = std::from_chars(port.data(), port.data() + port.size(), number);
  if (parsed.ec != std::errc() || parsed.ptr != port.data() + port.size() || number < least) {
    error =
        "'" + text + "': a port is a number from " + std::to_string(least) + " to 65535, not '" + port + "'";
    return std::nullopt;
  }
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  const int failure = ::getaddrinfo(host.c_str(), port.c_str(), &hints, &found);
  if (failure != 0) {
    error = "'" + text + "': " + ::gai_strerror(failure);
    return std::nullopt;
  }
  const std::unique_ptr<addrinfo, void (*)(addrinfo*)> owner(found, ::freeaddrinfo);
  SocketAddress address;
  address.size = found->ai_addrlen;
  std::copy_n(reinterpret_cast<const char*>(found->ai_addr), found->ai_addrlen,
              reinterpret_cast<char*>(&address.storage));
  return address.endpoint();
}

}  // namespace iwarp::replay
