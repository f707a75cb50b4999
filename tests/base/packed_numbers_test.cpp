// Packed numbers against the numbers themselves.
// SPDX-License-Identifier: GPL-2.0-or-later
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <utility>
#include <vector>

#include <iwarp/packed_numbers.hpp>

namespace iwarp::test {
namespace {

using Numbers = std::vector<std::uint64_t>;

// Ranges of any number of bits, each of some hundred numbers.
Numbers random_numbers(std::size_t count, std::uint32_t seed) {
  std::mt19937_64 random(seed);
  Numbers numbers(count);
  std::uint64_t base = 0;
  unsigned bits = 0;
  for (std::size_t at = 0; at < count; ++at) {
    if (at % 150 == 0) {
      base = random();
      bits = static_cast<unsigned>(random() % 65);
    }
    numbers[at] = base + (bits == 0 ? 0 : random() >> (64 - bits));
  }
  return numbers;
}

void expect_equal(const PackedNumbers& packed, const Numbers& numbers) {
  ASSERT_EQ(packed.size(), numbers.size());
  for (std::size_t at = 0; at < numbers.size(); ++at) ASSERT_EQ(packed[at], numbers[at]) << at;
}

TEST(PackedGroup, HoldsRangesOfAnyNumberOfBits) {
  std::mt19937_64 random(1);
  for (unsigned bits = 0; bits <= 64; ++bits) {
    Numbers numbers(PackedGroup::width, random());
    for (std::uint64_t& number : numbers) number += bits == 0 ? 0 : random() >> (64 - bits);
    numbers[7] = numbers[3] + (bits == 0 ? 0 : ~std::uint64_t{0} >> (64 - bits));
    Byte octets[PackedGroup::max_octets + PackedGroup::slack] = {};
    const std::size_t size = PackedGroup::write(numbers.data(), octets);
    EXPECT_LE(size, PackedGroup::max_octets);
    for (std::size_t at = 0; at < numbers.size(); ++at) {
      ASSERT_EQ(PackedGroup::read(octets, at), numbers[at]) << bits << " bits, number " << at;
    }
  }
}

TEST(PackedGroup, TakesWhatItsRangeNeeds) {
  Numbers numbers(PackedGroup::width, 1'700'000'000'000'000'000);
  Byte octets[PackedGroup::max_octets + PackedGroup::slack] = {};
  EXPECT_EQ(PackedGroup::write(numbers.data(), octets), 9U);
  numbers[9] += 255;  // eight bits: an octet each
  EXPECT_EQ(PackedGroup::write(numbers.data(), octets), 9U + 64);
}

TEST(PackedNumbers, AreThoseThatWereAppended) {
  for (const std::size_t count : {0U, 1U, 63U, 64U, 65U, 4097U, 50'000U}) {
    SCOPED_TRACE(count);
    const Numbers numbers = random_numbers(count, 1);
    PackedNumbers packed;
    for (const std::uint64_t number : numbers) packed.push_back(number);
    expect_equal(packed, numbers);
  }
}

TEST(PackedNumbers, CopiesStayWhatTheyWere) {
  std::mt19937 random(2);
  const Numbers all = random_numbers(200'000, 3);
  PackedNumbers packed;
  Numbers numbers;
  PackedNumbers copy;
  Numbers copied;
  for (int round = 0; round < 40; ++round) {
    const std::size_t more = random() % 5000;
    for (std::size_t at = 0; at < more; ++at) {
      const std::uint64_t number = all[(random() + at) % all.size()];
      numbers.push_back(number);
      packed.push_back(number);
    }
    if (round % 4 == 0) {
      copy = packed;
      copied = numbers;
    }
    const std::size_t fewer = random() % (round % 5 == 0 ? numbers.size() + 1 : 200);
    numbers.resize(numbers.size() - std::min(fewer, numbers.size()));
    packed.truncate(numbers.size());
    expect_equal(packed, numbers);
    expect_equal(copy, copied);
    // Either of the two goes on.
    if (round % 7 == 3) {
      std::swap(packed, copy);
      std::swap(numbers, copied);
    }
  }
}

TEST(PackedNumbers, ThatAreNearEachOtherTakeFewOctets) {
  PackedNumbers packed;
  constexpr std::size_t count = 1'000'000;
  for (std::size_t at = 0; at < count; ++at) packed.push_back(1'700'000'000'000'000'000 + at * 100);
  EXPECT_LT(packed.octets(), count * 2);
}

}  // namespace
}  // namespace iwarp::test
