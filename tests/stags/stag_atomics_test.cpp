// Words that Atomics work on, in the lives of STags (scenario E11).
// SPDX-License-Identifier: GPL-2.0-or-later
#include <gtest/gtest.h>

#include "stags/stag_scene.hpp"
#include "support/octets.hpp"

namespace iwarp::test {
namespace {

using established::Established;

constexpr Side a = Side::a;
constexpr Side b = Side::b;

class AtomicsOnWords : public testing::Test {
 protected:
  Established c;
};

// FetchAdd of 5.
Bytes add_five(std::uint32_t msn) {
  return fetch_add(msn, {.id = msn, .stag = 0x1100, .to = 0x80000008, .data = 5});
}

TEST_F(AtomicsOnWords, E11_AnAtomicReturnsWhatTheOneBeforeLeft) {
  c.fpdu(a, add_five(1));
  c.fpdu(b, atomic_response(1, 1, 37));
  c.fpdu(a,
         cmp_swap(2, {.id = 2, .stag = 0x1100, .to = 0x80000008, .data = 7, .mask = ~0ULL, .compare = 42}));
  c.fpdu(b, atomic_response(2, 2, 42));
  c.fpdu(a, add_five(3));
  c.fpdu(b, atomic_response(3, 3, 7));
  EXPECT_EQ(follow(c.segments()).texts, Texts());
}

TEST_F(AtomicsOnWords, E11_AnotherValueIsTold) {
  c.fpdu(a, add_five(1));
  const Packets left = c.fpdu(b, atomic_response(1, 1, 37));
  c.fpdu(a, add_five(2));
  const Packets returned = c.fpdu(b, atomic_response(2, 2, 43));
  const Found found = follow(c.segments());
  EXPECT_EQ(found.texts, (Texts{"RDMAP-ATSEM " + std::to_string(c.at(returned)) +
                                " the word at TO 0x0000000080000008 of STag 0x00001100 holds "
                                "0x000000000000002b, though the Atomic before left 0x000000000000002a there: "
                                "its owner changed it, or an operation that was not captured"}))
      << c.at(left);
}

TEST_F(AtomicsOnWords, E11_AWriteMayHaveChangedIt) {
  c.fpdu(a, add_five(1));
  c.fpdu(b, atomic_response(1, 1, 37));
  c.fpdu(a, write(0x1100, 0x80000001, pattern(8)));  // its last octet is the word's first
  c.fpdu(a, add_five(2));
  c.fpdu(b, atomic_response(2, 2, 43));
  EXPECT_EQ(follow(c.segments()).texts, Texts());
}

TEST_F(AtomicsOnWords, E11_AWriteBesideItDoesNot) {
  c.fpdu(a, add_five(1));
  c.fpdu(b, atomic_response(1, 1, 37));
  c.fpdu(a, write(0x1100, 0x80000000, pattern(8)));
  c.fpdu(a, write(0x1100, 0x80000010, pattern(8)));
  c.fpdu(a, write(0x2200, 0x80000008, pattern(8)));
  c.fpdu(a, add_five(2));
  c.fpdu(b, atomic_response(2, 2, 43));
  EXPECT_EQ(follow(c.segments()).texts.size(), 1U);
}

// Of two streams: whose Atomic came first is not told.
TEST_F(AtomicsOnWords, E11_AtomicsUnderWayAtOnceTellNothing) {
  Established other;
  std::vector<OwnedSegment> all;
  const auto both = [&] {
    for (const auto& each : c.segments()) all.push_back(each);
    for (const auto& each : on_port(other, 40001)) all.push_back(each);
  };
  c.fpdu(a, add_five(1));
  c.fpdu(b, atomic_response(1, 1, 37));
  const std::size_t begun = c.segments().size();
  c.fpdu(a, add_five(2));
  const std::size_t asked = c.segments().size();
  c.fpdu(b, atomic_response(2, 2, 47));
  const std::size_t opened = other.segments().size();
  other.fpdu(a, add_five(1));
  other.fpdu(b, atomic_response(1, 1, 42));
  both();
  // In the order: all of `c` up to its second request, all of `other`, the second response.
  const auto first = all.begin();
  std::vector<OwnedSegment> crossed(first, first + static_cast<std::ptrdiff_t>(asked));
  crossed.insert(crossed.end(), first + static_cast<std::ptrdiff_t>(c.segments().size()), all.end());
  crossed.insert(crossed.end(), first + static_cast<std::ptrdiff_t>(asked),
                 first + static_cast<std::ptrdiff_t>(c.segments().size()));
  ASSERT_LT(begun, asked);
  ASSERT_LT(opened, other.segments().size());
  EXPECT_EQ(follow(together({crossed})).texts, Texts());
  // One behind the other, the same answers do not fit.
  EXPECT_EQ(follow(together({c.segments(), on_port(other, 40001)})).texts.size(), 2U);
}

}  // namespace
}  // namespace iwarp::test
