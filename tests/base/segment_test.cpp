// Text of addresses, and the payload sum.
// SPDX-License-Identifier: GPL-2.0-or-later
#include <iwarp/segment.hpp>

#include <gtest/gtest.h>

#include <algorithm>

#include "support/octets.hpp"

namespace iwarp::test {
namespace {

IpAddress ipv4(const char* digits) {
  const Bytes octets = hex(digits);
  IpAddress address;
  std::copy(octets.begin(), octets.end(), address.octets.begin());
  return address;
}

IpAddress ipv6(const char* digits) {
  IpAddress address = ipv4(digits);
  address.version = 6;
  return address;
}

TEST(AddressText, Ipv4) {
  EXPECT_EQ(to_string(ipv4("c0000201")), "192.0.2.1");
  EXPECT_EQ(to_string(ipv4("00000000")), "0.0.0.0");
  EXPECT_EQ(to_string(Endpoint{ipv4("ffffffff"), 65535}), "255.255.255.255:65535");
}

// The rules and examples of RFC 5952 §4 and §5.
TEST(AddressText, Ipv6) {
  EXPECT_EQ(to_string(ipv6("20010db8 0000 0000 0000 0000 0000 0001")), "2001:db8::1");
  EXPECT_EQ(to_string(ipv6("20010db8 0000 0000 0000 0000 0002 0001")), "2001:db8::2:1");
  EXPECT_EQ(to_string(ipv6("20010db8 0000 0001 0001 0001 0001 0001")), "2001:db8:0:1:1:1:1:1");
  EXPECT_EQ(to_string(ipv6("2001 0000 0000 0001 0000 0000 0000 0001")), "2001:0:0:1::1");
  EXPECT_EQ(to_string(ipv6("20010db8 0000 0000 0001 0000 0000 0001")), "2001:db8::1:0:0:1");
  EXPECT_EQ(to_string(ipv6("2001 0db8 aaaa bbbb cccc dddd eeee 0aAa")),
            "2001:db8:aaaa:bbbb:cccc:dddd:eeee:aaa");
  EXPECT_EQ(to_string(ipv6("16*00")), "::");
  EXPECT_EQ(to_string(ipv6("15*00 01")), "::1");
  EXPECT_EQ(to_string(ipv6("fe80 14*00")), "fe80::");
  EXPECT_EQ(to_string(ipv6("10*00 ffff c0000201")), "::ffff:192.0.2.1");
  EXPECT_EQ(to_string(Endpoint{ipv6("20010db8 11*00 01"), 4420}), "[2001:db8::1]:4420");
}

std::uint64_t sum_by_definition(ByteView octets) {
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < octets.size(); ++i)
    sum += i % 2 == 0 ? octets[i] : octets[i] * std::uint64_t{256};
  return sum;
}

TEST(PayloadSum, OfFewOctets) {
  EXPECT_EQ(payload_sum({}), 0U);
  EXPECT_EQ(payload_sum(hex("ff")), 0xffU);
  EXPECT_EQ(payload_sum(hex("0102")), 0x0201U);
  EXPECT_EQ(payload_sum(hex("0102 ffff 03")), 0x0201U + 0xffffU + 0x03U);
}

TEST(PayloadSum, IsItsDefinitionForEveryLengthAndAlignment) {
  const Bytes octets = pattern(400);
  for (std::size_t start = 0; start < 17; ++start) {
    for (std::size_t length = 0; length + start <= octets.size(); ++length) {
      const ByteView view = ByteView(octets).subspan(start, length);
      ASSERT_EQ(payload_sum(view), sum_by_definition(view)) << start << ' ' << length;
    }
  }
}

TEST(PayloadSum, DoesNotOverflow) {
  const Bytes octets(5'000'001, 0xff);
  EXPECT_EQ(payload_sum(octets), 2'500'000 * std::uint64_t{0xffff} + 0xff);
}

TEST(PayloadSum, IsTheSumOfEvenParts) {
  const Bytes octets = pattern(1001);
  const ByteView view(octets);
  for (std::size_t split = 0; split < octets.size(); split += 2) {
    EXPECT_EQ(payload_sum(view), payload_sum(view.first(split)) + payload_sum(view.subspan(split)));
  }
}

}  // namespace
}  // namespace iwarp::test
