// Packets removed at random from real captures: the latency of a Read or Atomic, and how many were
// outstanding, are those of the whole capture, or unknown. IWARP_SEEDS: more seeds than the default run has.
// SPDX-License-Identifier: GPL-2.0-or-later
#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <string>
#include <vector>

#include "support/analysed.hpp"
#include "support/capture_damage.hpp"
#include "support/capture_read.hpp"
#include "support/seeds.hpp"

namespace iwarp::test {
namespace {

using Operations = std::vector<OperationConclusion>;

Operations requests_of(const Analysed& result) {
  Operations all = result.operations(OperationKind::read);
  std::ranges::move(result.operations(OperationKind::atomic), std::back_inserter(all));
  std::erase_if(all, [](const OperationConclusion& each) { return each.request.frame == 0; });
  return all;
}

// The operations of a whole capture by the frame of their request, and its packets.
class Whole {
 public:
  explicit Whole(const Segments& segments) {
    for (const OwnedSegment& each : segments) packets_[each.meta.frame] = &each.meta;
    for (const OperationConclusion& each : requests_of(Analysed(segments)))
      operations_.emplace(each.request.frame, each);
  }

  [[nodiscard]] bool has_latency_of(const OperationConclusion& seen) const {
    return any(seen, [&](const OperationConclusion& each) {
      return each.latency() == seen.latency() || is_copy(each.response.frame, seen.response.frame);
    });
  }
  [[nodiscard]] bool has_outstanding_of(const OperationConclusion& seen) const {
    return any(seen, [&](const OperationConclusion& each) { return each.outstanding == seen.outstanding; });
  }

 private:
  template <typename Same>
  bool any(const OperationConclusion& seen, const Same& same) const {
    const auto [begin, end] = operations_.equal_range(seen.request.frame);
    return std::any_of(begin, end, [&](const auto& each) { return same(each.second); });
  }

  // Of a packet that TCP sent twice, the later copy counts where the first was removed.
  [[nodiscard]] bool is_copy(FrameNumber first, FrameNumber later) const {
    const auto a = packets_.find(first);
    const auto b = packets_.find(later);
    return a != packets_.end() && b != packets_.end() && first < later &&
           a->second->source == b->second->source && a->second->sequence == b->second->sequence &&
           a->second->wire_length == b->second->wire_length;
  }

  std::map<FrameNumber, const TcpSegment*> packets_;
  std::multimap<FrameNumber, OperationConclusion> operations_;
};

struct Count {
  std::size_t operations = 0;
  std::size_t latencies = 0;
  std::size_t outstanding = 0;
};

void compare(const Whole& whole, const Segments& rest, const std::string& where, Count& count) {
  for (const OperationConclusion& seen : requests_of(Analysed(rest))) {
    ++count.operations;
    const std::string about = where + ", request in frame " + std::to_string(seen.request.frame);
    if (seen.latency()) {
      ++count.latencies;
      EXPECT_TRUE(whole.has_latency_of(seen)) << about << ", response in frame " << seen.response.frame;
    }
    if (seen.outstanding != 0) {
      ++count.outstanding;
      EXPECT_TRUE(whole.has_outstanding_of(seen)) << about << ", outstanding " << seen.outstanding;
    }
  }
}

TEST(LostPackets, LeaveALatencyRightOrUnknown) {
  constexpr std::size_t most_packets = 3000;  // of a capture, for the time it takes
  const std::uint64_t seeds = seeds_from("IWARP_SEEDS", 8);
  Count count;
  for (const std::string& path : captures_in("real")) {
    const Segments segments = read_capture(path).segments;
    if (segments.size() > most_packets) continue;
    const Whole whole(segments);
    for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
      for (const std::uint32_t one_in : {200U, 100U, 33U, 12U}) {
        Segments rest = segments;
        Numbers numbers(seed * 1000 + one_in);
        lose(rest, numbers, one_in);
        compare(whole, rest, path + ", seed " + std::to_string(seed) + ", one in " + std::to_string(one_in),
                count);
      }
    }
  }
  EXPECT_GT(count.latencies, count.operations * 3 / 4);  // else it would pass by knowing nothing
  EXPECT_GT(count.outstanding, count.operations / 2);
  RecordProperty("operations", std::to_string(count.operations));
  RecordProperty("latencies", std::to_string(count.latencies));
  RecordProperty("outstanding", std::to_string(count.outstanding));
}

}  // namespace
}  // namespace iwarp::test
