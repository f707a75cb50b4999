// SPDX-License-Identifier: GPL-2.0-or-later
#include "live/own_network.hpp"

#include <arpa/inet.h>
#include <net/if.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <vector>

namespace iwarp::test {
namespace {

bool write_file(const char* path, const std::string& text) {
  std::ofstream file(path);
  file << text;
  file.flush();
  return file.good();
}

// A user namespace gives all rights over what is made in it.
bool unshare_network() {
  if (::unshare(CLONE_NEWNET) == 0) return true;
  const std::string user = std::to_string(::geteuid());
  const std::string group = std::to_string(::getegid());
  return ::unshare(CLONE_NEWUSER | CLONE_NEWNET) == 0 &&
         write_file("/proc/self/uid_map", "0 " + user + " 1") && write_file("/proc/self/setgroups", "deny") &&
         write_file("/proc/self/gid_map", "0 " + group + " 1");
}

template <typename Change>
bool change_loopback(unsigned long get, unsigned long set, const Change& change) {
  const int any = ::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  ifreq request{};
  std::strcpy(request.ifr_name, "lo");
  bool done = ::ioctl(any, get, &request) == 0;
  change(request);
  done = done && ::ioctl(any, set, &request) == 0;
  ::close(any);
  return done;
}

std::string enter() {
  if (!unshare_network()) {
    return std::string("no network of its own can be had for the test: ") + std::strerror(errno) +
           " (neither root nor user namespaces)";
  }
  const bool up = change_loopback(SIOCGIFFLAGS, SIOCSIFFLAGS, [](ifreq& request) {
    request.ifr_flags = static_cast<short>(request.ifr_flags | IFF_UP);
  });
  return up ? "" : "loopback cannot be brought up";
}

}  // namespace

std::string enter_own_network() {
  static const std::string why_not = enter();
  return why_not;
}

std::uint64_t packets_on_loopback() {
  std::ifstream devices("/proc/self/net/dev");
  for (std::string word; devices >> word;) {
    std::uint64_t octets = 0;
    std::uint64_t packets = 0;
    if (word == "lo:" && devices >> octets >> packets) return packets;
  }
  ADD_FAILURE() << "/proc/net/dev does not tell of loopback";
  return 0;
}

void set_loopback_mtu(int octets) {
  EXPECT_TRUE(
      change_loopback(SIOCGIFMTU, SIOCSIFMTU, [octets](ifreq& request) { request.ifr_mtu = octets; }));
}

Datagrams::Datagrams()
    : from_(::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0)),
      to_(::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0)) {
  address_.sin_family = AF_INET;
  address_.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address_;
  EXPECT_EQ(::bind(to_, reinterpret_cast<sockaddr*>(&address_), size), 0);
  EXPECT_EQ(::getsockname(to_, reinterpret_cast<sockaddr*>(&address_), &size), 0);
}

Datagrams::~Datagrams() {
  ::close(from_);
  ::close(to_);
}

void Datagrams::send(std::size_t count, std::size_t octets) {
  const std::vector<char> datagram(octets, 'x');
  for (; count > 0; --count) {
    EXPECT_EQ(
        ::sendto(from_, datagram.data(), octets, 0, reinterpret_cast<sockaddr*>(&address_), sizeof address_),
        static_cast<ssize_t>(octets));
  }
}

}  // namespace iwarp::test
