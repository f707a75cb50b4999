// Time that was put into Reads on purpose is found under its cause: a session is replayed between two
// soft-RNICs over a network without faults, and again with one, in virtual time. What the second run's Reads
// took longer is the injected time.
//
// IWARP_SEEDS, IWARP_FIRST_SEED: as in conforming_traffic_test.cpp.
// SPDX-License-Identifier: GPL-2.0-or-later
#include <gtest/gtest.h>

#include <array>
#include <initializer_list>
#include <map>
#include <memory>
#include <optional>

#include <iwarp/analyzer.hpp>
#include <iwarp/diagnosis.hpp>
#include <iwarp/latency_parts.hpp>

#include "engine/live_log.hpp"
#include "plan/planner.hpp"
#include "replay/engine/closed_loop.hpp"
#include "replay/properties/seeds.hpp"
#include "support/places.hpp"

namespace iwarp::replay {
namespace {

using rnic::test::for_each_seed;

// Takes the latencies of Reads apart as they pass.
class Latencies final : public CapturePoint {
 public:
  void captured(const Packet& packet, TimeNs now) override {
    take(analyzer_.add(segment_of(packet, ++frame_, now)));
  }
  // By MessageConclusion::number of their requests.
  const std::map<std::uint32_t, LatencyParts>& finish() {
    take(analyzer_.finish());
    return reads_;
  }

 private:
  void take(Events events) {
    for (const Event& event : events) {
      tracker_.add(event);
      if (tracker_.parts() != nullptr) reads_[event.operation.message] = *tracker_.parts();
    }
  }

  Analyzer analyzer_;
  LatencyTracker tracker_;
  FrameNumber frame_ = 0;
  std::map<std::uint32_t, LatencyParts> reads_;
};

class Both final : public CapturePoint {
 public:
  Both(CapturePoint& one, CapturePoint& other) : one_(one), other_(other) {}
  void captured(const Packet& packet, TimeNs now) override {
    one_.captured(packet, now);
    other_.captured(packet, now);
  }

