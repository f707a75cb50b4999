// When Sends and Writes were sent, acknowledged and proven delivered, from conversations written down and
// from real captures.
// SPDX-License-Identifier: GPL-2.0-or-later
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include <iwarp/analyzer.hpp>
#include <iwarp/deliveries.hpp>

#include "scenarios/established.hpp"
#include "support/capture_read.hpp"
#include "support/conversation.hpp"
#include "support/octets.hpp"
#include "support/places.hpp"

namespace iwarp::test {
namespace {

constexpr Side a = Side::a;
constexpr Side b = Side::b;
constexpr TimeNs step = 10'000;  // between packets of a Conversation
constexpr TimeNs ms = 1'000'000;

struct Told {
  std::vector<Delivery> deliveries;
  std::vector<FrameNumber> told_at;
  std::map<std::pair<ConnectionId, std::uint32_t>, MessageConclusion> messages;  // complete ones
  std::vector<Event> fpdus;
};

Told told(const std::vector<OwnedSegment>& segments) {
  Analyzer analyzer({.acknowledgements = true});
  DeliveryTracker tracker;
  Told told;
  const auto take = [&](Events events) {
    for (const Event& event : events) {
      tracker.add(event, analyzer.analysis().connection(event.connection));
      for (const Delivery& delivery : tracker.deliveries()) {
        told.deliveries.push_back(delivery);
        told.told_at.push_back(event.frame);
      }
      if (event.kind == EventKind::fpdu) told.fpdus.push_back(event);
      if (event.kind == EventKind::message && event.message.end == MessageEnd::complete)
        told.messages[{event.connection, event.message.number}] = event.message;
    }
  };
  for (const OwnedSegment& each : segments) take(analyzer.add(each.segment()));
  take(analyzer.finish());
  return told;
}

class DeliveriesOf : public testing::Test {
 protected:
  DeliveriesOf() {
    c.fpdu(a, send(1));
    c.fpdu(b, send(1));
  }
  Packets request(std::uint32_t msn) {
    return c.fpdu(a, read_request(msn, {.sink_stag = 0x100 + msn, .size = 1000, .source_stag = 0x2000}));
  }
  Packets response(std::uint32_t msn) {
    return c.fpdu(b, read_response(0x100 + msn, 0, pattern(1000), {.last = true}));
  }
  // Of a's messages behind the first.
  std::vector<Delivery> behind_first() {
    std::vector<Delivery> all = told(c.segments()).deliveries;
    std::erase_if(all, [](const Delivery& each) { return each.side == b; });
    all.erase(all.begin());
    return all;
  }

  established::Established c;
};

TEST_F(DeliveriesOf, AWriteThatIsAcknowledged) {
  const Packets begun = c.fpdu(a, write(0x1000, 0, pattern(1000), {.last = false}));
  c.wait(1 * ms);
  const Packets over = c.fpdu(a, write(0x1000, 1000, pattern(500), {.last = true}));
  c.wait(3 * ms);
  const Packets acknowledged = c.ack(b);
  const auto found = behind_first();
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].kind, OperationKind::write);
  EXPECT_EQ(found[0].from, Role::initiator);
  EXPECT_EQ(found[0].length, 1500U);
  EXPECT_EQ(found[0].begun.frame, c.at(begun));
  EXPECT_EQ(found[0].placed.frame, c.at(over));
  EXPECT_EQ(found[0].acknowledged.frame, c.at(acknowledged));
  EXPECT_EQ(found[0].proven.frame, 0U);
  EXPECT_EQ(found[0].sent_ns(), 1 * ms + step);
  EXPECT_EQ(found[0].acknowledged_ns(), 4 * ms + 2 * step);
  EXPECT_EQ(found[0].proven_ns(), std::nullopt);
}

// An acknowledgement of a part of a message is none of it.
TEST_F(DeliveriesOf, TheFirstAcknowledgementOfAllOfIt) {
  c.fpdu(a, send(2, pattern(1000), {.last = false}));
  const Packets part = c.ack(b);
  c.fpdu(a, send(2, pattern(1000), {.last = true, .mo = 1000}));
  const Packets same = c.ack(b);
  c.ack(b);  // once more, and nothing new
  const auto found = behind_first();
  ASSERT_EQ(found.size(), 1U);
  EXPECT_NE(found[0].acknowledged.frame, c.at(part));
  EXPECT_EQ(found[0].acknowledged.frame, c.at(same));
}

