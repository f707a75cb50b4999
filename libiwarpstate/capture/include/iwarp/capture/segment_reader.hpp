// Reads the TCP segments of one capture: RecordReader and PacketDecoder together.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include <iwarp/capture/packet_decoder.hpp>
#include <iwarp/capture/record_reader.hpp>
#include <iwarp/segment.hpp>

#pragma GCC visibility push(default)
namespace iwarp::capture {

class SegmentReader {
 public:
  // REQUIRES: `records` outlives this object, and nobody else calls its next().
  explicit SegmentReader(RecordReader& records, FragmentLimits limits = {})
      : records_(records), decoder_(limits) {}

  enum class Step : std::uint8_t {
    segment,
    skipped,
    end
  };

  // Reads one frame. For callers who show progress or can be interrupted while frames without TCP go by.
  [[nodiscard]] Step step(TcpSegment& segment);

  // Delivers the next TCP segment, at most one for each frame; its payload is valid until the next call.
  // False at the end of the capture or at damage (RecordReader::damage()).
  [[nodiscard]] bool next(TcpSegment& segment);

  // Frames that had no part in a segment, by reason, and frames that only brought fragments of segments: see
  // PacketDecoder. With segments() they make frames().
  [[nodiscard]] std::map<std::string, std::uint64_t> skipped() const { return decoder_.skipped(); }
  [[nodiscard]] std::uint64_t reassembled() const noexcept { return decoder_.reassembled(); }
  [[nodiscard]] FragmentLosses fragment_losses() const noexcept { return decoder_.fragment_losses(); }

  [[nodiscard]] std::uint64_t frames() const noexcept { return frames_; }
  [[nodiscard]] std::uint64_t segments() const noexcept { return segments_; }
  // Octets of all frames so far as captured, link headers included, record headers not.
  [[nodiscard]] std::uint64_t octets() const noexcept { return octets_; }

 private:
  RecordReader& records_;
  PacketDecoder decoder_;
  std::uint64_t frames_ = 0;
  std::uint64_t segments_ = 0;
  std::uint64_t octets_ = 0;
};

}  // namespace iwarp::capture
#pragma GCC visibility pop
