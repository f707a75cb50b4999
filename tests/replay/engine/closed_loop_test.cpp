// Every sound capture becomes a plan, the plan runs between two soft-RNICs, and what they did is what was recorded.
// SPDX-License-Identifier: GPL-2.0-or-later
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <map>

#include "compare/comparison.hpp"
#include "compare/render.hpp"
#include "plan/planner.hpp"
#include "replay/engine/closed_loop.hpp"
#include "support/capture_read.hpp"

namespace iwarp::replay::test {
namespace {

using iwarp::test::captures_in;

std::string name_of(const std::string& path) {
  std::string name = std::filesystem::path(path).filename().string();
  name.erase(name.find(".pcap"));
  return name;
}

std::string listed(const std::vector<LiveLog::Found>& found) {
  std::string text;
  for (std::size_t i = 0; i < found.size() && i < 10; ++i) {
    text += found[i].check + " in frame " + std::to_string(found[i].frame) + ": " + found[i].text + "\n";
  }
  return text;
}

std::string listed(const std::vector<std::string>& lines) {
  std::string text;
  for (std::size_t i = 0; i < lines.size() && i < 10; ++i) text += lines[i] + "\n";
  return text;
}

class ClosedLoop : public testing::TestWithParam<std::string> {};

TEST_P(ClosedLoop, ShowsWhatWasRecorded) {
  std::string error;
  const auto made = plan_capture(GetParam(), {}, error);
  ASSERT_TRUE(made) << error;
  const Plan& plan = made->plan;
  const std::vector<std::uint32_t> streams = conforming(plan);
  if (streams.empty()) GTEST_SKIP() << "no conforming stream";
  LoopOptions options;
  options.streams = streams;
  options.replay.timing = Timing::topspeed;
  const LoopResult result = closed_loop(plan, options);
  ASSERT_EQ(result.error, "");
  EXPECT_EQ(result.outcome, Outcome::complete) << listed(result.waits);
  EXPECT_EQ(listed(result.troubles), "");
  EXPECT_EQ(listed(result.found), "");
  std::vector<EventLog> expected;
  for (const std::uint32_t each : streams) expected.push_back(expected_log(plan, each));
  const StreamsComparison comparison = compare(expected, result.logs);
  EXPECT_TRUE(comparison.same()) << to_text(comparison, expected, result.logs);
}

std::vector<std::string> captures() {
  std::vector<std::string> paths = captures_in("real");
  for (const std::string& each : captures_in("generated")) paths.push_back(each);
  return paths;
}

INSTANTIATE_TEST_SUITE_P(Captures, ClosedLoop, testing::ValuesIn(captures()), [](const auto& made) {
  std::string name = name_of(made.param);
  std::ranges::replace_if(name, [](char each) { return std::isalnum(static_cast<unsigned char>(each)) == 0; }, '_');
  return name;
});

}  // namespace
}  // namespace iwarp::replay::test
