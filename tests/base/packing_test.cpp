// Objects come out of the packer as they went in, in as few octets as their zeros allow.
// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/packing.hpp"

#include <limits>

#include <gtest/gtest.h>

namespace iwarp::base {
namespace {

enum class Colour : std::uint8_t {
  red,
  green,
  blue
};

struct Inner {
  std::int64_t time = 7;
  Colour colour = Colour::blue;
  std::optional<std::uint32_t> depth;

  bool operator==(const Inner&) const = default;

  template <typename Codec>
  void pack(Codec& codec) {
    auto& [a, b, c] = *this;
    codec(a, b, c);
  }
};

struct Outer {
  bool yes = true;
  std::vector<Inner> inners;
  std::uint16_t port = 1;  // behind one that is no number: it is packed before that
  std::array<std::uint64_t, 3> words{1, 1, 1};
  std::array<std::uint32_t, 100> many{};
  std::bitset<100> bits;
  Bytes octets;
  Fifo<Inner> waiting;
  OnDemand<Inner> rare;
  bool no = true;

  template <typename Codec>
  void pack(Codec& codec) {
    auto& [a, b, c, d, e, f, g, h, i, j] = *this;
    codec(a, b, c, d, e, f, g, h, i, j);
  }
};

TEST(Packing, WhatIsUnpackedIsWhatWasPacked) {
  Outer outer;
  outer.yes = true;
  outer.no = false;
  outer.inners = {{std::numeric_limits<std::int64_t>::min(), Colour::red, 0U},
                  {0, Colour::green, {}},
                  {-1, Colour::blue, 0xffff'ffffU}};
  outer.port = 0xff00;
  outer.words = {0, ~std::uint64_t{0}, 0x0100'0000'0000'0000U};
  outer.many[0] = 1;
  outer.many[99] = 0x8000'0000U;
  outer.bits.set(0).set(31).set(32).set(99);
  outer.octets = {0, 1, 2, 0};
  outer.waiting.push_back({1, Colour::green, {}});
  outer.waiting.push_back({2, Colour::red, 3U});
  outer.waiting.pop_front();
  outer.rare.edit().colour = Colour::red;

  Packer packer;
  packer(outer);
  ASSERT_TRUE(packer.fits());
  const auto octets = packer.octets();
  Outer again;
  Unpacker unpacker(octets.get());
  unpacker(again);
  EXPECT_TRUE(again.yes);
  EXPECT_FALSE(again.no);
  EXPECT_EQ(again.inners, outer.inners);
  EXPECT_EQ(again.port, outer.port);
  EXPECT_EQ(again.words, outer.words);
  EXPECT_EQ(again.many, outer.many);
  EXPECT_EQ(again.bits, outer.bits);
  EXPECT_EQ(again.octets, outer.octets);
  ASSERT_EQ(again.waiting.size(), 1U);
  EXPECT_EQ(again.waiting.front(), outer.waiting.front());
  ASSERT_TRUE(again.rare.has_value());
  EXPECT_EQ(*again.rare, *outer.rare);
}

TEST(Packing, ZerosTakeABitOrTwoAndOthersNoMoreThanTheyNeed) {
  std::array<std::uint64_t, 32> zeros{};
  Packer packer;
  packer(zeros);
  EXPECT_EQ(packer.size(), 8U);
  bool yes = true;
  bool no = false;
  packer(yes, no);
  EXPECT_EQ(packer.size(), 9U);
  std::uint16_t port = 4420;
  packer(no, port, yes);
  EXPECT_EQ(packer.size(), 12U);
  std::uint64_t few = 0xff;
  std::uint64_t offset = 0xff'ffff;
  std::uint32_t sequence = 0xffff'ffff;
  packer(few, offset, sequence);
  EXPECT_EQ(packer.size(), 12U + 1 + 1 + 3 + 5);
}

// Times of one connection lie close together.
TEST(Packing, ANumberOfMoreThan32BitsIsItsDifferenceFromTheOneBefore) {
  constexpr std::int64_t now = 1'700'000'000'000'000'000;
  std::array<std::int64_t, 6> times{now, now, now + 60'000, now - 60'000, -1, now};
  std::uint32_t between = 0x8765'4321;
  Packer packer;
  for (std::int64_t& time : times) packer(time, between);
  EXPECT_EQ(packer.size(), 6 * (1U + 5) + (1 + 8) + 1 + (1 + 3) + (1 + 3) + (1 + 8) + (1 + 8));
  const std::unique_ptr<Byte[]> octets = packer.octets();
  Unpacker unpacker(octets.get());
  for (const std::int64_t time : times) {
    std::int64_t again = 0;
    std::uint32_t beside = 0;
    unpacker(again, beside);
    EXPECT_EQ(again, time);
    EXPECT_EQ(beside, between);
  }
}

TEST(Packing, WhatIsTooLargeDoesNotFit) {
  Bytes octets(Packer::max_size - 1 - 3);  // behind their number
  Packer packer;
  packer(octets);
  EXPECT_TRUE(packer.fits());
  EXPECT_EQ(packer.size(), Packer::max_size);
  bool one = true;
  packer(one);
  EXPECT_FALSE(packer.fits());
}

TEST(Packing, WhatHasAnAbsentPartDoesNotFit) {
  const std::vector<int> none;
  const std::array<int, 2> zeros{};
  Packer packer;
  packer.absent(none, 0, false, std::optional<int>(), zeros);
  EXPECT_TRUE(packer.fits());
  packer.absent(0, std::array<int, 2>{0, 1});
  EXPECT_FALSE(packer.fits());
}

}  // namespace
}  // namespace iwarp::base