 private:
  CapturePoint& one_;
  CapturePoint& other_;
};

enum Tap : std::size_t {
  at_requester,
  at_responder,
  between,
  taps
};
using Seen = std::array<std::map<std::uint32_t, LatencyParts>, taps>;

// Reads one after the other, of 20 000 octets, by the responder of the connection.
const Plan& sequential_reads() {
  static const Plan plan = [] {
    std::string error;
    return plan_capture(iwarp::test::places::captures() + "/real/01e-rping-v6-mtu1500-notso-S20000.pcap.gz",
                        {}, error)
        ->plan;
  }();
  return plan;
}

Seen seen_in(SimulatedOptions network) {
  const Plan& plan = sequential_reads();
  const std::uint32_t requester = plan.streams.at(0).hosts[1];
  std::array<Latencies, taps> found;
  LoopOptions options;
  options.replay.timing = Timing::topspeed;
  options.network = std::move(network);
  options.made = [&](SimulatedNetwork& made) {
    made.capture_at(host_address(requester), found[at_requester]);
    made.capture_at(host_address(1 - requester), found[at_responder]);
  };
  options.middle = [&](CapturePoint& log) { return std::make_unique<Both>(found[between], log); };
  const LoopResult result = closed_loop(plan, options);
  EXPECT_EQ(result.outcome, Outcome::complete) << result.error;
  Seen seen;
  for (std::size_t tap = 0; tap < taps; ++tap) seen[tap] = found[tap].finish();
  return seen;
}

struct Account {
  TimeNs injected = 0;
  TimeNs found = 0;  // of it, under its cause
};

void add(Account& account, const std::map<std::uint32_t, LatencyParts>& healthy,
         const std::map<std::uint32_t, LatencyParts>& hurt, std::initializer_list<LatencyPart> causes) {
  for (const auto& [message, parts] : hurt) {
    const auto before = healthy.find(message);
    if (before == healthy.end()) continue;
    // The end of a response that is lost before the capture point: nothing comes behind it that shows it,
    // until its sender's timer is over. From what is captured the sender may as well have paused.
    constexpr TimeNs timer = 200'000'000;
    if (parts[LatencyPart::transfer].ns - before->second[LatencyPart::transfer].ns >= timer) continue;
    account.injected += parts.total() - before->second.total();
    for (const LatencyPart cause : causes) account.found += parts[cause].ns - before->second[cause].ns;
  }
}

void PrintTo(const Account& account, std::ostream* out) {
  *out << account.found << " of " << account.injected << " ns";
}

void expect_found(const Account& account) {
  EXPECT_GE(account.found * 100, account.injected * 95) << testing::PrintToString(account);
  EXPECT_LE(account.found * 100, account.injected * 105) << testing::PrintToString(account);
}

SimulatedOptions losing(std::uint32_t host, std::uint64_t seed) {
  SimulatedOptions network;
  network.seed = seed;
  network.faults.rules = {
      {.fault = Fault::loss, .probability = 0.02, .which = Which::payload, .from = host_address(host)}};
  return network;
}

// At whichever point: octets that are lost behind it are sent again as it sees, those lost before it come
// late. At the sender's end the responses are whole before anything is lost.
TEST(InjectedTime, OfLostResponses) {
  const Seen healthy = seen_in({});
  std::array<Account, taps> accounts;
  for_each_seed(40, [&](std::uint64_t seed) {
    const Seen hurt = seen_in(losing(sequential_reads().streams[0].hosts[0], seed));
    for (std::size_t tap = 0; tap < taps; ++tap) {
      add(accounts[tap], healthy[tap], hurt[tap],
          {LatencyPart::response_loss, LatencyPart::behind_hole, LatencyPart::request_loss});
    }
  });
  for (const Account& each : accounts) expect_found(each);
  EXPECT_GT(accounts[at_requester].injected, 0);
  EXPECT_GT(accounts[between].injected, 0);
}

// Those lost before the capture point are seen when they are sent again: no latency has that time.
TEST(InjectedTime, OfLostRequests) {
  const Seen healthy = seen_in({});
  std::array<Account, taps> accounts;
  for_each_seed(40, [&](std::uint64_t seed) {
    const Seen hurt = seen_in(losing(sequential_reads().streams[0].hosts[1], seed));
    for (std::size_t tap = 0; tap < taps; ++tap)
      add(accounts[tap], healthy[tap], hurt[tap], {LatencyPart::request_loss, LatencyPart::behind_hole});
  });
  for (const Account& each : accounts) expect_found(each);
  EXPECT_GT(accounts[at_requester].injected, 0);
}

// Windows of two segments and more, for responses of fourteen: then the responder waits for acknowledgements.
// Where its segments are captured it is seen that the next one does not fit. At the requester it mostly is
// not: what makes room has left by the time that the segment comes which filled the window; so no time is
// proven to be the window's.
TEST(InjectedTime, OfASmallWindow) {
  SimulatedOptions network;
  network.faults.delay = 200'000;
  const Seen healthy = seen_in(network);
  for (const std::size_t window : {3'000U, 6'000U, 12'000U}) {
    network.tcp.receive_buffer = window;
    const Seen hurt = seen_in(network);
    for (const std::size_t tap : {at_responder, between, at_requester}) {
      SCOPED_TRACE(testing::Message() << window << " octets, " << tap);
      Account account;
      add(account, healthy[tap], hurt[tap], {LatencyPart::window});
      EXPECT_GT(account.injected, 0);
      if (tap != at_requester) expect_found(account);
      EXPECT_LE(account.found * 100, account.injected * 105) << testing::PrintToString(account);
    }
  }
}

// Of one stream.
struct Waited {
  std::array<TimeNs, stall_cause_count> ns{};  // by StallCause
  TimeNs duration = 0;                         // from the first FPDU to the last

  [[nodiscard]] TimeNs operator[](StallCause cause) const { return ns.at(static_cast<std::size_t>(cause)); }
};

class Stalls final : public CapturePoint {
 public:
  void captured(const Packet& packet, TimeNs now) override {
    take(analyzer_.add(segment_of(packet, ++frame_, now)));
  }
  Waited finish() {
    take(analyzer_.finish());
    return waited_;
  }

 private:
  void take(Events events) {
    for (const Event& event : events) {
      tracker_.add(event);
      diagnosis_.add(event, analyzer_.analysis().connection(event.connection), analyzer_.analysis(),
                     tracker_);
      for (const Stall& stall : diagnosis_.stalls())
        waited_.ns.at(static_cast<std::size_t>(stall.cause)) += stall.ns;
      if (event.kind != EventKind::fpdu) continue;
      if (first_ns_ == 0) first_ns_ = event.fpdu.placed.time_ns;
      waited_.duration = event.fpdu.placed.time_ns - first_ns_;
    }
  }

  Analyzer analyzer_;
  LatencyTracker tracker_;
  Diagnosis diagnosis_;
  FrameNumber frame_ = 0;
  Waited waited_;
  TimeNs first_ns_ = 0;
};

// 64 KiB each, 8 outstanding.
std::array<Waited, taps> waited_of_many_reads(std::uint16_t ord) {
  std::string error;
  const auto planned = plan_capture(
      iwarp::test::places::captures() + "/real/02o-read_bw-64K-o8-crc-tso-nagle.pcap.zst", {}, error);
  EXPECT_TRUE(planned.has_value()) << error;
  const Plan& plan = planned->plan;
  const std::uint32_t requester = plan.streams.at(0).hosts[0];
  std::array<Stalls, taps> found;
  LoopOptions options;
  options.replay.timing = Timing::topspeed;
  options.replay.startup.ord = ord;
  options.network.faults.delay = 200'000;
  options.made = [&](SimulatedNetwork& made) {
    made.capture_at(host_address(requester), found[at_requester]);
    made.capture_at(host_address(1 - requester), found[at_responder]);
  };
  options.middle = [&](CapturePoint& log) { return std::make_unique<Both>(found[between], log); };
  const LoopResult result = closed_loop(plan, options);
  EXPECT_EQ(result.outcome, Outcome::complete) << result.error;
  return {found[0].finish(), found[1].finish(), found[2].finish()};
}

// Reads that could not go since as many as the requester's ORD were outstanding: that comes before the wire.
// It is more than what Reads lose by it, since they would have waited for each other's octets as well. At the
// responder, which answers one before the next one comes, an ORD of 2 is never seen to be reached.
TEST(InjectedTime, OfASmallOrd) {
  const auto healthy = waited_of_many_reads(8);
  for (const std::uint16_t ord : {std::uint16_t{1}, std::uint16_t{2}}) {
    const auto hurt = waited_of_many_reads(ord);
    for (const std::size_t tap : {at_requester, between, at_responder}) {
      if (tap == at_responder && ord > 1) continue;
      SCOPED_TRACE(testing::Message() << "ORD " << ord << ", " << tap);
      const TimeNs injected = hurt[tap].duration - healthy[tap].duration;
      const TimeNs found = hurt[tap][StallCause::ord] - healthy[tap][StallCause::ord];
      EXPECT_GT(injected, 0);
      EXPECT_GE(found * 100, injected * 95);
      EXPECT_LE(hurt[tap][StallCause::ord], hurt[tap].duration);
    }
  }
}

// A longer way, by the handshake.
TEST(InjectedTime, OfALongerWay) {
  const Seen healthy = seen_in({});
  SimulatedOptions network;
  network.faults.delay = 5'000'000;
  const Seen hurt = seen_in(network);
  for (const std::size_t tap : {at_requester, between}) {
    Account account;
    add(account, healthy[tap], hurt[tap], {LatencyPart::network});
    EXPECT_GT(account.injected, 0);
    expect_found(account);
  }
}

}  // namespace
}  // namespace iwarp::replay
