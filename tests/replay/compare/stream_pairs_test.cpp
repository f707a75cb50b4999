// SPDX-License-Identifier: GPL-2.0-or-later
#include "compare/stream_pairs.hpp"

#include <gtest/gtest.h>

#include <string>

namespace iwarp::replay {
namespace {

std::vector<EventLog> named(const std::vector<std::string>& names) {
  std::vector<EventLog> logs;
  for (const std::string& each : names) logs.emplace_back().name = each;
  return logs;
}

// "0/1 1/- …": recorded and live; "?" behind one that was cut away.
std::string pairs_of(const std::vector<std::string>& recorded, const std::vector<std::string>& live) {
  std::string text;
  const auto place = [](const std::optional<std::size_t>& at) { return at ? std::to_string(*at) : "-"; };
  for (const StreamPair& each : paired_streams(named(recorded), named(live))) {
    text += (text.empty() ? "" : " ") + place(each.recorded) + "/" + place(each.live);
    if (each.cut_away) text += "?";
  }
  return text;
}

TEST(StreamPairs, AreInOrderWhereTheConnectionsAreOthers) {
  EXPECT_EQ(pairs_of({"a to s", "b to s"}, {"x to s", "y to s"}), "0/0 1/1");
  EXPECT_EQ(pairs_of({"a to s", "b to s"}, {"x to s"}), "0/0 1/-");
  EXPECT_EQ(pairs_of({"a to s"}, {"x to s", "a to t"}), "0/0 -/1");
}

TEST(StreamPairs, OfTheSameConnectionsAreFoundByTheirAddresses) {
  EXPECT_EQ(pairs_of({"a to s", "b to s", "c to s"}, {"b to s", "c to s"}), "0/-? 1/0 2/1");
  EXPECT_EQ(pairs_of({"s to c"}, {"a to s", "b to s", "c to s"}), "-/0? -/1? 0/2");
  EXPECT_EQ(pairs_of({"a to s", "b to s"}, {"b to s", "a to s"}), "1/0 0/1");
  EXPECT_EQ(pairs_of({"a to s", "a to s"}, {"a to s", "a to s"}), "0/0 1/1");
}

TEST(StreamPairs, AreTheOnesThatARecordingTellsOf) {
  std::vector<EventLog> recorded = named({"a to s", "b to s", "b to s", "c to s"});
  for (std::uint32_t i = 0; i < 4; ++i) recorded[i].stream = i < 2 ? i : i - 1;  // b started up twice
  std::vector<EventLog> live = named({"w to s", "x to s", "y to s", "z to s"});
  live[0].replays = 2;
  live[1].replays = 1;
  live[2].replays = 1;
  live[3].replays = 1;  // in another loop
  std::vector<std::string> pairs;
  const auto place = [](const std::optional<std::size_t>& at) { return at ? std::to_string(*at) : "-"; };
  for (const StreamPair& each : paired_streams(recorded, live)) {
    EXPECT_FALSE(each.cut_away);
    pairs.push_back(place(each.recorded) + "/" + place(each.live));
  }
  EXPECT_EQ(pairs, (std::vector<std::string>{"0/-", "1/1", "2/2", "3/0", "-/3"}));
}

TEST(StreamPairs, OfNothing) {
  EXPECT_EQ(pairs_of({}, {}), "");
  EXPECT_EQ(pairs_of({"a to s"}, {}), "0/-");
}

}  // namespace
}  // namespace iwarp::replay
