// State is a fold of events: behind every frame, apply() over the log so far gives the state that the
// analyzer has.
// SPDX-License-Identifier: GPL-2.0-or-later
#include <gtest/gtest.h>

#include <map>
#include <set>

#include <iwarp/analyzer.hpp>

#include "support/all_events.hpp"
#include "support/capture_read.hpp"
#include "support/random_traffic.hpp"
#include "support/state_dump.hpp"

namespace iwarp::test {
namespace {

using testing::dump;

constexpr std::size_t max_compared = 400;

// What a state is before the first event: who the connection is.
ConnectionState before_all(const ConnectionState& live) {
  ConnectionState state;
  state.id = live.id;
  state.endpoints = live.endpoints;
  return state;
}

void expect_fold(const std::vector<OwnedSegment>& segments) {
  Analyzer analyzer({.keep_log = true});
  std::map<ConnectionId, ConnectionState> folded;
  const std::size_t stride = 1 + segments.size() / max_compared;
  const auto take = [&](Events events, bool compare) {
    std::set<ConnectionId> touched;
    for (const Event& event : events) {
      const ConnectionState* const live = analyzer.analysis().connection(event.connection);
      ASSERT_NE(live, nullptr);
      apply(folded.try_emplace(event.connection, before_all(*live)).first->second, event);
      touched.insert(event.connection);
    }
    if (!compare) return;
    for (const ConnectionId id : touched)
      ASSERT_EQ(dump(folded.at(id)), dump(*analyzer.analysis().connection(id)));
  };
  std::size_t count = 0;
  for (const OwnedSegment& each : segments) {
    SCOPED_TRACE(::testing::Message() << "frame " << each.meta.frame);
    ASSERT_NO_FATAL_FAILURE(take(analyzer.add(each.segment()), ++count % stride == 0));
  }
  ASSERT_NO_FATAL_FAILURE(take(analyzer.finish(), true));
  // And from the kept log once more, from nothing.
  std::map<ConnectionId, ConnectionState> again;
  for (const Event& event : all_events(analyzer.analysis())) {
    apply(again.try_emplace(event.connection, before_all(folded.at(event.connection))).first->second, event);
  }
  ASSERT_EQ(again.size(), folded.size());
  for (const auto& [id, state] : again) ASSERT_EQ(dump(state), dump(folded.at(id)));
}

TEST(Fold, RealCaptures) {
  for (const std::string& path : captures_in("real")) {
    SCOPED_TRACE(path);
    const CaptureRead read = read_capture(path);
    ASSERT_EQ(read.error, "");
    ASSERT_NO_FATAL_FAILURE(expect_fold(read.segments));
  }
}

TEST(Fold, GeneratedCaptures) {
  for (const std::string& path : captures_in("generated")) {
    SCOPED_TRACE(path);
    const CaptureRead read = read_capture(path);
    ASSERT_EQ(read.error, "");
    ASSERT_NO_FATAL_FAILURE(expect_fold(read.segments));
  }
}

TEST(Fold, RandomTraffic) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    SCOPED_TRACE(seed);
    const Carriage carriage{.seed = seed, .retransmit = true, .reorder = true};
    ASSERT_NO_FATAL_FAILURE(expect_fold(random_traffic(seed, traffic_of(seed), carriage).segments()));
  }
}

}  // namespace
}  // namespace iwarp::test
