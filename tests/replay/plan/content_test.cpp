// SPDX-License-Identifier: GPL-2.0-or-later
#include "plan/content.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/octets.hpp"

namespace iwarp::replay {
namespace {

using testing::ElementsAre;

TEST(ContentTest, PiecesThatGoOnAreOne) {
  Content content;
  append(content, {10, 1, 0, false});
  append(content, {5, 1, 10, false});
  append(content, {0, 2, 0, false});
  append(content, {5, 1, 15, true});
  EXPECT_THAT(content, ElementsAre(Piece{15, 1, 0, false}, Piece{5, 1, 15, true}));
  EXPECT_EQ(length_of(content), 20U);
  EXPECT_THAT(slice(content, 12, 5), ElementsAre(Piece{3, 1, 12, false}, Piece{2, 1, 15, true}));
  EXPECT_THAT(slice(content, 18, 50), ElementsAre(Piece{2, 1, 18, true}));
}

TEST(ContentTest, SeededOctetsAreTheSameFromWhereverTheyAreTaken) {
  Bytes all(100);
  seeded_octets(3, 4, 0, all);
  for (std::size_t from = 0; from < 100; from += 7) {
    Bytes part(100 - from);
    seeded_octets(3, 4, from, part);
    EXPECT_EQ(part, test::part(all, from));
  }
  Bytes other(100);
  seeded_octets(3, 5, 0, other);
  EXPECT_NE(other, all);
  // A plan is replayed elsewhere: these octets must never change.
  EXPECT_EQ(test::to_hex(test::part(all, 0, 8)), "3edf8d0e f91626c0");
}

TEST(PayloadStoreTest, EqualOctetsAreKeptOnce) {
  PayloadStore store;
  const PayloadId first = store.add(test::text("abc"));
  EXPECT_NE(store.add(test::text("abd")), first);
  EXPECT_EQ(store.add(test::text("abc")), first);
  EXPECT_EQ(store.size(), 2U);
  EXPECT_EQ(store.octets(), 6U);
  const Content content = {{2, first, 1, false}, {3, 9, 0, true}, {1, first, 0, false}};
  const Bytes octets = octets_of(store, 1, content);
  EXPECT_EQ(test::part(octets, 0, 2), test::text("bc"));
  EXPECT_EQ(octets.back(), 'a');
  Bytes middle(3);
  EXPECT_EQ(copy_octets(store, 1, content, 1, middle), 3U);
  EXPECT_EQ(middle, test::part(octets, 1, 3));
}

}  // namespace
}  // namespace iwarp::replay