// RFC 5040 §5.5, item 17: a Read is answered when DDP has delivered everything before its request.
TEST_F(DeliveriesOf, AReadBehindItProvesIt) {
  c.fpdu(a, write(0x1000, 0, pattern(1000), {.last = true}));
  const Packets asked = request(1);
  c.fpdu(a, send(2));  // behind the request, so not proven by its response
  c.wait(1 * ms);
  const Packets acknowledged = c.ack(b);
  c.wait(5 * ms);
  const Packets answered = response(1);
  const auto found = behind_first();
  ASSERT_EQ(found.size(), 2U);
  EXPECT_LT(c.at(asked), c.at(acknowledged));
  EXPECT_EQ(found[0].kind, OperationKind::write);
  EXPECT_EQ(found[0].acknowledged.frame, c.at(acknowledged));
  EXPECT_EQ(found[0].proven.frame, c.at(answered));
  EXPECT_EQ(found[0].proven_ns(), 6 * ms + 4 * step);
  EXPECT_EQ(found[1].kind, OperationKind::send);
  EXPECT_EQ(found[1].acknowledged.frame, c.at(acknowledged));
  EXPECT_EQ(found[1].proven.frame, 0U);
}

TEST_F(DeliveriesOf, APeersReadProvesNothing) {
  c.fpdu(a, send(2));
  c.fpdu(b, read_request(1, {.sink_stag = 0x300, .size = 100, .source_stag = 0x2000}));
  c.fpdu(a, read_response(0x300, 0, pattern(100), {.last = true}));
  const auto found = behind_first();
  ASSERT_EQ(found.size(), 1U);
  EXPECT_NE(found[0].acknowledged.frame, 0U);
  EXPECT_EQ(found[0].proven.frame, 0U);
}

// Its octets waited for others before them: acknowledged with these.
TEST_F(DeliveriesOf, OneThatWaitedBehindAHole) {
  const Packets lost = c.lose(a, c.frame(a, send(2, pattern(100))));
  const Packets whole = c.fpdu(a, write(0x1000, 0, pattern(100), {.last = true}));
  c.ack(b);
  c.wait(9 * ms);
  const Packets again = c.resend(lost);
  const Packets acknowledged = c.ack(b);
  const auto found = behind_first();
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[0].placed.frame, c.at(again));
  EXPECT_EQ(found[0].acknowledged.frame, c.at(acknowledged));
  EXPECT_EQ(found[1].placed.frame, c.at(whole));
  EXPECT_EQ(found[1].acknowledged.frame, c.at(acknowledged));
}

TEST_F(DeliveriesOf, WhatNobodyAcknowledgedIsToldAtTheEnd) {
  c.fpdu(a, send(2));
  const Packets last = c.fpdu(a, send(3));
  const auto found = behind_first();
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[1].placed.frame, c.at(last));
  EXPECT_EQ(found[1].acknowledged.frame, 0U);
  EXPECT_EQ(found[1].acknowledged_ns(), std::nullopt);
}

// A mirror that delivers one direction late: the acknowledgement stands before what it acknowledges, and no
// time lies between them.
TEST_F(DeliveriesOf, AnAcknowledgementBeforeWhatItAcknowledges) {
  const Packets sent = c.fpdu(a, send(2));
  const Packets acknowledged = c.ack(b);
  c.fpdu(a, send(3));
  c.ack(b);
  std::vector<OwnedSegment> segments = c.segments();
  const auto at = [&](Packets packets) {
    return std::find_if(segments.begin(), segments.end(),
                        [&](const OwnedSegment& each) { return each.meta.frame == c.at(packets); });
  };
  std::iter_swap(at(sent), at(acknowledged));
  FrameNumber frame = 0;
  std::vector<TimeNs> times;
  for (const OwnedSegment& each : segments) times.push_back(each.meta.time_ns);
  std::ranges::sort(times);
  for (OwnedSegment& each : segments) {
    each.meta.time_ns = times[frame];
    each.meta.frame = ++frame;
  }
  int swapped = 0;
  for (const Delivery& each : told(segments).deliveries) {
    const bool in_step = each.acknowledged.frame != 0 && each.acknowledged.time_ns >= each.placed.time_ns;
    EXPECT_EQ(each.acknowledged_ns().has_value(), in_step);
    swapped += each.acknowledged.frame != 0 && !in_step ? 1 : 0;
  }
  EXPECT_EQ(swapped, 1);
}

