// Connections at rest: little memory, the same facts and states.
// SPDX-License-Identifier: GPL-2.0-or-later
#include <gtest/gtest.h>
#include <malloc.h>

#include <algorithm>
#include <span>
#include <string>
#include <vector>

#include <iwarp/analyzer.hpp>

#include "analysis/connection_table.hpp"
#include "analysis/recorder.hpp"
#include "support/capture_read.hpp"
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

AnalyzerOptions awake(std::size_t connections) {
  AnalyzerOptions options;
  options.max_awake = connections;
  options.awake_segments = 0;
  return options;
}

void expect_same(Events one, Events another) {
  ASSERT_EQ(one.size(), another.size());
  for (std::size_t at = 0; at < one.size(); ++at) {
    EXPECT_EQ(one[at].kind, another[at].kind);
    EXPECT_EQ(one[at].connection, another[at].connection);
    EXPECT_EQ(one[at].frame, another[at].frame);
    EXPECT_EQ(one[at].side, another[at].side);
    EXPECT_EQ(one[at].offset, another[at].offset);
    EXPECT_EQ(one[at].ack, another[at].ack);
  }
}

void expect_same_states(const Analysis& one, const Analysis& another) {
  ASSERT_EQ(one.connection_count(), another.connection_count());
  for (ConnectionId id = 0; id < one.connection_count(); ++id) {
    const ConnectionState* const state = one.connection(id);
    const ConnectionState* const same = another.connection(id);
    ASSERT_EQ(state == nullptr, same == nullptr) << id;
    if (state != nullptr) {
      ASSERT_EQ(dump(*state), dump(*same)) << id;
    }
  }
  for (unsigned check = 0; check < check_count; ++check) {
    for (unsigned reason = 0; reason < static_cast<unsigned>(Reason::count); ++reason) {
      const auto c = static_cast<CheckId>(check);
      const auto r = static_cast<Reason>(reason);
      ASSERT_EQ(one.undecidable(c, r), another.undecidable(c, r)) << check_info(c).id;
    }
  }
}

TEST(RestingConnections, TellTheSameAsThoseAwake) {
  const Bytes octets(8, Byte{0x41});
  const Scan scan = mixed_scan(octets);
  Analyzer resting(awake(0));
  Analyzer kept(awake(1000));
  for (const TcpSegment& segment : scan.segments) {
    expect_same(resting.add(segment), kept.add(segment));
    if (segment.frame % 16 == 0) expect_same_states(resting.analysis(), kept.analysis());
  }
  expect_same(resting.finish(), kept.finish());
  expect_same_states(resting.analysis(), kept.analysis());
}

// Each segment of a capture, and behind it what makes its connection rest: segments of four others.
void expect_same_with_rests(const std::vector<OwnedSegment>& capture) {
  Analyzer resting(awake(0));
  Analyzer kept(awake(1000));
  Scan others;
  for (unsigned client = 0; client < 4; ++client) others.add(false, client, tcp::syn, 100, 0);
  const auto add = [&](const TcpSegment& segment) { expect_same(resting.add(segment), kept.add(segment)); };
  for (const OwnedSegment& owned : capture) {
    const TcpSegment segment = owned.segment();
    add(segment);
    for (TcpSegment& other : others.segments) {
      other.frame = segment.frame;
      other.time_ns = segment.time_ns;
      add(other);
    }
    if (::testing::Test::HasFailure()) return;
  }
  expect_same(resting.finish(), kept.finish());
  expect_same_states(resting.analysis(), kept.analysis());
}

