// Connections without octets: little memory, the same facts and states.
// SPDX-License-Identifier: GPL-2.0-or-later
#include <gtest/gtest.h>
#include <malloc.h>

#include <string>
#include <vector>

#include <iwarp/analyzer.hpp>

#include "support/conversation.hpp"
#include "support/state_dump.hpp"

namespace iwarp::test {
namespace {

using testing::dump;

// Segments of a capture, numbered as they are added.
class Scan {
 public:
  void add(bool back, unsigned client, std::uint8_t flags, std::uint32_t sequence, std::uint32_t acknowledged,
           ByteView octets = {}) {
    TcpSegment segment;
    segment.frame = segments.size() + 1;
    segment.time_ns = static_cast<TimeNs>(segment.frame) * 1'000'000;
    segment.source = endpoint("192.0.2.1", static_cast<std::uint16_t>(1024 + client % 50'000));
    segment.destination = endpoint("192.0.2.2", static_cast<std::uint16_t>(1 + client / 50'000));
    if (back) std::swap(segment.source, segment.destination);
    segment.flags = flags;
    segment.sequence = sequence;
    segment.acknowledgement = acknowledged;
    segment.window = 1000;
    segment.payload = octets;
    segment.wire_length = static_cast<std::uint32_t>(octets.size());
    segments.push_back(segment);
  }

  std::vector<TcpSegment> segments;
};

// Ports that are closed, filtered, open and shut again, open and spoken to, all at once.
Scan mixed_scan(const Bytes& octets) {
  constexpr unsigned clients = 40;
  Scan scan;
  for (unsigned step = 0; step < 6; ++step) {
    for (unsigned client = 0; client < clients; ++client) {
      const unsigned kind = client % 5;
      if (step == 0) scan.add(false, client, tcp::syn, 100, 0);
      if (kind == 0) continue;
      if (step == 1 && kind == 1) scan.add(true, client, tcp::rst | tcp::ack, 0, 101);
      if (kind == 1) continue;
      if (step == 1) scan.add(true, client, tcp::syn | tcp::ack, 200, 101);
      if (step == 2) scan.add(false, client, tcp::ack, 101, 201);
      if (step == 3 && kind == 2) scan.add(false, client, tcp::rst, 101, 0);
      if (step == 3 && kind == 3) scan.add(false, client, tcp::fin | tcp::ack, 101, 201);
      if (step == 4 && kind == 3) scan.add(true, client, tcp::fin | tcp::ack, 201, 102);
      if (step == 5 && kind == 3) scan.add(false, client, tcp::syn, 900, 0);  // the port is used again
      if (step >= 3 && kind == 4) scan.add(false, client, tcp::ack, 101 + 8 * (step - 3), 201, octets);
    }
  }
  return scan;
}

AnalyzerOptions logging(bool keep_log) {
  AnalyzerOptions options;
  options.keep_log = keep_log;
  return options;
}

void expect_same(Events one, Events another) {
  std::vector<Event> logged;
  for (const Event& event : another) {
    if (event.kind != EventKind::undecidable) logged.push_back(event);  // of these only a log is told
  }
  ASSERT_EQ(one.size(), logged.size());
  for (std::size_t at = 0; at < one.size(); ++at) {
    EXPECT_EQ(one[at].kind, logged[at].kind);
    EXPECT_EQ(one[at].connection, logged[at].connection);
    EXPECT_EQ(one[at].frame, logged[at].frame);
    EXPECT_EQ(one[at].side, logged[at].side);
    EXPECT_EQ(one[at].offset, logged[at].offset);
    EXPECT_EQ(one[at].ack, logged[at].ack);
  }
}

TEST(QuietConnections, TellTheSameWhetherTheyAreKeptOrMadeAgain) {
  const Bytes octets(8, Byte{0x41});
  const Scan scan = mixed_scan(octets);
  Analyzer slept(logging(false));
  Analyzer kept(logging(true));
  const auto compare_states = [&] {
    for (ConnectionId id = 0; id < kept.analysis().connection_count(); ++id) {
      const ConnectionState* const state = slept.analysis().connection(id);
      if (state == nullptr) continue;  // let go
      EXPECT_EQ(dump(*state), dump(*kept.analysis().connection(id))) << id;
    }
  };
  for (const TcpSegment& segment : scan.segments) {
    expect_same(slept.add(segment), kept.add(segment));
    if (segment.frame % 16 == 0) compare_states();
  }
  expect_same(slept.finish(), kept.finish());
  compare_states();
  for (unsigned check = 0; check < check_count; ++check) {
    for (unsigned reason = 0; reason < static_cast<unsigned>(Reason::count); ++reason) {
      const auto c = static_cast<CheckId>(check);
      const auto r = static_cast<Reason>(reason);
      EXPECT_EQ(slept.analysis().undecidable(c, r), kept.analysis().undecidable(c, r)) << check_info(c).id;
    }
  }
}

TEST(QuietConnections, CostAFewHundredOctets) {
  constexpr unsigned count = 20'000;
  Scan scan;
  for (unsigned client = 0; client < count; ++client) scan.add(false, client, tcp::syn, client, 0);
  Analyzer analyzer;
  const auto used = [] { return mallinfo2().uordblks; };  // 0 where another allocator is used
  const auto before = used();
  for (const TcpSegment& segment : scan.segments) analyzer.add(segment);
  EXPECT_LT(used() - before, std::size_t{count} * 800);
  analyzer.finish();
  EXPECT_EQ(analyzer.analysis().connection_count(), count);
}

}  // namespace
}  // namespace iwarp::test
