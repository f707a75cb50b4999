// Reassembler and CausalOrder against a simple model: an array that says for each stream offset what was
// captured there, and which octets came out.
//
// The input is a script of segments of both directions. The octet at an offset is told by the offset, unless
// the script damages a copy; so what comes out can be judged without remembering what went in.
// SPDX-License-Identifier: GPL-2.0-or-later
#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "stream/causal_order.hpp"

namespace {

using namespace iwarp;
using namespace iwarp::stream;

#define REQUIRE(condition)                                         \
  do {                                                             \
    if (!(condition)) {                                            \
      std::fprintf(stderr, "line %d: %s\n", __LINE__, #condition); \
      std::abort();                                                \
    }                                                              \
  } while (false)

class Script {
 public:
  explicit Script(ByteView octets) : octets_(octets) {}
  [[nodiscard]] bool empty() const { return octets_.empty(); }
  std::uint32_t take() {
    if (octets_.empty()) return 0;
    const Byte octet = octets_.front();
    octets_ = octets_.subspan(1);
    return octet;
  }
  std::uint32_t take16() {
    const std::uint32_t high = take();
    return high << 8 | take();
  }

 private:
  ByteView octets_;
};

constexpr std::size_t model_size = 1U << 17U;

Byte right_octet(StreamOffset offset) {
  return static_cast<Byte>(offset * 7 + (offset >> 8) * 13);
}
Byte damaged(Byte octet) {
  return static_cast<Byte>(octet ^ 0xA5);
}

// One direction: what was captured where, and how far it came out.
struct Model {
  enum : Byte {
    right_seen = 1,
    damaged_seen = 2
  };
  std::vector<Byte> seen;
  StreamOffset out = 0;

  void captured(StreamOffset offset, bool is_damaged) {
    if (offset >= model_size) return;
    if (offset >= seen.size()) seen.resize(offset + 1024);
    seen[offset] = static_cast<Byte>(seen[offset] | (is_damaged ? damaged_seen : right_seen));
  }
  void take(const Chunk& chunk) {
    REQUIRE(chunk.offset == out);
    REQUIRE(chunk.octets.size() + chunk.absent > 0);
    REQUIRE(chunk.octets.empty() || chunk.segment_start == (chunk.payload_offset == 0));
    for (std::size_t i = 0; i < chunk.octets.size(); ++i, ++out) {
      if (out >= model_size) continue;
      const bool is_right = chunk.octets[i] == right_octet(out);
      REQUIRE(is_right || chunk.octets[i] == damaged(right_octet(out)));
      REQUIRE(out < seen.size() && (seen[out] & (is_right ? right_seen : damaged_seen)) != 0);
    }
    out += chunk.absent;
  }
};

class Run {
 public:
  Run(Script script, bool ordered)
      : script_(script),
        ordered_(ordered),
        origin_(script_.take() << 24U | script_.take16()),
        order_({.reorder_frames = 1 + script_.take() % 32, .max_segments = 8, .max_octets = 4096}) {
    const ReassemblerOptions options{.max_waiting = 1024U << script_.take() % 8U};
    streams_ = {Reassembler(options), Reassembler(options)};
  }

  void run() {
    // Both origins are known from the start, so that the model can count from them.
    for (const Side side : {Side::a, Side::b}) {
      TcpSegment syn;
      syn.sequence = origin_ - 1;
      syn.flags = tcp::syn;
      handle(side, syn);
    }
    while (!script_.empty()) {
      const std::uint32_t action = script_.take();
      const Side side = (action & 1) != 0 ? Side::b : Side::a;
      if (action < 8) {
        give_up(side, model(side).out + script_.take16());
      } else {
        segment(side, action);
      }
    }
    finish();
  }

 private:
  Model& model(Side side) { return models_[index(side)]; }
  Reassembler& stream(Side side) { return streams_[index(side)]; }

  void segment(Side side, std::uint32_t action) {
    // Near what is due, or anywhere.
    const std::uint32_t place = script_.take16();
    std::int64_t at = (action & 2) != 0 ? static_cast<std::int64_t>(place) * 2
                                        : static_cast<std::int64_t>(model(side).out) + place % 600 - 200;
    if ((action & 4) == 0) at = static_cast<std::int64_t>(stream(side).next_offset());
    const std::size_t length = script_.take() * ((action & 8) != 0 ? 8U : 1U);
    const std::uint32_t kind = script_.take();
    const bool is_damaged = (kind & 3) == 3;
    TcpSegment next;
    next.checksum = static_cast<ChecksumStatus>(kind >> 2U & 3U);
    next.flags = static_cast<std::uint8_t>(tcp::ack | ((kind & 0xF0) == 0xF0 ? tcp::fin : 0U) |
                                           ((kind & 0xF0) == 0xE0 ? tcp::rst : 0U));
    Bytes octets(length);
    for (std::size_t i = 0; i < length; ++i) {
      const std::int64_t offset = at + static_cast<std::int64_t>(i);
      const Byte right = right_octet(static_cast<StreamOffset>(offset));
      octets[i] = is_damaged ? damaged(right) : right;
      if (offset >= 0) model(side).captured(static_cast<StreamOffset>(offset), is_damaged);
    }
    next.sequence = origin_ + static_cast<std::uint32_t>(at);
    next.acknowledgement = origin_ + static_cast<std::uint32_t>(stream(other(side)).next_offset()) +
                           ((kind & 0x30) == 0x10 ? script_.take16() : 0U);
    next.payload = octets;
    next.wire_length = static_cast<std::uint32_t>(length);
    next.payload_sum = payload_sum(octets);
    if ((kind & 0x30) == 0x20) next.payload = next.payload.first(length / 2);
    next.packet_identity = kind >> 6U;
    next.frame = ++frame_;
    next.time_ns = static_cast<TimeNs>(frame_) * 1'000'000;
    handle(side, next);
  }

  void handle(Side side, const TcpSegment& next) {
    if (!ordered_) return push(side, next, 0);
    order_.add(side, next, streams_);
    steps();
  }

  void steps() {
    for (CausalOrder::Step step; order_.next(step, streams_);) {
      if (step.kind == CausalOrder::Kind::missing_end) continue;
      if (step.kind == CausalOrder::Kind::missing) {
        REQUIRE(step.upto > stream(step.side).available_offset());
        give_up(step.side, step.upto);
      } else {
        stream(other(step.side)).acknowledged(step.ack);
        drain(other(step.side));
        push(step.side, *step.segment, step.ack);
      }
    }
    REQUIRE(order_.waiting_segments() <= 16 && order_.waiting_octets() <= 2 * 4096);
  }

  void push(Side side, const TcpSegment& next, StreamOffset ack) {
    Reassembler& each = stream(side);
    const PushResult result = each.push(next, ack);
    const bool syn_or_rst = (next.flags & (tcp::syn | tcp::rst)) != 0;
    if (!syn_or_rst && !result.keepalive && !result.duplicate && !result.stray)
      REQUIRE(result.fresh + result.retransmitted + result.too_late + result.before_origin +
                  result.beyond_fin ==
              next.wire_length);
    REQUIRE(result.refused <= result.fresh);
    drain(side);
    if (result.limit)
      if (const auto hole = each.hole()) give_up(side, hole->end);
  }

  void drain(Side side) {
    Reassembler& each = stream(side);
    while (const Chunk* const chunk = each.poll()) model(side).take(*chunk);
    REQUIRE(each.next_offset() == model(side).out);
    REQUIRE(each.available_offset() >= each.next_offset() &&
            each.highest_offset() >= each.available_offset());
    REQUIRE(each.alternates().size() <= 8);
    REQUIRE(!each.fin_offset() || each.next_offset() <= *each.fin_offset());
    const auto hole = each.hole();
    REQUIRE(each.waiting_octets() == 0 || hole.has_value());
    if (hole) REQUIRE(hole->begin == each.next_offset() && hole->end > hole->begin);
  }

  void give_up(Side side, StreamOffset upto) {
    while (stream(side).declare_gap(upto)) drain(side);
    const auto fin = stream(side).fin_offset();
    REQUIRE(stream(side).next_offset() >= (fin ? std::min(upto, *fin) : upto));
  }

  void finish() {
    order_.flush();
    steps();
    REQUIRE(order_.waiting_segments() == 0);
    for (const Side side : {Side::a, Side::b}) {
      while (stream(side).declare_gap(~StreamOffset{0})) drain(side);
      REQUIRE(stream(side).waiting_octets() == 0);
      REQUIRE(!stream(side).hole());
    }
  }

  Script script_;
  bool ordered_;
  std::uint32_t origin_;
  CausalOrder order_;
  StreamPair streams_;
  std::array<Model, 2> models_;
  FrameNumber frame_ = 0;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Script script(ByteView(data, size));
  const bool ordered = (script.take() & 1) != 0;
  Run(script, ordered).run();
  return 0;
}