// Start-ups whole and in pieces, refused, broken and crossed; other protocols; what is joined mid-stream;
// holes, repetitions, segments that come late and bad checksums: a member that is not packed is missed
// somewhere.
TEST(RestingConnections, TellTheSameInEveryCapture) {
  for (const char* const folder : {"real", "generated"}) {
    for (const std::string& path : captures_in(folder)) {
      SCOPED_TRACE(path);
      const CaptureRead capture = read_capture(path);
      expect_same_with_rests(capture.segments);
      ASSERT_FALSE(::testing::Test::HasFailure());
      std::vector<OwnedSegment> damaged;  // every fifth segment is missing
      for (std::size_t at = 0; at < capture.segments.size(); ++at) {
        if (at % 5 != 3) damaged.push_back(capture.segments[at]);
      }
      expect_same_with_rests(damaged);
      ASSERT_FALSE(::testing::Test::HasFailure());
      std::vector<OwnedSegment> reordered = capture.segments;  // every seventh comes three places late
      for (auto left = std::span(reordered); left.size() >= 7; left = left.subspan(7))
        std::rotate(left.begin(), left.begin() + 1, left.begin() + 4);
      expect_same_with_rests(reordered);
      ASSERT_FALSE(::testing::Test::HasFailure());
      for (const std::ptrdiff_t missing : {1, 2, 3, 4, 5, 7, 11, 23}) {  // of the beginning
        if (missing >= std::ssize(capture.segments)) break;
        expect_same_with_rests({capture.segments.begin() + missing, capture.segments.end()});
        ASSERT_FALSE(::testing::Test::HasFailure());
      }
    }
  }
}

