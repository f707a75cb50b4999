// Where the time of a Read went, from conversations whose delays are written down.
// SPDX-License-Identifier: GPL-2.0-or-later
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <map>
#include <string>
#include <vector>

#include <iwarp/analyzer.hpp>
#include <iwarp/latency_parts.hpp>

#include "scenarios/established.hpp"
#include "support/capture_read.hpp"
#include "support/conversation.hpp"
#include "support/octets.hpp"
#include "support/windows.hpp"

namespace iwarp::test {
namespace {

constexpr Side a = Side::a;
constexpr Side b = Side::b;
constexpr TimeNs step = 10'000;  // between packets of a Conversation
constexpr TimeNs ms = 1'000'000;

struct Measured {
  OperationConclusion operation;
  TimeNs delivery = 0;
  LatencyParts parts;

  [[nodiscard]] TimeNs of(LatencyPart part) const { return parts[part].ns; }
};

std::vector<Measured> measured(const std::vector<OwnedSegment>& segments) {
  Analyzer analyzer;
  LatencyTracker tracker;
  std::vector<Measured> found;
  const auto take = [&](Events events) {
    for (const Event& event : events) {
      tracker.add(event);
      const LatencyParts* const parts = tracker.parts();
      if (event.kind != EventKind::operation) {
        EXPECT_EQ(parts, nullptr);
        continue;
      }
      const bool answered_later =
          event.operation.kind == OperationKind::read || event.operation.kind == OperationKind::atomic;
      EXPECT_EQ(parts != nullptr, answered_later && event.operation.latency().has_value());
      if (parts == nullptr) continue;
      found.push_back({event.operation, event.operation.delivery(event.time_ns).value(), *parts});
    }
  };
  for (const OwnedSegment& each : segments) take(analyzer.add(each.segment()));
  take(analyzer.finish());
  return found;
}

class LatencyPartsOf : public testing::Test {
 protected:
  LatencyPartsOf() {
    c.fpdu(a, send(1));
    c.fpdu(b, send(1));
  }

  Packets request(std::uint32_t msn, std::uint32_t size) {
    return c.fpdu(a, read_request(msn, {.sink_stag = 0x100 + msn, .size = size, .source_stag = 0x2000}));
  }
  Bytes segment(std::uint32_t msn, std::uint64_t to, std::size_t octets, bool last) {
    return read_response(0x100 + msn, to, pattern(octets), {.last = last});
  }
  // Those that took time, and nothing else did.
  void expect(const Measured& one, const std::map<LatencyPart, TimeNs>& parts) {
    EXPECT_EQ(one.parts.total(), one.delivery);
    for (std::size_t at = 0; at < latency_part_count; ++at) {
      const auto part = static_cast<LatencyPart>(at);
      const auto found = parts.find(part);
      EXPECT_EQ(one.of(part), found == parts.end() ? 0 : found->second) << at;
    }
  }

