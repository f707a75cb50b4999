// SPDX-License-Identifier: GPL-2.0-or-later
#include <gtest/gtest.h>

#include <set>
#include <vector>

#include "analysis/connection_key.hpp"
#include "base/hash.hpp"

namespace iwarp::test {
namespace {

// The inverse of x ^ x >> 32, and of a product with an odd number.
std::uint64_t unfold(std::uint64_t folded) {
  return folded ^ folded >> 32U;
}
std::uint64_t inverse(std::uint64_t odd) {
  std::uint64_t found = odd;
  for (unsigned step = 0; step < 6; ++step) found *= 2 - odd * found;
  return found;
}

// Keys that one fixed mix gives one hash: a peer chooses the last eight octets of its IPv6 address so.
std::vector<ConnectionKey> keys_chosen_against_a_fixed_mix(unsigned count) {
  constexpr std::uint64_t odd = 0x9e3779b97f4a7c15U;
  std::vector<ConnectionKey> keys;
  for (std::uint64_t i = 0; i < count; ++i) {
    ConnectionKey key;
    key.words = {i, 0, 1, 2, 3, 4};
    const std::uint64_t before = unfold(i * odd);
    key.words[1] = unfold(std::uint64_t{42}) * inverse(odd) ^ before;
    keys.push_back(key);
  }
  return keys;
}

// In so many places of a table as a fair coin would find, about.
TEST(Hash, IsNotForThePeerToChoose) {
  constexpr unsigned count = 4096;
  std::set<std::size_t> places;
  for (const ConnectionKey& key : keys_chosen_against_a_fixed_mix(count)) {
    places.insert(ConnectionKey::Hash()(key) % count);
  }
  EXPECT_GT(places.size(), count / 2);
  places.clear();
  for (std::uint64_t i = 0; i < count; ++i) places.insert(base::hash_of(i << 40U, 0) % count);
  EXPECT_GT(places.size(), count / 2);
}

TEST(Hash, IsTheSameForTheSame) {
  const ConnectionKey key = keys_chosen_against_a_fixed_mix(1).front();
  EXPECT_EQ(ConnectionKey::Hash()(key), ConnectionKey::Hash()(key));
  EXPECT_EQ(base::hash_of(1, 2), base::hash_of(1, 2));
  EXPECT_NE(base::hash_of(1, 2), base::hash_of(2, 1));
}

}  // namespace
}  // namespace iwarp::test
