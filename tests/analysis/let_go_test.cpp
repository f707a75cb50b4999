// Connections that are let go before they end: what is said of them, and what goes on.
// SPDX-License-Identifier: GPL-2.0-or-later
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include <iwarp/analyzer.hpp>

#include "support/conversation.hpp"

namespace iwarp::test {
namespace {

// Sessions one after the other, each on a client's port of its own.
class Sessions {
 public:
  explicit Sessions(bool closed, const AnalyzerOptions& options = {}) : analyzer_(options) {
    Conversation one;
    one.handshake();
    one.startup({}, {});
    if (closed) one.close();
    segments_ = one.segments();
  }

  void add(unsigned count) {
    for (; count > 0; --count, ++port_) {
      for (const OwnedSegment& each : segments_) add(each);
    }
  }
  // The last segment of a session that was added before, once more.
  Events repeat_last(unsigned session) {
    const std::uint16_t port = std::exchange(port_, static_cast<std::uint16_t>(first_port + session));
    const Events events = add(segments_.back());
    port_ = port;
    return events;
  }
  Events let_go(std::size_t connections) { return told(analyzer_.let_go(connections)); }

  [[nodiscard]] const Analysis& analysis() const { return analyzer_.analysis(); }
  // What CAP-LIMIT says, a sentence each.
  [[nodiscard]] const std::vector<std::string>& limits() const { return limits_; }

 private:
  static constexpr std::uint16_t first_port = 1024;

  Events add(const OwnedSegment& owned) {
    TcpSegment segment = owned.segment();
    segment.frame = ++frame_;
    const bool from_client = segment.source == segments_.front().meta.source;
    (from_client ? segment.source : segment.destination).port = port_;
    return told(analyzer_.add(segment));
  }
  Events told(Events events) {
    for (const Event& event : events) {
      if (event.kind == EventKind::finding && std::string(check_info(event.finding.check).id) == "CAP-LIMIT")
        limits_.push_back(describe(event.finding));
    }
    return events;
  }

  Analyzer analyzer_;
  std::vector<OwnedSegment> segments_;
  FrameNumber frame_ = 0;
  std::uint16_t port_ = first_port;
  std::vector<std::string> limits_;
};

std::string let_go_for(const std::string& limit) {
  return "the limit of " + limit +
         " was reached and this one, idle longest, was let go: what comes of it later is followed as a "
         "stream "
         "of its own, joined mid-stream";
}

TEST(LetGo, ForMemoryEachConnectionSaysTheSame) {
  Sessions sessions(false);
  sessions.add(3);
  sessions.let_go(2);
  EXPECT_EQ(sessions.limits(), std::vector<std::string>(2, let_go_for("memory")));
  EXPECT_EQ(sessions.analysis().followed(), 1U);
}

// What waits behind a hole would become more than it is, just where there is no room for that.
TEST(LetGo, ForMemoryWhatWaitsIsNotRead) {
  Conversation c;
  c.handshake();
  c.startup();
  c.drop(c.fpdu(Side::a, send(1)));
  for (std::uint32_t msn = 2; msn < 200; ++msn) c.fpdu(Side::a, send(msn));
  Analyzer analyzer;
  for (const OwnedSegment& each : c.segments()) analyzer.add(each.segment());
  EXPECT_EQ(analyzer.analysis().followed(), 1U);
  const Events events = analyzer.let_go(1);
  EXPECT_LT(events.size(), 10U);
  for (const Event& event : events) EXPECT_NE(event.kind, EventKind::fpdu);
  EXPECT_EQ(analyzer.analysis().followed(), 0U);
}

TEST(LetGo, ForTooManyConnectionsEachSaysTheSame) {
  AnalyzerOptions options;
  options.max_connections = 2;
  Sessions sessions(false, options);
  sessions.add(5);
  EXPECT_EQ(sessions.limits(), std::vector<std::string>(3, let_go_for("connections followed at once")));
  EXPECT_EQ(sessions.analysis().followed(), 2U);
}

// Each was used again since it began, and one of them later than all others.
TEST(LetGo, TheOneIdleLongestGoesWhereverItBegan) {
  constexpr unsigned count = 20;
  Sessions sessions(false);
  sessions.add(count);
  sessions.repeat_last(0);
  sessions.let_go(count - 1);
  const ConnectionState* const busy = sessions.analysis().connection(0);
  ASSERT_NE(busy, nullptr);
  EXPECT_FALSE(busy->closed);
  EXPECT_EQ(sessions.analysis().followed(), 1U);
}

TEST(LetGo, ThoseThatEndedAreRememberedUntilTheirMemoryIsNeededAgain) {
  constexpr unsigned count = 3;
  Sessions sessions(true);
  sessions.add(count);
  sessions.let_go(2);
  EXPECT_EQ(sessions.analysis().followed(), 1U);
  EXPECT_EQ(sessions.analysis().remembered(), 2U);
  sessions.repeat_last(0);
  EXPECT_EQ(sessions.analysis().late_segments(), 1U);
  EXPECT_EQ(sessions.analysis().connection_count(), count);

  sessions.let_go(2);
  EXPECT_EQ(sessions.analysis().followed(), 1U) << "those that are only remembered go first";
  EXPECT_EQ(sessions.analysis().remembered(), 0U);
  sessions.repeat_last(0);
  EXPECT_EQ(sessions.analysis().connection_count(), count + 1);

  while (sessions.analysis().followed() + sessions.analysis().remembered() > 0) sessions.let_go(1);
  EXPECT_EQ(sessions.limits(), std::vector<std::string>()) << "nothing was lost of what had ended";
}

}  // namespace
}  // namespace iwarp::test
