// However SCTP carries DDP segments, bundled, in fragments, in any order, some of them twice: what is
// concluded is what TCP's capture of the same segments shows. And whatever of it a capture lacks, nobody is
// accused.
// SPDX-License-Identifier: GPL-2.0-or-later
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "sctp/twin.hpp"
#include "support/analysed.hpp"
#include "support/normalised.hpp"
#include "support/seeds.hpp"
#include "support/state_dump.hpp"

namespace iwarp::test {
namespace {

const std::uint64_t seeds = seeds_from("IWARP_SEEDS", 200);

Conversation over_tcp(std::uint64_t seed) {
  return random_traffic(seed, {.crc = true, .alike = seed % 3 == 0});
}

// Messages, operations, findings and the end of a connection, without its number.
std::vector<std::string> concluded(const Analysed& result, ConnectionId id) {
  std::vector<Event> own;
  for (const Event& event : result.events()) {
    if (event.connection == id) own.push_back(event);
  }
  std::vector<std::string> lines;
  for (std::string& line : normalised(own, Positions::dropped)) {
    const std::string text = line.substr(line.find(' ') + 1);
    const auto is = [&](const char* word) { return text.find(word) == 2; };
    if (is("finding MPA-")) continue;
    if (is("message") || is("operation") || is("finding") || is("fin") || is("closed")) lines.push_back(text);
  }
  return lines;
}

void expect_same(const std::vector<std::string>& actual, const std::vector<std::string>& expected) {
  const auto [left, right] = std::ranges::mismatch(actual, expected);
  if (left == actual.end() && right == expected.end()) return;
  ADD_FAILURE() << "line " << left - actual.begin() << " is\n  " << (left == actual.end() ? "missing" : *left)
                << "\ninstead of\n  " << (right == expected.end() ? "nothing" : *right);
}

TEST(Twin, SaysWhatTcpSays) {
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    SCOPED_TRACE(seed);
    const Conversation one = over_tcp(seed);
    const Conversation another = over_tcp(seed + 1);
    for (const std::uint64_t carriage : {std::uint64_t{0}, 1000 + seed}) {
      const Analysed result(carried({submitted(one), submitted(another)}, {.seed = carriage}));
      EXPECT_EQ(result.ids(Severity::note), Ids{}) << result.told();
      ASSERT_EQ(result.analysis().connection_count(), 2U);
      expect_same(concluded(result, 0), concluded(Analysed(one), 0));
      expect_same(concluded(result, 1), concluded(Analysed(another), 0));
      for (const Side side : {Side::a, Side::b}) {
        EXPECT_EQ(result.side(side).qp.value, Analysed(one).side(side).qp.value);
        EXPECT_EQ(result.side(side).max_outstanding, Analysed(one).side(side).max_outstanding);
      }
      if (::testing::Test::HasFailure()) return;
    }
  }
}

// Folding the log again gives the state that the analysis came to.
void expect_folds(const Analysed& result) {
  for (ConnectionId id = 0; id < result.analysis().connection_count(); ++id) {
    ConnectionState again;
    for (const Event& event : result.events()) {
      if (event.connection == id) apply(again, event);
    }
    EXPECT_EQ(testing::dump(again), testing::dump(result.state(id)));
  }
}

TEST(Twin, FoldsToTheSameState) {
  for (std::uint64_t seed = 1; seed <= std::min<std::uint64_t>(seeds, 50); ++seed) {
    SCOPED_TRACE(seed);
    expect_folds(Analysed(carried({submitted(over_tcp(seed))}, {.seed = 1 + seed})));
  }
}

// Nothing above a note is said of sound traffic, whatever `damage` takes from its capture.
template <typename Damage>
void expect_no_accusation(const Damage& damage) {
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    SCOPED_TRACE(seed);
    Numbers chance(77 + seed);
    const SctpConversation c = carried({submitted(over_tcp(seed)), submitted(over_tcp(seed + 1))},
                                       {.seed = seed % 4 == 0 ? 0 : 2000 + seed});
    std::vector<OwnedPacket> packets = c.packets();
    damage(packets, chance);
    for (std::size_t i = 0; i < packets.size(); ++i) packets[i].meta.frame = i + 1;
    const Analysed result(packets);
    EXPECT_EQ(result.ids(), Ids{}) << result.told();
    expect_folds(result);
    if (::testing::Test::HasFailure()) return;
  }
}

TEST(Damage, PacketsThatWereNotCaptured) {
  expect_no_accusation([](std::vector<OwnedPacket>& packets, Numbers& chance) {
    const std::uint32_t rate = 2 + chance.below(40);
    std::erase_if(packets, [&](const OwnedPacket&) { return chance.one_in(rate); });
  });
}

TEST(Damage, CaptureThatBeginsLate) {
  expect_no_accusation([](std::vector<OwnedPacket>& packets, Numbers& chance) {
    const auto begin = chance.below(static_cast<std::uint32_t>(packets.size()));
    packets.erase(packets.begin(), packets.begin() + begin);
  });
}

TEST(Damage, CaptureThatEndsEarly) {
  expect_no_accusation([](std::vector<OwnedPacket>& packets, Numbers& chance) {
    packets.resize(chance.below(static_cast<std::uint32_t>(packets.size())));
  });
}

TEST(Damage, OneDirection) {
  expect_no_accusation([](std::vector<OwnedPacket>& packets, Numbers& chance) {
    const std::uint16_t port = chance.one_in(2) ? 40000 : 5001;
    std::erase_if(packets, [&](const OwnedPacket& each) { return each.meta.source.port == port; });
  });
}

TEST(Damage, OneDirectionBehindTheOther) {
  expect_no_accusation([](std::vector<OwnedPacket>& packets, Numbers& chance) {
    const std::uint16_t first = chance.one_in(2) ? 40000 : 5001;
    std::stable_partition(packets.begin(), packets.end(),
                          [first](const OwnedPacket& each) { return each.meta.source.port == first; });
  });
}

TEST(Damage, SnapshotLength) {
  expect_no_accusation([](std::vector<OwnedPacket>& packets, Numbers& chance) {
    const std::size_t length = 12 + chance.below(300);
    for (OwnedPacket& each : packets) each.captured = length;
  });
}

TEST(Damage, SomePacketsCut) {
  expect_no_accusation([](std::vector<OwnedPacket>& packets, Numbers& chance) {
    for (OwnedPacket& each : packets) {
      if (chance.one_in(5)) each.captured = 12 + chance.below(200);
    }
  });
}

TEST(Damage, WrongChecksums) {
  expect_no_accusation([](std::vector<OwnedPacket>& packets, Numbers& chance) {
    for (OwnedPacket& each : packets) {
      if (chance.one_in(10))
        each.octets[12 + chance.below(static_cast<std::uint32_t>(each.octets.size() - 12))] ^= 0x10U;
    }
  });
}

}  // namespace
}  // namespace iwarp::test
