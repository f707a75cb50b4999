// SpanMap: which captured frame brought which octets of a direction. The one place where stream offsets
// become frame numbers.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>

#include <iwarp/event.hpp>
#include <iwarp/fifo.hpp>
#include <iwarp/ids.hpp>

#include "stream/reassembler.hpp"

namespace iwarp {

struct StreamSpan {
  StreamOffset begin = 0;
  std::uint32_t length = 0;
  std::uint32_t payload_offset = 0;  // of its first octet in the frame's TCP payload
  FrameNumber frame = 0;
  TimeNs time_ns = 0;    // of `frame`
  StreamOffset ack = 0;  // what the sender had acknowledged when it sent them
  bool segment_start = false;
  bool cut = false;          // the snapshot length cut its segment
  std::uint32_t absent = 0;  // octets behind these that it cut off

  [[nodiscard]] StreamOffset end() const noexcept { return begin + length; }
  [[nodiscard]] Placement placement() const noexcept { return {frame, time_ns}; }
  // What it has of [from, to). REQUIRES: both lie in it.
  [[nodiscard]] Slice slice(StreamOffset from, StreamOffset to) const noexcept {
    return {frame, payload_offset + static_cast<std::uint32_t>(from - begin),
            static_cast<std::uint32_t>(to - from)};
  }
};

template <typename Codec>
void members(Codec& codec, StreamSpan& span) {
  auto& [begin, length, payload_offset, frame, time_ns, ack, segment_start, cut, absent] = span;
  codec(begin, length, payload_offset, frame, time_ns, ack, segment_start, cut, absent);
}

class SpanMap {
 public:
  void add(const stream::Chunk& chunk) {
    StreamSpan& span = spans_.emplace_back();
    span.begin = chunk.offset;
    span.length = static_cast<std::uint32_t>(chunk.octets.size());
    span.payload_offset = chunk.payload_offset;
    span.frame = chunk.frame;
    span.time_ns = chunk.time_ns;
    span.ack = chunk.ack;
    span.segment_start = chunk.segment_start;
    span.cut = chunk.cut;
    span.absent = static_cast<std::uint32_t>(chunk.absent);
  }

  // Holds from now on what of `all` brought [begin, end).
  void assign_part(const SpanMap& all, StreamOffset begin, StreamOffset end) {
    spans_.clear();
    for (const StreamSpan& span : all.spans_) {
      if (span.begin >= end) break;
      if (span.end() > begin) spans_.push_back(span);
    }
  }

  // Another frame's copy of octets is the one that counts. When they were sent first, and behind what, it
  // does not tell: `ack` stays.
  void lay_over(const StreamSpan& copy) {
    Fifo<StreamSpan> spans;
    const auto keep = [&spans](StreamSpan span, StreamOffset from, StreamOffset to) {
      if (from >= to) return;
      span.payload_offset += static_cast<std::uint32_t>(from - span.begin);
      span.segment_start = span.segment_start && from == span.begin;
      if (to < span.end()) span.absent = 0;
      span.begin = from;
      span.length = static_cast<std::uint32_t>(to - from);
      spans.push_back(span);
    };
    for (const StreamSpan& span : spans_) {
      const StreamOffset from = std::clamp(copy.begin, span.begin, span.end());
      const StreamOffset to = std::clamp(copy.end(), span.begin, span.end());
      keep(span, span.begin, from);
      StreamSpan over = copy;
      over.ack = span.ack;
      keep(over, from, to);
      keep(span, to, span.end());
    }
    spans_ = std::move(spans);
  }

  // Octets before `offset` are not asked for any more.
  void forget_before(StreamOffset offset) noexcept {
    while (!spans_.empty() && spans_.front().end() <= offset) spans_.pop_front();
  }

  // The span that holds `offset`, or the first behind it; nullptr when there is none.
  [[nodiscard]] const StreamSpan* find(StreamOffset offset) const noexcept {
    for (const StreamSpan& span : spans_) {
      if (span.end() > offset) return &span;
    }
    return nullptr;
  }

  // Whether one of the segments that brought [begin, end) was cut.
  [[nodiscard]] bool any_cut(StreamOffset begin, StreamOffset end) const noexcept {
    for (const StreamSpan& span : spans_) {
      if (span.begin >= end) break;
      if (span.end() > begin && span.cut) return true;
    }
    return false;
  }

  // No segment with this octet was captured, not even one that the snapshot length cut before it.
  [[nodiscard]] bool lacks_segment_of(StreamOffset offset) const noexcept {
    const StreamSpan* before = nullptr;
    for (const StreamSpan& span : spans_) {
      if (span.begin > offset) break;
      before = &span;
    }
    return before == nullptr || before->end() + before->absent <= offset;
  }

  // Where the octets [begin, end) lie, as far as any were captured.
  [[nodiscard]] Placement placement(StreamOffset begin, StreamOffset end) const noexcept {
    Placement placed;
    for (const StreamSpan& span : spans_) {
      if (span.begin >= end) break;
      if (span.end() > begin) placed = later(placed, span.placement());
    }
    return placed;
  }

  // Calls visit(Slice) for each captured piece of [begin, end), in stream order.
  template <typename Visit>
  void for_each_slice(StreamOffset begin, StreamOffset end, Visit visit) const {
    for (const StreamSpan& span : spans_) {
      if (span.begin >= end) return;
      if (span.end() <= begin) continue;
      visit(span.slice(span.begin > begin ? span.begin : begin, span.end() < end ? span.end() : end));
    }
  }

  // See base/packing.hpp.
  template <typename Codec>
  void pack(Codec& codec) {
    auto& [spans] = *this;
    codec(spans);
  }

 private:
  Fifo<StreamSpan> spans_;
};

}  // namespace iwarp
