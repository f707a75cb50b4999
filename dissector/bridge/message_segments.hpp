// MessageSegments: in which frames the segments of a message lie, for links between them.
//
// Which FPDU is a segment of which message the log tells. A message of one FPDU costs no memory. Knows
// nothing of epan.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include <iwarp/event.hpp>

namespace iwarp::dissector {

// A message of several segments.
struct SegmentFrames {
  FrameNumber completed_in = 0;           // 0: it is not complete, not of several, or not known yet
  std::span<const std::uint32_t> frames;  // in which its segments end: one for each, as they were delivered
};

class MessageSegments {
 public:
  // The next fpdu event.
  void add(const Event& fpdu);
  // A message event.
  void conclude(const Event& message);

  // By MessageConclusion::number. Lives until the next add() or conclude().
  [[nodiscard]] SegmentFrames find(ConnectionId connection, std::uint32_t message) const noexcept;

 private:
  struct Message {
    std::vector<std::uint32_t> frames;  // of its segments
    std::uint32_t completed_in = 0;     // 0: it is not complete
  };

  std::unordered_map<std::uint64_t, Message> messages_;
};

}  // namespace iwarp::dissector
