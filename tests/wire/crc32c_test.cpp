// CRC32c: the fast choice and the table against the definition, and both against each other.
// SPDX-License-Identifier: GPL-2.0-or-later
#include <iwarp/wire/crc32c.hpp>

#include <gtest/gtest.h>

#include <array>
#include <cstdint>

#include "support/octets.hpp"

namespace iwarp::wire {
namespace {

using test::bitwise_crc32c;
using test::pattern;
using test::text;
using test::zeros;

ByteView tail(const Bytes& octets, std::size_t from) {
  return ByteView(octets).subspan(from);
}

TEST(Crc32cTest, GivesPublishedValues) {
  EXPECT_EQ(crc32c(text("123456789")), 0xE3069283U);
  EXPECT_EQ(crc32c({}), 0U);
  // RFC 3720 appendix B.4, register values.
  EXPECT_EQ(crc32c(zeros(32)), 0x8A9136AAU);
  EXPECT_EQ(crc32c(Bytes(32, 0xff)), 0x62A8AB43U);
  Bytes ascending;
  for (unsigned i = 0; i < 32; ++i) ascending.push_back(static_cast<Byte>(i));
  EXPECT_EQ(crc32c(ascending), 0x46DD794EU);
}

TEST(Crc32cTest, MatchesDefinitionAtEveryLengthAndAlignment) {
  const Bytes octets = pattern(300 + 64);
  for (std::size_t alignment = 0; alignment < 64; ++alignment) {
    std::uint32_t expected = 0;
    for (std::size_t length = 0; length <= 300; ++length) {
      const ByteView view = ByteView(octets).subspan(alignment, length);
      if (length != 0) expected = bitwise_crc32c(view.last(1), expected);
      ASSERT_EQ(crc32c(view), expected) << length << " octets at " << alignment;
      ASSERT_EQ(crc32c_portable(view), expected) << length << " octets at " << alignment;
    }
  }
}

TEST(Crc32cTest, ContinuesFromEverySplit) {
  const Bytes octets = pattern(700, 1);
  const std::uint32_t whole = bitwise_crc32c(octets);
  for (std::size_t split = 0; split <= octets.size(); ++split) {
    const ByteView first = ByteView(octets).first(split);
    ASSERT_EQ(crc32c(tail(octets, split), crc32c(first)), whole) << split;
    ASSERT_EQ(crc32c_portable(tail(octets, split), crc32c_portable(first)), whole) << split;
  }
}

TEST(Crc32cTest, ContinuesOverManyPieces) {
  const Bytes octets = pattern(20000, 2);
  const std::uint32_t whole = bitwise_crc32c(octets);
  for (const std::size_t piece : {1U, 3U, 4U, 7U, 508U, 512U, 1448U, 6143U, 6144U, 6145U}) {
    std::uint32_t value = 0;
    for (std::size_t at = 0; at < octets.size(); at += piece) {
      value = crc32c(tail(octets, at).first(std::min(piece, octets.size() - at)), value);
    }
    ASSERT_EQ(value, whole) << piece;
  }
}

// Lengths around every way in which the fast path may cut its input.
TEST(Crc32cTest, FastAgreesWithPortableOnLongInputs) {
  const Bytes octets = pattern(64 * 1024 + 64, 3);
  std::uint32_t step = 1;
  for (std::size_t length = 300; length + 7 < octets.size(); length += step) {
    step = step % 97 + 1;
    const ByteView view = ByteView(octets).subspan(length % 7, length);
    const auto previous = static_cast<std::uint32_t>(length * 0x9E3779B9U);
    ASSERT_EQ(crc32c(view, previous), crc32c_portable(view, previous)) << length;
  }
}

// Both ends of the window that is left out and of the one that is asked for, around each octet of the length.
TEST(Crc32cTest, OfTheLastOctetsFollowsFromThatOfAll) {
  const Bytes octets = pattern(70000, 4);
  for (const std::size_t before : {0U, 1U, 7U, 255U, 256U, 4000U}) {
    for (const std::size_t length :
         {0U, 1U, 3U, 4U, 5U, 8U, 255U, 256U, 257U, 1448U, 65535U, 65536U, 65800U}) {
      const ByteView all = ByteView(octets).first(before + length);
      const std::uint32_t told =
          crc32c_of_last(crc32c(all), crc32c(all.first(before)), static_cast<std::uint32_t>(length));
      ASSERT_EQ(told, crc32c_portable(all.subspan(before))) << before << " + " << length;
    }
  }
}

}  // namespace
}  // namespace iwarp::wire
