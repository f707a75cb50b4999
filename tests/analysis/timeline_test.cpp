// Timeline: behind any frame, in any order of questions, the state is the one that the analyzer had when that
// frame had just been added.
// SPDX-License-Identifier: GPL-2.0-or-later
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include <iwarp/timeline.hpp>

#include "support/capture_read.hpp"
#include "support/random_traffic.hpp"
#include "support/state_dump.hpp"

namespace iwarp::test {
namespace {

using testing::dump;

struct Moment {
  ConnectionId connection = 0;
  FrameNumber frame = 0;
  std::string state;
};

// What the live analysis said, of the connection of every `every`th frame.
struct Watched {
  Analyzer analyzer{{.keep_log = true}};
  std::vector<Moment> moments;

  Watched(const std::vector<OwnedSegment>& segments, std::size_t every) {
    std::size_t count = 0;
    for (const OwnedSegment& each : segments) {
      const Events events = analyzer.add(each.segment());
      if (events.empty() || ++count % every != 0) continue;
      const ConnectionId connection = events.back().connection;
      moments.push_back({connection, each.meta.frame, dump(*analyzer.analysis().connection(connection))});
    }
    (void)analyzer.finish();
  }
};

void expect_any_order(Watched& watched, std::size_t stride, std::size_t most_marks = Timeline::max_marks) {
  Timeline timeline(watched.analyzer.analysis(), stride, most_marks);
  std::vector<Moment> order = watched.moments;
  const auto check = [&] {
    for (const Moment& moment : order) {
      const Snapshot state = timeline.state_after(moment.connection, moment.frame);
      ASSERT_NE(state, nullptr);
      ASSERT_EQ(dump(*state), moment.state)
          << "connection " << moment.connection << ", frame " << moment.frame;
    }
  };
  ASSERT_NO_FATAL_FAILURE(check());
  std::reverse(order.begin(), order.end());
  ASSERT_NO_FATAL_FAILURE(check());
  Numbers numbers(7);
  for (std::size_t i = order.size(); i > 1; --i) {
    std::swap(order[i - 1], order[numbers.below(static_cast<std::uint32_t>(i))]);
  }
  ASSERT_NO_FATAL_FAILURE(check());
}

TEST(Timeline, AnyOrderOnRealCaptures) {
  for (const std::string& path : captures_in("real")) {
    SCOPED_TRACE(path);
    const CaptureRead read = read_capture(path);
    ASSERT_EQ(read.error, "");
    Watched watched(read.segments, 1 + read.segments.size() / 60);
    ASSERT_NO_FATAL_FAILURE(expect_any_order(watched, 16));
  }
}

TEST(Timeline, AnyStride) {
  const Carriage carriage{.seed = 3, .retransmit = true, .reorder = true};
  const auto segments = random_traffic(3, traffic_of(3), carriage).segments();
  for (const std::size_t stride : {0U, 1U, 2U, 5U, 100000U}) {
    SCOPED_TRACE(stride);
    Watched watched(segments, 1);
    ASSERT_NO_FATAL_FAILURE(expect_any_order(watched, stride));
  }
}

TEST(Timeline, GrowsWithTheLog) {
  const auto segments = random_traffic(5, traffic_of(5)).segments();
  Analyzer analyzer({.keep_log = true});
  Timeline timeline(analyzer.analysis(), 4);
  for (const OwnedSegment& each : segments) {
    (void)analyzer.add(each.segment());
    const Snapshot state = timeline.state_after(0, each.meta.frame);
    ASSERT_NE(state, nullptr);
    ASSERT_EQ(dump(*state), dump(*analyzer.analysis().connection(0)));
  }
}

TEST(Timeline, ReturnedStatesDoNotChange) {
  const auto segments = random_traffic(6, traffic_of(6)).segments();
  Watched watched(segments, 1);
  Timeline timeline(watched.analyzer.analysis(), 4);
  std::vector<Snapshot> held;
  for (const Moment& moment : watched.moments)
    held.push_back(timeline.state_after(moment.connection, moment.frame));
  for (std::size_t i = 0; i < held.size(); ++i) ASSERT_EQ(dump(*held[i]), watched.moments[i].state);
}

TEST(Timeline, FewMarks) {
  const auto segments = random_traffic(9, traffic_of(9)).segments();
  for (const std::size_t most : {0U, 1U, 3U}) {
    SCOPED_TRACE(most);
    Watched watched(segments, 1);
    ASSERT_NO_FATAL_FAILURE(expect_any_order(watched, 1, most));
  }
}

TEST(Timeline, NothingBeforeTheFirstEvent) {
  const auto segments = random_traffic(8, traffic_of(8)).segments();
  Watched watched(segments, 1);
  Timeline timeline(watched.analyzer.analysis());
  EXPECT_EQ(timeline.state_after(0, 0), nullptr);
  EXPECT_EQ(timeline.state_after(99, 1), nullptr);
  ASSERT_NE(timeline.state_after(0, end_of_capture), nullptr);
  EXPECT_TRUE(timeline.state_after(0, end_of_capture)->closed.has_value()) << "what finish() concluded";
}

}  // namespace
}  // namespace iwarp::test
