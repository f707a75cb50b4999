// TcpSegments of one direction for the tests of the stream layer, and the stream that came out.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <iwarp/segment.hpp>

#include "stream/reassembler.hpp"

namespace iwarp::test {

// A segment of `text` at `sequence`; the text must outlive it.
inline TcpSegment segment(std::uint32_t sequence, std::string_view text = {}, std::uint8_t flags = tcp::ack) {
  TcpSegment result;
  result.sequence = sequence;
  result.flags = flags;
  result.payload = {reinterpret_cast<const Byte*>(text.data()), text.size()};
  result.wire_length = static_cast<std::uint32_t>(text.size());
  return result;
}

inline TcpSegment with_frame(TcpSegment segment, FrameNumber frame) {
  segment.frame = frame;
  return segment;
}

inline TcpSegment with_checksum(TcpSegment segment, ChecksumStatus checksum) {
  segment.checksum = checksum;
  return segment;
}

inline TcpSegment with_identity(TcpSegment segment, std::uint64_t identity) {
  segment.packet_identity = identity;
  return segment;
}

inline TcpSegment with_sum(TcpSegment segment) {
  segment.payload_sum = 0;
  for (std::size_t i = 0; i < segment.payload.size(); ++i)
    segment.payload_sum += std::uint64_t{segment.payload[i]} << (i % 2 == 0 ? 8 : 0);
  return segment;
}

inline TcpSegment cut(TcpSegment segment, std::size_t captured) {
  segment.payload = segment.payload.first(captured);
  return segment;
}

// Everything that can be polled, in a notation one can read: octets as they are, "<n>" for n octets never
// captured, "{n}" for n octets cut off, "|" where a TCP segment begins.
class Drain {
 public:
  explicit Drain(stream::Reassembler& stream, const stream::ReadLimit& limit = {})
      : stream_(stream), limit_(limit) {}

  std::string operator()() {
    std::string text;
    while (const stream::Chunk* const ready = stream_.poll(limit_)) {
      const stream::Chunk& chunk = *ready;
      contiguous_ = contiguous_ && (!any_ || chunk.offset == end_);
      any_ = true;
      end_ = chunk.offset + chunk.octets.size() + chunk.absent;
      if (chunk.segment_start) text += '|';
      text.append(chunk.octets.begin(), chunk.octets.end());
      if (chunk.absent > 0)
        text += chunk.cause == stream::Absence::snaplen ? "{" + std::to_string(chunk.absent) + "}"
                                                        : "<" + std::to_string(chunk.absent) + ">";
      chunks_.push_back(chunk);
      chunks_.back().octets = {};
    }
    return text;
  }

  // No chunk left a space to the one before.
  [[nodiscard]] bool contiguous() const { return contiguous_; }
  // All so far, without their octets.
  [[nodiscard]] const std::vector<stream::Chunk>& chunks() const { return chunks_; }

 private:
  stream::Reassembler& stream_;
  stream::ReadLimit limit_;
  StreamOffset end_ = 0;
  bool any_ = false;
  bool contiguous_ = true;
  std::vector<stream::Chunk> chunks_;
};

}  // namespace iwarp::test