// However many wait for an acknowledgement that never comes: a bound, and each is told once.
TEST_F(DeliveriesOf, ManyWithoutAnAcknowledgement) {
  std::set<std::uint32_t> numbers;
  for (std::uint32_t msn = 2; msn < 6000; ++msn) c.fpdu(a, send(msn));
  const Told all = told(c.segments());
  for (const Delivery& each : all.deliveries) {
    if (each.side == a) {
      EXPECT_TRUE(numbers.insert(each.message).second);
    }
  }
  EXPECT_EQ(numbers.size(), 5999U);
  EXPECT_LT(all.told_at[2], all.told_at.back());  // the first ones while others came
}

bool is_delivered_unanswered(wire::Opcode opcode) {
  return opcode == wire::Opcode::rdma_write || wire::is_send(opcode) || wire::is_immediate(opcode);
}

// Each whole message once.
TEST(Deliveries, OfRealCaptures) {
  std::size_t count = 0;
  std::size_t proven = 0;
  for (const std::string& path : captures_in("real")) {
    SCOPED_TRACE(path);
    const CaptureRead read = read_capture(path);
    const Told all = told(read.segments);
    std::set<std::pair<ConnectionId, std::uint32_t>> seen;
    for (const Delivery& each : all.deliveries) {
      ASSERT_TRUE(seen.insert({each.stream, each.message}).second) << each.message;
      ASSERT_TRUE(all.messages.contains({each.stream, each.message}));
      if (each.proven.frame != 0 && each.acknowledged.frame != 0) {
        EXPECT_LE(each.acknowledged.frame, each.proven.frame) << each.message;
      }
      ++count;
      proven += each.proven.frame != 0 ? 1 : 0;
    }
    for (const auto& [key, message] : all.messages) {
      if (is_delivered_unanswered(message.opcode) && message.start_seen) {
        EXPECT_TRUE(seen.contains(key)) << key.second;
      }
    }
  }
  EXPECT_GT(count, 2500U);
  EXPECT_GT(proven, 5U);
}

// What acknowledges a message is, by TCP's own numbers, the first segment that does.
TEST(Deliveries, AcknowledgementsAreTheFirstByTcpsNumbers) {
  for (const char* const name :
       {"05a-nvme-rdma-mtu1500-trygso-crc.pcap.zst", "04a-nfs4-rdma-mtu9000-tso-nocrc.pcap.gz"}) {
    SCOPED_TRACE(name);
    const CaptureRead read = read_capture(places::captures() + "/real/" + name);
    const Told all = told(read.segments);
    std::size_t compared = 0;
    for (const Delivery& each : all.deliveries) {
      const Event* last = nullptr;
      for (const Event& fpdu : all.fpdus) {
        if (fpdu.connection == each.stream && fpdu.side == each.side && fpdu.fpdu.message == each.message)
          last = &fpdu;
      }
      ASSERT_NE(last, nullptr);
      const OwnedSegment* holder = nullptr;
      for (const OwnedSegment& segment : read.segments) {
        if (segment.meta.frame == last->fpdu.placed.frame) holder = &segment;
      }
      ASSERT_NE(holder, nullptr);
      std::optional<std::uint32_t> isn;
      for (const OwnedSegment& segment : read.segments) {
        if (segment.meta.source == holder->meta.source &&
            segment.meta.destination == holder->meta.destination && (segment.meta.flags & tcp::syn) != 0 &&
            segment.meta.frame <= holder->meta.frame)
          isn = segment.meta.sequence;
      }
      ASSERT_TRUE(isn);
      const auto wanted = static_cast<std::uint32_t>(*isn + 1 + last->offset + last->fpdu.wire_size);
      FrameNumber expected = 0;
      for (const OwnedSegment& segment : read.segments) {
        if (segment.meta.source != holder->meta.destination ||
            segment.meta.destination != holder->meta.source || segment.meta.frame <= holder->meta.frame ||
            (segment.meta.flags & tcp::rst) != 0)
          continue;
        if (static_cast<std::int32_t>(segment.meta.acknowledgement - wanted) < 0) continue;
        expected = segment.meta.frame;
        break;
      }
      EXPECT_EQ(each.acknowledged.frame, expected) << each.message;
      ++compared;
    }
    EXPECT_GT(compared, 50U);
  }
}

}  // namespace
}  // namespace iwarp::test
