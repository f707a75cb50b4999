// LiveCapture on the loopback of a network of its own.
// SPDX-License-Identifier: GPL-2.0-or-later
#include <iwarp/capture/live_capture.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <csignal>
#include <thread>

#include "live/own_network.hpp"

namespace iwarp::test {
namespace {

using namespace iwarp::capture;
using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

class LiveCaptureTest : public OwnNetworkTest {
 protected:
  [[nodiscard]] static std::unique_ptr<LiveCapture> open(const LiveOptions& options) {
    std::string error;
    auto live = LiveCapture::open(options, error);
    EXPECT_EQ(error, "");
    return live;
  }
  // Reads to the end; how many records came.
  static FrameNumber read_to_end(LiveCapture& live) {
    Record record;
    FrameNumber last = 0;
    while (live.wait(100ms)) {
      while (live.next(record)) {
        EXPECT_EQ(record.number, last + 1);
        last = record.number;
      }
    }
    return last;
  }
};

TEST_F(LiveCaptureTest, DeliversWhatWasCapturedBeforeTheStop) {
  const auto live = open({.interface = "lo"});
  Datagrams().send(1000, 100);
  live->stop();
  live->stop();
  Datagrams().send(1000, 100);
  EXPECT_EQ(read_to_end(*live), 1000U);
  EXPECT_FALSE(live->wait(0ms));
  EXPECT_EQ(live->failure(), "");
  EXPECT_EQ(live->losses().kernel, 0U);
}

TEST_F(LiveCaptureTest, RecordsAreWholePacketsInTheirOrder) {
  const auto live = open({.interface = "lo"});
  const auto now = [] { return std::chrono::system_clock::now().time_since_epoch() / 1ns; };
  const TimeNs before = now();
  Datagrams datagrams;
  for (const std::size_t octets : {0U, 1U, 1472U, 65'507U}) datagrams.send(1, octets);
  const TimeNs after = now();
  live->stop();
  std::vector<std::size_t> sizes;
  TimeNs last = before;
  Record record;
  while (live->wait(100ms)) {
    while (live->next(record)) {
      EXPECT_EQ(record.link_type, link_type::ethernet);
      EXPECT_EQ(record.octets.size(), record.wire_length);
      EXPECT_TRUE(record.has_time);
      EXPECT_GE(record.time_ns, last);
      last = record.time_ns;
      sizes.push_back(record.octets.size() - 42);
      if (!sizes.empty() && sizes.back() != 0) {
        EXPECT_EQ(record.octets[42], 'x');
      }
    }
  }
  EXPECT_THAT(sizes, testing::ElementsAre(0, 1, 1472, 65'507));
  EXPECT_LE(last, after);
}

TEST_F(LiveCaptureTest, AllInterfacesShowLoopbackOnce) {
  for (const char* const filter : {"", "udp or tcp"}) {
    const auto live = open({.interface = "any", .filter = filter});
    EXPECT_EQ(live->link_type(), link_type::linux_sll2);
    Datagrams().send(100, 100);
    live->stop();
    EXPECT_EQ(read_to_end(*live), 100U);
  }
}

TEST_F(LiveCaptureTest, TheFilterHolds) {
  const auto live = open({.interface = "lo", .filter = "udp and greater 500 or tcp"});
  Datagrams datagrams;
  datagrams.send(10, 100);
  datagrams.send(5, 1000);
  live->stop();
  EXPECT_EQ(read_to_end(*live), 5U);
  std::string error;
  EXPECT_EQ(LiveCapture::open({.interface = "lo", .filter = "tcp) or (udp"}, error), nullptr);
  EXPECT_THAT(error, testing::StartsWith("the capture filter \"tcp) or (udp\" cannot be used: "));
}

TEST_F(LiveCaptureTest, SnapLengthCutsAndTheLengthIsKept) {
  const auto live = open({.interface = "lo", .snap_octets = 64});
  Datagrams().send(1, 1000);
  live->stop();
  Record record;
  ASSERT_TRUE(live->wait(1000ms));
  ASSERT_TRUE(live->next(record));
  EXPECT_EQ(record.octets.size(), 64U);
  EXPECT_EQ(record.wire_length, 1042U);
}

// Each packet that was not delivered is counted.
TEST_F(LiveCaptureTest, WhatDoesNotFitIntoTheRingIsCounted) {
  const auto live = open({.interface = "lo", .ring_octets = 1U << 20U});
  constexpr std::size_t sent = 3000;
  Datagrams().send(sent, 1400);
  live->stop();
  const FrameNumber came = read_to_end(*live);
  EXPECT_LT(came, sent);
  EXPECT_GT(came, 100U);
  EXPECT_EQ(came + live->losses().kernel, sent);
  EXPECT_EQ(live->losses().interface, 0U);
}

TEST_F(LiveCaptureTest, WaitsNoLongerThanAsked) {
  const auto live = open({.interface = "lo"});
  const auto begun = Clock::now();
  Record record;
  for (int i = 0; i < 3; ++i) {
    EXPECT_TRUE(live->wait(50ms));
    EXPECT_FALSE(live->next(record));
  }
  EXPECT_GE(Clock::now() - begun, 150ms);
  EXPECT_LT(Clock::now() - begun, 5s);
}

TEST_F(LiveCaptureTest, AnotherThreadStopsItWhileItWaits) {
  const auto live = open({.interface = "lo"});
  Datagrams().send(10, 100);
  std::thread stopper([&] {
    std::this_thread::sleep_for(300ms);
    live->stop();
  });
  Record record;
  FrameNumber last = 0;
  const auto begun = Clock::now();
  while (live->wait(1h)) {
    while (live->next(record)) last = record.number;
  }
  EXPECT_LT(Clock::now() - begun, 30s);
  EXPECT_EQ(last, 10U);
  stopper.join();
}

// Traffic that goes on does not keep it from ending.
TEST_F(LiveCaptureTest, AnotherThreadStopsItWhilePacketsCome) {
  const auto live = open({.interface = "lo"});
  std::jthread sender([](const std::stop_token& stop) {
    Datagrams datagrams;
    while (!stop.stop_requested()) datagrams.send(100, 1000);
  });
  std::jthread stopper([&] {
    std::this_thread::sleep_for(300ms);
    live->stop();
  });
  EXPECT_GT(read_to_end(*live), 100U);
}

}  // namespace
}  // namespace iwarp::test
