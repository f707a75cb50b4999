// A network of this process' own, with nothing but loopback: its packets are those of the test.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <gtest/gtest.h>
#include <netinet/in.h>

#include <cstdint>
#include <string>

namespace iwarp::test {

// Enters it, once, by root's rights or in a user namespace. Nothing, or why it cannot be had.
[[nodiscard]] std::string enter_own_network();

// Packets that came over loopback since it is there; super-frames as one.
[[nodiscard]] std::uint64_t packets_on_loopback();
void set_loopback_mtu(int octets);

class OwnNetworkTest : public testing::Test {
 protected:
  void SetUp() override {
    if (const std::string why_not = enter_own_network(); !why_not.empty()) GTEST_SKIP() << why_not;
    set_loopback_mtu(65'536);
  }
};

// Datagrams from one socket to another, over loopback.
class Datagrams {
 public:
  Datagrams();
  ~Datagrams();
  Datagrams(const Datagrams&) = delete;
  Datagrams& operator=(const Datagrams&) = delete;
  void send(std::size_t count, std::size_t octets);

 private:
  int from_;
  int to_;
  sockaddr_in address_{};
};

}  // namespace iwarp::test
