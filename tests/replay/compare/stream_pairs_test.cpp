// SPDX-License-Identifier: GPL-2.0-or-later
#include "compare/stream_pairs.hpp"

#include <gtest/gtest.h>

#include <string>

namespace iwarp::replay {
namespace {

std::vector<StreamLog> named(const std::vector<std::string>& names) {
  std::vector<StreamLog> logs;
  for (const std::string& each : names) logs.emplace_back().name = each;
  return logs;
}

// "0/1 1/- …": recorded and live; "?" behind one that was cut away.
std::string pairs_of_logs(const std::vector<StreamLog>& recorded, const std::vector<StreamLog>& live) {
  std::string text;
  const auto place = [](const std::optional<std::size_t>& at) { return at ? std::to_string(*at) : "-"; };
  for (const StreamPair& each : paired_streams(recorded, live)) {
    text += (text.empty() ? "" : " ") + place(each.recorded) + "/" + place(each.live);
    if (each.cut_away) text += "?";
  }
  return text;
}

std::string pairs_of(const std::vector<std::string>& recorded, const std::vector<std::string>& live) {
  return pairs_of_logs(named(recorded), named(live));
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
  std::vector<StreamLog> recorded = named({"a to s", "b to s", "b to s", "c to s"});
  for (std::uint32_t i = 0; i < 4; ++i) recorded[i].stream = i < 2 ? i : i - 1;  // b started up twice
  std::vector<StreamLog> live = named({"w to s", "x to s", "y to s", "z to s"});
  live[0].replays = {2, "c to s"};
  for (const std::size_t i : {1U, 2U, 3U}) live[i].replays = {1, "b to s"};  // the last one in another loop
  EXPECT_EQ(pairs_of_logs(recorded, live), "0/- 1/1 2/2 3/0 1/3");
  EXPECT_EQ(pairs_of_logs(live, recorded), "0/3 1/1 2/2 3/- -/0");
  // Nothing tells of one, where the recording was cut.
  live[3].replays.reset();
  EXPECT_EQ(pairs_of_logs(recorded, live), "0/3 1/1 2/2 3/0");
}

TEST(StreamPairs, OfTwoRecordingsAreThoseThatReplayTheSame) {
  std::vector<StreamLog> one = named({"w to s", "x to s", "y to s"});
  for (std::uint32_t i = 0; i < 3; ++i) one[i].stream = i + 4;
  one[0].replays = {2, "c to s"};
  one[1].replays = {0, "a to s"};
  one[2].replays = {0, "a to s"};
  EXPECT_EQ(pairs_of_logs(one, one), "0/0 1/1 2/2");
  std::vector<StreamLog> two = named({"m to s", "n to s"});
  two[0].replays = {0, "a to s"};
  two[1].replays = {2, "c to s"};
  EXPECT_EQ(pairs_of_logs(one, two), "0/1 1/0 2/-");
  // The second one replays the first one.
  two[0].replays = {6, "y to s"};
  two[1].replays = {4, "w to s"};
  EXPECT_EQ(pairs_of_logs(one, two), "0/1 1/- 2/0");
}

TEST(StreamPairs, OfNothing) {
  EXPECT_EQ(pairs_of({}, {}), "");
  EXPECT_EQ(pairs_of({"a to s"}, {}), "0/-");
}

}  // namespace
}  // namespace iwarp::replay
