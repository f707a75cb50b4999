// Segments that a mirror took twice, with a VLAN tag or without, are one connection; equal addresses of two
// networks are two.
// SPDX-License-Identifier: GPL-2.0-or-later
#include "support/capture_damage.hpp"

#include "established.hpp"

namespace iwarp::test {
namespace {

using established::talk;

constexpr Side a = Side::a;
constexpr Side b = Side::b;

// Every segment once more, a microsecond later, in another network.
std::vector<OwnedSegment> mirrored(const Conversation& c, std::uint32_t network, bool copy_first) {
  std::vector<OwnedSegment> twice;
  for (const OwnedSegment& each : c.segments()) {
    for (const bool copy : {copy_first, !copy_first}) {
      OwnedSegment taken = each;
      taken.meta.frame = twice.size() + 1;
      if (copy) taken.meta.network = network;
      if (copy != copy_first) taken.meta.time_ns += 1000;
      twice.push_back(taken);
    }
  }
  return twice;
}

TEST(OtherNetwork, CopiesOfEveryPacketInAnotherNetworkAreOneStream) {
  for (const bool copy_first : {false, true}) {
    for (const bool midstream : {false, true}) {
      SCOPED_TRACE(testing::Message() << "copy first " << copy_first << ", midstream " << midstream);
      Conversation c;
      if (midstream) {
        c.unseen([&] {
          c.handshake();
          c.startup();
        });
      } else {
        c.handshake();
        c.startup();
      }
      talk(c);
      c.close();
      const Analysed result(mirrored(c, 5, copy_first));
      EXPECT_EQ(result.ids(), Ids{}) << result.told();
      EXPECT_TRUE(result.has("CAP-DUPFRAME"));
      ASSERT_EQ(result.analysis().connection_count(), 1U);
      EXPECT_EQ(result.fpdus().size(), 5U);
      EXPECT_EQ(result.side(a).retransmitted_octets + result.side(b).retransmitted_octets, 0U);
    }
  }
}

// The capture begins between the two copies of a packet.
TEST(OtherNetwork, CopiesAreOneStreamWhereTheFirstOneIsAlone) {
  for (const bool copy_first : {false, true}) {
    SCOPED_TRACE(copy_first);
    Conversation c;
    c.unseen([&] {
      c.handshake();
      c.startup();
    });
    talk(c);
    c.close();
    std::vector<OwnedSegment> segments = mirrored(c, 5, copy_first);
    segments.erase(segments.begin());
    const Analysed result(segments);
    EXPECT_EQ(result.ids(), Ids{}) << result.told();
    EXPECT_TRUE(result.has("CAP-DUPFRAME"));
    ASSERT_EQ(result.analysis().connection_count(), 1U);
    EXPECT_EQ(result.fpdus().size(), 5U);
  }
}

// Copies come some packets late, and the capture begins or lacks packets in between: wherever that is, what
// is there of the one or the other is one stream.
TEST(OtherNetwork, LateCopiesAreOneStreamWhereverTheCaptureBegins) {
  Conversation c;
  c.unseen([&] {
    c.handshake();
    c.startup();
  });
  for (std::uint32_t msn = 1; msn <= 12; ++msn) {
    for (const Side side : {a, b}) c.fpdu(side, send(msn, pattern(500)));
    c.fpdu(a, write(0x1100, std::uint64_t{1000} * msn, pattern(1000)));
  }
  const std::vector<OwnedSegment> once = c.segments();
  constexpr std::size_t late = 4;
  for (const bool copy_first : {false, true}) {
    std::vector<OwnedSegment> twice;
    for (std::size_t i = 0; i < once.size() + late; ++i) {
      for (const bool second : {false, true}) {
        if (second ? i < late : i >= once.size()) continue;
        OwnedSegment taken = once[second ? i - late : i];
        if (second == copy_first) taken.meta.network = 5;
        taken.meta.frame = twice.size() + 1;
        taken.meta.time_ns += second ? 3000 : 0;
        twice.push_back(taken);
      }
    }
    for (std::size_t begin = 0; begin < 24; ++begin) {
      SCOPED_TRACE(testing::Message() << "from " << begin << ", copy first " << copy_first);
      const Analysed result(std::vector(twice.begin() + static_cast<std::ptrdiff_t>(begin), twice.end()));
      EXPECT_EQ(result.ids(), Ids{}) << result.told();
      EXPECT_EQ(result.analysis().connection_count(), 1U);
    }
  }
}

TEST(OtherNetwork, EqualAddressesInTwoNetworksAreTwoWhereSequenceNumbersDiffer) {
  Conversation one;
  one.handshake();
  one.startup();
  talk(one);
  one.close();
  Conversation two(Conversation::Options{.network = 5});
  two.handshake({.isn_a = 3'000'000'000, .isn_b = 3'600'000'000});
  two.startup();
  talk(two);
  two.close();
  const Analysed result(merge({&one, &two}));
  EXPECT_EQ(result.ids(), Ids{}) << result.told();
  EXPECT_EQ(result.analysis().connection_count(), 2U);
  EXPECT_EQ(result.fpdus().size(), 10U);
  EXPECT_FALSE(result.has("CAP-DUPFRAME"));
}

}  // namespace
}  // namespace iwarp::test
