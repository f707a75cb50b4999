// SPDX-License-Identifier: GPL-2.0-or-later
#include "program/host_names.hpp"

#include <arpa/inet.h>

#include <algorithm>
#include <optional>

namespace iwarp::program {
namespace {

std::optional<IpAddress> address_of(const std::string& text) {
  IpAddress address;
  if (inet_pton(AF_INET, text.c_str(), address.octets.data()) == 1) return address;
  address.version = 6;
  if (inet_pton(AF_INET6, text.c_str(), address.octets.data()) == 1) return address;
  return std::nullopt;
}

}  // namespace

std::string add_host(const std::string& word, HostNames& hosts) {
  const std::size_t name_end = word.find('=');
  if (name_end == 0 || name_end == std::string::npos) {
    return "--host: \"" + word +
           "\" names no host: write NAME=ADDRESS, and further addresses of it behind commas, for example "
           "target=192.0.2.1,2001:db8::1";
  }
  for (std::size_t begin = name_end + 1; begin <= word.size();) {
    const std::size_t end = std::min(word.find(',', begin), word.size());
    const std::string each = word.substr(begin, end - begin);
    const auto address = address_of(each);
    if (!address) return "--host: \"" + each + "\" is no IP address";
    hosts[*address] = word.substr(0, name_end);
    begin = end + 1;
  }
  return {};
}

}  // namespace iwarp::program
