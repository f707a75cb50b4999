// What must hold for any capture of a stream, tried with many seeded ones.
// SPDX-License-Identifier: GPL-2.0-or-later
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "stream/causal_order.hpp"
#include "stream/reassembler.hpp"
#include "stream/segments.hpp"

namespace iwarp::stream {
namespace {

using Random = std::mt19937_64;

std::size_t below(Random& random, std::size_t bound) {
  return static_cast<std::size_t>(random() % bound);
}

Bytes octets_of(Random& random, std::size_t count) {
  Bytes octets(count);
  for (Byte& octet : octets) octet = static_cast<Byte>(random());
  return octets;
}

struct Part {
  std::size_t begin = 0;
  std::size_t end = 0;
};

// The whole stream in segments of 1 to `longest` octets.
std::vector<Part> cut_anyhow(Random& random, std::size_t size, std::size_t longest) {
  std::vector<Part> parts;
  for (std::size_t at = 0; at < size;) {
    const std::size_t end = std::min(size, at + 1 + below(random, longest));
    parts.push_back({at, end});
    at = end;
  }
  return parts;
}

// Moves each by less than `distance` places.
void displace(Random& random, std::vector<Part>& parts, std::size_t distance) {
  std::vector<std::pair<std::size_t, Part>> keyed;
  for (std::size_t i = 0; i < parts.size(); ++i) keyed.emplace_back(i + below(random, distance), parts[i]);
  std::stable_sort(keyed.begin(), keyed.end(),
                   [](const auto& l, const auto& r) { return l.first < r.first; });
  for (std::size_t i = 0; i < parts.size(); ++i) parts[i] = keyed[i].second;
}

// The stream as it came out: octets, and which of them were absent (content 0 then).
struct Output {
  Bytes octets;
  std::vector<bool> present;

