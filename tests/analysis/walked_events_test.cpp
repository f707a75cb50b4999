// What add() and finish() return lives until the next of them: whatever the analysis is asked meanwhile.
// SPDX-License-Identifier: GPL-2.0-or-later
#include <gtest/gtest.h>

#include <cstring>
#include <vector>

#include <iwarp/analyzer.hpp>

#include "support/conversation.hpp"

namespace iwarp::test {
namespace {

// A SYN from a port of its own, or the RST that answers it.
TcpSegment to_closed_port(FrameNumber frame, unsigned client, bool answer) {
  TcpSegment segment;
  segment.frame = frame;
  segment.time_ns = static_cast<TimeNs>(frame) * 1'000'000;
  segment.source = endpoint("192.0.2.1", static_cast<std::uint16_t>(1024 + client));
  segment.destination = endpoint("192.0.2.2", 4420);
  segment.flags = tcp::syn;
  segment.sequence = 100;
  segment.window = 1000;
  if (answer) {
    std::swap(segment.source, segment.destination);
    segment.flags = tcp::rst | tcp::ack;
    segment.sequence = 0;
    segment.acknowledgement = 101;
  }
  return segment;
}

std::vector<char> octets_of(Events events) {
  std::vector<char> octets(events.size_bytes());
  if (!octets.empty()) std::memcpy(octets.data(), events.data(), octets.size());
  return octets;
}

// Asks for the connection of each event, and of all others, as reports do.
void expect_to_stay(Events events, const Analysis& analysis) {
  const std::vector<char> before = octets_of(events);
  std::size_t walked = 0;
  for (const Event& event : events) {
    EXPECT_NE(analysis.connection(event.connection), nullptr);
    for (ConnectionId id = 0; id < analysis.connection_count(); ++id) {
      if (const ConnectionState* const connection = analysis.connection(id)) {
        EXPECT_EQ(connection->id, id);
      }
    }
    ++walked;
    ASSERT_EQ(octets_of(events), before) << "after event " << walked << " of " << events.size();
  }
}

TEST(WalkedEvents, StayWhileConnectionsAreAskedFor) {
  for (const bool keep_log : {false, true}) {
    for (const bool answered : {false, true}) {
      for (const unsigned clients : {1U, 3U, 40U}) {
        SCOPED_TRACE(clients);
        AnalyzerOptions options;
        options.keep_log = keep_log;
        Analyzer analyzer(options);
        FrameNumber frame = 0;
        for (const bool answer : {false, true}) {
          if (answer && !answered) break;
          for (unsigned client = 0; client < clients; ++client)
            expect_to_stay(analyzer.add(to_closed_port(++frame, client, answer)), analyzer.analysis());
        }
        expect_to_stay(analyzer.finish(), analyzer.analysis());
      }
    }
  }
}

}  // namespace
}  // namespace iwarp::test
