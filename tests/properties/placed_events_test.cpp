// Whatever a capture lacks: each FPDU that is told as placed is delivered under its number, or revoked, once.
// SPDX-License-Identifier: GPL-2.0-or-later
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <span>
#include <string>
#include <utility>

#include <iwarp/analyzer.hpp>

#include "support/capture_damage.hpp"
#include "support/capture_read.hpp"

namespace iwarp::test {
namespace {

// What is kept of an FPDU that is placed and not delivered.
struct Waiting {
  ConnectionId connection = 0;
  Side side = Side::a;
  StreamOffset offset = 0;
  std::uint32_t wire_size = 0;
  Placement placed;
};

class Settled {
 public:
  void take(const Event& event, std::span<const Slice> slices) {
    if (event.kind == EventKind::placed) {
      expect_place(event, slices);
      EXPECT_TRUE(numbers_.insert(key_of(event, event.fpdu.number)).second);
      waiting_[key_of(event, event.fpdu.number)] = {event.connection, event.side, event.offset,
                                                    event.fpdu.wire_size, event.fpdu.placed};
    } else if (event.kind == EventKind::fpdu) {
      if (!slices.empty()) expect_place(event, slices);
      EXPECT_EQ(numbers_.insert(key_of(event, event.fpdu.number)).second, !event.fpdu.ahead);
      if (event.fpdu.ahead) expect_confirmed(event);
    } else if (event.kind == EventKind::revoked) {
      EXPECT_EQ(waiting_.erase(key_of(event, event.revoked.number)), 1U);
    }
  }
  [[nodiscard]] std::size_t waiting() const { return waiting_.size(); }

 private:
  static void expect_place(const Event& event, std::span<const Slice> slices) {
    FrameNumber last = 0;
    std::uint64_t octets = 0;
    for (const Slice& slice : slices) {
      last = std::max(last, slice.frame);
      octets += slice.length;
    }
    EXPECT_EQ(event.fpdu.placed.frame, last);
    EXPECT_LE(last, event.frame);
    if (event.kind == EventKind::placed) {
      EXPECT_EQ(octets, event.fpdu.wire_size);  // all of it is there
    }
  }
  void expect_confirmed(const Event& event) {
    const auto found = waiting_.find(key_of(event, event.fpdu.number));
    ASSERT_NE(found, waiting_.end()) << event.frame;
    EXPECT_EQ(found->second.connection, event.connection);
    EXPECT_EQ(found->second.side, event.side);
    EXPECT_EQ(found->second.offset, event.offset);
    EXPECT_EQ(found->second.wire_size, event.fpdu.wire_size);
    EXPECT_EQ(found->second.placed, event.fpdu.placed);
    waiting_.erase(found);
  }

  using Key = std::pair<ConnectionId, std::uint32_t>;
  [[nodiscard]] static Key key_of(const Event& event, std::uint32_t number) {
    return {event.connection, number};
  }

  std::set<Key> numbers_;
  std::map<Key, Waiting> waiting_;
};

// Returns how many were placed.
std::size_t expect_settled(const Segments& segments) {
  Analyzer analyzer;
  Settled settled;
  std::size_t placed = 0;
  const auto take = [&](Events told) {
    for (const Event& event : told) {
      placed += event.kind == EventKind::placed ? 1U : 0U;
      settled.take(event, analyzer.analysis().slices(event));
    }
  };
  for (const OwnedSegment& each : segments) take(analyzer.add(each.segment()));
  take(analyzer.finish());
  EXPECT_EQ(settled.waiting(), 0U);
  for (ConnectionId id = 0; id < analyzer.analysis().connection_count(); ++id) {
    const ConnectionState* const state = analyzer.analysis().connection(id);
    if (state == nullptr) continue;
    EXPECT_EQ(state->sides[0].placed_ahead + state->sides[1].placed_ahead, 0U);
  }
  return placed;
}

TEST(PlacedEvents, AreConfirmedOrRevokedOnce) {
  for (const CaptureDamage& damage : capture_damages()) {
    SCOPED_TRACE(damage.name);
    std::size_t placed = 0;
    for_each_damaged_capture(damage, [&](const Segments& segments) { placed += expect_settled(segments); });
    ASSERT_FALSE(testing::Test::HasFailure());
    if (std::string(damage.name) == "swapped, 5 % lost") {
      EXPECT_GT(placed, 100U);
    }
  }
}

}  // namespace
}  // namespace iwarp::test