TEST(RestingConnections, StartUpsCutAnywhere) {
  for (std::size_t cut = 1; cut < 60; ++cut) {
    for (const bool reply : {false, true}) {
      SCOPED_TRACE(cut);
      Conversation c;
      c.handshake();
      c.send(Side::a, request_frame({.private_data = pattern(30)}), {cut, 3});
      if (reply) c.send(Side::b, reply_frame({.private_data = pattern(20)}), {cut, 3});
      c.wait(20'000'000'000);
      c.ack(Side::b);
      c.close();
      expect_same_with_rests(c.segments());
      ASSERT_FALSE(::testing::Test::HasFailure());
    }
  }
}

// The search for FPDUs in a stream joined mid-stream: whatever the segments are cut to, with and without
// markers and CRC, with segments that the snapshot length cut, and with octets before that are no FPDUs.
TEST(RestingConnections, SearchesCutAnywhere) {
  for (const bool markers : {false, true}) {
    for (const bool crc : {false, true}) {
      for (const std::size_t cut : {5U, 17U, 40U, 61U, 150U, 536U}) {
        for (const std::size_t snapped : {0U, 2U}) {  // segments at the start
          SCOPED_TRACE(::testing::Message() << markers << crc << ' ' << cut << ' ' << snapped);
          Conversation c;
          c.full_operation({.markers = markers, .crc = crc}, {.markers = markers, .crc = crc});
          Bytes sent;
          for (std::uint32_t msn = 1; msn <= 6; ++msn) {
            const Bytes next = c.frame(Side::a, send(msn, pattern(170 + 13 * msn)));
            sent.insert(sent.end(), next.begin(), next.end());
          }
          const Bytes tail(sent.begin() + 90, sent.end());
          const Packets packets = c.send(Side::a, tail, Cuts::every(cut));
          for (std::size_t at = 0; at < snapped; ++at) c.packet(packets[at]).captured = 4;
          c.send(Side::b, pattern(300), Cuts::every(cut));
          c.close();
          expect_same_with_rests(c.segments());
          ASSERT_FALSE(::testing::Test::HasFailure());
        }
      }
    }
  }
}

// Behind a hole that is filled later: octets that were captured, and some that the snapshot length cut.
TEST(RestingConnections, OctetsWaitBehindAHole) {
  Conversation c;
  c.handshake();
  const Bytes request = request_frame({.private_data = pattern(90)});
  const Packets lost = c.lose(Side::a, Bytes(request.begin(), request.begin() + 10));
  const Packets cut = c.send(Side::a, Bytes(request.begin() + 10, request.end()), {30, 30});
  c.packet(cut[1]).captured = 7;
  c.ack(Side::b);
  c.resend(lost);
  c.send(Side::b, reply_frame());
  c.close();
  expect_same_with_rests(c.segments());
}

// What a connection of `scan` costs once all of it was added, in octets; 0 where another allocator is used.
std::size_t cost(const Scan& scan, unsigned clients) {
  Analyzer analyzer(awake(64));
  const auto used = [] { return mallinfo2().uordblks; };
  const auto before = used();
  for (const TcpSegment& segment : scan.segments) analyzer.add(segment);
  const auto after = used();
  analyzer.finish();
  EXPECT_EQ(analyzer.analysis().connection_count(), clients);
  return (after - before) / clients;
}

TEST(RestingConnections, CostAFewHundredOctets) {
  constexpr unsigned count = 20'000;
  const Bytes request = request_frame();
  const Bytes reply = reply_frame();
  const Bytes others(200, Byte{0x41});
  Scan scan;
  Scan requests;
  Scan startups;
  Scan other_protocols;
  for (unsigned client = 0; client < count; ++client) {
    for (Scan* const each : {&scan, &requests, &startups, &other_protocols})
      each->add(false, client, tcp::syn, client, 0);
    for (Scan* const each : {&startups, &other_protocols})
      each->add(true, client, tcp::syn | tcp::ack, 0, client + 1);
    for (Scan* const each : {&requests, &startups})
      each->add(false, client, tcp::ack, client + 1, 1, request);
    startups.add(true, client, tcp::ack, 1, client + 21, reply);
    for (std::uint32_t at = 0; at < 2000; at += 200) {
      other_protocols.add(false, client, tcp::ack, client + 1 + at, 1 + at, others);
      other_protocols.add(true, client, tcp::ack, 1 + at, client + 201 + at, others);
    }
  }
  EXPECT_LT(cost(scan, count), 600U);
  EXPECT_LT(cost(requests, count), 800U);
  EXPECT_LT(cost(startups, count), 1000U);
  EXPECT_LT(cost(other_protocols, count), 1000U);
}

// A search keeps the octets in which FPDUs may be still, and little beside them; more where each word may be
// a marker.
TEST(RestingConnections, CostTheirOctetsInSearch) {
  constexpr unsigned count = 4'000;
  constexpr std::size_t size = 3 * 1448;
  const auto cost_of = [](const Bytes& octets) {
    Scan scan;
    for (unsigned client = 0; client < count; ++client) {
      for (std::uint32_t at = 0; at < size; at += 1448) {
        scan.add(false, client, tcp::ack, client + 1 + at, 1, ByteView(octets).subspan(at, 1448));
      }
    }
    return cost(scan, count);
  };
  EXPECT_LT(cost_of(Bytes(size, Byte{0x41})), size + 1500U);  // versions of DDP and RDMAP everywhere
  EXPECT_LT(cost_of(pattern(size)), size + 1500U);
  EXPECT_LT(cost_of(Bytes(size)), size + 8000U);
}

// The window of a search is 256 KiB, however much it passed over: in segments of two octets, behind a hole,
// too.
TEST(RestingConnections, ASearchForgetsWhatItPassed) {
  constexpr std::uint32_t count = 500'000;
  const Bytes pair = hex("00 01");
  Scan midstream;
  Scan behind_hole;
  behind_hole.add(false, 0, tcp::syn, 0, 0);
  behind_hole.add(true, 0, tcp::syn | tcp::ack, 0, 1);
  const Bytes request = request_frame();
  const Bytes reply = reply_frame();
  const auto begin = static_cast<std::uint32_t>(1 + request.size());
  behind_hole.add(false, 0, tcp::ack, 1, 1, request);
  behind_hole.add(true, 0, tcp::ack, 1, begin, reply);
  constexpr std::uint32_t hole = 100'000;
  for (std::uint32_t at = 0; at < 2 * count; at += 2) {
    midstream.add(false, 0, tcp::ack, 1 + at, 1, pair);
    behind_hole.add(false, 0, tcp::ack, begin + hole + at, 1, pair);
  }
  for (const Scan* const scan : {&midstream, &behind_hole}) EXPECT_LT(cost(*scan, 1), 20'000'000U);
}

// Connections that octets come to all the time are left ready: packing and unpacking them costs more than a
// segment. Those that are idle come to rest all the same.
TEST(RestingConnections, BusyOnesAreLeftReady) {
  constexpr unsigned count = 400;
  const Bytes octets = pattern(100);
  Scan busy;
  for (std::uint32_t round = 0; round < 50; ++round) {
    for (unsigned client = 0; client < count; ++client)
      busy.add(false, client, tcp::ack, client + 1 + 100 * round, 1, octets);
  }
  const AnalyzerOptions options;
  Recorder recorder(options);
  ConnectionTable table(options, recorder);
  const auto add = [&](const TcpSegment& segment) {
    recorder.begin_frame(segment.frame, segment.time_ns);
    table.take(segment);
    recorder.forget();
  };
  for (const TcpSegment& segment : busy.segments) add(segment);
  EXPECT_LT(table.woken(), 20U * count);  // as long as they hold little

  const std::uint64_t before = table.woken();
  Scan others;
  for (unsigned client = 0; client < 10'000; ++client) others.add(false, count + client, tcp::syn, 1, 0);
  for (const TcpSegment& segment : others.segments) add(segment);
  for (const TcpSegment& segment : busy.segments) {
    if (segment.frame <= count) add(segment);
  }
  EXPECT_GE(table.woken() - before, count - 10U);
}

// However often they came to rest: a segment of each in turn.
TEST(RestingConnections, CostNoMoreIfTheyRestOften) {
  constexpr unsigned count = 2'000;
  constexpr std::uint32_t rounds = 50;
  const Bytes octets = pattern(20);
  const Bytes startup[] = {request_frame({.private_data = pattern(512)}),
                           reply_frame({.private_data = pattern(512)})};
  Scan others;
  Scan joined;
  Scan idle;
  for (std::uint32_t round = 0; round < rounds; ++round) {
    for (unsigned client = 0; client < count; ++client) {
      const std::uint32_t at = round * 20;
      for (Scan* const each : {&others, &idle}) {
        if (round == 0) each->add(false, client, tcp::syn, client, 0);
        if (round == 0) each->add(true, client, tcp::syn | tcp::ack, 0, client + 1);
      }
      for (Scan* const each : {&others, &joined}) {
        each->add(false, client, tcp::ack, client + 1 + at, 1 + at, octets);
        each->add(true, client, tcp::ack, 1 + at, client + 21 + at, octets);
      }
      if (round == 0) idle.add(false, client, tcp::ack, client + 1, 1, startup[0]);
      if (round == 0) idle.add(true, client, tcp::ack, 1, client + 533, startup[1]);
      if (round > 0) idle.add(round % 2 == 0, client, tcp::ack, round % 2 == 0 ? 532 : client + 532, 533);
    }
  }
  constexpr std::size_t awake_share = 64 * 10'000 / count;  // of those that are awake
  EXPECT_LT(cost(others, count), 1500U + awake_share);
  EXPECT_LT(cost(joined, count), 2 * 20 * rounds + 4000U + awake_share);
  EXPECT_LT(cost(idle, count), 2 * 1024 + 1000U + awake_share);
}

// At the end each is looked at whole once more, only some at a time.
TEST(RestingConnections, FinishAFewAtATime) {
  constexpr unsigned count = 1'000;
  Scan scan;
  for (unsigned client = 0; client < count; ++client) scan.add(false, client, tcp::syn, client, 0);
  Analyzer analyzer(awake(64));
  for (const TcpSegment& segment : scan.segments) analyzer.add(segment);
  std::size_t closed = 0;
  for (Events events = analyzer.finish_some(); !events.empty(); events = analyzer.finish_some()) {
    EXPECT_LE(events.size(), 100U);
    for (const Event& event : events) closed += event.kind == EventKind::closed ? 1 : 0;
  }
  EXPECT_EQ(closed, count);
}

// Connections of which the beginning was not captured, or octets between, wait and are searched, with as
// little memory.
TEST(RestingConnections, CostAFewHundredOctetsInSearch) {
  constexpr unsigned count = 20'000;
  const Bytes request = request_frame();
  const Bytes octets = pattern(100);
  Scan joined_requests;
  Scan joined_octets;
  Scan behind_hole;
  Scan ahead;
  for (unsigned client = 0; client < count; ++client) {
    joined_requests.add(false, client, tcp::ack, client + 1, 1, request);
    joined_octets.add(false, client, tcp::ack, client + 1, 1, octets);
    joined_octets.add(true, client, tcp::ack, 1, client + 101, octets);
    for (Scan* const each : {&behind_hole, &ahead}) {
      each->add(false, client, tcp::syn, client, 0);
      each->add(true, client, tcp::syn | tcp::ack, 0, client + 1);
    }
    behind_hole.add(false, client, tcp::ack, client + 21, 1, request);
    ahead.add(true, client, tcp::ack, 1, client + 21, request);  // acknowledges what was not captured
  }
  EXPECT_LT(cost(joined_requests, count), 1000U);
  EXPECT_LT(cost(joined_octets, count), 1000U);
  EXPECT_LT(cost(behind_hole, count), 1000U);
  EXPECT_LT(cost(ahead, count), 1000U);
}

}  // namespace
}  // namespace iwarp::test
