// MessageSlot: the octets of a DDP message under way, put together from its segments: holes between them are
// seeded.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include <iwarp/event.hpp>

#include "plan/recording.hpp"

namespace iwarp::replay {

class MessageSlot {
 public:
  bool ended = false;       // its last segment came
  bool uneven = false;      // its latest segment does not begin where the one before it ended
  bool adrift = false;      // octets of its direction are missing since its last segment
  std::uint32_t stag = 0;   // tagged
  std::uint64_t start = 0;  // untagged: 0; tagged: TO of the first segment
  FrameNumber first_frame = 0;
  std::optional<std::uint32_t> work;      // none: a response
  std::optional<std::uint64_t> original;  // of an Atomic Response
  std::vector<std::uint32_t> segments;    // payload of each
  StreamOffset end = 0;                   // behind its last FPDU
  std::optional<StreamOffset> rest_end;   // where the hole ends that its last segments fell into
  std::optional<std::size_t> kept_from;   // of PlannedStream::kept, its first
  FrameNumber frame = 0;                  // that delivered its latest segment

  // Takes the segment at `position` octets behind `start`. `captured` is as much of its payload as there is.
  void add(Recording& recording, std::uint64_t position, std::uint64_t length, ByteView captured);
  [[nodiscard]] std::uint64_t length() const noexcept { return length_ + buffer_.size(); }
  // Hands over what came. Nothing more is added.
  [[nodiscard]] Content finish(Recording& recording);

 private:
  void flush(Recording& recording);
  void append_seeded(Recording& recording, std::uint64_t length);
  void overwrite(Recording& recording, std::uint64_t position, ByteView captured);

  Content content_;
  std::uint64_t length_ = 0;  // of content_
  Bytes buffer_;              // captured octets behind it
};

}  // namespace iwarp::replay
