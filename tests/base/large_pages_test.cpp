// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/large_pages.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <span>
#include <vector>

namespace iwarp {
namespace {

// Before the first large page and behind it: all of a piece is its own, and stays where it is.
TEST(LargePages, PiecesAreApartAndStay) {
  constexpr std::size_t size = std::size_t{1} << 16U;
  LargePages pages;
  std::vector<Byte*> pieces;
  for (unsigned count = 0; count < 100; ++count) {
    pieces.push_back(pages.take(size));
    std::fill_n(pieces.back(), size, static_cast<Byte>(count));
  }
  for (unsigned count = 0; count < 100; ++count) {
    const std::span<const Byte> piece(pieces[count], size);
    EXPECT_TRUE(std::ranges::all_of(piece, [&](Byte octet) { return octet == count; })) << count;
  }
}

TEST(LargePages, FewPiecesTakeNoMoreThanTheirOctets) {
  LargePages pages;
  for (std::size_t count = 1; count <= 32; ++count) {
    (void)pages.take(1U << 16U);
    EXPECT_EQ(pages.octets(), count << 16U);
  }
  (void)pages.take(1U << 16U);
  EXPECT_EQ(pages.octets(), 2 * LargePages::block_size);
}

// What does not fit into what is left of a page begins another one.
TEST(LargePages, APieceIsInOnePage) {
  LargePages pages;
  for (int count = 0; count < 5; ++count) {
    Byte* const piece = pages.take(LargePages::block_size - 1);
    std::fill_n(piece, LargePages::block_size - 1, Byte{1});
  }
  EXPECT_EQ(pages.octets(), 5 * LargePages::block_size - 1);
}

}  // namespace
}  // namespace iwarp
