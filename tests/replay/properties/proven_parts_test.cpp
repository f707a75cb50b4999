// What a latency's parts say is proven is true: two soft-RNICs at random work, of whose packets those of one
// end are lost, or none, seen from both ends and from between.
//
// IWARP_SEEDS, IWARP_FIRST_SEED: as in conforming_traffic_test.cpp.
// SPDX-License-Identifier: GPL-2.0-or-later
#include <gtest/gtest.h>

#include <array>
#include <memory>
#include <optional>

#include <iwarp/analyzer.hpp>
#include <iwarp/diagnosis.hpp>
#include <iwarp/latency_parts.hpp>

#include "engine/live_log.hpp"
#include "replay/properties/laboratory.hpp"
#include "replay/properties/seeds.hpp"
#include "support/conversation.hpp"

namespace iwarp::rnic::test {
namespace {

class Tap final : public replay::CapturePoint {
 public:
  void captured(const replay::Packet& packet, TimeNs now) override {
    OwnedSegment& owned = segments.emplace_back();
    owned.meta = replay::segment_of(packet, segments.size(), now);
    owned.meta.payload = {};
    owned.octets = packet.payload;
    owned.ip_id = packet.identification;
  }

  std::vector<OwnedSegment> segments;
};

// What one capture shows, in all.
struct Shown {
  std::size_t latencies = 0;
  std::array<TimeNs, latency_part_count> parts{};  // of operations of the host asked for
  TimeNs recovery = 0;                             // proven, of octets of the host asked for

  [[nodiscard]] TimeNs operator[](LatencyPart part) const { return parts[static_cast<std::size_t>(part)]; }
};

// By the host that asked, or whose octets they are.
std::array<Shown, 2> shown_by(const Tap& tap) {
  std::array<Shown, 2> shown;
  AnalyzerOptions options;
  options.keep_payload = KeepPayload::beginnings;
  Analyzer analyzer(options);
  LatencyTracker tracker;
  Diagnosis diagnosis;
  const auto take = [&](Events events) {
    for (const Event& event : events) {
      const ConnectionState* const connection = analyzer.analysis().connection(event.connection);
      tracker.add(event);
      diagnosis.add(event, connection, analyzer.analysis(), tracker);
      const auto host_of = [&](iwarp::Side side) {
        return connection->endpoints[index(side)].address == address_of_host(0) ? 0U : 1U;
      };
      for (const Stall& stall : diagnosis.stalls()) {
        if (stall.cause == StallCause::recovery && stall.basis == Basis::proven)
          shown[host_of(stall.side)].recovery += stall.ns;
      }
      const LatencyParts* const parts = tracker.parts();
      if (parts == nullptr) continue;
      EXPECT_EQ(parts->total(), event.operation.delivery(event.time_ns));
      Shown& one = shown[host_of(event.side)];
      ++one.latencies;
      for (std::size_t at = 0; at < latency_part_count; ++at) one.parts[at] += parts->parts[at].ns;
    }
  };
  for (const OwnedSegment& each : tap.segments) take(analyzer.add(each.segment()));
  take(analyzer.finish());
  return shown;
}

// Taps at both hosts and between them.
using Taps = std::array<std::unique_ptr<Tap>, 3>;

// `losing`: the host of whose packets with octets some are lost.
Taps run(std::uint64_t seed, std::optional<unsigned> losing) {
  Taps taps = {std::make_unique<Tap>(), std::make_unique<Tap>(), std::make_unique<Tap>()};
  LaboratoryOptions options;
  options.bad_network = false;
  options.own_queues = true;
  options.network = [&](replay::SimulatedOptions& network) {
    if (!losing) return;
    network.faults.rules.push_back({.fault = replay::Fault::loss,
                                    .probability = 0.04,
                                    .which = replay::Which::payload,
                                    .from = address_of_host(*losing)});
  };
  Laboratory laboratory(seed, options);
  for (const unsigned which : {0U, 1U}) laboratory.network.capture_at(address_of_host(which), *taps[which]);
  laboratory.network.capture_in_the_middle(*taps[2]);
  laboratory.new_round();
  for (const auto& pair : laboratory.pairs) laboratory.connect(*pair);
  for (const auto& pair : laboratory.pairs) laboratory.make_work(*pair);
  EXPECT_TRUE(laboratory.run_to_the_end()) << laboratory.state_of_things();
  return taps;
}

TEST(ProvenParts, AreTrue) {
  std::size_t latencies = 0;
  TimeNs lost_responses = 0;
  TimeNs recoveries = 0;
  for_each_seed(25, [&](std::uint64_t seed) {
    for (const std::optional<unsigned> losing :
         {std::optional<unsigned>(), std::optional(0U), std::optional(1U)}) {
      const Taps taps = run(seed, losing);
      for (const auto& tap : taps) {
        const auto shown = shown_by(*tap);
        for (const unsigned host : {0U, 1U}) {
          SCOPED_TRACE(testing::Message()
                       << "losing " << (losing ? static_cast<int>(*losing) : -1) << ", asked by " << host);
          latencies += shown[host].latencies;
          if (losing != 1 - host) {
            EXPECT_EQ(shown[host][LatencyPart::response_loss], 0);
          }
          if (!losing) {
            EXPECT_EQ(shown[host][LatencyPart::behind_hole], 0);
          }
          if (!losing) {
            EXPECT_EQ(shown[host][LatencyPart::request_loss], 0);
          }
          if (losing != host) {
            EXPECT_EQ(shown[host].recovery, 0);
          }
          lost_responses += shown[host][LatencyPart::response_loss];
          recoveries += shown[host].recovery;
        }
      }
    }
  });
  EXPECT_GT(latencies, 100U);
  EXPECT_GT(lost_responses, 0);
  EXPECT_GT(recoveries, 0);
}

}  // namespace
}  // namespace iwarp::rnic::test
