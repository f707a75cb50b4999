// What is asked of libpcap before packets come, as far as nobody needs a right for it.
// SPDX-License-Identifier: GPL-2.0-or-later
#include "live_device.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

namespace iwarp::test {
namespace {

using namespace iwarp::capture;

PcapDevice dead(int data_link) {
  return PcapDevice(pcap_open_dead(data_link, 262'144));
}

// A compiled filter cannot be put on a capture that is not live: libpcap's sentence about that shows that it
// compiled.
std::string said_of(const PcapDevice& device, const std::string& filter) {
  std::string error;
  const bool set = set_filter(device.get(), filter, error);
  EXPECT_EQ(set, error.empty());
  return error;
}

TEST(LiveDevice, FiltersAreCompiled) {
  const PcapDevice ethernet = dead(DLT_EN10MB);
  EXPECT_EQ(said_of(ethernet, ""), "");
  for (const char* const wrong : {"tcp prt 5", "tcp) or (udp", "port 70000", "host"}) {
    EXPECT_THAT(said_of(ethernet, wrong),
                testing::StartsWith("the capture filter \"" + std::string(wrong) + "\" cannot be used: "))
        << wrong;
  }
  EXPECT_THAT(said_of(ethernet, "tcp prt 5"), testing::HasSubstr("syntax error"));
  EXPECT_THAT(said_of(ethernet, "port 70000"), testing::HasSubstr("70000"));
  for (const char* const right : {"tcp", "tcp port 4420 or tcp port 20049", "vlan and tcp"}) {
    EXPECT_THAT(said_of(ethernet, right), testing::Not(testing::HasSubstr("syntax error"))) << right;
  }
}

TEST(LiveDevice, LinkTypesAreThoseOfFiles) {
  EXPECT_EQ(link_type_of(DLT_EN10MB), link_type::ethernet);
  EXPECT_EQ(link_type_of(DLT_LINUX_SLL), link_type::linux_sll);
  EXPECT_EQ(link_type_of(DLT_LINUX_SLL2), link_type::linux_sll2);
  EXPECT_EQ(link_type_of(DLT_RAW), link_type::raw);
  EXPECT_EQ(link_type_of(DLT_NULL), link_type::null);
}

TEST(LiveDevice, InterfacesAreListedWithoutRights) {
  const auto names = capture_interfaces();
  EXPECT_THAT(names, testing::IsSupersetOf({"lo", "any"}));
  EXPECT_THAT(names, testing::Not(testing::Contains("nflog")));
}

TEST(LiveDevice, AnInterfaceThatIsNotThereIsToldWithThoseThatAre) {
  for (const char* const name :
       {"iwarp-none0", "an interface with a name that is longer than any", "nflog"}) {
    std::string error;
    EXPECT_EQ(LiveCapture::open({.interface = name}, error), nullptr);
    EXPECT_THAT(error, testing::StartsWith(std::string(name) + ": there is no such interface; there are "));
    EXPECT_THAT(error, testing::HasSubstr("lo"));
  }
}

}  // namespace
}  // namespace iwarp::test
