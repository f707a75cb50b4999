// MessageSegments: which FPDUs made up a message of several, for links between their frames.
//
// The analyzer decides what ends a message and how many segments it has; here the FPDUs behind that number
// are found: of untagged messages by QN and MSN, of tagged ones by order. Where they are not as many as the
// message has, nothing is linked. A message of one FPDU costs no memory, a segment of others 12 octets. Knows
// nothing of epan.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include <iwarp/event.hpp>

namespace iwarp::dissector {

// What is known of the message that a segment belongs to.
struct SegmentLink {
  FrameNumber completed_in = 0;           // 0: not known, or the message has one segment only
  bool completes = false;                 // the segment is its last one
  std::span<const std::uint32_t> frames;  // in which its segments end: one for each, in order
};

class MessageSegments {
 public:
  // The next fpdu event.
  void add(const Event& event);
  // A message event, which tells of FPDUs that were added.
  void conclude(const Event& event);

  // Of any FPDU. Lives until the next conclude().
  [[nodiscard]] SegmentLink find(const FpduFact& fpdu) noexcept;

 private:
  // A segment of a message that is not over.
  struct Pending {
    std::uint32_t number = 0;  // FpduFact::number
    std::uint32_t frame = 0;
    std::uint32_t id = 0;        // MSN or STag
    std::uint64_t position = 0;  // MO or TO
  };
  using Chain = std::vector<Pending>;

  struct Part {
    std::uint32_t number = 0;   // FpduFact::number
    std::uint32_t message = 0;  // in messages_, counted from 1; 0: none
  };
  struct Message {
    std::uint32_t frame = 0;  // in which it ends
    std::uint32_t last = 0;   // FPDU, in stream order
    std::size_t begin = 0;    // in frames_
    std::uint32_t count = 0;
  };

  void link(const Chain& chain, const Event& event);
  [[nodiscard]] std::uint32_t* message_of(std::uint32_t number) noexcept;

  std::unordered_map<std::uint64_t, Chain> chains_;  // by direction and queue, …
  std::size_t open_ = 0;                             // … of which so many are not empty
  std::vector<Part> parts_;                          // by number, …
  std::unordered_map<std::uint32_t, std::uint32_t>
      early_parts_;  // … but those that were placed ahead of others
  std::vector<Message> messages_;
  std::vector<std::uint32_t> frames_;
  std::uint32_t latest_ = 0;  // number of the FPDU added last
};

}  // namespace iwarp::dissector
