// Cost of a TCP segment in the stream layer: 1448 octets in order (the usual case), with the order of the
// directions settled, pure acknowledgements, and pairs of segments in wrong order.
// SPDX-License-Identifier: GPL-2.0-or-later
#include <benchmark/benchmark.h>

#include "stream/causal_order.hpp"
#include "stream/reassembler.hpp"

namespace {

using namespace iwarp;
using namespace iwarp::stream;

constexpr std::uint32_t length = 1448;
const Bytes octets(length, 0x5A);

TcpSegment first_segment() {
  TcpSegment segment;
  segment.flags = tcp::ack;
  segment.payload = octets;
  segment.wire_length = length;
  segment.checksum = ChecksumStatus::good;
  segment.payload_sum = 1;
  segment.packet_identity = 1;
  return segment;
}

void next(TcpSegment& segment) {
  segment.sequence += length;
  ++segment.packet_identity;
  ++segment.frame;
}

StreamOffset drain(Reassembler& stream) {
  StreamOffset end = 0;
  while (const Chunk* const chunk = stream.poll()) end = chunk->offset + chunk->octets.size();
  return end;
}

void in_order(benchmark::State& state) {
  Reassembler stream;
  TcpSegment segment = first_segment();
  for (auto _ : state) {
    stream.push(segment, 0);
    benchmark::DoNotOptimize(drain(stream));
    next(segment);
  }
  state.SetItemsProcessed(state.iterations());
}

// Data one way and an acknowledgement back for every second segment, both through CausalOrder.
void in_order_both_directions(benchmark::State& state) {
  CausalOrder order;
  StreamPair streams;
  TcpSegment segment = first_segment();
  TcpSegment ack;
  ack.flags = tcp::ack;
  const auto add = [&](Side side, const TcpSegment& each) {
    order.add(side, each, streams);
    for (CausalOrder::Step step; order.next(step, streams);) {
      streams[index(other(step.side))].acknowledged(step.ack);
      streams[index(step.side)].push(*step.segment, step.ack);
      benchmark::DoNotOptimize(drain(streams[index(step.side)]));
    }
  };
  for (auto _ : state) {
    add(Side::a, segment);
    next(segment);
    add(Side::a, segment);
    next(segment);
    ack.acknowledgement = segment.sequence;
    ++ack.packet_identity;
    add(Side::b, ack);
  }
  state.SetItemsProcessed(3 * state.iterations());
}

void pure_acknowledgements(benchmark::State& state) {
  Reassembler stream;
  TcpSegment segment = first_segment();
  stream.push(segment, 0);
  drain(stream);
  segment.sequence += length;
  segment.payload = {};
  segment.wire_length = 0;
  for (auto _ : state) {
    ++segment.packet_identity;
    benchmark::DoNotOptimize(stream.push(segment, 0));
  }
  state.SetItemsProcessed(state.iterations());
}

// 2, 1, 4, 3: every second segment is copied.
void swapped_pairs(benchmark::State& state) {
  Reassembler stream;
  TcpSegment segment = first_segment();
  for (auto _ : state) {
    TcpSegment early = segment;
    next(early);
    stream.push(early, 0);
    stream.push(segment, 0);
    benchmark::DoNotOptimize(drain(stream));
    segment = early;
    next(segment);
  }
  state.SetItemsProcessed(2 * state.iterations());
}

BENCHMARK(in_order);
BENCHMARK(in_order_both_directions);
BENCHMARK(pure_acknowledgements);
BENCHMARK(swapped_pairs);

}  // namespace
