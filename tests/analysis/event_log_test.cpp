// EventLog: what goes in comes out, whatever frame is asked for and in which order.
// SPDX-License-Identifier: GPL-2.0-or-later
#include "analysis/event_log.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <map>
#include <memory>
#include <vector>

#include "base/octet_packer.hpp"
#include "support/capture_read.hpp"
#include "support/random_traffic.hpp"

namespace iwarp::test {
namespace {

// The octets of a fact, without those between its fields.
template <typename Fact>
Bytes octets_of([[maybe_unused]] Fact fact) {
#if defined(__has_builtin) && !defined(__clang__)
#if __has_builtin(__builtin_clear_padding)
  __builtin_clear_padding(&fact);
  Bytes octets(sizeof fact);
  std::memcpy(octets.data(), &fact, sizeof fact);
  return octets;
#endif
#endif
  return {};
}

Bytes fact_of(const Event& event) {
  switch (event.kind) {
    case EventKind::opened: return octets_of(event.opened);
    case EventKind::syn: return octets_of(event.syn);
    case EventKind::startup: return octets_of(event.startup);
    case EventKind::fpdu:
    case EventKind::placed: return octets_of(event.fpdu);
    case EventKind::gap: return octets_of(event.gap);
    case EventKind::sync_lost: return octets_of(event.sync_lost);
    case EventKind::locked: return octets_of(event.locked);
    case EventKind::acknowledged: return {};
    case EventKind::received: return octets_of(event.received);
    case EventKind::retransmitted: return octets_of(event.retransmitted);
    case EventKind::window: return octets_of(event.window);
    case EventKind::window_full: return octets_of(event.window_full);
    case EventKind::fin:
    case EventKind::rst: return octets_of(event.end);
    case EventKind::closed: return octets_of(event.closed);
    case EventKind::revoked: return octets_of(event.revoked);
    case EventKind::message: return octets_of(event.message);
    case EventKind::operation: return octets_of(event.operation);
    case EventKind::finding: return octets_of(event.finding);
    case EventKind::undecidable: return octets_of(event.undecidable);
  }
  return {};
}

void expect_same(const Event& got, const Event& expected) {
  ASSERT_EQ(got.kind, expected.kind);
  const auto kind = static_cast<unsigned>(got.kind);
  ASSERT_EQ(got.frame, expected.frame) << kind;
  ASSERT_EQ(got.time_ns, expected.time_ns) << kind;
  ASSERT_EQ(got.offset, expected.offset) << kind;
  ASSERT_EQ(got.ack, expected.ack) << kind;
  ASSERT_EQ(got.connection, expected.connection) << kind;
  ASSERT_EQ(got.side, expected.side) << kind;
  ASSERT_EQ(fact_of(got), fact_of(expected)) << kind;
}

void expect_same(Events got, const std::vector<Event>& expected) {
  ASSERT_EQ(got.size(), expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) {
    SCOPED_TRACE(i);
    ASSERT_NO_FATAL_FAILURE(expect_same(got[i], expected[i]));
  }
}

std::vector<Event> copy(Events events) {
  return {events.begin(), events.end()};
}

// `together`: so many segments have the same frame number.
void expect_kept(const std::vector<OwnedSegment>& segments, FrameNumber together = 1) {
  Analyzer analyzer({.keep_log = true, .acknowledgements = true});
  std::map<FrameNumber, std::vector<Event>> added;
  EventBuffer buffer;
  FrameNumber count = 0;
  for (const OwnedSegment& each : segments) {
    TcpSegment segment = each.segment();
    if (together > 1) segment.frame = 1 + count++ / together;
    // With one number they have one time.
    if (together > 1) segment.time_ns = static_cast<TimeNs>(segment.frame) * 1000;
    const Events events = analyzer.add(segment);
    std::vector<Event>& of_frame = added[segment.frame];
    of_frame.insert(of_frame.end(), events.begin(), events.end());
    // While it grows: the latest frame, in a run that is not full, and one before.
    for (const FrameNumber frame : {segment.frame, segment.frame / 2}) {
      SCOPED_TRACE(::testing::Message() << "frame " << frame << " of " << segment.frame);
      ASSERT_NO_FATAL_FAILURE(expect_same(analyzer.analysis().events_of(frame, buffer), added[frame]));
    }
  }
  const std::vector<Event> end = copy(analyzer.finish());
  std::vector<FrameNumber> order;
  for (FrameNumber frame = 0; frame <= analyzer.analysis().last_frame() + 1; ++frame) order.push_back(frame);
  Numbers numbers(7);
  for (std::size_t i = order.size(); i > 1; --i) {
    std::swap(order[i - 1], order[numbers.below(static_cast<std::uint32_t>(i))]);
  }
  for (const FrameNumber frame : order) {
    SCOPED_TRACE(::testing::Message() << "frame " << frame);
    ASSERT_NO_FATAL_FAILURE(expect_same(analyzer.analysis().events_of(frame, buffer), added[frame]));
  }
  ASSERT_NO_FATAL_FAILURE(expect_same(analyzer.analysis().events_of(end_of_capture, buffer), end));
}

// docs/architecture.md tells it, and the share of it that the log takes.
TEST(EventLog, AnEventHas248Octets) {
  EXPECT_EQ(sizeof(Event), 248U);
}

TEST(EventLog, RealCaptures) {
  for (const std::string& path : captures_in("real")) {
    SCOPED_TRACE(path);
    const CaptureRead read = read_capture(path);
    ASSERT_EQ(read.error, "");
    ASSERT_NO_FATAL_FAILURE(expect_kept(read.segments));
  }
}

TEST(EventLog, GeneratedCaptures) {
  for (const std::string& path : captures_in("generated")) {
    SCOPED_TRACE(path);
    const CaptureRead read = read_capture(path);
    ASSERT_EQ(read.error, "");
    ASSERT_NO_FATAL_FAILURE(expect_kept(read.segments));
  }
}

TEST(EventLog, RandomTraffic) {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    SCOPED_TRACE(seed);
    const Carriage carriage{.seed = seed, .retransmit = true, .reorder = true};
    const auto segments = random_traffic(seed, traffic_of(seed), carriage).segments();
    ASSERT_NO_FATAL_FAILURE(expect_kept(segments));
    ASSERT_NO_FATAL_FAILURE(expect_kept(segments, 3));
  }
}

// Every field as large as can be, and 0 where that stands for none.
std::vector<Event> extremes(FrameNumber frame, TimeNs time_ns) {
  std::vector<Event> events;
  const auto add = [&](EventKind kind) -> Event& {
    Event& event = events.emplace_back();
    event.frame = frame;
    event.time_ns = time_ns;
    event.offset = ~StreamOffset{0};
    event.ack = ~StreamOffset{0};
    event.connection = ~ConnectionId{0};
    event.kind = kind;
    event.side = Side::b;
    return event;
  };
  constexpr TimeNs least = std::numeric_limits<TimeNs>::min();
  constexpr TimeNs most = std::numeric_limits<TimeNs>::max();
  FpduFact& fpdu = *std::construct_at(&add(EventKind::fpdu).fpdu);
  fpdu.first_frame = ~FrameNumber{0};
  fpdu.placed = {~FrameNumber{0}, least};
  fpdu.stream_offset = ~StreamOffset{0};
  fpdu.wire_size = fpdu.pad = fpdu.crc_field = 0xffffffff;
  fpdu.ulpdu_length = 0xffff;
  fpdu.markers = fpdu.header_octets = 0xff;
  fpdu.marker_faults = 7;
  fpdu.marker_seen = {0xffff, 1, 2};
  fpdu.marker_at = {0xffffffff, 3, 4};
  fpdu.ddp = {0xff, 0xff, 0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff, ~std::uint64_t{0}};
  fpdu.rdmap.fill(0xa5);
  fpdu.rdmap_octets = max_rdmap_header;
  fpdu.malformed = fpdu.cut = fpdu.aligned = fpdu.recovered = fpdu.unfinished = true;
  fpdu.payload_length = fpdu.number = fpdu.message = fpdu.pieces.begin = fpdu.pieces.count = fpdu.payload_id =
      0xffffffff;
  for (const TimeNs value : {least, TimeNs{-1}, TimeNs{0}, TimeNs{1}, most}) {
    OperationConclusion& operation = *std::construct_at(&add(EventKind::operation).operation);
    operation.request.time_ns = value;
    operation.first_response.time_ns = most - 1;
    operation.response.time_ns = least + 1;
    operation.request.frame = static_cast<FrameNumber>(value);
    operation.response.frame = frame;
  }
  Finding& finding = *std::construct_at(&add(EventKind::finding).finding);
  finding.arguments.fill(~std::uint64_t{0});
  finding.evidence.fill(~FrameNumber{0});
  finding.time_ns = most;
  return events;
}

TEST(EventLog, Extremes) {
  EventBuffer buffer;
  for (const FrameNumber frame : {FrameNumber{1}, FrameNumber{1000}}) {
    for (const TimeNs time_ns : {std::numeric_limits<TimeNs>::min(), TimeNs{-1}, TimeNs{0}, TimeNs{1},
                                 std::numeric_limits<TimeNs>::max()}) {
      EventLog log;
      const std::vector<Event> events = extremes(frame, time_ns);
      const std::vector<Event> more = extremes(frame + 1, TimeNs{1});
      log.append(events);
      log.append(more);
      ASSERT_NO_FATAL_FAILURE(expect_same(log.of(frame, buffer), events));
      ASSERT_NO_FATAL_FAILURE(expect_same(log.of(frame + 1, buffer), more));
    }
  }
}

TEST(EventLog, AFrameOfManyChunks) {
  EventLog log;
  std::vector<std::vector<Event>> groups;
  for (FrameNumber frame = 1; frame <= 3; ++frame) {
    std::vector<Event>& group = groups.emplace_back();
    for (int i = 0; i < 1000; ++i) {
      for (const Event& event : extremes(frame, 5)) group.push_back(event);
    }
    log.append(group);
  }
  log.append_end(groups.back());
  EventBuffer buffer;
  for (FrameNumber frame = 3; frame >= 1; --frame) {
    ASSERT_NO_FATAL_FAILURE(expect_same(log.of(frame, buffer), groups[frame - 1]));
  }
  ASSERT_NO_FATAL_FAILURE(expect_same(log.of(end_of_capture, buffer), groups.back()));
}

TEST(EventLog, IsAFractionOfItsEvents) {
  EventLog log;
  std::size_t count = 0;
  Analyzer analyzer;
  for (const OwnedSegment& each : random_traffic(1, traffic_of(1)).segments()) {
    const Events events = analyzer.add(each.segment());
    log.append(events);
    count += events.size();
  }
  constexpr std::size_t chunk = 70'000;
  EXPECT_LT(log.octets(), chunk + count * sizeof(Event) / 4);
}

TEST(OctetPacker, NumbersOfEverySize) {
  std::vector<std::uint64_t> numbers = {0, 0};
  for (unsigned bit = 0; bit < 64; ++bit) {
    numbers.push_back(std::uint64_t{1} << bit);
    numbers.push_back((std::uint64_t{1} << bit) - 1);
  }
  numbers.push_back(~std::uint64_t{0});
  Bytes octets(numbers.size() * 9 + packer_slack);
  OctetPacker packer(octets.data());
  for (const std::uint64_t number : numbers) packer.put(number);
  OctetUnpacker packed(octets.data());
  for (const std::uint64_t number : numbers) EXPECT_EQ(packed.take(), number);
  EXPECT_EQ(packed.end(), packer.end());
}

}  // namespace
}  // namespace iwarp::test