  void take(Reassembler& stream) {
    while (const Chunk* const ready = stream.poll()) {
      const Chunk& chunk = *ready;
      ASSERT_EQ(chunk.offset, octets.size());
      ASSERT_GT(chunk.octets.size() + chunk.absent, 0U);
      octets.insert(octets.end(), chunk.octets.begin(), chunk.octets.end());
      present.resize(octets.size(), true);
      octets.resize(octets.size() + chunk.absent);
      present.resize(octets.size(), false);
    }
  }
};

class Properties : public testing::TestWithParam<std::uint64_t> {
 protected:
  Random random{GetParam()};
  Bytes sent = octets_of(random, 20'000 + below(random, 20'000));
  std::uint32_t origin = below(random, 2) == 0 ? static_cast<std::uint32_t>(random())
                                               : 0U - static_cast<std::uint32_t>(below(random, 40'000));

  // The payload is a copy that dies with the next call: nothing may look at it later.
  TcpSegment segment(Part part) {
    Bytes copy(sent.begin() + static_cast<std::ptrdiff_t>(part.begin),
               sent.begin() + static_cast<std::ptrdiff_t>(part.end));
    payload_.swap(copy);
    TcpSegment result;
    result.sequence = origin + static_cast<std::uint32_t>(part.begin);
    result.flags = tcp::ack;
    result.payload = payload_;
    result.wire_length = static_cast<std::uint32_t>(payload_.size());
    result.payload_sum = payload_sum(payload_);
    return result;
  }
  TcpSegment syn() const {
    TcpSegment result;
    result.sequence = origin - 1;
    result.flags = tcp::syn;
    return result;
  }

 private:
  Bytes payload_;
};

TEST_P(Properties, EverythingSentComesOutWhateverTheSegments) {
  // Several cuttings of the same stream, displaced, one after the other or mixed, with copies.
  std::vector<Part> parts = cut_anyhow(random, sent.size(), 1500);
  const std::size_t once = parts.size();
  for (std::size_t more = below(random, 3); more > 0; --more) {
    const std::vector<Part> again = cut_anyhow(random, sent.size(), 1 + below(random, 3000));
    parts.insert(parts.begin() + static_cast<std::ptrdiff_t>(below(random, parts.size())), again.begin(),
                 again.end());
  }
  for (std::size_t copies = below(random, 20); copies > 0; --copies)
    parts.insert(parts.begin() + static_cast<std::ptrdiff_t>(below(random, parts.size())),
                 parts[below(random, parts.size())]);
  displace(random, parts, 1 + below(random, once));

  Reassembler stream;
  Output output;
  std::uint64_t fresh = 0;
  std::uint64_t seen = 0;
  stream.push(syn(), 0);
  for (const Part& part : parts) {
    const PushResult result = stream.push(segment(part), 0);
    output.take(stream);
    fresh += result.fresh;
    EXPECT_FALSE(result.conflict);
    EXPECT_EQ(result.too_late + result.before_origin + result.beyond_fin + result.refused, 0U);
    if (!result.keepalive) {
      seen += part.end - part.begin;
      EXPECT_EQ(result.fresh + result.retransmitted, part.end - part.begin);
    }
  }
  EXPECT_EQ(output.octets, sent);
  EXPECT_EQ(std::count(output.present.begin(), output.present.end(), false), 0);
  EXPECT_EQ(fresh, sent.size());
  EXPECT_GE(seen, fresh);
  EXPECT_EQ(stream.waiting_octets(), 0U);
  EXPECT_FALSE(stream.hole());
  EXPECT_TRUE(stream.alternates().empty());
}

TEST_P(Properties, GapsAreExactlyWhereNothingWasCaptured) {
  std::vector<Part> parts = cut_anyhow(random, sent.size(), 700);
  parts.erase(parts.begin() + 1, parts.begin() + 2 + static_cast<std::ptrdiff_t>(below(random, 3)));
  std::erase_if(parts, [&](const Part& part) { return part.begin > 0 && below(random, 8) == 0; });
  std::vector<bool> captured(sent.size(), false);
  for (const Part& part : parts)
    std::fill_n(captured.begin() + static_cast<std::ptrdiff_t>(part.begin), part.end - part.begin, true);
  displace(random, parts, 1 + below(random, 6));

  Reassembler stream;
  Output output;
  stream.push(syn(), 0);
  for (const Part& part : parts) {
    stream.push(segment(part), 0);
    output.take(stream);
    const auto hole = stream.hole();
    EXPECT_EQ(hole.has_value(), stream.highest_offset() > stream.next_offset());
    // Late enough: no segment moved that far.
    while (stream.waiting_octets() > 20'000 && stream.declare_gap(stream.highest_offset()))
      output.take(stream);
  }
  while (stream.declare_gap(sent.size())) output.take(stream);
  ASSERT_EQ(output.octets.size(), sent.size());
  for (std::size_t at = 0; at < sent.size(); ++at) {
    ASSERT_EQ(output.present[at], captured[at]) << at;
    ASSERT_EQ(output.octets[at], captured[at] ? sent[at] : 0) << at;
  }
}

TEST_P(Properties, CutFramesKeepTheirLength) {
  std::vector<Part> parts = cut_anyhow(random, sent.size(), 1500);
  std::vector<bool> captured(sent.size(), false);
  const std::size_t snap = below(random, 200);
  for (const Part& part : parts)
    std::fill_n(captured.begin() + static_cast<std::ptrdiff_t>(part.begin),
                std::min(snap, part.end - part.begin), true);
  displace(random, parts, 1 + below(random, 10));
  Reassembler stream;
  Output output;
  stream.push(syn(), 0);
  for (const Part& part : parts) {
    stream.push(test::cut(segment(part), std::min(snap, part.end - part.begin)), 0);
    output.take(stream);
  }
  ASSERT_EQ(output.octets.size(), sent.size());
  EXPECT_EQ(output.present, captured);
  for (std::size_t at = 0; at < sent.size(); ++at) ASSERT_EQ(output.octets[at], captured[at] ? sent[at] : 0);
}

TEST_P(Properties, DamagedCopiesDoNoHarmWhenTheRightOnesFollow) {
  std::vector<Part> parts = cut_anyhow(random, sent.size(), 1500);
  Reassembler stream;
  Output output;
  TcpSegment begin = syn();
  begin.checksum = ChecksumStatus::good;
  stream.push(begin, 0);
  std::vector<Part> again;
  std::size_t good = 1;
  for (const Part& part : parts) {
    Bytes damaged(sent.begin() + static_cast<std::ptrdiff_t>(part.begin),
                  sent.begin() + static_cast<std::ptrdiff_t>(part.end));
    TcpSegment next = segment(part);
    next.checksum = ChecksumStatus::good;
    if (good >= 4 && below(random, 6) == 0) {
      for (Byte& octet : damaged) octet ^= 0xFF;
      next.payload = damaged;
      next.checksum = ChecksumStatus::bad;
      again.push_back(part);
      good = 0;
    }
    ++good;
    const PushResult result = stream.push(next, 0);
    EXPECT_EQ(result.suspect, next.checksum == ChecksumStatus::bad);
    output.take(stream);
    if (!again.empty() && below(random, 3) == 0) {
      TcpSegment right = segment(again.back());
      right.checksum = ChecksumStatus::good;
      again.pop_back();
      stream.push(right, 0);
      output.take(stream);
    }
  }
  for (const Part& part : again) {
    TcpSegment right = segment(part);
    right.checksum = ChecksumStatus::good;
    stream.push(right, 0);
    output.take(stream);
  }
  EXPECT_EQ(output.octets, sent);
}

// Two sides talk; each direction is captured in order, both are merged anyhow.
TEST_P(Properties, EveryMergeRespectsTheAcknowledgements) {
  struct Sent {
    Side side;
    TcpSegment segment;
    StreamOffset ack;
  };
  const Bytes octets(100, 'x');
  std::array<StreamOffset, 2> at{};
  std::array<std::vector<Sent>, 2> links;
  // What the other side has received; never more than was sent, and growing.
  std::array<StreamOffset, 2> received{};
  for (int i = 0; i < 400; ++i) {
    const Side side = below(random, 2) == 0 ? Side::a : Side::b;
    const unsigned own = index(side);
    const unsigned peer = index(other(side));
    received[peer] += below(random, at[peer] - received[peer] + 1);
    TcpSegment next;
    next.flags = tcp::ack;
    next.sequence = origin + static_cast<std::uint32_t>(at[own]);
    next.acknowledgement = origin + static_cast<std::uint32_t>(received[peer]);
    next.payload = ByteView(octets).first(below(random, octets.size()));
    next.wire_length = static_cast<std::uint32_t>(next.payload.size());
    at[own] += next.payload.size();
    links[own].push_back({side, next, received[peer]});
  }

  CausalOrder order({.reorder_frames = 100'000, .max_segments = 1000});
  StreamPair streams;
  std::array<StreamOffset, 2> out{};
  const auto run = [&] {
    for (CausalOrder::Step step; order.next(step, streams);) {
      ASSERT_EQ(step.kind, CausalOrder::Kind::deliver);
      const unsigned own = index(step.side);
      EXPECT_LE(step.ack, out[1 - own]);
      streams[own].push(*step.segment, step.ack);
      while (const Chunk* const chunk = streams[own].poll()) {
        ASSERT_EQ(chunk->offset, out[own]);
        out[own] += chunk->octets.size();
      }
    }
  };
  for (const Side side : {Side::a, Side::b}) {
    TcpSegment begin = syn();
    order.add(side, begin, streams);
    run();
  }
  std::array<std::size_t, 2> position{};
  while (position[0] < links[0].size() || position[1] < links[1].size()) {
    unsigned link = below(random, 8) == 0 ? 1 : 0;  // uneven: much waits
    if (position[link] == links[link].size()) link = 1 - link;
    const Sent& next = links[link][position[link]++];
    order.add(next.side, next.segment, streams);
    run();
  }
  EXPECT_EQ(order.waiting_segments(), 0U);
  EXPECT_EQ(out, at);
}

INSTANTIATE_TEST_SUITE_P(Seeds, Properties, testing::Range<std::uint64_t>(1, 41));

}  // namespace
}  // namespace iwarp::stream