  established::Established c;
};

TEST_F(LatencyPartsOf, ASlowResponder) {
  request(1, 1000);
  c.wait(5 * ms);
  c.fpdu(b, segment(1, 0, 1000, true));
  const auto reads = measured(c.segments());
  ASSERT_EQ(reads.size(), 1U);
  // SYN and SYN+ACK are one step apart: that is the way from here to the responder and back.
  expect(reads[0], {{LatencyPart::network, step}, {LatencyPart::responder, 5 * ms}});
  EXPECT_EQ(reads[0].parts.greatest(), LatencyPart::responder);
  EXPECT_TRUE(reads[0].parts.network_known);
}

// As storage targets read: the one that accepted the connection asks, the one that opened it answers. Its ACK
// of the SYN-ACK is one step behind that.
TEST_F(LatencyPartsOf, AReadAnsweredByWhoOpenedTheConnection) {
  c.fpdu(b, read_request(1, {.sink_stag = 0x101, .size = 1000, .source_stag = 0x2000}));
  c.wait(5 * ms);
  c.fpdu(a, segment(1, 0, 1000, true));
  const auto reads = measured(c.segments());
  ASSERT_EQ(reads.size(), 1U);
  expect(reads[0], {{LatencyPart::network, step}, {LatencyPart::responder, 5 * ms}});
  // Where that ACK was not captured nobody knows how long what follows it waited for its octets.
  std::vector<OwnedSegment> segments = c.segments();
  segments.erase(segments.begin() + 2);
  EXPECT_FALSE(measured(segments).at(0).parts.network_known);
  // Nor which of two SYN-ACKs it acknowledges.
  segments = c.segments();
  segments.insert(segments.begin() + 2, segments[1]);
  segments[2].meta.time_ns += 1;
  segments[2].ip_id += 1;
  EXPECT_FALSE(measured(segments).at(0).parts.network_known);
}

TEST_F(LatencyPartsOf, WithoutAHandshakeTheNetworkIsTheResponders) {
  request(1, 1000);
  c.wait(5 * ms);
  c.fpdu(b, segment(1, 0, 1000, true));
  std::vector<OwnedSegment> segments = c.segments();
  segments.erase(segments.begin(), segments.begin() + 3);
  const auto reads = measured(segments);
  ASSERT_EQ(reads.size(), 1U);
  expect(reads[0], {{LatencyPart::responder, 5 * ms + step}});
  EXPECT_FALSE(reads[0].parts.network_known);
}

// The first SYN was lost before the capture point's clock could tell a round trip from it.
TEST_F(LatencyPartsOf, TheNetworkIsNoSlowerThanTheQuickestAnswer) {
  request(1, 1000);
  c.fpdu(b, segment(1, 0, 1000, true));
  request(2, 1000);
  c.wait(5 * ms);
  c.fpdu(b, segment(2, 0, 1000, true));
  std::vector<OwnedSegment> segments = c.segments();
  segments.front().meta.time_ns -= 1'000 * ms;
  const auto reads = measured(segments);
  ASSERT_EQ(reads.size(), 2U);
  expect(reads[0], {{LatencyPart::network, step}});
  expect(reads[1], {{LatencyPart::network, step}, {LatencyPart::responder, 5 * ms}});
}

TEST_F(LatencyPartsOf, AReadBehindAnother) {
  request(1, 1000);
  request(2, 1000);
  c.wait(7 * ms);
  const Packets first = c.fpdu(b, segment(1, 0, 1000, true));
  c.wait(1 * ms);
  c.fpdu(b, segment(2, 0, 1000, true));
  const auto reads = measured(c.segments());
  ASSERT_EQ(reads.size(), 2U);
  expect(reads[1], {{LatencyPart::behind_requests, 7 * ms + step}, {LatencyPart::responder, 1 * ms + step}});
  EXPECT_EQ(reads[1].parts[LatencyPart::behind_requests].frames[1], c.at(first));
}

TEST_F(LatencyPartsOf, OctetsOfTheResponseThatWereLost) {
  request(1, 3000);
  c.fpdu(b, segment(1, 0, 1000, false));
  const Packets lost = c.lose(b, c.frame(b, segment(1, 1000, 1000, false)));
  const Packets behind = c.fpdu(b, segment(1, 2000, 1000, true));
  c.wait(8 * ms);
  const Packets again = c.resend(lost);
  const auto reads = measured(c.segments());
  ASSERT_EQ(reads.size(), 1U);
  EXPECT_EQ(reads[0].of(LatencyPart::response_loss), 8 * ms + step);
  EXPECT_EQ(reads[0].parts.total(), reads[0].delivery);
  const std::array<FrameNumber, 2> frames{c.at(behind), c.at(again)};
  EXPECT_EQ(reads[0].parts[LatencyPart::response_loss].frames, frames);
  EXPECT_EQ(basis_of(LatencyPart::response_loss), Basis::proven);
}

TEST_F(LatencyPartsOf, AResponseOfOneSegmentThatWasLost) {
  request(1, 1000);
  const Packets lost = c.lose(b, c.frame(b, segment(1, 0, 1000, true)));
  c.fpdu(b, send(2));
  c.wait(8 * ms);
  c.resend(lost);
  const auto reads = measured(c.segments());
  ASSERT_EQ(reads.size(), 1U);
  EXPECT_EQ(reads[0].of(LatencyPart::response_loss), 8 * ms + step);
  EXPECT_EQ(reads[0].parts.total(), reads[0].delivery);
}

TEST_F(LatencyPartsOf, AResponseThatTcpHeldBack) {
  request(1, 1000);
  const Packets lost = c.lose(b, c.frame(b, send(2)));
  c.fpdu(b, segment(1, 0, 1000, true));
  c.wait(6 * ms);
  c.resend(lost);
  const auto reads = measured(c.segments());
  ASSERT_EQ(reads.size(), 1U);
  expect(reads[0], {{LatencyPart::network, step},
                    {LatencyPart::responder, step},  // the packet that was lost took its time
                    {LatencyPart::behind_hole, 6 * ms + step}});
}

TEST_F(LatencyPartsOf, ARequestThatWasSentAgain) {
  const Packets sent = request(1, 1000);
  c.wait(200 * ms);
  const Packets again = c.resend(sent);
  c.wait(1 * ms);
  c.fpdu(b, segment(1, 0, 1000, true));
  const auto reads = measured(c.segments());
  ASSERT_EQ(reads.size(), 1U);
  expect(reads[0], {{LatencyPart::request_loss, 200 * ms + step},
                    {LatencyPart::network, step},
                    {LatencyPart::responder, 1 * ms}});
  EXPECT_EQ(reads[0].parts[LatencyPart::request_loss].frames[1], c.at(again));
  EXPECT_EQ(basis_of(LatencyPart::request_loss), Basis::bounded) << "the first copy may have come";
}

TEST_F(LatencyPartsOf, AClosedWindow) {
  request(1, 2000);
  c.fpdu(b, segment(1, 0, 1000, false));
  c.window(a, 0);
  c.ack(a);
  c.wait(30 * ms);
  c.window(a, 65535);
  c.ack(a);
  c.fpdu(b, segment(1, 1000, 1000, true));
  const auto reads = measured(c.segments());
  ASSERT_EQ(reads.size(), 1U);
  expect(reads[0], {{LatencyPart::network, step},
                    {LatencyPart::window, 30 * ms + step},
                    {LatencyPart::transfer, 2 * step}});
}

// No segment of half the window fits into what the first one leaves of it.
TEST_F(LatencyPartsOf, AFullWindow) {
  request(1, 2000);
  const Packets fills = c.fpdu(b, segment(1, 0, 1000, false));
  c.wait(30 * ms);
  c.ack(a);
  const Packets goes_on = c.fpdu(b, segment(1, 1000, 1000, true));
  std::vector<OwnedSegment> segments = with_window(c, a, 1200);
  const auto reads = measured(segments);
  ASSERT_EQ(reads.size(), 1U);
  expect(reads[0], {{LatencyPart::network, step}, {LatencyPart::window, 30 * ms + 2 * step}});
  EXPECT_EQ(reads[0].parts[LatencyPart::window].frames, (std::array{c.at(fills), c.at(goes_on)}));
  // Of windows that are scaled, by 2 here, the same is half full.
  for (const std::size_t syn : {0U, 1U}) segments[syn].meta.window_scale = 1;
  expect(measured(segments).at(0),
         {{LatencyPart::network, step}, {LatencyPart::transfer, 30 * ms + 2 * step}});
  // One scale alone does not count (RFC 7323 §2.2).
  segments[0].meta.window_scale = -1;
  expect(measured(segments).at(0), {{LatencyPart::network, step}, {LatencyPart::window, 30 * ms + 2 * step}});
  // Without the SYN of one side nobody knows.
  segments.erase(segments.begin());
  EXPECT_EQ(measured(segments).at(0).of(LatencyPart::window), 0);
}

// There is room for long, and the way to the responder and back is short.
TEST_F(LatencyPartsOf, AFullWindowWasNotWhatAResponderWaitedFor) {
  request(1, 2000);
  c.fpdu(b, segment(1, 0, 1000, false));
  c.ack(a);
  c.wait(30 * ms);
  c.fpdu(b, segment(1, 1000, 1000, true));
  const auto reads = measured(with_window(c, a, 1200));
  ASSERT_EQ(reads.size(), 1U);
  expect(reads[0], {{LatencyPart::network, step}, {LatencyPart::transfer, 30 * ms + 2 * step}});
}

TEST_F(LatencyPartsOf, OtherMessagesBetweenItsSegments) {
  request(1, 2000);
  c.fpdu(b, segment(1, 0, 1000, false));
  c.wait(4 * ms);
  c.fpdu(b, send(2, pattern(100)));
  c.wait(2 * ms);
  c.fpdu(b, segment(1, 1000, 1000, true));
  const auto reads = measured(c.segments());
  ASSERT_EQ(reads.size(), 1U);
  expect(reads[0], {{LatencyPart::network, step},
                    {LatencyPart::interleaved, 4 * ms + step},
                    {LatencyPart::transfer, 2 * ms + step}});
}

// A hole from frame 14 on, which 27 and 30 fill: captures/README.md tells how the capture was made.
TEST(LatencyPartsOfRealTraffic, TheSlowReadOf08aWaitedForLostOctets) {
  for (const std::string& path : captures_in("real")) {
    if (path.find("/08a-") == std::string::npos) continue;
    const auto reads = measured(read_capture(path).segments);
    ASSERT_FALSE(reads.empty());
    EXPECT_EQ(reads[0].operation.request.frame, 9U);
    EXPECT_EQ(reads[0].of(LatencyPart::response_loss), 7'834'000);
    EXPECT_EQ(reads[0].parts[LatencyPart::response_loss].frames[1], 30U);
    return;
  }
  FAIL() << "no capture 08a";
}

TEST(LatencyPartsOfRealTraffic, ReadsOf02oWaitedForEachOther) {
  for (const std::string& path : captures_in("real")) {
    if (path.find("/02o-") == std::string::npos) continue;
    std::array<TimeNs, latency_part_count> all{};
    for (const Measured& each : measured(read_capture(path).segments)) {
      for (std::size_t at = 0; at < all.size(); ++at) all[at] += each.parts.parts[at].ns;
    }
    EXPECT_EQ(std::max_element(all.begin(), all.end()) - all.begin(),
              static_cast<std::ptrdiff_t>(LatencyPart::behind_requests));
    return;
  }
  FAIL() << "no capture 02o";
}

// Whatever was captured: each moment is in one part.
TEST(LatencyPartsOfRealTraffic, AddUp) {
  std::size_t count = 0;
  for (const char* const folder : {"real", "generated"}) {
    for (const std::string& path : captures_in(folder)) {
      const std::vector<OwnedSegment> whole = read_capture(path).segments;
      std::vector<OwnedSegment> holed;
      for (std::size_t at = 0; at < whole.size(); ++at) {
        if (at % 17 != 5) holed.push_back(whole[at]);
      }
      for (const bool holes : {false, true}) {
        for (const Measured& each : measured(holes ? holed : whole)) {
          ++count;
          EXPECT_EQ(each.parts.total(), each.delivery)
              << path << " request in " << each.operation.request.frame;
          for (const LatencyParts::Part& part : each.parts.parts) EXPECT_GE(part.ns, 0) << path;
        }
      }
    }
  }
  EXPECT_GT(count, 500U);
}

}  // namespace
}  // namespace iwarp::test
